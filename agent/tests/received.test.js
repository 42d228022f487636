// What comes from outside: its properties were there when it came, and answers name where from.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

function page(before = '') {
  return pageWith({ watch: ['total'], ask: [{ key: 'total' }] }, { before });
}

test('an object that a text was parsed to', () => {
  const made = page();
  made.run(`globalThis.cart = JSON.parse('{ "total": 5, "lines": [{ "total": 2 }] }')`);
  for (const [root, text] of [['cart', '5'], ['cart.lines[0]', '2']]) {
    const answer = made.at(root)[0];
    assert.equal(answer.status, 'found', root);
    assert.equal(answer.by, 'JSON.parse');
    assert.equal(answer.value.text, text);
    assert.equal(answer.changes, 1);
  }
});

test('the body of a response names the file', async () => {
  const made = page(`globalThis.Response = class Response {
    get url() { return 'http://shop.test/api/cart.json?x=1'; }
    json() { return Promise.resolve({ total: 7 }); }
  }`);
  made.window.answer = await made.run('new Response().json()');
  const answer = made.at('answer')[0];
  assert.equal(answer.status, 'found');
  assert.equal(answer.value.text, '7');
  assert.match(answer.by, /^from .*response/);
});

test('the data of a message is found once, and a copy that a script made is its own', () => {
  const made = page();
  made.run(`window.addEventListener('message', (event) => { globalThis.data = event.data; });
    window.dispatchEvent(new MessageEvent('message', { data: { total: 3 } }))`);
  const answer = made.at('data')[0];
  assert.equal(answer.status, 'unseen', 'no hook saw who made it, and it did not come from outside');
  assert.equal(answer.value.text, '3');
});

test('built-ins that copy tell what they wrote', () => {
  const made = page();
  made.run(`globalThis.a = Object.assign({}, { total: 1 }); 
    globalThis.c = Object.fromEntries([['total', 3]]);
    globalThis.d = {}; Object.defineProperty(d, 'total', { value: 4 });
    globalThis.e = {}; Reflect.set(e, 'total', 5); globalThis.f = Object.create({}, { total: { value: 6 } });`);
  const by = (root) => made.at(root)[0].by;
  assert.equal(by('a'), 'Object.assign');
  assert.equal(by('c'), 'Object.fromEntries');
  assert.equal(by('d'), 'Object.defineProperty');
  assert.equal(by('e'), 'Reflect.set');
  assert.equal(by('f'), 'Object.create');
});
