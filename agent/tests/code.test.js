// Code that a page makes of texts: it runs as the driver gave it back, once for each text, and looks as written.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith, rewritten } from './realm.js';

function page() {
  const handed = [];
  const made = pageWith({ driven: true }, {
    rewrite(request) {
      handed.push(request);
      if (request.kind !== 'function') return rewritten(request.text);
      return { parameters: request.parameters, body: rewritten(request.body) };
    },
  });
  return { ...made, handed };
}

test('eval as a value runs the rewritten text', () => {
  const { run, handed, window } = page();
  assert.equal(run("(0, $QpCv(eval))('1 + 1')"), 2);
  assert.equal(window.hooks, 1);
  assert.deepEqual(handed, [{ kind: 'eval', site: 0, text: '1 + 1' }]);
});

test('a direct eval keeps its scope, and tells its site', () => {
  const { run, handed } = page();
  assert.equal(run("(() => { const local = 3; return eval($QpCe(eval, 5, 'local')); })()"), 3);
  assert.deepEqual(handed, [{ kind: 'eval', site: 5, text: 'local' }]);
  assert.equal(run("(() => { const eval = (text) => text; return eval($QpCe(eval, 5, 'other')); })()"), 'other');
  assert.equal(handed.length, 1, 'another function of that name makes no code');
});

test('spread arguments of eval come in their order', () => {
  const { run, handed } = page();
  assert.equal(run("eval(...$QpCs(eval, 4, ...['2 * 3', 1]))"), 6);
  assert.equal(handed[0].site, 4);
});

test('what a page gives to eval that is no text stays as it is', () => {
  const { run, handed } = page();
  assert.equal(run('globalThis.it = {}; (0, $QpCv(eval))(it) === it'), true);
  assert.deepEqual(handed, []);
});

test('the substitute for eval does not take the place of the built-in', () => {
  const { run } = page();
  run('globalThis.kept = eval; globalThis.eval = $QpCv(eval); $QpCb()');
  assert.equal(run('eval === kept'), true);
  assert.equal(run('$QpCm(globalThis) === eval && $QpCm({ eval }) === undefined'), true);
});

test('a function of texts runs what it became, and shows what was written', () => {
  const { run, handed, window } = page();
  assert.equal(run("globalThis.add = new Function('a', 'b', 'return a + b'); add(2, 3)"), 5);
  assert.equal(window.hooks, 1);
  assert.deepEqual(handed, [{ kind: 'function', open: 'function', parameters: 'a,b', body: 'return a + b' }]);
  assert.equal(run('`${add}`'), 'function anonymous(a,b\n) {\nreturn a + b\n}');
  assert.equal(run('add instanceof Function && add.constructor === Function'), true);
  assert.equal(run('Function.prototype === add.__proto__'), true);
  assert.equal(run("(class extends Function {}).name === '' && Function.length === 1 && Function.name"), 'Function');
});

test('the kin of Function make code as well', async () => {
  const { run, handed } = page();
  assert.equal(await run("new (async () => {}).constructor('return 7')()"), 7);
  assert.equal(run("[...new (function* () {}).constructor('yield 8')()][0]"), 8);
  assert.deepEqual(handed.map(({ open }) => open), ['async function', 'function*']);
});

test('a text with an error has the error of the text', () => {
  const { run, handed } = page();
  assert.throws(() => run("new Function('a', 'return (')"), { name: 'SyntaxError' });
  assert.deepEqual(handed, []);
});

test('a text costs one stop, and what is rewritten already none', () => {
  const { run, handed } = page();
  run("Function('return 1'); Function('return 1')(); Function('/*$Qp*/ return 1')()");
  assert.equal(handed.length, 1);
});

test('a timer makes code of a text', async () => {
  const { run, handed, window } = page();
  await new Promise((resolve) => {
    window.resolve = resolve;
    run("setTimeout('globalThis.ran = 1; resolve()', 0)");
  });
  assert.equal(window.ran, 1);
  assert.equal(window.hooks, 1);
  assert.deepEqual(handed.map(({ kind }) => kind), ['timer']);
});

test('without a driver nothing is handed over', () => {
  const made = pageWith({});
  assert.equal(made.run("Function('return 1')() + (0, $QpCv(eval))('1')"), 2);
  assert.deepEqual(made.messages.filter(({ handed }) => handed !== undefined), []);
});
