// The agent of an execution that is logged: what its hooks give back, and what they tell.
//
// The scripts here are as `js-analysis/src/log` rewrites them; the records are read by their kinds, as
// `event-log/src/wire/mod.rs` describes them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { unpacked } from './log-records.js';
import { pageWith } from './realm.js';

const LOG = { binding: '$QpLog', switchName: null, otherCall: 0, tellsResults: false, tellsNew: false, longestText: 0 };
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

// Whether words define a text.
function hasText(words, text) {
  const units = [text.length << 5 | 1];
  for (let at = 0; at < text.length; at += 2) {
    units.push(text.charCodeAt(at) | (at + 1 < text.length ? text.charCodeAt(at + 1) << 16 : 0));
  }
  return words.some((_, at) => units.every((unit, index) => words[at + index] === unit));
}

test('what an object inherits is told where the prototype is known and has values', () => {
  const made = {
    'Object.create(base)': true, 'Object.create(Object.create(base))': true, 'new Child()': true, '({})': false,
    'Object.create(methods)': false, 'Object.create(null)': false, 'new Map()': false,
    'Object.create(new Proxy(base, { getPrototypeOf() { throw "a trap ran"; } }))': false,
  };
  for (const tells of [true, false]) {
    for (const [expression, isTold] of Object.entries(made)) {
      const page = pageOf({ tellsResults: tells });
      page.run(`var base = $QpLj(5, { a: 1 }, 'a'), methods = $QpLj(7, { f() {} }, 'f');
        class Base {} class Child extends Base {} Base.prototype.kind = 'x'; $QpLw(20, Base.prototype, 'x');`);
      page.run(expression.startsWith('new') ? `$QpLg(10, 0, ${expression})` : `$QpLC(9, 0, ${expression})`);
      assert.equal(hasText(wordsOf(page), '[[Prototype]]'), isTold && tells, `${expression}, ${tells}`);
    }
  }
});

test('another prototype takes the place of the one before', () => {
  const page = pageOf({ tellsResults: true });
  page.run("var base = $QpLj(5, { a: 1 }, 'a'), other = $QpLj(7, { b: 1 }, 'b'), o = $QpLC(9, 0, Object.create(base));");
  wordsOf(page);
  const gone = 6 << 4;
  const written = (words) => words.flatMap((word, at) => word === (9 << 5 | 18) ? [words[at + 3]] : []);
  page.run('$QpLC(9, $QpLn(9), Object.setPrototypeOf(o, other))');
  const known = written(wordsOf(page));
  assert.equal(known.length, 2);
  assert.deepEqual([known[0], known[1] & 15], [gone, 5]);
  page.run('$QpLC(9, $QpLn(9), Reflect.setPrototypeOf(o, {}))');
  assert.deepEqual(written(wordsOf(page)), [gone]);
});

test('the controls are told that a form has its texts from', () => {
  const html = `<!doctype html><form><input name=q><input name=q><input name=off disabled><input name=pick type=radio>
    <textarea name=note></textarea><select name=size></select><input><button name=send></button></form>`;
  const page = pageWith({ log: { ...LOG, tellsResults: true } }, { bundle: 'logging', html });
  page.run("$QpLg(10, 0, new FormData(document.querySelector('form')), document.querySelector('form'))");
  const words = wordsOf(page);
  const told = ['q', 'note', 'size', 'off', 'pick', 'send', ''].filter((name) => hasText(words, `[[Control:${name}]]`));
  assert.deepEqual(told, ['q', 'note', 'size']);
  page.run('$QpLg(10, 0, new Map([]), [])');
  page.run('$QpLg(10, 0, new FormData())');
  assert.ok(!hasText(wordsOf(page), '[[Control:q]]'));
});

test('in the body of a `with` it is told what is written, and where', () => {
  const page = pageOf();
  page.run("var o = { n: 1, s: '' };");
  const ofObject = (words) => words.filter((word) => word === (10 << 5 | 18)).length;
  assert.equal(page.run("with (o) $QpLI(9, 0, 10, 'n', n++, 1, o)"), 1);
  assert.equal(page.run("with (o) $QpLI(9, 0, 10, 'n', n--, -1, o)"), 2);
  assert.equal(ofObject(wordsOf(page)), 2);
  assert.equal(page.run("with (o) $QpLO(9, 0, 10, 's', s ||= $QpLm('x'), o)"), 'x');
  assert.equal(page.run("with (o) $QpLO(9, 0, 10, 's', s ||= $QpLm('y'), o)"), 'x');
  assert.equal(ofObject(wordsOf(page)), 1);
  page.run('var n = 5n; $QpLI(9, 0, 10, "m", n++, 1, o)');
  const words = wordsOf(page);
  assert.equal(ofObject(words), 0);
  assert.ok(words.includes(9 << 5 | 20), 'a variable');
});

test('only what a person changes is told as an event of a control', () => {
  const page = pageWith({ log: { ...LOG, tellsResults: true } }, { bundle: 'logging', html: '<!doctype html><input>' });
  wordsOf(page);
  page.run("document.querySelector('input').dispatchEvent(new Event('input', { bubbles: true }))");
  assert.ok(!hasText(wordsOf(page), 'input'), 'a script dispatched it');
});
