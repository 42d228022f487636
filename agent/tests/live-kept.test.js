// Live hooks of collections, data sets, storages and addresses: which line or built-in wrote them last, and what is not
// observed.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const HTML = `<body><a id=a href=/first>x</a><p id=p data-own=1>old</p><hr></body>`;

function pageOf(ask) {
  const page = pageWith({ armed: true, shadows: true, ask: [ask] }, { html: HTML });
  for (const id of ['a', 'p']) page.run(`var ${id} = document.getElementById('${id}')`);
  return page;
}
const answer = (page, object) => {
  const { status, by, value } = page.at(object)[0];
  return { status, by, value: value?.text };
};
// Who wrote `object.key` last, once `code` has run.
function lastWriter(object, key, code) {
  const page = pageOf({ key });
  page.run(code);
  return answer(page, object);
}
function lastWriterOfEntry(kind, code, literal = 'k') {
  const page = pageOf({ keyed: { kind, literal, keyDependent: null } });
  page.run(code);
  return answer(page, 'box');
}

const ENTRIES = [
  ['map', "var box = new Map(); box.set('k', 1)", 'Map.prototype.set', '1'],
  ['map', "var box = new Map([['k', 1]]); box.set('j', 2)", 'Map.prototype.set', '1'],
  ['map', "var box = new Map(); box.set('k', 1); box.delete('k')", 'Map.prototype.delete', 'undefined'],
  ['map', "var box = new Map(); box.set('k', 1); box.clear()", 'Map.prototype.clear', 'undefined'],
  ['set', "var box = new Set(); box.add('k')", 'Set.prototype.add', 'true'],
  ['set', "var box = new Set(['k']); box.delete('k')", 'Set.prototype.delete', 'false'],
];
for (const [kind, code, by, value] of ENTRIES) {
  test(`${code}: ${by} is named for the entry`, () => {
    assert.deepEqual(lastWriterOfEntry(kind, code), { status: 'found', by, value });
  });
}

test('of a collection that nobody wrote, or of none, nobody is named', () => {
  assert.equal(lastWriterOfEntry('map', 'var box = new Map()').status, 'unseen');
  assert.equal(lastWriterOfEntry('map', 'var box = {}').by, undefined);
});

// A hooked write by name of an object that an element hands out, as the rewriter has it.
const named = (object, key, value, site) => `(() => { const part = ${object}, shadow = $QpSh(part);
  if (!$QpIs(shadow['v$${key}'], ${value})) { shadow['v$${key}'] = ${value}; shadow['s$${key}'] = ${site}; }
  part.${key} = ${value}; })()`;

test('what is written by name on a data set or a storage has the line of the hook', () => {
  for (const [object, key, value] of [['p.dataset', 'own', '"2"'], ['localStorage', 'total', '"5"']]) {
    const page = pageOf({ key });
    page.run(named(object, key, value, 7));
    const { status, site, value: now } = page.at(object)[0];
    assert.deepEqual([status, site, now.text], ['found', 7, value], object);
  }
});

test('what code without hooks has written by name since is not observed', () => {
  const page = pageOf({ key: 'own' });
  page.run(named('p.dataset', 'own', '"2"', 7));
  assert.equal(page.at('p.dataset')[0].site, 7);
  page.run("p.dataset.own = '3'");
  assert.equal(page.at('p.dataset')[0].status, 'unseen');
});

const STATES = [
  ['p', 'id', "p.setAttribute('id', 'q')", 'Element.prototype.setAttribute', '"q"'],
  ['document', 'title', "document.title = 'new'", 'Document.prototype.title', '"new"'],
  ['a', 'href', "a.setAttribute('href', 'http://other.test/x')", 'Element.prototype.setAttribute',
    '"http://other.test/x"'],
  ['a', 'href', "a.setAttribute('href', '/second')", 'Element.prototype.setAttribute', '"http://shop.test/second"'],
];
for (const [object, key, code, by, value] of STATES) {
  test(`${code}: ${by} is named for ${object}.${key}`, () => {
    assert.deepEqual(lastWriter(object, key, code), { status: 'found', by, value });
  });
}

test('an address that is not whole is another one once the document has another', () => {
  const code = "a.setAttribute('href', 'second'); history.pushState(null, '', '/folder/page')";
  assert.deepEqual(lastWriter('a', 'href', code), { status: 'unseen', by: undefined,
    value: '"http://shop.test/folder/second"' });
});

test('an element that a script makes has its state from there', () => {
  const made = "p.innerHTML = '<i class=c>x</i>'";
  assert.equal(lastWriter('p.firstChild', 'className', made).by, 'Element.prototype.innerHTML');
  assert.equal(lastWriter('p.cloneNode(true)', 'className', '').status, 'unseen');
  assert.equal(lastWriter('copy', 'id', 'var copy = p.cloneNode(true)').by, 'Node.prototype.cloneNode');
});

test('items that another key has, and all that `clear` takes, are told apart', () => {
  const page = pageOf({ key: 'a' });
  page.run("localStorage.setItem('a', '1'); localStorage.setItem('b', '2')");
  assert.deepEqual(answer(page, 'localStorage'), { status: 'found', by: 'Storage.prototype.setItem', value: '"1"' });
  page.run('localStorage.clear()');
  const { by, value } = answer(page, 'localStorage');
  assert.deepEqual([by, value], ['Storage.prototype.clear', 'undefined']);
});
