// The agent of an execution that is logged: what its hooks give back, and what they tell.
//
// The scripts here are as `js-analysis/src/log` rewrites them; the records are read by their kinds, as
// `event-log/src/wire/mod.rs` describes them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { unpacked } from './log-records.js';
import { pageWith } from './realm.js';

const LOG = { binding: '$QpLog', switchName: null, otherCall: 0, tellsResults: false, tellsNew: false };
const pageOf = (log = {}) => pageWith({ log: { ...LOG, ...log } }, { bundle: 'logging' });

const wordsOf = (page) => {
  page.run('$QpLL()');
  return page.batches.splice(0).flatMap(unpacked);
};

const FUNCTION = `function add(item) {
  const $Qps3 = $QpLe(2, 3, 0, this, arguments); let $Qpv, $Qpx = 0;
  try { $QpLw(9, cart, cart.total = item); return ($Qpv = item, $Qpx = 8, $Qpv); } finally { $QpLx(2, $Qpx, $Qpv); }
}`;

test('a function that is logged does what it did', () => {
  const page = pageOf();
  page.run(`var cart = {}; ${FUNCTION}`);
  assert.equal(page.run('add(7)'), 7);
  assert.equal(page.run('cart.total'), 7);
});

test('hooks give back the value that they are told', () => {
  const page = pageOf();
  page.run('var o = {}; var list = [1];');
  for (const hook of ['$QpLw(9, o, v)', '$QpLv(9, 0, v)', '$QpLf(9, v)', '$QpLh(9, v)', '$QpLi(9, o, "k", v)',
    '$QpLg(9, 0, v)', '$QpLT(9, v)', '$QpLt(v, 9)']) {
    for (const value of ['-0', 'NaN', 'undefined', 'o', '"text"', '1n', 'Symbol.iterator', 'list']) {
      assert.ok(page.run(`{ const v = ${value}; Object.is(${hook}, v); }`), `${hook} of ${value}`);
    }
  }
});

test('what a call does is told, each batch from the first word on', () => {
  const page = pageOf();
  page.run(`var cart = {}; ${FUNCTION}`);
  wordsOf(page);
  page.run('add(7)');
  const words = wordsOf(page);
  assert.deepEqual([words[0], words[3]], [0x314c5051, words.length - 8]);
  // A write's record: its site, what it is, and then the object and the value.
  const write = words.findIndex((word) => word === (9 << 5 | 17));
  assert.ok(write >= 8, words.join(' '));
  assert.deepEqual([words[write + 1] & 15, words[write + 2]], [5, 7 << 4 | 1]);
  page.run('add(7)');
  assert.ok(wordsOf(page).length < words.length, 'what was defined is not defined again');
});

test('a hook runs nothing of the page', () => {
  const page = pageOf();
  page.run(`var ran = [];
    var object = { get total() { ran.push('getter'); return 1; }, toString() { ran.push('toString'); return ''; } };
    var proxy = new Proxy({}, { get() { ran.push('get'); }, ownKeys() { ran.push('ownKeys'); return []; },
      getPrototypeOf() { ran.push('getPrototypeOf'); return null; } });
    for (const value of [object, proxy]) {
      $QpLw(9, value, value); $QpLv(9, 0, value); $QpLf(9, value); $QpLT(9, value); $QpLg(9, 0, value);
    }`);
  wordsOf(page);
  assert.deepEqual([...page.run('ran')], []);
});

test('what the page replaces later is not used', () => {
  const page = pageOf();
  page.run(`var cart = {}; ${FUNCTION}
    Int32Array.prototype.set = Map.prototype.set = WeakMap.prototype.set = Reflect.apply = () => { throw 'replaced'; };
    Map.prototype.get = WeakMap.prototype.get = btoa = () => { throw 'replaced'; };`);
  assert.equal(page.run('add(7)'), 7);
  assert.ok(wordsOf(page).some((word) => word === (9 << 5 | 17)));
});

test('the version that runs is the other one while one call runs', () => {
  const page = pageOf({ switchName: '$QpOther', otherCall: 2 });
  page.run(`function which() {
    const $Qps3 = $QpLe(2, 3, 0, this, arguments); let $Qpv, $Qpx = 0;
    try { return ($Qpv = $QpOther, $Qpx = 8, $Qpv); } finally { $QpLx(2, $Qpx, $Qpv); }
  }`);
  assert.deepEqual([...page.run('[which(), which(), which()]')], [false, true, false]);
  assert.equal(page.run("Object.keys(globalThis).includes('$QpOther')"), false);
});
