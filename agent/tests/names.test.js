// Roles and accessible names, by which selectors find elements: what names an element where several things could.
//
// That Chromium computes the same is tested end to end; here each rule has a page of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { dist } from './realm.js';

const SELECTORS = dist('selectors.js');

// Whether `aria/NAME[role="ROLE"]` finds just the element with `data-it`.
async function isNamed(html, role, name, styles = {}) {
  const { window } = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true });
  const plain = { display: 'inline', visibility: 'visible', textTransform: 'none', content: 'none' };
  window.getComputedStyle = (element, pseudo) => {
    const key = pseudo ? `${element.id}${pseudo}` : element.id;
    return { ...plain, display: /^(DIV|P)$/.test(element.tagName) ? 'block' : 'inline', ...styles[key] };
  };
  for (const host of window.document.querySelectorAll('[data-shadow]')) {
    host.attachShadow({ mode: 'open' }).innerHTML = host.dataset.shadow;
  }
  const request = {
    task: 'element', selectors: [[`aria/${name}[role="${role}"]`]], operator: '==', count: 1, visible: null,
    attributes: { 'data-it': '' }, limitMs: 0,
  };
  const { done, why } = await window.eval(`(${SELECTORS})(${JSON.stringify(request)})`);
  return done ? true : why;
}

const NAMED = [
  ['the text in it', '<button data-it>Buy <b>now</b></button>', 'button', 'Buy now'],
  ['a label of its own, over the text', '<button data-it aria-label="Buy">x</button>', 'button', 'Buy'],
  ['others that it names, over its label',
    '<i id=a>Total</i><i id=b>price</i><button data-it aria-labelledby="a b" aria-label=x>y</button>', 'button',
    'Total price'],
  ['itself among others', '<i id=a>Delete</i><button data-it id=me aria-label=File aria-labelledby="a me">x</button>',
    'button', 'Delete File'],
  ['nothing that is not there', '<button data-it aria-labelledby=none>Buy</button>', 'button', 'Buy'],
  ['the label around a field, without what is in the field', '<label>Name <input data-it value=Ann></label>', 'textbox',
    'Name'],
  ['the label for a field', '<label for=f>Age</label><input data-it id=f type=number>', 'spinbutton', 'Age'],
  ['both labels of a field', '<label for=f>First</label><label for=f>second</label><input data-it id=f>', 'textbox',
    'First second'],
  ['within a name, what is in a field',
    '<label for=c>Wait <input value=5> minutes</label><input data-it id=c type=checkbox>',
    'checkbox', 'Wait 5 minutes'],
  ['within a name, what is chosen',
    '<label for=c><select><option>a<option selected>b</select></label><input data-it id=c type=radio>',
    'radio', 'b'],
  ['what a button shows', '<input data-it type=button value=Go>', 'button', 'Go'],
  ['what the browser shows on a button', '<input data-it type=submit>', 'button', 'Submit'],
  ['what the browser shows on the other', '<input data-it type=reset>', 'button', 'Reset'],
  ['the text of an image that is a button', '<input data-it type=image alt=Search>', 'button', 'Search'],
  ['the text of an image', '<img data-it alt=Logo title=x>', 'image', 'Logo'],
  ['the title where nothing else is', '<input data-it title=Town>', 'textbox', 'Town'],
  ['what is shown in an empty field', '<input data-it placeholder=Street>', 'textbox', 'Street'],
  ['a legend', '<fieldset data-it><legend>Address</legend><input></fieldset>', 'group', 'Address'],
  ['a caption', '<table data-it><caption>Prices</caption><tr><td>1</table>', 'table', 'Prices'],
  ['the title of a drawing', '<svg data-it><title>Chart</title><g></g></svg>', 'image', 'Chart'],
  ['the text of a link', '<a data-it href=/>Home</a>', 'link', 'Home'],
  ['the image in a link', '<a data-it href=/><img alt=Home></a>', 'link', 'Home'],
  ['a list of several', '<label>Sizes <select data-it multiple><option>S</select></label>', 'listbox', 'Sizes'],
  ['a field with suggestions', '<label>City <input data-it list=l></label><datalist id=l></datalist>', 'combobox',
    'City'],
  ['the role that is given', '<div data-it role="tab button">Details</div>', 'tab', 'Details'],
  ['a line break as a space', '<button data-it>Buy<br>now</button>', 'button', 'Buy now'],
  ['blocks as words apart', '<button data-it><div>Buy</div><div>now</div></button>', 'button', 'Buy now'],
  ['nothing that is hidden from such programs', '<button data-it>Buy <i aria-hidden=true>x</i></button>', 'button',
    'Buy'],
  ['what is in a shadow tree', '<button data-it><span data-shadow="<b>Inside</b>"></span></button>', 'button',
    'Inside'],
];
for (const [what, html, role, name] of NAMED) {
  test(`an element is named by ${what}`, async () => assert.equal(await isNamed(html, role, name), true));
}

test('styles decide what of a text is read', async () => {
  const html = '<button data-it id=b>buy <i id=i>now</i></button>';
  assert.equal(await isNamed(html, 'button', 'BUY now', { b: { textTransform: 'uppercase' } }), true);
  assert.equal(await isNamed(html, 'button', 'Buy now', { b: { textTransform: 'capitalize' } }), true);
  assert.equal(await isNamed(html, 'button', 'buy', { i: { display: 'none' } }), true);
  assert.equal(await isNamed(html, 'button', 'buy', { i: { visibility: 'hidden' } }), true);
  assert.equal(await isNamed(html, 'button', '→ buy now "', {
    'b::before': { content: '"→ "' }, 'b::after': { content: '" \\""' },
  }), true);
  assert.equal(await isNamed(html, 'button', 'buy now', { 'b::before': { content: 'url(x.png)' } }), true);
});

test('a link without an address is none, and a hidden field has no role', async () => {
  assert.notEqual(await isNamed('<a data-it>Home</a>', 'link', 'Home'), true);
  assert.notEqual(await isNamed('<input data-it type=hidden title=x>', 'textbox', 'x'), true);
});
