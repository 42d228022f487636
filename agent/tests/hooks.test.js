// The hooks that rewritten scripts call: each kind of write has the site, the value and the number of changes that it
// makes, and a write that changes nothing is none.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// The answer about `object.p`, or another key, after `code` has run.
function after(code, key = 'p', object = 'o', watch = [key]) {
  const page = pageWith({ watch, ask: [{ key }] });
  page.run(code);
  return page.at(object)[0];
}
const told = ({ status, site, changes, value }) => [status, site, changes, value?.text];

const PROPERTIES = [
  ['an assignment', "var o = {}; $QpW(3, o, 'p', 1); o.p = 1", 3, 1, '1'],
  ['one that changes nothing', "var o = {}; $QpW(3, o, 'p', 1); o.p = 1; $QpW(4, o, 'p', 1); o.p = 1", 3, 1, '1'],
  ['-0 where 0 was', "var o = {}; $QpW(3, o, 'p', 0); o.p = 0; $QpW(4, o, 'p', -0); o.p = -0", 4, 2, '-0'],
  ['NaN where NaN was', "var o = {}; $QpW(3, o, 'p', NaN); o.p = NaN; $QpW(4, o, 'p', NaN); o.p = NaN", 3, 1, 'NaN'],
  ['a literal', 'var o = { p: 1 }; $QpL(3, o, "p", 1)', 3, 1, '1'],
  ['a literal of several', 'var o = { q: 0, p: 1 }; $QpO(3, o, 0, "q", "p")', 4, 1, '1'],
  ['the later of two in a literal', 'var o = { p: 1, ["p"]: 2 }; $QpO(3, o, 0, "p", "p")', 4, 1, '2'],
  ['a spread', 'var s = { p: 7 }, o = { ...s }; $QpO(3, o, 0, [s])', 3, 1, '7'],
  ['a spread that is written over', 'var s = { p: 7 }, o = { ...s, p: 8 }; $QpO(3, o, 0, [s], "p")', 4, 1, '8'],
  ['a class field', 'var o = {}; o.p = $QpF(3, o, "p", 5)', 3, 1, '5'],
  ['a pattern', 'var o = {}; [$QpM(3, o, "p", (at, key, value) => { at[key] = value; }).v] = [6]', 3, 1, '6'],
  ['a key that is an object',
    'var o = {}, k = { toString: () => "p" }, n = $QpK(1, k, o); $QpW(3, o, n, 1); o[n] = 1', 3, 1, '1'],
  ['a deletion', "var o = {}; $QpW(3, o, 'p', 1); o.p = 1; $QpD(4, o, 'p'); delete o.p", 4, 2, 'undefined'],
];
for (const [what, code, ...expected] of PROPERTIES) {
  test(`a property: ${what}`, () => assert.deepEqual(told(after(code)), ['found', ...expected]));
  // With more than one name to watch, the hooks go another way.
  test(`a property among others: ${what}`, () => {
    assert.deepEqual(told(after(code, 'p', 'o', ['x', 'p', 'y'])), ['found', ...expected]);
  });
}

test('a key that is an object is converted once by a hook and its write', () => {
  const page = pageWith({ watch: ['p'] });
  page.run(`var o = {}, runs = 0, k = { toString: () => { runs++; return 'p'; } };
    var n = $QpK(1, k, o); $QpW(3, o, n, 1); o[n] = 1`);
  assert.equal(page.window.runs, 1);
});

test('where there is no object, a key stays as it is and is not converted', () => {
  const page = pageWith({ watch: ['p'] });
  page.run(`var runs = 0, k = { toString: () => { runs++; return 'p'; } };
    var n = $QpK(1, k, null); $QpW(3, null, n, 1)`);
  assert.equal(page.window.runs, 0);
  assert.equal(page.run('n === k'), true);
});

test('a write to what is no object is none', () => {
  assert.equal(after("var o = 'text'; $QpW(3, o, 'p', 1)").status, 'error');
});

test('a pattern that writes a variable hands the value over', () => {
  const page = pageWith({ watch: ['p'] });
  assert.equal(page.run('var seen; [$QpI((value) => { seen = value; }).v] = [9]; seen'), 9);
});

const ELEMENTS = [
  ['an element', 'var o = [1]; $QpW(3, o, 0, 2); o[0] = 2', '0', 3, '2'],
  ['the length, by an element behind the end', 'var o = []; $QpW(3, o, 4, 1); o[4] = 1', 'length', 3, '5'],
  ['an element that a shorter length deletes',
    'var o = [1]; $QpY(2, o, 1, 0); $QpW(3, o, "length", 0); o.length = 0', '0', 3, 'undefined'],
  ['a literal', 'var o = [5, 6]; $QpY(3, o, 2, 0)', '1', 4, '6'],
  ['what a constructor made', 'var o = new Array(5, 6); $QpY(3, o, "Array", 0)', '1', 3, '6'],
  ['what a typed array converts', 'var o = new Uint8Array(1); $QpW(3, o, 0, 257); o[0] = 257', '0', 3, '1'],
];
for (const [what, code, key, site, text] of ELEMENTS) {
  test(`an array: ${what}`, () => {
    const { status, site: at, value } = after(code, key, 'o', ['0', '1', 'length']);
    assert.deepEqual([status, at, value.text], ['found', site, text]);
  });
}

test('an object that is no array is written under numbers as under other keys', () => {
  const { status, site } = after('var o = {}; $QpW(3, o, 0, 7); o[0] = 7', '0', 'o', ['0', 'length']);
  assert.deepEqual([status, site], ['found', 3]);
});

test('an element that a typed array has not is not written', () => {
  const { status } = after('var o = new Uint8Array(1); $QpW(3, o, 1, 7); o[1] = 7', '1', 'o', ['0', '1', 'length']);
  assert.equal(status, 'never');
});

// The answer about a variable after `code` has run; `place` is what a hook hands over for it.
function ofVariable(code, place) {
  const page = pageWith({ watch: [{ kind: 'variable', key: 'x' }], ask: [{ variable: true, key: 'x' }] });
  page.run(code);
  return page.at(place)[0];
}
const LOCAL = '$QpP(r, () => x)';
const GLOBAL = "$QpQ('x', () => x)";
const VARIABLES = [
  ['a declaration', 'var x = 1, r = $QpV(3, undefined, x)', LOCAL, 3, 1, '1'],
  ['an assignment', 'var x = 1, r = $QpV(3, undefined, x); r = $QpX(4, x, r, 2); x = 2', LOCAL, 4, 2, '2'],
  ['one that changes nothing', 'var x = 1, r = $QpV(3, undefined, x); r = $QpX(4, x, r, 1); x = 1', LOCAL, 3, 1, '1'],
  ['++', 'var x = 1, r = $QpV(3, undefined, x); r = $QpU(4, x, r, 1); x++', LOCAL, 4, 2, '2'],
  ['-- of a bigint', 'var x = 1n, r = $QpV(3, undefined, x); r = $QpU(4, x, r, -1); x--', LOCAL, 4, 2, '0n'],
  ['a global variable', 'var x; $QpG(3, "x", 5, 0); x = 5', GLOBAL, 3, 1, '5'],
  ['++ of a global variable', 'var x = 5; $QpN(3, "x", 1); x++', GLOBAL, 3, 1, '6'],
  ['a variable at the top of a script', 'let x = 5; $QpG(3, "x", 5, 3)', GLOBAL, 3, 1, '5'],
];
for (const [what, code, place, ...expected] of VARIABLES) {
  test(`a variable: ${what}`, () => assert.deepEqual(told(ofVariable(code, place)), ['found', ...expected]));
}

test('a variable that nobody wrote is as it is', () => {
  assert.equal(ofVariable('', "$QpQ('x', () => undefined)").status, 'never');
  assert.equal(ofVariable('var x = 5', GLOBAL).status, 'unseen');
});

test('`with` catches the names that the object has, but those that it hides', () => {
  const page = pageWith({ watch: [{ kind: 'variable', key: 'x' }] });
  page.run('var o = { x: 1, y: 2, get z() { throw new Error(); }, [Symbol.unscopables]: { y: true } }');
  const caught = ['x', 'y', 'z', 'none'].map((name) => page.run(`$QpH(o, '${name}')`));
  assert.deepEqual(caught, [true, false, true, false]);
  assert.equal(page.run("$QpH(5, 'x')"), false);
  assert.equal(page.run("$QpJ(o, 'x', 1)"), 2);
});
