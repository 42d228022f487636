// The recorded inputs: the same random numbers and the same clock, in the page with an agent and in the one without.

import assert from 'node:assert/strict';
import test from 'node:test';
import vm from 'node:vm';
import { configOf, pageWith, textOf } from './realm.js';

const SEED = '00112233445566778899aabbccddeeff'.repeat(2);
const RANDOM = `[
  Math.random(), Math.random(), crypto.randomUUID?.(), [...crypto.getRandomValues(new Uint8Array(4))],
].join()`;

// A realm that has the recorded inputs and no agent.
function inputsAlone(messages = []) {
  const context = vm.createContext({ $QpB: (text) => { messages.push(JSON.parse(text)); } });
  new vm.Script(textOf('inputsOnly', configOf())).runInContext(context);
  return (code) => new vm.Script(code).runInContext(context);
}

test('a recording tells a seed, and a replay with it has the same numbers', () => {
  const messages = [];
  const recorded = inputsAlone(messages);
  recorded("$QpZ({ random: 'record' })");
  const { place, seed } = messages[0].realmBegun;
  assert.match(seed, /^[0-9a-f]{64}$/);
  const numbers = 'Array.from({ length: 5 }, () => Math.random()).join()';
  const expected = recorded(numbers);
  const replayed = inputsAlone();
  replayed(`$QpZ({ random: 'replay', seeds: ${JSON.stringify({ [place]: seed })} })`);
  assert.equal(replayed(numbers), expected);
  const other = inputsAlone();
  other(`$QpZ({ random: 'replay', seeds: ${JSON.stringify({ [place]: SEED })} })`);
  assert.notEqual(other(numbers), expected);
});

test('numbers are in their range and do not repeat', () => {
  const run = inputsAlone();
  run(`$QpZ({ random: 'replay', seeds: { 'worker ': '${SEED}' } })`);
  const numbers = run('Array.from({ length: 1000 }, () => Math.random())');
  assert.equal(new Set(numbers).size, 1000);
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  const mean = numbers.reduce((sum, number) => sum + number) / 1000;
  assert.ok(Math.abs(mean - 0.5) < 0.05, mean);
});

test('the binding is taken off the realm', () => {
  assert.equal(inputsAlone()("'$QpB' in globalThis"), false);
  assert.equal(pageWith({}).run("'$QpB' in globalThis"), false);
});

test('a frame is known again by its place, and has what is secret from the seed', () => {
  const numbers = () => {
    const page = pageWith({}, { url: 'http://shop.test/cart.html' });
    page.run(`$QpZ({ random: 'replay', seeds: { 'frame  /cart.html': '${SEED}' } })`);
    assert.deepEqual(page.messages.at(-1), { realmBegun: { place: 'frame  /cart.html' } });
    return page.run(RANDOM);
  };
  const first = numbers();
  assert.equal(numbers(), first);
  const uuid = first.split(',')[2];
  if (uuid !== '') assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('the clocks are moved, all by the same', () => {
  const run = inputsAlone();
  const hour = 3_600_000;
  run(`$QpZ({ shift: ${-hour} })`);
  const moments = run('[Date.now(), new Date().getTime(), +new Date(Date()), new Date(5).getTime()]');
  const now = Date.now() - hour;
  for (const moment of moments.slice(0, 3)) assert.ok(Math.abs(moment - now) < 2000, `${moment} is not ${now}`);
  assert.equal(moments[3], 5, 'what is given stays');
  assert.equal(run('new Date() instanceof Date && Date.prototype.constructor === Date && Date.name'), 'Date');
  assert.equal(run('class Day extends Date {}; new Day() instanceof Day'), true);
  assert.match(run('`${Date} ${Date.now} ${Math.random}`'), /^function Date\(\) \{ \[native code\] \}/);
  const format = "new Intl.DateTimeFormat('en', { dateStyle: 'short' }).format";
  assert.equal(run(`${format}()`), run(`${format}(new Date())`));
  assert.notEqual(run(`${format}(0)`), run(`${format}()`));
});

test('time that is left out runs what was due meanwhile, in its order and at its moments', async () => {
  // Numbers, as a browser has them.
  const context = vm.createContext({
    setTimeout: (...values) => +setTimeout(...values), clearTimeout: (number) => clearTimeout(number),
    setInterval: (...values) => +setInterval(...values), clearInterval: (number) => clearInterval(number),
    MessageChannel,
  });
  new vm.Script(textOf('inputsOnly', configOf())).runInContext(context);
  const run = (code) => new vm.Script(code).runInContext(context);
  run(`$QpZ({ shift: 0 }); globalThis.begin = Date.now(); globalThis.ran = [];
    const note = (name) => ran.push([name, Date.now() - begin]);
    setTimeout(note, 5000, 'late'); setTimeout(note, 2000, 'early');
    globalThis.rest = setTimeout(note, 60000, 'not yet');
    const gone = setTimeout(note, 1000, 'gone'); clearTimeout(gone);
    const each = setInterval(() => { note('each'); if (ran.length > 2) clearInterval(each); }, 1500);`);
  const began = Date.now();
  await run('$QpZ({ shift: 10000 })');
  assert.ok(Date.now() - began < 2000, 'nobody waited');
  const ran = run('ran');
  assert.deepEqual([...ran].map(([name]) => name), ['each', 'early', 'each', 'late']);
  const due = [1500, 2000, 3000, 5000];
  ran.forEach(([name, moment], index) => assert.ok(Math.abs(moment - due[index]) < 500, `${name} ran at ${moment}`));
  run('clearTimeout(rest)');
});
