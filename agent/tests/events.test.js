// What trace queries count, conditions, replaced prototypes, exports of modules, and how values are sent.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const EVENTS = { kind: 'events', query: 0 };
const report = (page) => JSON.parse(page.run('$QpE.report()')).report;

test('each event that a trace query asks for is counted, and a write that changes nothing is one', () => {
  const page = pageWith({ watch: [{ key: 'p', traced: [1] }, EVENTS], ask: [{ events: true, slot: 1 }] });
  page.run("var o = {}; for (const value of [1, 1, 2]) { $QpW(3, o, 'p', value); o.p = value; } $QpTr(4, 'seen', 1)");
  const { 0: answer } = page.at('o');
  assert.deepEqual([answer.status, answer.changes, answer.own], ['counted', 4, false]);
  assert.deepEqual(report(page).counts, { 0: 4 });
});

test('variables and built-ins are counted as hooks are', () => {
  const variable = { kind: 'variable', key: 'x', traced: [2] };
  const page = pageWith({ watch: [{ key: 'p', traced: [2] }, variable, EVENTS] });
  page.run("var x, o = {}; Object.assign(o, { p: 1 }); $QpG(3, 'x', 5, 0, () => ({ n: 1 })); x = 5; $QpE.at()");
  assert.deepEqual(report(page).counts, { 0: 2 });
});

test('the events that are logged come with their places, their objects and whether they change anything', () => {
  const page = pageWith({ watch: [{ key: 'p', traced: [1] }, { ...EVENTS, logged: true }] });
  page.run(`var o = {}, other = {}; for (const [at, site, value] of [[o, 3, 1], [other, 4, 1], [o, 5, 1]]) {
    $QpW(site, at, 'p', value); at.p = value; } Object.assign(o, { p: 7 }); $QpE.report()`);
  const { log } = page.messages.find((message) => message.log !== undefined);
  assert.equal(log.sequences, '1,2,3,4');
  assert.equal(log.objects, '1,2,1,1');
  assert.equal(log.changes, '1,1,0,1');
  const [first, second, third, last] = log.sites.split(',').map(Number);
  assert.deepEqual([first, second, third, log.nativeFunctions[-last]], [3, 4, 5, 'Object.assign']);
});

test('an exception is counted by those that ask for its class, or for any', () => {
  const page = pageWith({ watch: [EVENTS, { ...EVENTS, query: 1 }, { ...EVENTS, query: 2 }] });
  page.run(`class Own extends RangeError {} var asked = [
    { query: 0, slot: 0, named: null }, { query: 1, slot: 1, named: 'RangeError' },
    { query: 2, slot: 2, named: 'TypeError' }]`);
  const numbers = (thrown) => JSON.parse(page.run(`$QpE.threw(asked, 'Own', ${thrown})`)).thrown.numbers;
  assert.deepEqual(numbers('new Own()'), { 0: 1, 1: 1 });
  assert.deepEqual(numbers('5'), { 0: 2 });
  // A class that the page only pretends is not asked for.
  assert.deepEqual(numbers('{ get constructor() { throw new Error(); } }'), { 0: 3 });
  assert.deepEqual(numbers('new Own()'), { 0: 4, 1: 2 });
});

test('objects have numbers by which they are the same, also through a proxy', () => {
  const page = pageWith({ standby: true, watch: ['p'] });
  page.run('var o = {}, proxy = new Proxy(o, {})');
  const identity = (value) => JSON.parse(page.run(`$QpE.identity(${value})`)).identity;
  assert.equal(identity('o'), identity('proxy'));
  assert.notEqual(identity('o'), identity('{}'));
  assert.deepEqual(['-0', '"a"', 'null', '5n'].map(identity), ['number:-0', 'string:"a"', 'object:null', 'bigint:5n']);
});

test('a condition has its last outcome, of the kind that it is', () => {
  const page = pageWith({ watch: [{ kind: 'condition', query: 0 }], ask: [{ condition: true }] });
  page.run("var r; r = $QpB(3, 0, r, 'text', 0, []); r = $QpB(4, 0, r, null, 1, []); r = $QpB(5, 0, r, 7, 2, [])");
  const { 0: answer } = page.at('$QpP(r, () => r)');
  assert.deepEqual([answer.status, answer.site, answer.changes, answer.raw ?? answer.value.text], ['found', 5, 3, '7']);
  page.run("r = $QpB(4, 0, undefined, 0, 0, [])");
  assert.equal(page.at('$QpP(r, () => r)')[0].value.text, 'false');
  page.run("r = $QpB(4, 0, undefined, 0, 1, [])");
  assert.equal(page.at('$QpP(r, () => r)')[0].value.text, 'true');
  assert.equal(page.at('undefined')[0].status, 'none');
});

test('where state is captured, a condition keeps what its operands were', () => {
  const page = pageWith({ capture: true, watch: [{ kind: 'condition', query: 0 }], ask: [{ condition: true }] });
  page.run("var r = $QpB(3, 0, undefined, true, 0, [1, 'two', $QpB], () => ({ d: [], s: [], w: [] }))");
  const { operands } = page.at('$QpP(r, () => r)')[0];
  assert.deepEqual(operands.map((each) => each && each.text), ['1', '"two"', null]);
});

const REPLACEMENTS = [
  ['var o = {}; Object.setPrototypeOf(o, { p: 1 })', 'Object.setPrototypeOf', '1'],
  ['var o = {}; Reflect.setPrototypeOf(o, { p: 1 })', 'Reflect.setPrototypeOf', '1'],
  ['var o = {}; o.__proto__ = { p: 2 }', 'Object.prototype.__proto__', '2'],
  ['var o = Object.create({ p: 1 }); Object.setPrototypeOf(o, {})', 'Object.setPrototypeOf', 'undefined'],
];
for (const [code, by, text] of REPLACEMENTS) {
  test(`${code}: what it inherits changes with the prototype`, () => {
    const page = pageWith({ watch: ['p'], ask: [{ key: 'p' }] });
    page.run(code);
    const { status, by: who, value } = page.at('o')[0];
    assert.deepEqual([status, who, value.text], ['found', by, text]);
  });
}

test('a prototype that is replaced changes nothing of what the object has itself', () => {
  const page = pageWith({ watch: ['p'], ask: [{ key: 'p' }] });
  page.run("var o = {}; $QpW(3, o, 'p', 1); o.p = 1; Object.setPrototypeOf(o, { p: 2 })");
  assert.equal(page.at('o')[0].site, 3);
  page.run('var o = {}; Object.setPrototypeOf(o, { q: 1 })');
  assert.equal(page.at('o')[0].status, 'never');
});

test('an imported variable is that of the module that exports it, over others that pass it on', () => {
  const page = pageWith({ watch: [{ kind: 'variable', key: 'x' }], ask: [{ variable: true, key: 'x' }] });
  page.run(`var x = 5, r = $QpV(3, undefined, x);
    $QpE.module('/own.js', (at) => at, { '*': [], x: () => $QpP(r, () => x), y: 'y', default: 'd' });
    $QpE.module('/star.js', (at) => at, { '*': ['/own.js'] });
    var links = $QpE.module('/uses.js', (at) => at, { '*': [], again: ['/star.js', 'x'] })`);
  const imported = (from, name) => page.at(`links.i('${from}', '${name}', () => x)`)[0];
  assert.deepEqual(['/own.js', '/star.js'].map((from) => imported(from, 'x').site), [3, 3]);
  assert.equal(imported('/uses.js', 'again').site, 3);
  assert.deepEqual(imported('/own.js', 'y').reads, [{ kind: 'variable', key: 'y' }]);
  assert.equal(imported('/none.js', 'x').status, 'unwatched');
  // `export *` leaves the default out.
  assert.equal(imported('/own.js', 'default').reads.length, 1);
  assert.equal(imported('/star.js', 'default').reads, undefined);
});

test('of what is long the beginning is sent, and what cannot be read is said to be so', () => {
  const page = pageWith({ standby: true, watch: ['p'] });
  const sent = (value) => page.run(`(() => { const sent = $QpE.beginning(${value});
    return typeof sent === 'symbol' ? sent.description : sent; })()`);
  assert.equal(sent("'a'.repeat(5000)").length, 1000);
  assert.equal(sent('2n ** 2000n'), '$Qp bigint (more than 300 digits)');
  assert.equal(sent("Symbol('b'.repeat(5000))").slice(0, 20), '$Qp symbol Symbol(bb');
  assert.match(sent(`new Function('return "' + 'c'.repeat(5000) + '"')`), /^\$Qp function function anonymous\(/);
  assert.equal(sent('Object.create(new Proxy({}, {}))'), '$Qp object Object');
  assert.equal(sent('5'), 5);
});

test('the variables of scopes are sent by number and name', () => {
  const page = pageWith({ watch: ['p'] });
  const sent = page.run(`(() => {
    const all = $QpE.scopes([[], []], { x: 1, $QpHidden: 2 }, { get y() { throw new Error(); }, z: 'text' });
    return JSON.stringify(Object.entries(all).map(([name, value]) => [name, typeof value === 'symbol'
      ? value.description : value]));
  })()`);
  assert.deepEqual(JSON.parse(sent), [['0 x', 1], ['1 y', '$Qp accessor (…)'], ['1 z', 'text']]);
});

test('of a scope of many variables those that are named first are sent first', () => {
  const page = pageWith({ watch: ['p'] });
  const sent = page.run(`(() => {
    const many = {};
    for (let index = 0; index < 500; index++) many['v' + index] = index;
    return JSON.stringify(Object.keys($QpE.scopes([['v450', 'gone', 'v3']], many)));
  })()`);
  const names = JSON.parse(sent);
  assert.deepEqual(names.slice(0, 5), ['0 v450', '0 v3', '0 v0', '0 v1', '0 v2']);
  assert.equal(names.length, 200);
  assert.equal(new Set(names).size, 200);
});

test('of global variables those of the page are sent', () => {
  const page = pageWith({ watch: ['p'] });
  page.run(`var own = 5;
    Object.defineProperty(globalThis, 'computed', { get() { throw new Error(); }, configurable: true })`);
  const names = page.run('JSON.stringify($QpE.globals())');
  assert.deepEqual(JSON.parse(names).own, 5);
  assert.equal('computed' in JSON.parse(names), false);
  assert.equal('document' in JSON.parse(names), false);
});
