// Live hooks of the document: of several writes the latest is named, what only moves is told from what changes, and
// where something else may have written nobody is named.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const HTML = `<body><div id=box class=a title=t><p id=p>old</p><p id=q>next</p></div><form><input id=i value=v>
  <select id=s><option id=o1 value=1>1<option id=o2 value=2>2</select><textarea id=t>x</textarea></form>
  <template id=template><b>x</b></template><dialog id=dialog></dialog><hr></body>`;
const IDS = ['box', 'p', 'q', 'i', 's', 'o1', 'o2', 't', 'template', 'dialog'];

function pageOf(ask) {
  const page = pageWith({ armed: true, shadows: true, ask: [ask] }, { html: HTML });
  page.run(`var ${IDS.map((id) => `${id} = document.getElementById('${id}')`).join(', ')}; var text = p.firstChild`);
  return page;
}
function lastWriter(object, key, code) {
  const page = pageOf({ key });
  page.run(code);
  const { status, by, value } = page.at(object)[0];
  return { status, by, text: value?.text };
}

const FOUND = [
  ['box', 'textContent', "p.textContent = 'new'", 'Node.prototype.textContent', 'newnext'],
  ['box', 'textContent', "p.append('er'); q.title = 't'", 'Element.prototype.append', 'oldernext'],
  ['box', 'textContent', "text.data = 'new'", 'CharacterData.prototype.data', 'newnext'],
  ['box', 'textContent', 'q.remove()', 'Element.prototype.remove', 'old'],
  ['box', 'textContent', "p.textContent = 'a'; q.textContent = 'b'", 'Node.prototype.textContent', 'ab'],
  ['box', 'textContent', "box.innerHTML = '<i>x</i>'; box.firstChild.append('y')", 'Element.prototype.append', 'xy'],
  ['text', 'data', "text.data = 'new'", 'CharacterData.prototype.data', 'new'],
  ['text', 'nodeValue', "text.nodeValue = 'new'", 'Node.prototype.nodeValue', 'new'],
  ['box', 'innerHTML', "p.id = 'other'", 'Element.prototype.id', '<p id="other">old</p><p id="q">next</p>'],
  ['box', 'innerHTML', "box.innerHTML = '<b>x</b>'", 'Element.prototype.innerHTML', '<b>x</b>'],
  ['p', 'outerHTML', "p.title = 'new'", 'HTMLElement.prototype.title', '<p id="p" title="new">old</p>'],
  ['i', 'value', "i.value = 'w'", 'HTMLInputElement.prototype.value', 'w'],
  ['s', 'value', 's.selectedIndex = 1', 'HTMLSelectElement.prototype.selectedIndex', '2'],
  ['s', 'value', 'o2.selected = true', 'HTMLOptionElement.prototype.selected', '2'],
  ['t', 'value', "t.value = 'y'", 'HTMLTextAreaElement.prototype.value', 'y'],
  ['box', 'className', "box.classList.add('b')", 'DOMTokenList.prototype.add', 'a b'],
  ['box.classList', 'value', "box.classList.add('b')", 'DOMTokenList.prototype.add', 'a b'],
  ['box.dataset', 'total', "box.setAttribute('data-total', '5')", 'Element.prototype.setAttribute', '5'],
  ['box.style', 'cssText', "box.setAttribute('style', 'color: red;')", 'Element.prototype.setAttribute', 'color: red;'],
  ['box.style', 'backgroundColor', "box.setAttribute('style', 'background-color: red')",
    'Element.prototype.setAttribute', 'red'],
  ['sessionStorage', 'total', "sessionStorage.setItem('total', '5')", 'Storage.prototype.setItem', '5'],
];
for (const [object, key, code, by, text] of FOUND) {
  test(`${code}: ${by} is named for ${object}.${key}`, () => {
    assert.deepEqual(lastWriter(object, key, code), { status: 'found', by, text: JSON.stringify(text) });
  });
}

test('the element that a call has made is named of it', () => {
  const made = (code, object) => lastWriter(object, 'className', code).by;
  assert.equal(made("template.innerHTML = '<i class=k></i>'", 'template.content.firstChild'),
    'Element.prototype.innerHTML');
  assert.equal(made("p.insertAdjacentHTML('afterend', '<i class=k></i>')", 'p.nextSibling'),
    'Element.prototype.insertAdjacentHTML');
  assert.equal(made("var made = document.createRange().createContextualFragment('<i class=k></i>')", 'made.firstChild'),
    'Range.prototype.createContextualFragment');
});

const UNSEEN = [
  ['box', 'textContent', '', 'nothing was written'],
  ['s', 'textContent', "o1.textContent = '9'", 'what is in a list is not searched'],
  ['box', 'clientWidth', "p.textContent = 'new'", 'it is worked out'],
  ['document', 'textContent', "p.textContent = 'new'", 'a document has no text'],
  ['localStorage', 'length', "localStorage.setItem('total', '5')", 'it is no item'],
  ['localStorage', '0', "localStorage.setItem('0', '5')", 'elements of arrays have no hooks'],
  ['p', 'innerHTML', "p.innerHTML = '<b>x</b>'; $QpUn({})", 'a body of `with` may have written attributes by name'],
];
for (const [object, key, code, why] of UNSEEN) {
  test(`nobody is named for ${object}.${key} after ${code || 'nothing'}: ${why}`, () => {
    assert.notEqual(lastWriter(object, key, code).status, 'found');
  });
}

test('an attribute that was taken away was deleted by who did it', () => {
  const page = pageOf({ key: 'title' });
  page.run("box.removeAttribute('title')");
  const { status, by, captured } = page.at('box')[0];
  assert.deepEqual([status, by, captured.deleted], ['found', 'Element.prototype.removeAttribute', false]);
});

test('what two calls moved back and forth within what is asked is nobody\'s', () => {
  // The text around both is what it was: who moved them is not who wrote it.
  const code = "p.textContent = 'a'; q.textContent = 'a'; box.insertBefore(q, p)";
  const { by } = lastWriter('box', 'textContent', code);
  assert.notEqual(by, 'Node.prototype.insertBefore');
});

test('a frame of the same origin may have written anything', () => {
  const page = pageOf({ key: 'textContent' });
  page.run("p.textContent = 'new'; document.body.append(document.createElement('iframe'))");
  assert.equal(page.at('p')[0].status, 'unseen');
});

test('a call that throws has written nothing', () => {
  const page = pageOf({ key: 'textContent' });
  page.run("p.textContent = 'new'; try { p.insertBefore({}, null) } catch {} try { p.append(box) } catch {}");
  const { status, by } = page.at('p')[0];
  assert.deepEqual([status, by], ['found', 'Node.prototype.textContent']);
});

test('writes of which there are too many in one task are not asked of the stack', () => {
  const page = pageOf({ key: 'textContent' });
  page.run("for (let index = 0; index < 6000; index++) p.textContent = index; q.textContent = 'late'");
  assert.equal(page.at('q')[0].status, 'unseen');
});

test('a call of code that has no address names no other line', () => {
  const page = pageOf({ key: 'textContent' });
  page.run("p.textContent = 'new'");
  const { captured } = page.at('p')[0];
  assert.equal(captured.stack.length, 1);
  assert.match(captured.stack[0].url, /^evalmachine/);
});

test('another document that has written one item, or all, leaves these unknown', () => {
  const other = (init) => `localStorage.setItem('total', '5'); localStorage.setItem('name', 'x');
    dispatchEvent(new StorageEvent('storage', { storageArea: localStorage, ${init} }))`;
  assert.equal(lastWriter('localStorage', 'name', other("key: 'total'")).status, 'found');
  assert.equal(lastWriter('localStorage', 'total', other("key: 'total'")).status, 'unseen');
  assert.equal(lastWriter('localStorage', 'name', other('key: null')).status, 'unseen');
});

test('an item whose key is an object is not told from others', () => {
  const code = "localStorage.setItem('total', '5'); localStorage.setItem({ toString: () => 'total' }, '6')";
  assert.equal(lastWriter('localStorage', 'total', code).status, 'unseen');
});
