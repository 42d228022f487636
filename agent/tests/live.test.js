// Live hooks of what the browser keeps: which built-in wrote the DOM and the storage last, and what is not observed.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// Into what is last in a document that is loading the parser may still write.
const HTML = '<body><p id=p>old</p><hr></body>';

// Who wrote `object.key` last, once `code` has run.
function lastWriter(object, key, code) {
  const page = pageWith({ armed: true, shadows: true, ask: [{ key }] }, { html: HTML });
  page.run("var p = document.getElementById('p')");
  page.run(code);
  const [{ status, by, value }] = Object.values(page.at(object));
  return { status, by, value: value?.text };
}

const WRITES = [
  ['p', 'textContent', "p.textContent = 'new'", 'Node.prototype.textContent', '"new"'],
  ['p', 'textContent', "p.append('er')", 'Element.prototype.append', '"older"'],
  ['p', 'textContent', "p.textContent = 'a'; p.setAttribute('id', 'q')", 'Node.prototype.textContent', '"a"'],
  ['p', 'innerHTML', "p.innerHTML = '<b>x</b>'", 'Element.prototype.innerHTML', '"<b>x</b>"'],
  ['p', 'innerHTML', "p.insertAdjacentHTML('beforeend', '<i>1</i>')", 'Element.prototype.insertAdjacentHTML',
    '"old<i>1</i>"'],
  ['p', 'className', "p.setAttribute('class', 'b')", 'Element.prototype.setAttribute', '"b"'],
  ['p', 'className', "p.classList.add('c')", 'DOMTokenList.prototype.add', '"c"'],
  ['localStorage', 'total', "localStorage.setItem('total', '5')", 'Storage.prototype.setItem', '"5"'],
];
for (const [object, key, code, by, value] of WRITES) {
  test(`who writes ${object}.${key} by ${code} is named`, () => {
    assert.deepEqual(lastWriter(object, key, code), { status: 'found', by, value });
  });
}

test('what writes the text that is there already is not the last writer', () => {
  const { by } = lastWriter('p', 'textContent', "p.textContent = 'a'; p.replaceChildren('a')");
  assert.equal(by, 'Node.prototype.textContent');
});

const UNSEEN = [
  ['p', 'textContent', ''],
  ['p', 'className', ''],
  ['localStorage', 'total', ''],
];
for (const [object, key, code] of UNSEEN) {
  test(`nobody is named for ${object}.${key} that nothing has written`, () => {
    const { status, by } = lastWriter(object, key, code);
    assert.deepEqual([status, by], ['unseen', undefined]);
  });
}

test('another document that writes the storage is not observed', () => {
  const event = "new StorageEvent('storage', { key: 'total', storageArea: localStorage })";
  const code = `localStorage.setItem('total', '5'); dispatchEvent(${event})`;
  assert.equal(lastWriter('localStorage', 'total', code).status, 'unseen');
});

// A shadow's number has room for so many sites of a script; a larger one would be that of another task.
const LARGEST_SITE = (1 << 18) - 1;
const LATE_SITES = [
  ['o', 'k', (site) => `$QpW(${site}, o, 'k', 7); o.k = 7`],
  ['window', 'total', (site) => `$QpG(${site}, 'total', 8, false); total = 8`],
];
for (const [object, key, write] of LATE_SITES) {
  test(`nobody is named for ${key} that a site without a number has written`, () => {
    const written = (site) => {
      const page = pageWith({ armed: true, shadows: true, ask: [{ key }] }, { html: HTML });
      page.run('var o = {}, total = 1; $QpNow || $QpBe()');
      page.run(write(site));
      const [{ status, site: found }] = Object.values(page.at(object));
      return [status, found];
    };
    assert.deepEqual(written(LARGEST_SITE), ['found', LARGEST_SITE]);
    assert.deepEqual(written(LARGEST_SITE + 1), ['unseen', undefined]);
  });
}
