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

const CLOCKS = `[
  Date.now(), +new Date(), performance.now(), new Date(Date()).getTime(), new Event('x').timeStamp,
  new Intl.DateTimeFormat('en', { timeStyle: 'full' }).format(),
].join()`;
const READ = "document.defaultView.clock = () => { const all = []; for (let turn = 0; turn < 3; turn++) "
  + `all.push(${CLOCKS}); return all.join(); }`;

test('what a page reads from its clocks is kept, and is read again', async () => {
  const first = pageWith({}, { url: 'http://shop.test/cart.html' });
  const given = (readings) => JSON.stringify({
    random: 'replay', seeds: { 'frame  /cart.html': SEED }, shift: -3_600_000, readings,
  });
  first.run(`$QpZ(${given('keep')})`);
  first.run(READ);
  const read = [first.run('clock()')];
  await undefined;
  await undefined;
  read.push(first.run('clock()'));
  await undefined;
  await undefined;
  const told = first.messages.flatMap((it) => it.clockReadings ?? []);
  assert.equal(told.length, 2, 'once a turn');
  assert.deepEqual(Object.keys(told[0]), ['place', 'since1970', 'sinceBegin', 'moments']);
  assert.equal(told[0].place, 'frame  /cart.html');
  const numbers = (clock) => told.flatMap((it) => it[clock].split(',').map(Number));
  const lists = ['since1970', 'sinceBegin', 'moments'].map(numbers);
  assert.deepEqual(lists.map((list) => list.length), [24, 6, 6]);

  const until = Date.now() + 3;
  while (Date.now() < until);
  const again = pageWith({}, { url: 'http://shop.test/cart.html' });
  again.run(`$QpZ(${given({ 'frame  /cart.html': lists })})`);
  again.run(READ);
  assert.deepEqual([again.run('clock()'), again.run('clock()')], read);
  assert.equal(again.messages.some((it) => it.clockReadings !== undefined), false);
  // Behind them the clock goes on, and not back.
  const last = lists[0].at(-1);
  const behind = again.run('Date.now()');
  assert.ok(behind >= last && behind < last + 60_000, `${behind} is behind ${last}`);
  const far = pageWith({}, { url: 'http://shop.test/cart.html' });
  far.run(`$QpZ(${given({ 'frame  /cart.html': [[8e15], [], []] })})`);
  assert.deepEqual([far.run('Date.now()'), far.run('Date.now()')], [8e15, 8e15]);
  const elsewhere = pageWith({}, { url: 'http://shop.test/other.html' });
  elsewhere.run(`$QpZ(${given({ 'frame  /cart.html': lists })})`);
  assert.notEqual(elsewhere.run('Date.now()'), lists[0][0]);
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

// A realm whose browser is slow: nothing runs by itself, and each message takes `slow` milliseconds. Timers run in the
// order in which they are due there, and a repeated one leaves out what it has missed.
function slowRealm(slow) {
  let now = 1000;
  let last = 0;
  const tasks = new Map();
  const add = (due, run) => {
    tasks.set(++last, { due, run });
    return last;
  };
  const context = vm.createContext({});
  const doing = (callback, values) => () => {
    if (typeof callback === 'string') new vm.Script(callback).runInContext(context);
    else callback(...values);
  };
  Object.assign(context, {
    nowThere: () => now,
    work: (milliseconds) => { now += milliseconds; },
    setTimeout: (callback, wait = 0, ...values) => add(now + Math.max(wait, 1), doing(callback, values)),
    setInterval(callback, wait, ...values) {
      let due = now + wait;
      const run = doing(callback, values);
      const each = () => {
        due = now + wait - ((now - due) % wait);
        tasks.set(id, { due, run: each });
        run();
      };
      const id = add(due, each);
      return id;
    },
    clearTimeout: (id) => { tasks.delete(id); },
    clearInterval: (id) => { tasks.delete(id); },
    MessageChannel: class {
      constructor() {
        this.port1 = { close() {} };
        this.port2 = {
          postMessage: () => add(-Infinity, () => {
            now += slow;
            this.port1.onmessage({});
          }),
        };
      }
    },
  });
  new vm.Script('Date.now = () => nowThere()').runInContext(context);
  new vm.Script(textOf('inputsOnly', configOf())).runInContext(context);
  return {
    run: (code) => new vm.Script(code).runInContext(context),
    // One task, when it is due; whether there was one that is due by then.
    next(then) {
      const none = [0, { due: Infinity }];
      const [id, task] = [...tasks].reduce((first, it) => (it[1].due < first[1].due ? it : first), none);
      if (task.due > then) return false;
      tasks.delete(id);
      now = Math.max(now, task.due);
      task.run();
      return true;
    },
  };
}

const FOUR_TIMERS = `
  const begin = Date.now();
  globalThis.ran = [];
  globalThis.note = (name) => ran.push(name + ' ' + (Date.now() - begin));
  const ticking = setInterval(() => { note('tick'); if (ran.length > 7) clearInterval(ticking); }, 170);
  setTimeout("note('text')", 300);
  globalThis.beating = setInterval("note('beat'); if (ran.length > 3) clearInterval(beating);", 130);
  setTimeout(() => { note('late'); setTimeout(note, 5, 'chained'); }, 400);`;

// Takes the move through, task by task.
async function moved({ run, next }, by) {
  let isThere = false;
  run(`$QpZ({ shift: ${by} })`).then(() => { isThere = true; });
  for (let turn = 0; !isThere && turn < 10_000; turn++) {
    next(Infinity);
    await new Promise((done) => { setImmediate(done); });
  }
  assert.ok(isThere);
}

test('a slow machine changes neither the order nor the moments of timers that run while the clock moves', async () => {
  for (const slow of [0, 40, 160]) {
    const realm = slowRealm(slow);
    realm.run(`$QpZ({ shift: 0 }); ${FOUR_TIMERS}`);
    await moved(realm, 2000);
    const ran = [...realm.run('ran')].map((it) => it.split(' '));
    const names = ran.map(([name]) => name).join(' ');
    assert.equal(names, 'beat tick beat text tick beat late chained tick', `${slow} ms`);
    const due = [130, 170, 260, 300, 340, 390, 400, 405, 510];
    ran.forEach(([name, moment], index) => {
      const by = moment - due[index];
      assert.ok(by >= 0 && by < 5, `${name} ran ${by} ms late, where a message takes ${slow} ms`);
    });
    assert.ok(realm.run('Date.now() - begin') >= 2000);
  }
});

test('a machine that was slow before the clock moves changes no order either', async () => {
  for (const [stall, tasks] of [[320, 0], [320, 1], [320, 2], [150, 1], [299, 3]]) {
    const realm = slowRealm(20);
    realm.run(`$QpZ({ shift: 0 }); ${FOUR_TIMERS} work(${stall})`);
    // So many tasks of those that are late have begun by then; a text has one before it and one behind it.
    for (let task = 0; task < tasks; task++) assert.ok(realm.next(Infinity));
    await moved(realm, 2000);
    const names = [...realm.run('ran')].map((it) => it.split(' ')[0]).join(' ');
    assert.equal(names, 'beat tick beat text tick beat late chained tick', `${stall} ms, ${tasks} tasks`);
  }
});

test('what a page works counts, and its clock never goes back', async () => {
  const realm = slowRealm(50);
  realm.run(`$QpZ({ shift: 0 });
    const begin = Date.now();
    globalThis.ran = [];
    const note = (name) => ran.push([name, Date.now() - begin]);
    setTimeout(() => { note('works'); work(700); note('has worked'); }, 100);
    setTimeout(note, 300, 'waited');
    const ticking = setInterval(() => { note('tick'); if (ran.length > 5) clearInterval(ticking); }, 200);`);
  await moved(realm, 3000);
  const ran = [...realm.run('ran')].map(([name, moment]) => `${name} ${moment}`);
  const moments = [...realm.run('ran')].map(([, moment]) => moment);
  assert.deepEqual([...moments].sort((one, other) => one - other), [...moments]);
  assert.deepEqual(ran.map((it) => it.split(' ').slice(0, -1).join(' ')),
    ['works', 'has worked', 'tick', 'waited', 'tick', 'tick']);
});

test('after the clock has moved, timers run by themselves again', async () => {
  const realm = slowRealm(30);
  realm.run(`$QpZ({ shift: 0 }); ${FOUR_TIMERS}
    setTimeout(note, 3000, 'after'); clearTimeout(setTimeout(note, 3000));`);
  await moved(realm, 2000);
  realm.run("setTimeout(note, 100, 'new')");
  while (realm.next(20_000));
  const after = [...realm.run('ran')].slice(-2).map((it) => it.split(' '));
  assert.equal(after.map(([name]) => name).join(), 'new,after');
  assert.ok(after[1][1] >= 3000 && after[1][1] < 3005, after[1][1]);
});
