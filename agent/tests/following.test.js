// What getters, methods and proxies' traps say that they read: the last change among it is the answer, and nothing of
// the page runs.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// A function as the rewriter gives it: asked, it says what it reads, behind the mark of inserted text.
const says = (reads, copies = 1, effects = 0, text = undefined) =>
  `\v\vif($QpGet)return $QpGet(${reads},${copies},${effects},${text});\v\v`;
const A = '["this.a", () => this, "a"]';
const B = '["this.b", () => this, "b"]';
// `o` with a getter `v` that says `reads`; `a` is written last at 5, `b` at 7.
const objectWith = (said, more = '') => `globalThis.runs = 0;
  var o = { get v() {${said} runs++; }, a: 0, b: 0, ${more} };
  $QpW(4, o, 'a', 1); o.a = 1; $QpW(5, o, 'a', 2); o.a = 2; $QpW(7, o, 'b', 9); o.b = 9;`;

function answerTo(code, watch = ['v', 'a', 'b'], object = 'o') {
  const page = pageWith({ standby: true, watch, ask: [{ key: 'v' }] });
  page.run(code);
  const answer = page.at(object)[0];
  assert.equal(page.window.runs, 0, 'nothing of the page runs');
  return answer;
}
const told = ({ status, site, value, accessor }) => [status, site, value?.text, accessor];

test('a getter has the last change of what it reads', () => {
  const { status, site, accessor } = answerTo(objectWith(says(`[${B}, ${A}]`)));
  assert.deepEqual([status, site], ['found', 7]);
  assert.equal(accessor, 'v is an accessor; its getter reads this.b, this.a');
});

test('what it reads and is not watched is named', () => {
  const { status, reads } = answerTo(objectWith(says(`[${A}, ["w", "w"], ["this.c", () => this, "c"]]`)));
  assert.equal(status, 'accessor');
  assert.deepEqual(reads, [{ kind: 'variable', key: 'w' }, { kind: 'property', key: 'c' }]);
});

test('a getter that says in words what it returns is not followed, and the words are told', () => {
  const { message } = answerTo(objectWith(says('"Date.now()"')));
  assert.match(message, /returns Date\.now\(\), which could not be followed/);
});

test('what it reads, written by nobody who told, is not observed', () => {
  const code = `globalThis.runs = 0; var o = { get v() {${says(`[${A}]`)} runs++; }, a: 0 };`;
  assert.equal(answerTo(code).status, 'unseen');
});

const CHOICES = [
  ['a test that holds', `["?", ["", [${A}], (it) => it === 2], [${B}], 0]`, 7],
  ['one that does not', `["?", ["", [${A}], (it) => it === 3], 0, [${B}]]`, 7],
  ['the contrary of a test', `["?", ["!", ["", [${A}], (it) => it === 2]], 0, [${B}]]`, 7],
  ['two tests, both of which must hold', `["?", ["&", ["~", () => true], ["", [${A}], (it) => it]], [${B}], 0]`, 7],
  ['two tests, one of which must hold', `["?", ["|", ["~", () => false], ["~", () => true]], [${A}], 0]`, 5],
  ['whether a property is there', `["?", ["~in", () => ({ a: 1 }), () => "a"], [${A}], 0]`, 5],
];
for (const [what, entry, site] of CHOICES) {
  test(`a getter with a branch: ${what}`, () => {
    assert.deepEqual(told(answerTo(objectWith(says(`[${entry}]`)))).slice(0, 2), ['found', site]);
  });
}

test('a branch that cannot be followed is said to be so', () => {
  assert.equal(answerTo(objectWith(says(`[["?", ["~", () => true], 0, [${A}]]]`))).status, 'accessor');
});

test('a method that it calls says what it reads as well, of its argument too', () => {
  const method = (said) => `__proto__: { m(it) {${said} runs++; } }`;
  const call = '["this.m(this.b)", () => this, "m", [[["this.b", () => this, "b"]]]]';
  const argument = answerTo(objectWith(says(`[${call}]`), method(says('[["it", 0]]'))));
  assert.deepEqual([argument.status, argument.site], ['found', 7]);
  const own = answerTo(objectWith(says(`[${call}]`), method(says(`[${A}]`))));
  assert.deepEqual([own.status, own.site], ['found', 5]);
});

test('a method that says nothing is not followed, nor is one that is missing', () => {
  const call = '["this.m()", () => this, "m", []]';
  assert.equal(answerTo(objectWith(says(`[${call}]`), '__proto__: { m() { runs++; } }')).status, 'accessor');
  assert.equal(answerTo(objectWith(says(`[${call}]`))).status, 'accessor');
});

test('a method of the object itself is a value that may change', () => {
  const call = '["this.m()", () => this, "m", []]';
  assert.deepEqual(answerTo(objectWith(says(`[${call}]`), `m() {${says(`[${A}]`)} runs++; }`)).reads,
    [{ kind: 'property', key: 'm' }]);
});

test('a function that is called with `call` reads of the object it is given', () => {
  const call = '["read", () => read, "call", [() => this]]';
  const code = `var read = function () {${says(`[${A}]`)} runs++; }; ${objectWith(says(`[${call}]`))}`;
  assert.deepEqual(told(answerTo(code)).slice(0, 2), ['found', 5]);
});

test('an entry of a map is followed by the map', () => {
  const call = '["map.get(k)", () => map, "get", [() => "k"]]';
  const code = `var map = new Map(); ${objectWith(says(`[${call}]`))} map.set('k', 1);`;
  const found = answerTo(code, ['v', 'a', 'b', { kind: 'map', allKeys: true }, 'get']);
  assert.deepEqual([found.status, found.by], ['found', 'Map.prototype.set']);
  assert.deepEqual(answerTo(code).reads, [{ kind: 'map', key: '' }]);
});

test('getters that read each other end', () => {
  const code = objectWith(says('[["this.v", () => this, "v"]]'));
  assert.equal(answerTo(code).status, 'accessor');
});

test('a reference goes through a getter that copies what it reads', () => {
  const page = pageWith({ watch: ['a'], ask: [{ path: ['inner'], key: 'a' }] });
  const said = says('[["this.kept", () => this, "kept"]]');
  page.run(`globalThis.runs = 0; var o = { kept: {}, get inner() {${said} runs++; } };
    $QpW(3, o.kept, 'a', 1); o.kept.a = 1`);
  assert.deepEqual(told(page.at('o')[0]), ['found', 3, '1', undefined]);
  page.run(`var o = { get inner() { runs++; return {}; } }`);
  assert.match(page.at('o')[0].message, /inner is a getter of the page, which is not run/);
  assert.equal(page.window.runs, 0);
});

// A proxy whose trap says `reads`.
const proxied = (said) => `globalThis.runs = 0; var target = { v: 1 }; $QpW(3, target, 'v', 2); target.v = 2;
  var o = new Proxy(target, { get(target, key, receiver) {${said} runs++; return 5; } });`;

test('a trap that says what it reads is followed', () => {
  const { status, site, accessor } = answerTo(proxied(says('[["target[key]", 0, (target, key) => "v"]]')));
  assert.deepEqual([status, site], ['found', 3]);
  assert.equal(accessor, "v is read by a proxy's get trap, which reads target[key]");
});

test("of a trap that says nothing the target's property is looked up, and that it was trapped is told", () => {
  const { status, site, trapped } = answerTo(proxied(''));
  assert.deepEqual([status, site, trapped], ['found', 3, true]);
});

test('a proxy without a trap is its target', () => {
  const { status, site, trapped } = answerTo(`globalThis.runs = 0; var target = {}; var o = new Proxy(target, {});
    $QpW(3, o, 'v', 2); o.v = 2`);
  assert.deepEqual([status, site, trapped], ['found', 3, undefined]);
});

test('what the page itself reads is compared where a trap was not followed', () => {
  const page = pageWith({ standby: true, watch: ['v'], ask: [{ key: 'v' }] });
  page.run(proxied('').replace('return 5', 'return Reflect.get(target, key)'));
  page.run(`var query = { root: 'name', dependent: 0, path: [], key: 'v', keyed: null, variable: false };
    var given = () => ({ d: [() => o] })`);
  const compare = () => page.run(`[
    typeof $QpE.runByRead(query, given), $QpE.isComparable(), $QpE.isOfGetter(), $QpE.agreesWithPage(query, given),
  ].join()`);
  assert.equal(compare(), 'function,true,false,true');
  page.run(proxied(''));
  assert.equal(compare(), 'function,true,false,false');
  page.run('var o = { v: 1 }');
  assert.equal(page.run('$QpE.runByRead(query, given)'), undefined);
});
