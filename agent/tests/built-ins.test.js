// Built-ins that write: arrays, typed arrays, regular expressions, copies and groups. Each change has the built-in's
// name and happens once, and a call that changes nothing is none.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

function after(code, key, object = 'o', watch = [key]) {
  const page = pageWith({ watch, ask: [{ key }] });
  page.run(code);
  const { status, by, changes, value } = page.at(object)[0];
  return [status, by, changes, value?.text];
}
const found = (by, text, changes = 1) => ['found', by, changes, text];

const ARRAYS = [
  ['var o = [1]; o.push(2, 3)', '1', 'Array.prototype.push', '2'],
  ['var o = [1]; o.push(2, 3)', 'length', 'Array.prototype.push', '3'],
  ['var o = [1, 2]; o.pop()', '1', 'Array.prototype.pop', 'undefined'],
  ['var o = [1, 2]; o.shift()', '0', 'Array.prototype.shift', '2'],
  ['var o = [2]; o.unshift(1)', '0', 'Array.prototype.unshift', '1'],
  ['var o = [2, 1]; o.sort()', '0', 'Array.prototype.sort', '1'],
  ['var o = [2, 1]; o.reverse()', '0', 'Array.prototype.reverse', '1'],
  ['var o = [2, 1]; o.fill(7)', '1', 'Array.prototype.fill', '7'],
  ['var o = [1, 2, 3]; o.copyWithin(0, 1)', '0', 'Array.prototype.copyWithin', '2'],
  ['var o = [1, 2, 3]; o.splice(0, 1)', '0', 'Array.prototype.splice', '2'],
  ['var o = [1, 2, 3].splice(1, 1)', '0', 'Array.prototype.splice', '2'],
  ['var o = [1, 2].map((value) => value * 2)', '1', 'Array.prototype.map', '4'],
  ['var o = [1, 2].filter((value) => value > 1)', '0', 'Array.prototype.filter', '2'],
  ['var o = [1].concat([2])', '1', 'Array.prototype.concat', '2'],
  ['var o = [[1], [2]].flat()', '1', 'Array.prototype.flat', '2'],
  ['var o = [2, 1].toSorted()', '0', 'Array.prototype.toSorted', '1'],
  ['var o = [2, 1].with(0, 5)', '0', 'Array.prototype.with', '5'],
  ['var o = Array.from("ab")', '0', 'Array.from', '"a"'],
  ['var o = Array.of(7)', '0', 'Array.of', '7'],
  ['var o = Object.keys({ a: 1 })', '0', 'Object.keys', '"a"'],
  ['var o = Object.entries({ a: 5 })[0]', '1', 'Object.entries', '5'],
  ['var o = Reflect.ownKeys({ a: 1 })', '0', 'Reflect.ownKeys', '"a"'],
  ['var o = "a-b".split("-")', '1', 'String.prototype.split', '"b"'],
  ['var o = new Uint8Array(2); o.set([5], 1)', '1', 'TypedArray.prototype.set', '5'],
  ['var o = new Uint8Array(2); o.fill(3)', '0', 'TypedArray.prototype.fill', '3'],
  ['var o = new Uint8Array([2, 1]).map((value) => value + 1)', '0', 'TypedArray.prototype.map', '3'],
  ['var o = Uint8Array.of(9)', '0', 'TypedArray.of', '9'],
];
for (const [code, key, by, text] of ARRAYS) {
  test(`${code}: ${by} is named for ${key}`, () => assert.deepEqual(after(code, key), found(by, text)));
  test(`${code}: it is, too, where other elements are asked about`, () => {
    assert.deepEqual(after(code, key, 'o', ['0', '1', 'length', 'total']), found(by, text));
  });
}

test('a call that leaves elements as they are changes nothing', () => {
  assert.equal(after('var o = [1, 2]; $QpY(3, o, 2, 0); o.sort()', '0')[1], undefined);
  assert.deepEqual(after('var o = [1, 2]; o.push(3); o.push(4)', '2'), found('Array.prototype.push', '3'));
  assert.equal(after("var o = { length: 0 }; Array.prototype.push.call(o, 5)", '0')[3], '5');
});

test('an array that is no plain one does with `push` what its own setters do', () => {
  const page = pageWith({ watch: ['length'], ask: [{ key: 'length' }] });
  page.run(`class Own extends Array { push(value) { this.seen = value; return super.push(value); } }
    var o = new Own(); o.push(5); var frozen = Object.freeze([1]); var name;
    try { frozen.push(2); } catch (error) { name = error.name; }`);
  assert.equal(page.at('o')[0].by, 'Array.prototype.push');
  assert.equal(page.run('`${o.seen} ${name}`'), '5 TypeError');
});

const EXPRESSIONS = [
  ['var o = /a/g; o.exec("a a")', 'lastIndex', 'RegExp.prototype.exec', '1'],
  ['var o = /a/g; o.test("a a"); o.test("a a")', 'lastIndex', 'RegExp.prototype.exec', '3', 2],
  ['var o = /(a)/.exec("xa")', 'index', 'RegExp.prototype.exec', '1'],
  ['var o = /(a)/.exec("xa")', '1', 'RegExp.prototype.exec', '"a"'],
  ['var o = "xaa".match(/a/g)', '0', 'RegExp.prototype[Symbol.match]', '"a"'],
];
for (const [code, key, by, text, changes] of EXPRESSIONS) {
  test(`${code}: ${by} is named for ${key}`, () => assert.deepEqual(after(code, key), found(by, text, changes)));
}

const COPIES = [
  ['var o = JSON.parse(\'{"lines":[{"total":1}]}\').lines[0]', 'o', 'JSON.parse', '1'],
  ['var o = JSON.parse(\'{"a":{"total":1}}\', (key, value) => key === "total" ? value + 1 : value).a', 'o',
    'JSON.parse', '2'],
  ['var o = Object.create({}, { total: { value: 6 } })', 'o', 'Object.create', '6'],
  ['var o = Object.fromEntries([["total", 3]])', 'o', 'Object.fromEntries', '3'],
  ['var o = {}; Object.assign(o, { total: 1 }, { total: 2 })', 'o', 'Object.assign', '2', 2],
  ['var o = {}; Object.defineProperties(o, { total: { value: 4 } })', 'o', 'Object.defineProperties', '4'],
  ['var o = { total: 1 }; Reflect.deleteProperty(o, "total")', 'o', 'Reflect.deleteProperty', 'undefined'],
  ['var o = {}; Reflect.set({}, "total", 5, o)', 'o', 'Reflect.set', '5'],
  ['var o = new Proxy({}, {}); Object.assign(o, { total: 1 })', 'o', 'Object.assign', '1'],
];
for (const [code, object, by, text, changes] of COPIES) {
  test(`${code}: ${by} is named`, () => assert.deepEqual(after(code, 'total', object), found(by, text, changes)));
}

test('what a reviver gives of the page\'s own is not new', () => {
  const page = pageWith({ watch: ['total'], ask: [{ key: 'total' }] });
  page.run(`var own = { total: 7 }; var made = JSON.parse('{"a":1}', (key, value) => key === 'a' ? own : value)`);
  assert.equal(page.at('own')[0].by, undefined);
});

test('a setter that a built-in runs has its own writes', () => {
  const page = pageWith({ watch: ['p'], ask: [{ key: 'p' }] });
  page.run(`var o = { set q(value) { $QpW(4, this, 'p', value); this.p = value; } }; Object.assign(o, { q: 5 })`);
  const { site, by, changes } = page.at('o')[0];
  assert.deepEqual([site, by, changes], [4, undefined, 1]);
});

test('a symbol that a built-in writes is met before that', () => {
  const page = pageWith({ watch: ['\0@mark'], ask: [{ key: '\0@mark' }] });
  page.run(`var mark = Symbol('mark'), o = {}; Object.assign(o, { [mark]: 1 })`);
  assert.equal(page.run('Object.getOwnPropertySymbols(o).length'), 1);
});

// ---- tasks, tries ----

test('a task has a number until the stack is empty', async () => {
  const page = pageWith({ standby: true, watch: ['p'] });
  const task = () => JSON.parse(page.run('$QpE.task()')).task;
  assert.equal(task(), 0);
  assert.equal(JSON.parse(page.run('$QpE.beginTask()')).task, 1);
  await undefined;
  await undefined;
  assert.equal(task(), 0, 'it has ended');
  assert.equal(JSON.parse(page.run('$QpE.beginTask()')).task, 2);
});

test('entries of `try` blocks are told apart', () => {
  const page = pageWith({ watch: ['p'] });
  assert.deepEqual([...page.run('[$QpTt(), $QpTt()]')], [1, 2]);
});

test('a document that is left reports what it saw, a worker after each task', async () => {
  const page = pageWith({ watch: ['p'], ask: [{ key: 'p' }] });
  const reports = (made) => made.messages.filter(({ report }) => report !== undefined);
  page.run('dispatchEvent(new Event("pagehide"))');
  assert.deepEqual(reports(page), [], 'nothing was passed');
  page.run('$QpR(0, 0); dispatchEvent(new Event("pagehide"))');
  assert.equal(reports(page)[0].report.hits, 1);
  const worker = pageWith({ watch: ['p'], postEachTask: true });
  worker.run('$QpR(0, 0); $QpR(0, 0)');
  await undefined;
  await undefined;
  assert.deepEqual(reports(worker).map(({ report }) => report.hits), [2]);
});

test('an agent greets with where it is', () => {
  const { messages } = pageWith({ watch: ['p'] }, { url: 'http://shop.test/cart.html' });
  const { greeting } = messages.find((message) => message.greeting !== undefined);
  assert.deepEqual(greeting.realm, { url: 'http://shop.test/cart.html', top: true });
});
