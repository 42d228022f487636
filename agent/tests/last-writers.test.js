// Live hooks: what is read from shadows, and what is not observed because something else may have written.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const keys = ['p'];
const property = (key) => ({ key });
const pageOf = (options) => pageWith({ armed: true, shadows: true, ask: keys.map(property) }, options);
// `object.p = value` as a rewritten script has it.
const write = (object, value, site) => `(() => { $QpNow || $QpBe(); let q; const w = ${object}, v = ${value};
  w.p = (q = $QpSh(w), (q.v$p === v ? v !== 0 || $QpIs(q.v$p, v) : v !== v && q.v$p !== q.v$p)
    || (q.v$p = v, q.s$p = $QpNow | ${site}), v); })()`;
const siteOf = (page, object) => {
  const [result] = Object.values(page.at(object));
  assert.equal(result.status, result.site === undefined ? 'unseen' : 'found');
  return result.site;
};

test('the last change is named, and not a write that changes nothing', () => {
  const page = pageOf();
  page.run('globalThis.o = {}');
  assert.equal(siteOf(page, 'o'), undefined);
  const values = [['1', 11, 11], ['1', 12, 11], ['2', 13, 13], ['NaN', 14, 14], ['NaN', 15, 14], ['0', 16, 16],
    ['-0', 17, 17], ['"a"', 18, 18], ['undefined', 19, 19]];
  for (const [value, site, named] of values) {
    page.run(write('o', value, site));
    assert.equal(siteOf(page, 'o'), named, value);
  }
});

test('a literal gives its properties their lines', () => {
  const page = pageOf();
  page.run('globalThis.o = { p: 1 }; { const q = $QpSn(o); q.v$p = o.p; q.s$p = $QpNow | 5; }');
  assert.equal(siteOf(page, 'o'), 5);
});

const elsewhere = {
  'Object.assign': 'Object.assign(o, { p: 2 })',
  'Object.defineProperty': "Object.defineProperty(o, 'p', { value: 2 })",
  'Object.defineProperties': 'Object.defineProperties(o, { p: { value: 2 } })',
  'Reflect.set': "Reflect.set(o, 'p', 2)",
  'Reflect.set with a receiver': "Reflect.set({}, 'p', 2, o)",
  'Reflect.defineProperty': "Reflect.defineProperty(o, 'p', { value: 2 })",
  'Reflect.deleteProperty': "Reflect.deleteProperty(o, 'p'); o.p = 2",
  'code without hooks': 'o.p = 2',
};
for (const [name, code] of Object.entries(elsewhere)) {
  test(`what ${name} writes is not observed`, () => {
    const page = pageOf();
    page.run(`globalThis.o = {}; ${write('o', '1', 11)}; ${code}`);
    assert.equal(siteOf(page, 'o'), undefined);
  });
}
const builtIns = Object.entries(elsewhere).filter(([, code]) => !code.includes('o.p ='));
for (const [name, code] of builtIns) {
  test(`nor is a value that ${name} puts back`, () => {
    const page = pageOf();
    page.run(`globalThis.o = {}; ${write('o', '2', 11)}; ${write('o', '1', 12)}; ${code}; ${write('o', '2', 13)}`);
    assert.equal(siteOf(page, 'o'), undefined, 'the last write changed nothing');
    page.run(write('o', '3', 14));
    assert.equal(siteOf(page, 'o'), 14);
  });
}

test('what cannot be written names no line', () => {
  const page = pageOf();
  page.run(`globalThis.o = {}; ${write('o', '1', 11)}; Object.freeze(o); ${write('o', '2', 12)}; ${write('o', '1', 13)}`);
  assert.equal(siteOf(page, 'o'), undefined);
});

test('the target of a proxy has no last writers from then on', () => {
  const page = pageOf();
  page.run(`globalThis.o = {}; ${write('o', '1', 11)}; globalThis.proxy = new Proxy(o, {}); ${write('proxy', '1', 12)}`);
  assert.equal(siteOf(page, 'o'), undefined);
  assert.equal(siteOf(page, 'proxy'), undefined);
});

test('an accessor and an inherited value are not observed', () => {
  const page = pageOf();
  page.run(`globalThis.base = {}; ${write('base', '1', 11)}; globalThis.o = Object.create(base);
    globalThis.other = { set p(v) { this.q = v; }, get p() { return this.q; } }; ${write('other', '1', 12)}`);
  assert.equal(siteOf(page, 'base'), 11);
  assert.equal(siteOf(page, 'o'), undefined);
  assert.equal(siteOf(page, 'other'), undefined);
});

test('a deletion is named, and what comes after it', () => {
  const page = pageOf();
  page.run(`globalThis.o = {}; ${write('o', '1', 11)}; $QpD(12, o, 'p'); delete o.p`);
  assert.equal(siteOf(page, 'o'), 12);
  page.run(write('o', '1', 13));
  assert.equal(siteOf(page, 'o'), 13);
});

test('a global variable keeps its line as a variable and as a property', () => {
  const page = pageWith({ armed: true, shadows: true, ask: [{ key: 'p' }, { key: 'p', variable: true }] });
  page.run("$QpG(11, 'p', 1, 0); globalThis.p = 1");
  const sites = (...roots) => Object.values(page.at(...roots)).map(({ site }) => site);
  assert.deepEqual(sites('globalThis', "$QpQ('p', () => p)"), [11, 11]);
  page.run('globalThis.p = 2');
  assert.deepEqual(sites('globalThis', "$QpQ('p', () => p)"), [undefined, undefined]);
});

test('where a body of `with` writes, or a frame of the same origin is, nothing is named', () => {
  const page = pageOf();
  page.run(`globalThis.o = {}; ${write('o', '1', 11)}`);
  assert.equal(siteOf(page, 'o'), 11);
  page.run('$QpUn(o)');
  assert.equal(siteOf(page, 'o'), undefined);
  const other = pageOf({ html: '<!doctype html><body><iframe></iframe></body>' });
  other.run(`globalThis.o = {}; ${write('o', '1', 11)}`);
  assert.equal(siteOf(other, 'o'), undefined);
});

test('the event in which it was is told', () => {
  const page = pageOf({ html: '<!doctype html><body><button id=add></button></body>' });
  page.run(`globalThis.o = {}; const add = document.getElementById('add');
    add.addEventListener('click', () => { ${write('o', '1', 11)}; }); add.click()`);
  const [{ captured }] = Object.values(page.at('o'));
  assert.deepEqual(captured.cause, { type: 'click', target: '#add' });
});

// What is told at a stop, as `name: site` and how many tasks ago; `asked`: the kinds, and the objects behind them.
const told = (page, asked) => JSON.parse(page.run(`$QpE.lastWriters(${asked})`)).lastWriters
  .map(({ scope, name, site, ago }) => `${scope} ${name}: ${site}, ${ago}`);

test('of an object the properties that were written with a hook are told', () => {
  const page = pageOf();
  page.run(`globalThis.o = { q: 1 }; ${write('o', '1', 11)}`);
  assert.deepEqual(told(page, "[['p', 'q', 'gone']], o"), ['0 p: 11, 0']);
  page.run('o.p = 2');
  assert.deepEqual(told(page, "[['p', 'q']], o"), []);
  assert.deepEqual(told(page, "[['p']], new Proxy(o, { getOwnPropertyDescriptor() { throw 1; } })"), []);
});

test('of a scope the variables are told that have a shadow', () => {
  const page = pageOf();
  page.run('$QpNow || $QpBe()');
  const scope = `{ __proto__: null, x: 1, y: 2, z: 9007199254740992, late: undefined, $Qp$x: $QpNow | 7, $Qp$y: -1,
    $Qp$z: $QpNow | 8, $Qp$late: undefined, $QpB$f: $QpNow | 9, f: 1, get $Qp$thrown() { throw new Error(); } }`;
  assert.deepEqual(told(page, `['local'], ${scope}`), ['0 x: 7, 0', '0 f: 9, 0']);
  assert.deepEqual(told(page, `['block', 'local'], {}, ${scope}`), ['1 x: 7, 0', '1 f: 9, 0']);
});

test('of global variables those are told that only hooks have written', () => {
  const page = pageOf();
  page.run("$QpNow || $QpBe(); $QpG(6, 'total', 2, 0); total = 2");
  assert.deepEqual(told(page, "['global'], globalThis"), ['0 total: 6, 0']);
  page.run('total = 3');
  assert.deepEqual(told(page, "['global'], globalThis"), []);
});

test('a task is as many tasks ago as others were between', async () => {
  const page = pageOf();
  const { window } = page;
  const { body } = window.document;
  const [first, second] = [write('o', '1', 11), write('b', '1', 12)];
  page.run('globalThis.o = {}; globalThis.b = {}');
  page.run(`let count = 0; document.body.onclick = () => { if (count++ === 0) { ${first} } else { ${second} } }`);
  await new Promise(setImmediate);
  body.click();
  await new Promise(setImmediate);
  body.click();
  await new Promise(setImmediate);
  const [o, b] = JSON.parse(page.run("$QpE.lastWriters([['p'], ['p']], o, b)")).lastWriters;
  assert.equal(o.ago - b.ago, 1);
  assert.deepEqual(o.cause, { type: 'click', target: 'body' });
});

test('where nobody rewrites texts, a timer of a text ends what can be known of properties', () => {
  const page = pageWith({ armed: true, shadows: true, driven: false });
  page.run(`globalThis.o = {}; ${write('o', '1', 11)}`);
  assert.deepEqual(told(page, "[['p']], o"), ['0 p: 11, 0']);
  page.run("setTimeout('o.p = 2')");
  assert.deepEqual(told(page, "[['p']], o"), []);
});
