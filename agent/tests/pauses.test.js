// Where the page is paused for the driver: at which event, what of it can be read there, and where it is not.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// A page that is paused; `told` has what the driver reads there, `values` what `read` gives.
function pageOf(given, { read, ...options } = {}) {
  const told = [];
  const values = [];
  const paused = (window) => {
    told.push(JSON.parse(window.eval('$QpE.told()')).event);
    if (read !== undefined) values.push(window.eval(read));
  };
  return { ...pageWith(given, { paused, ...options }), told, values };
}
const write = (object, value, site = 3) => `$QpW(${site}, ${object}, 'p', ${value}); ${object}.p = ${value};`;

test('the page is paused at the events that are asked for, before they happen', () => {
  const { told, values, run } = pageOf({ watch: [{ key: 'p', exact: [1] }], stops: [2, 4] },
    { read: '`${o.p} ${$QpE.event().old} ${$QpE.event().value}`' });
  run(`var o = {}; for (const value of [1, 2, 3, 4, 5]) { ${write('o', 'value')} }`);
  assert.deepEqual(told.map(({ kind, sequence, site, created }) => [kind, sequence, site, created]), [
    ['write', 2, 3, false], ['write', 4, 3, false],
  ]);
  assert.deepEqual(values, ['1 1 2', '3 3 4']);
  assert.equal(JSON.parse(run('$QpE.isPaused()')).paused, false);
});

test('a built-in, a deletion and a creation say what they are', () => {
  const { told, run } = pageOf({ watch: [{ key: 'p', exact: [1] }], stops: [1, 2, 3] });
  run("var o = {}; Object.assign(o, { p: 1 }); $QpD(4, o, 'p'); delete o.p; Reflect.set(o, 'p', 2)");
  assert.deepEqual(told.map(({ by, created, deleted }) => [by, created, deleted]), [
    ['Object.assign', true, false], [undefined, false, true], ['Reflect.set', true, false],
  ]);
});

test('a hit of the reproduction point, and a message of the console, are events', () => {
  const { told, run } = pageOf({ watch: ['p'], stopAtHit: 1 });
  run('for (let index = 0; index < 3; index++) $QpR(0, 0)');
  assert.deepEqual(told.map(({ kind, hit }) => [kind, hit]), [['point', 1]]);
  const page = pageOf({ watch: ['p'], console: 'total: 5' });
  page.run("console.log('none'); console.warn('total:', 5); console.log('total: 5')");
  assert.deepEqual(page.told.map(({ kind }) => kind), ['console']);
});

test('while it is paused single queries can be asked, by what only the debugger has', () => {
  const { values, run } = pageOf({ watch: [{ key: 'p', exact: [1] }], stops: [2] },
    { read: `$QpE.late([{ query: 0, dependent: 0, root: 'name', path: [], key: 'p', keyed: null }],
      () => ({ d: [() => o] }))` });
  run(`var o = {}; ${write('o', 1)} ${write('o', 2, 4)}`);
  const { status, site, value } = JSON.parse(values[0]).results[0];
  assert.deepEqual([status, site, value.text], ['found', 3, '1'], 'the write has not happened yet');
});

test('a page that is a person\'s is paused no more', () => {
  const { told, run } = pageOf({ watch: [{ key: 'p', exact: [1] }], stops: [1, 2] });
  run(`var o = {}; ${write('o', 1)} $QpE.release(); ${write('o', 2)}`);
  assert.equal(told.length, 1);
});

test('outcomes and other events that a query counts pause it by their own numbers', () => {
  const { told, run } = pageOf({ watch: [{ kind: 'events', query: 0 }], stops: [2 ** 40 + 2] });
  run("$QpTr(7, 'a', 0); $QpTr(8, 'b', 0); $QpTr(9, 'c', 0)");
  assert.deepEqual(told.map(({ kind, site, sequence }) => [kind, site, sequence - 2 ** 40]), [['event', 8, 2]]);
});

// ---- reading ahead ----

const AHEAD = { readAhead: true, watch: ['p'], ask: [{ key: 'p' }] };

test('an execution that reads ahead is paused at each change that may be the last', () => {
  const { told, run } = pageOf(AHEAD);
  run(`var o = {}; ${write('o', 1)} ${write('o', 1)} ${write('o', 2)}`);
  assert.deepEqual(told.map(({ sequence }) => sequence), [1, 3], 'what changes nothing is none');
  run('$QpE.at(() => ({ d: [() => o] }))');
  assert.equal(JSON.parse(run('$QpE.report()')).report.ahead, true);
});

test('reading ahead has an end: after some pauses they must be a small part of the time', () => {
  const { told, run } = pageOf(AHEAD);
  run(`var o = {}; for (let value = 0; value < 1000; value++) { ${write('o', 'value')} }`);
  assert.ok(told.length >= 16 && told.length < 1000, `${told.length} pauses`);
  const before = told.length;
  // What comes of the last thing that the user does is asked for most often.
  run(`$QpE.inputs(true); for (let value = 0; value < 5; value++) { ${write('o', 'value')} }`);
  assert.ok(told.length - before >= 5, `${told.length - before} pauses`);
});

test('of hits the first ones are read ahead, or the one that is asked for', () => {
  const { told, run } = pageOf({ ...AHEAD, hit: -1 });
  run('for (let index = 0; index < 100; index++) $QpR(0, 0)');
  assert.ok(told.length >= 16 && told.length <= 40, `${told.length} pauses`);
  const one = pageOf({ ...AHEAD, hit: 60 });
  one.run('for (let index = 0; index < 100; index++) $QpR(0, 0)');
  assert.deepEqual(one.told.map(({ hit }) => hit), [60]);
});

// ---- questions that begin in an element ----

const lookup = (text, byId = false, index = null) => ({ text, byId, index });
const asked = (given) => ({ readAhead: true, watch: ['p'], ask: [{ root: 'element', key: 'p', ...given }] });
const BODY = '<!doctype html><body><p id=a class=x>a</p><p id=b>b</p></body>';

test('a change of what is not the element that is asked about pauses nothing', () => {
  const { told, run } = pageOf(asked({ lookup: lookup('a', true) }), { html: BODY });
  run(`var a = document.getElementById('a'), b = document.getElementById('b'); ${write('b', 1)} ${write('a', 1, 7)}`);
  assert.deepEqual(told.map(({ site }) => site), [7]);
});

test('an element that is not in the document yet may be the one, by what it is', () => {
  const { told, run } = pageOf(asked({ lookup: lookup('body > p.x[title="a b"]') }), { html: BODY });
  run(`var none = document.createElement('i'), like = document.createElement('p');
    like.className = 'x'; like.title = 'a b'; ${write('none', 1)} ${write('like', 1, 7)} ${write('({})', 1, 8)}`);
  assert.deepEqual(told.map(({ site }) => site), [7, 8], 'what is no element may be anything');
});

test('of several selectors, and below an element, any may be the one', () => {
  const any = pageOf(asked({ lookup: lookup('p, i') }), { html: BODY });
  any.run(`var u = document.createElement('u'); ${write('u', 1)}`);
  assert.equal(any.told.length, 1);
  const below = pageOf(asked({ lookup: lookup('a', true), path: ['firstChild'] }), { html: BODY });
  below.run(`var a = document.getElementById('a'), text = a.firstChild; ${write('a', 1)} ${write('text', 1, 7)}`);
  assert.deepEqual(below.told.map(({ site }) => site), [7]);
});
