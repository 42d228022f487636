// What the DOM holds: each way to change it is told with what made it, once, and nothing else is.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const HTML = `<!doctype html><body><div id=box class=a title=t><p id=p>old</p></div>
  <input id=i value=v><input type=checkbox id=c><select id=s><option value=1>1<option value=2>2</select></body>`;

// The answer to `key` of `#id` after `code` has run.
function after(code, key, id = 'box', given = {}) {
  const page = pageWith({ watch: [{ key, ...given }], ask: [{ key }] }, { html: HTML });
  page.run(code);
  return page.at(`document.getElementById('${id}')`)[0];
}
const box = "document.getElementById('box')";
const p = "document.getElementById('p')";

function isChange(answer, by, text, changes = 1) {
  assert.equal(answer.status, 'found', JSON.stringify(answer));
  assert.equal(answer.by, by);
  assert.equal(answer.value.text, text);
  assert.equal(answer.same, true, 'what is there is what the change wrote');
  assert.equal(answer.changes, changes);
}

test('a document that nobody changed has its values from the parser', () => {
  for (const [key, text] of [['className', '"a"'], ['title', '"t"'], ['textContent', '"old"']]) {
    const answer = after('', key);
    assert.equal(answer.status, 'never', key);
    assert.equal(answer.value.text, text);
  }
});

test('what is read, or written with the value it has, is no change', () => {
  const reads = `${box}.className; ${box}.className = 'a'; ${box}.getAttribute('class')`;
  assert.equal(after(reads, 'className').status, 'never');
  assert.equal(after("document.getElementById('c').checked = false", 'checked', 'c').status, 'never');
});

test('the state of an element changes by its properties, its attributes and its lists', () => {
  isChange(after(`${box}.className = 'b'`, 'className'), 'Element.prototype.className', '"b"');
  isChange(after(`${box}.setAttribute('class', 'c')`, 'className'), 'Element.prototype.setAttribute', '"c"');
  isChange(after(`${box}.removeAttribute('class')`, 'className'), 'Element.prototype.removeAttribute', '""');
  isChange(after(`${box}.toggleAttribute('class')`, 'className'), 'Element.prototype.toggleAttribute', '""');
  isChange(after(`${box}.classList.add('b')`, 'className'), 'DOMTokenList.prototype.add', '"a b"');
  isChange(after(`${box}.classList.toggle('a'); ${box}.className = 'z'`, 'className'),
    'Element.prototype.className', '"z"', 2);
  isChange(after(`${box}.attributes.class.value = 'd'`, 'className'), 'Attr.prototype.value', '"d"');
});

test('a write with a hook has the place of the hook', () => {
  const answer = after(`$QpW(7, ${box}, 'title', 'new'); ${box}.title = 'new'`, 'title');
  isChange(answer, undefined, '"new"');
  assert.equal(answer.site, 7);
});

test('the text of a tree changes by what is below', () => {
  isChange(after(`${p}.textContent = 'new'`, 'textContent'), 'Node.prototype.textContent', '"new"');
  isChange(after(`${p}.firstChild.data = 'new'`, 'textContent'), 'CharacterData.prototype.data', '"new"');
  isChange(after(`${p}.append('er')`, 'textContent'), 'Element.prototype.append', '"older"');
  isChange(after(`${p}.remove()`, 'textContent'), 'Element.prototype.remove', '""');
  isChange(after(`${box}.innerHTML = '<i>x</i>'`, 'innerHTML'), 'Element.prototype.innerHTML', '"<i>x</i>"');
  isChange(after(`${p}.insertAdjacentHTML('afterend', '<hr>')`, 'innerHTML'), 'Element.prototype.insertAdjacentHTML',
    '"<p id=\\"p\\">old</p><hr>"');
  const range = `const range = document.createRange(); range.selectNodeContents(${p}); range.deleteContents()`;
  isChange(after(range, 'textContent'), 'Range.prototype.deleteContents', '""');
});

test('an attribute is no part of the text, and is part of the markup', () => {
  assert.equal(after(`${p}.setAttribute('class', 'x')`, 'textContent').status, 'never');
  isChange(after(`${p}.setAttribute('class', 'x')`, 'innerHTML'), 'Element.prototype.setAttribute',
    '"<p id=\\"p\\" class=\\"x\\">old</p>"');
});

test('what is changed elsewhere is another element', () => {
  assert.equal(after("document.getElementById('i').title = 'x'; document.body.append('x')", 'title').status, 'never');
  assert.equal(after("document.getElementById('s').textContent = ''", 'textContent').status, 'never');
});

test('what an element hands out is a part of it', () => {
  const cases = [
    ['classList', 'length', `${box}.classList.add('b')`, 'DOMTokenList.prototype.add', '2'],
    ['children', 'length', `${box}.append(document.createElement('b'))`, 'Element.prototype.append', '2'],
    ['dataset', 'n', `${box}.setAttribute('data-n', '2')`, 'Element.prototype.setAttribute', '"2"'],
  ];
  for (const [part, key, code, by, text] of cases) {
    const page = pageWith({ watch: [{ key, through: [part] }], ask: [{ key, path: [part] }] }, { html: HTML });
    page.run(code);
    isChange(page.at(box)[0], by, text);
  }
});

test('an element that a script makes has its values from there', () => {
  const page = pageWith({ watch: ['className'], ask: [{ key: 'className' }] }, { html: HTML });
  page.run(`${box}.insertAdjacentHTML('beforeend', '<b id=b class=k></b>')`);
  const answer = page.at("document.getElementById('b')")[0];
  assert.equal(answer.status, 'found');
  assert.equal(answer.by, 'Element.prototype.insertAdjacentHTML');
  assert.equal(answer.value.text, '"k"');
  page.run(`globalThis.copy = ${box}.cloneNode(true)`);
  assert.equal(page.at('copy')[0].by, 'Node.prototype.cloneNode');
});

test('what a form holds changes by properties and by other controls', () => {
  isChange(after("document.getElementById('i').value = 'w'", 'value', 'i'), 'HTMLInputElement.prototype.value', '"w"');
  isChange(after("document.getElementById('s').selectedIndex = 1", 'value', 's'),
    'HTMLSelectElement.prototype.selectedIndex', '"2"');
  isChange(after("document.getElementById('s').options[1].selected = true", 'selectedIndex', 's'),
    'HTMLOptionElement.prototype.selected', '1');
});

test('what a click does to a box is its own doing', () => {
  const answer = after("document.getElementById('c').click()", 'checked', 'c');
  isChange(answer, 'HTMLElement.prototype.click', 'true');
});

test('what is watched is watched in the storage', () => {
  const page = pageWith(
    { watch: [{ key: 'cart', through: ['localStorage'] }], ask: [{ key: 'cart' }] }, { html: HTML });
  page.run("localStorage.setItem('cart', '1'); localStorage.setItem('other', '2')");
  const answer = page.at('localStorage')[0];
  assert.equal(answer.status, 'found');
  assert.equal(answer.by, 'Storage.prototype.setItem');
  assert.equal(answer.changes, 1);
});

test('replaced built-ins look like those of the browser', () => {
  const page = pageWith({ watch: ['className', 'innerHTML'] }, { html: HTML });
  const of = (expression) => page.run(expression);
  assert.equal(of('Element.prototype.append.name'), 'append');
  assert.equal(of('Element.prototype.setAttribute.length'), 2);
  assert.match(of('`${Element.prototype.append}`'), /\[native code\]/);
  assert.equal(of("'prototype' in Element.prototype.append"), false);
  assert.deepEqual(Object.keys(of('globalThis')).filter((key) => key.startsWith('$Qp')), []);
});
