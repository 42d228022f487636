// What each hook of the event log records: of writes, built-ins, calls, ends of functions, and of what is new to the
// log.

import assert from 'node:assert/strict';
import test from 'node:test';
import { recordsReader, unpacked } from './log-records.js';
import { pageWith } from './realm.js';

const LOG = { binding: '$QpLog', switchName: null, otherCall: 0, tellsResults: false, tellsNew: false };

// A page that is logged: `log` runs code and gives its records, without those of the task around it.
function pageOf(log = {}, options = {}) {
  const page = pageWith({ log: { ...LOG, ...log } }, { bundle: 'logging', ...options });
  const read = recordsReader();
  const all = (code) => {
    const value = page.run(code);
    page.run('$QpLL()');
    return { value, records: page.batches.splice(0).flatMap((text) => read(unpacked(text))) };
  };
  all('');
  return { ...page, all, log: (code) => all(code).records };
}
// Of a class the name that it runs under.
const running = ({ class: name }) => name.split('\u001f')[0].split('\u001e')[0];
const short = (record) => record.map((part) => (typeof part === 'object' ? part.name ?? running(part) : part)).join(' ');
const texts = (records) => records.map(short);

const WRITES = [
  ['$QpLw(9, o, 5)', 'write 9 Object 5', 5],
  ['$QpLi(9, o, "k", "text")', 'writeKey 9 Object "k" "text"', 'text'],
  ['$QpLi(9, o, -0, 1)', 'writeKey 9 Object 0 1', 1],
  ['$QpLi(9, o, null, 1)', 'writeKey 9 Object "null" 1', 1],
  ['$QpLi(9, o, 5n, 1)', 'writeKey 9 Object "5" 1', 1],
  ['$QpLi(9, o, {}, 1)', 'writeKey 9 Object unknown 1', 1],
  ['$QpLP(9, o, 4, 1)', 'write 9 Object 5', 4],
  ['$QpLP(9, o, 4n, -1)', 'write 9 Object 3n', 4n],
  ['$QpLQ(9, o, "k", 4, -1)', 'writeKey 9 Object "k" 3', 4],
  ['$QpLv(9, 3, 1.5)', 'assign 9 3 1.5', 1.5],
  ['$QpLp(9, 3, 7, 1)', 'assign 9 3 8', 7],
  ['$QpLV(9, 3, 1, 2)', 'assign 9 3 2', 2],
  ['$QpLX(9, o, true)', 'write 9 Object absent', true],
  ['$QpLY(9, o, "k", true)', 'writeKey 9 Object "k" absent', true],
  ['$QpLF(9, o, 5)', 'write 9 Object 5', 5],
  ['$QpLf(9, "")', 'branch not 9', ''],
  ['$QpLf(9, "x")', 'branch 9', 'x'],
  ['$QpLh(9, 0)', 'branch 9', 0],
  ['$QpLh(9, null)', 'branch not 9', null],
  ['$QpLT(9, "wrong")', 'threw 9 "wrong"', 'wrong'],
  ['$QpLt("kept", 9)', 'step 9', 'kept'],
];
for (const [code, record, value] of WRITES) {
  test(`${code} is recorded as ${record}`, () => {
    const page = pageOf();
    const { records, value: given } = page.all(`var o = {}; ${code}`);
    assert.deepEqual(texts(records), [record]);
    assert.equal(given, value, 'the page has its value');
  });
}

test('what was not written is not recorded', () => {
  const page = pageOf();
  assert.deepEqual(page.log(`var o = {}; $QpLV(9, 3, NaN, NaN); $QpLX(9, o, false); $QpLY(9, o, 'k', false);
    $QpLw(9, 'text', 5); $QpLi(9, undefined, 'k', 5); $QpLw(9, o, 5, 1); $QpLi(9, o, 'k', 5, 1)`), []);
  // `o.p ||= v` assigns where it says so just before.
  assert.deepEqual(texts(page.log("$QpLw(9, o, $QpLm(5), 1); $QpLi(8, o, 'k', $QpLm(6), 1); $QpLw(7, o, 5, 1)")),
    ['write 9 Object 5', 'writeKey 8 Object "k" 6']);
});

test('literals are recorded with what is in them', () => {
  const page = pageOf();
  assert.deepEqual(texts(page.log("$QpLj(9, { a: 1, b: 'x' }, 'a', 'b')")),
    ['create 9 Object', 'write 10 Object 1', 'write 11 Object "x"']);
  assert.deepEqual(texts(page.log("$QpLJ(9, { ['a']: 1, get b() { throw new Error(); } })")),
    ['create 9 Object', 'writeKey 9 Object "a" 1', 'writeKey 9 Object "b" accessor']);
  assert.deepEqual(texts(page.log('$QpLl(9, [7, , 8])')), ['create 9 Array', 'contents 3 Array 3 0 7 1 absent 2 8']);
  assert.deepEqual(texts(page.log('class Cart {} $QpLg(9, 0, new Cart(), 5)')),
    ['callEnd 8 Cart', 'passed 1 unknown 5', 'create 9 Cart']);
});

const BUILT_INS = [
  ['[1]', 'push', "(o.push('x'), 2)", 1, ['writeKey 9 Array 1 "x"'], 2],
  ['[1, 2]', 'pop', 'o.pop()', 0, ['writeKey 9 Array 1 absent'], 2],
  ['[2, 1]', 'sort', 'o.sort()', 0, ['contents 2 Array 2 0 1 1 2']],
  ['new Map([["k", 1]])', 'set', "o.set('k', 5)", "'k'", ['writeEntry 9 Map "k" 5']],
  ['new Map([["k", 1]])', 'delete', "o.delete('k')", "'k'", ['writeEntry 9 Map "k" absent'], true],
  ['new Map([["k", 1]])', 'clear', '(o.set("j", 2), o)', 0, ['contents 2 Map 2 "k" 1 "j" 2']],
  ['new Set()', 'add', "o.add('k')", "'k'", ['writeEntry 9 Set "k" true']],
  ['new Set(["k"])', 'clear', 'o', 0, ['contents 1 Set 1 "k" true']],
  ['new Uint8Array(2)', 'set', '(o.set([3, 4]), o)', 0, ['contents 2 Uint8Array 2 0 3 1 4']],
  ['new Date(0)', 'setTime', 'o.setTime(1000)', 0,
    ['writeKey 9 Date "[[DateValue]]" "1970-01-01T00:00:01.000Z"'], 1000],
  ['new Date(NaN)', 'setTime', 'o.setTime(NaN)', 0, ['writeKey 9 Date "[[DateValue]]" "Invalid Date"']],
  ['{ set() {} }', 'set', 'o', 0, []],
];
for (const [object, method, call, extra, records, value] of BUILT_INS) {
  test(`${method} of ${object} is recorded as ${records.join() || 'nothing'}`, () => {
    const page = pageOf();
    const { records: told, value: given } = page.all(`var o = ${object}; $QpLB(9, ${call}, o, '${method}', ${extra})`);
    assert.deepEqual(texts(told), records);
    if (value !== undefined) assert.equal(given, value);
  });
}

// A computed name, or the function that is called on the object, what the call was passed first, and how much it was.
const AS_THEY_RAN = [
  ['[1]', "'push'", "(o.push('x'), 2)", "'x'", 1, ['writeKey 9 Array 1 "x"']],
  ['[1]', '[].push', "(o.push('x'), 2)", '0', 1, ['writeKey 9 Array 1 "x"']],
  ['[1]', '[].push', "(o.push('x'), 2)", '0', -1, ['contents 2 Array 2 0 1 1 "x"']],
  ['[1, 2]', "'pop'", 'o.pop()', '0', 0, ['writeKey 9 Array 1 absent']],
  ['[2, 1]', "'sort'", 'o.sort()', '0', 0, ['contents 2 Array 2 0 1 1 2']],
  ['[2, 1]', "'slice'", 'o', '0', 0, []],
  ['[2, 1]', '() => 1', 'o', '0', 0, []],
  ['new Map([["k", 1]])', "'set'", "o.set('k', 5)", "'k'", 2, ['writeEntry 9 Map "k" 5']],
  ['new Map([["k", 1]])', "'set'", "o.set('k', 5)", '0', -1, ['contents 1 Map 1 "k" 5']],
  ['new Map([["k", 1]])', 'Map.prototype.set', "o.set('k', 5)", '0', 2, ['contents 1 Map 1 "k" 5']],
  ['new Date(0)', "'setTime'", 'o.setTime(1000)', '1000', 1,
    ['writeKey 9 Date "[[DateValue]]" "1970-01-01T00:00:01.000Z"']],
  ['{ push() {} }', "'push'", 'o', '0', 0, []],
];
for (const [object, method, call, first, count, records] of AS_THEY_RAN) {
  test(`${method} that the execution names, of ${object}, is recorded as ${records.join() || 'nothing'}`, () => {
    const page = pageOf();
    const { records: told } = page.all(`var o = ${object}; $QpLB(9, ${call}, o, ${method}, ${first}, ${count})`);
    assert.deepEqual(texts(told), records);
  });
}

test('of a large collection the first entries are recorded, and how many there are', () => {
  const page = pageOf();
  const [record] = page.log("$QpLB(9, 0, new Set(Array.from({ length: 500 }, (_, index) => index)), 'clear', 0)");
  assert.deepEqual(record.slice(0, 4).map((part) => part.class ?? part), ['contents', 100, 'Set', 500]);
  assert.equal(record.length, 4 + 200);
});

test('what only looks like a collection is passed over, and runs nothing', () => {
  const page = pageOf();
  assert.deepEqual(page.log(`for (const like of [Map, Set, Uint8Array, Date]) {
    $QpLB(9, 0, Object.create(like.prototype), 'clear', 0); $QpLT(9, 0); }
    $QpLB(9, 0, new Proxy([], { get() { throw new Error(); } }), 'sort', 0)`).map(([kind]) => kind),
  ['threw', 'threw', 'threw', 'threw']);
});

test('functions of the language write what they wrote, where a call of the page made them', () => {
  const page = pageOf();
  page.run(`var o = {}, called = (code) => { $QpLn(7); code(); };
    var setter = { set q(value) {} }`);
  const wrote = (code) => texts(page.log(`called(() => ${code})`)).filter((text) => text !== 'step 7');
  assert.deepEqual(wrote("Object.assign(o, { a: 1, get b() { return 2; } }, null, { a: 3 })"),
    ['writeKey 7 Object "a" 3', 'writeKey 7 Object "b" 2', 'writeKey 7 Object "a" 3']);
  assert.deepEqual(wrote("Object.defineProperty(o, 'c', { get() { return 1; }, configurable: true })"),
    ['writeKey 7 Object "c" accessor']);
  assert.deepEqual(wrote("Object.defineProperties(o, { d: { value: 5 } })"), ['writeKey 7 Object "d" 5']);
  assert.deepEqual(wrote("Reflect.set(o, 'e', 6)"), ['writeKey 7 Object "e" 6']);
  assert.deepEqual(wrote("Reflect.set(setter, 'q', 6)"), ['writeKey 7 Object "q" accessor']);
  assert.deepEqual(wrote("Reflect.set(Object.freeze({}), 'e', 6)"), []);
  assert.deepEqual(wrote("Reflect.defineProperty(o, {}, { value: 1 })"), []);
  // Without a call of the page it is the browser's, or a library's own.
  assert.deepEqual(page.log("$QpLC(7, 0, 0); Object.assign(o, { a: 9 })").map(([kind]) => kind), ['callEnd']);
});

test('a method of the language is what it was, but for what it records', () => {
  const page = pageOf();
  assert.equal(page.run("[Object.assign.name, Object.assign.length, 'prototype' in Object.assign].join()"),
    'assign,2,false');
  assert.throws(() => page.run('Object.assign(null, {})'), { name: 'TypeError' });
});

test('the message of an error is recorded once, its own or the browser\'s', () => {
  const page = pageOf();
  assert.deepEqual(texts(page.log("var wrong = new RangeError('too far'); $QpLT(9, wrong); $QpLq(8, wrong)")), [
    'writeKey 9 RangeError "[[Message]]" "too far"', 'threw 9 RangeError',
    'caught 8 RangeError',
  ]);
  const gone = texts(page.log("$QpLT(9, new DOMException('gone'))"));
  assert.equal(gone.filter((text) => /Message.*gone/.test(text)).length, 1);
  const without = page.log('var own = new Error(); delete own.message; $QpLT(9, own)');
  assert.deepEqual(without.map(([kind]) => kind), ['threw']);
});

// ---- functions, tasks, activations ----

const CALL = 'const $Qps = $QpLe(2, 3, 0, this, arguments); let $Qpv, $Qpx = 0;';

test('a function, what it is given and how it ends', () => {
  const page = pageOf();
  page.run(`function f(value) { ${CALL}
    try { if (value === 0) throw 'wrong'; return ($Qpv = value, $Qpx = 8, $Qpv); }
    finally { $QpLx(2, $Qpx, $Qpv); } }`);
  assert.deepEqual(texts(page.log('f.call(null, 5)')).slice(1, -1),
    ['enter 2', 'passed 1 Window 5', 'scope 3 0', 'returnedValue 8 5']);
  assert.deepEqual(texts(page.log('try { f.call(undefined, 0) } catch {}')).slice(1, -1),
    ['enter 2', 'passed 1 Window 0', 'scope 3 0', 'unwind 2']);
});

test('of many arguments the first are recorded', () => {
  const page = pageOf();
  page.run(`function f() { ${CALL} $QpLx(2, 8, 0); }`);
  const passed = page.log('f(...Array(100).fill(7))').find(([kind]) => kind === 'passed');
  assert.deepEqual([passed[1], passed.length], [64, 2 + 1 + 64]);
});

test('an arrow function, a constructor and a block have scopes; `this` of an arrow function is not its own', () => {
  const page = pageOf();
  assert.deepEqual(texts(page.log('$QpLa(2, 3, 1, 5); $QpLo(4, 2); $QpLx(2, 8, 1)')).slice(1, -1),
    ['enter 2', 'passed 1 unknown 5', 'scope 3 1', 'scope 4 2', 'returnedValue 8 1']);
});

test('where calls alone are recorded, functions have neither arguments nor values', () => {
  const page = pageOf();
  assert.deepEqual(texts(page.log('$QpLc(1); $QpLc(2); $QpLd(2, 5); $QpLc(3); $QpLd(3, 0); $QpLd(1, 6)')).slice(1, -1),
    ['enter 1', 'enter 2', 'returned 2', 'enter 3', 'unwind 3', 'returned 1']);
});

test('what a function with hooks has returned is not told by its call again', () => {
  const page = pageOf();
  assert.deepEqual(texts(page.log("$QpLn(7); $QpLc(2); $QpLx(2, 8, 'given'); $QpLC(7, 0, 'given', 1)")).slice(2, -1),
    ['enter 2', 'returnedValue 8 "given"', 'taskEnd 0']);
  assert.deepEqual(texts(page.log("$QpLn(7); $QpLC(7, 0, 'of the browser', 1, 2)")),
    ['step 7', 'callEnd 7 "of the browser"', 'passed 2 unknown 1 2']);
});

// What is recorded once all reactions ran.
const settled = async (page, code) => {
  const before = page.log(code);
  await page.run('new Promise((done) => { setTimeout(done, 0); })');
  return texts([...before, ...page.log('')]);
};

test('a reaction says on what it was registered, and what came of that', async () => {
  const page = pageOf();
  page.run('var done; var p = new Promise((resolve) => { done = resolve; })');
  assert.deepEqual(await settled(page, '$QpLth(7, 0, p.then($QpLt(() => {}, 7)), p, 1)'),
    ['step 7', 'callEnd 7 Promise', 'passed 1 Promise 1']);
  assert.deepEqual(await settled(page, 'done(5)'), ['settle 7 1 Promise 5']);
  assert.deepEqual(await settled(page, 'q = Promise.reject("no"); $QpLth(7, 0, q.catch(() => {}), q)'),
    ['callEnd 7 Promise', 'passed 0 Promise', 'settle 7 0 Promise "no"']);
  // An object that the log does not know yet is told where the page first has it.
  assert.deepEqual((await settled(page, 'q = Promise.resolve({}); $QpLth(7, 0, q.then(() => {}), q)')).at(-1),
    'settle 7 1 Promise unknown');
});

test('what several promises come to is told of each', async () => {
  const page = pageOf();
  page.run('var list = [Promise.resolve(1), 2, Promise.reject("no"), Promise.resolve(3)]');
  assert.deepEqual(
    (await settled(page, '$QpLth(7, 0, Promise.allSettled(list), Promise, list)')).filter((it) => it.startsWith('settle')),
    ['settle 7 1 Promise 1', 'settle 7 0 Promise "no"', 'settle 7 1 Promise 3']);
});

test('what only looks like a promise, and what asks the page, is left alone', async () => {
  const page = pageOf();
  page.run(`var asked = 0; class Own extends Promise { static get [Symbol.species]() { asked++; return Promise; } }
    var fake = Object.create(Promise.prototype); fake.then = () => 3;
    var named = Promise.resolve(1); Object.defineProperty(named, 'constructor', { get() { asked++; return Promise; } });
    var own = Own.resolve(1); asked = 0`);
  for (const [name, calls] of [['fake', 0], ['named', 1], ['own', 1]]) {
    const records = await settled(page, `asked = 0; $QpLth(7, 0, ${name}.then(() => {}), ${name}, 1)`);
    assert.deepEqual(records.filter((record) => record.startsWith('settle')), [], name);
    assert.equal(page.run('asked'), calls, `${name}: the page's own call alone asks`);
  }
  page.run('Promise.prototype.then = function () { return 4; }');
  assert.deepEqual(texts(page.log('q = Promise.resolve(1); $QpLth(7, 0, q.then(1), q, 1)')),
    ['callEnd 7 4', 'passed 1 unknown 1']);
});

test('a task begins with what runs first, and says of which event it is', async () => {
  const page = pageOf();
  page.run('function f() { $QpLc(2); $QpLd(2, 5); }');
  assert.deepEqual(page.log('f()').filter(([kind]) => kind === 'task').map(([, kind]) => kind), ['callback']);
  page.run("document.body.addEventListener('click', f)");
  const [task] = page.log('document.body.click()');
  const { class: of } = task.at(-1);
  assert.deepEqual([task[0], task[1], of.split('\u001f')[0]], ['task', 'click', 'HTMLBodyElement']);
  const script = page.log('$QpLS(1); f(); $QpLZ(1, 9)');
  assert.deepEqual(texts(script.slice(1)), ['enter 1', 'enter 2', 'returned 2', 'returned 1', 'taskEnd 0']);
  assert.equal(script[0][1], 'script');
});

test('a script that an exception left has ended when the stack is empty', async () => {
  const page = pageOf();
  page.run('$QpLS(1)');
  await new Promise((resolve) => { setTimeout(resolve, 0); });
  assert.deepEqual(texts(page.log('')).slice(-1), ['taskEnd 0']);
  assert.deepEqual(texts(page.log('$QpLZ(1, 9)')), [], 'it was taken for ended');
});

test('what waits is suspended, and goes on as it is told', () => {
  const page = pageOf();
  page.run('var a; function f() { $QpLc(2); a = $QpLb(2); }');
  assert.deepEqual(texts(page.log("f(); $QpLs(5, a, 'promise')")).slice(1),
    ['enter 2', 'activation 1', 'suspend 5 1 "promise"', 'taskEnd 0']);
  const [task, ...rest] = page.log("$QpLr(a, 'value'); $QpLy(2, 8, 'end', a)");
  assert.deepEqual([task[1], ...texts(rest)],
    ['microtask', 'resume 0 1 0 "value"', 'returnedValue 8 "end"', 'taskEnd 0']);
  page.log("f(); $QpLs(5, a, 0)");
  assert.deepEqual(texts(page.log('$QpLR(a); $QpLR(a); $QpLD(2, 0, a)')).slice(1),
    ['resume 0 2 1 unknown', 'unwind 2', 'taskEnd 0']);
  page.log("f(); $QpLs(5, a, 0)");
  assert.deepEqual(texts(page.log("$QpLy(2, 8, 'returned', a)")).slice(1),
    ['resume 0 3 2 unknown', 'returnedValue 8 "returned"', 'taskEnd 0'], '`return` ended it');
});

test('a write in `with` is of the object that has the name, else of the variable', () => {
  const page = pageOf();
  page.run('var inner = {}, outer = { x: 1 }');
  assert.deepEqual(texts(page.log("$QpLH(9, 3, 7, 'x', 5, inner, outer)")), ['writeKey 7 Object "x" 5']);
  assert.deepEqual(texts(page.log("$QpLH(9, 3, 7, 'y', 5, inner, outer, null)")), ['assign 9 3 5']);
  assert.deepEqual(texts(page.log("$QpLH(9, 3, 7, 'x', 5, new Proxy({}, {}), outer)")), []);
});

test('a call behind `?.` without arguments has its place where it is reached, whatever the page makes of iterators', () => {
  const page = pageOf();
  page.run('var o = { f() { return arguments.length; } }, none; Array.prototype[Symbol.iterator] = null');
  assert.deepEqual(texts(page.log('$QpLC(7, 0, o?.f(...$QpLk(7)))')), ['step 7', 'callEnd 7 0']);
  assert.deepEqual(texts(page.log('$QpLC(7, 0, none?.f(...$QpLk(7)))')), ['callEnd 7 undefined']);
});

// ---- what the log meets for the first time ----

test('what code without hooks gave is told with what is in it, one inside the other', () => {
  const page = pageOf({ tellsResults: true });
  const given = "({ total: 5, lines: [{ price: 2 }], get secret() { throw new Error(); } })";
  assert.deepEqual(texts(page.log(`$QpLn(7); $QpLC(7, 0, ${given})`)), [
    'step 7', 'callEnd 7 Object', 'contents 3 Object 3 "total" 5 "lines" Array "secret" accessor',
    'contents 1 Array 1 0 Object', 'contents 1 Object 1 "price" 2',
  ]);
  // What is new otherwise is not.
  assert.deepEqual(texts(page.log('$QpLv(9, 3, { a: 1 })')), ['assign 9 3 Object']);
  assert.deepEqual(texts(page.log('$QpLn(7); $QpLC(7, 0, 5)')), ['step 7', 'callEnd 7 5']);
});

test('functions of the language are told by where the browser keeps them, also what bind made of them', () => {
  const page = pageOf({ tellsResults: true });
  const named = (code) => {
    const [[, , , called]] = page.log(`$QpLv(9, 3, ${code})`);
    return called.name;
  };
  for (const [code, name] of [
    ['JSON.parse', 'parse\u001fJSON.parse'],
    ['[].slice', 'slice\u001fArray.prototype.slice'],
    ['JSON.stringify.bind(JSON)', 'bound stringify\u001fJSON.stringify'],
    ['Function.prototype.call.bind([].slice)', 'bound call\u001fon:Array.prototype.slice'],
    ['Function.prototype.call.bind(Object.keys, Object)', 'bound call\u001fObject.keys'],
    // To which object nobody can say, or it is the page's own.
    ['[].push.bind([1])', 'bound push'],
    ['Function.prototype.call.bind(function own() {})', 'bound call'],
    ['(function own() {}).bind(null)', 'bound own'],
    ["Object.defineProperty(() => 1, 'name', { value: 'parse\\u001fJSON.parse' })", 'parse'],
  ])
    assert.equal(named(code), name, code);
});

test('what is in a list of the document is told', () => {
  const page = pageOf({ tellsResults: true }, { html: '<body><p>x</p><p>y</p></body>' });
  for (const list of ["document.querySelectorAll('p')", "document.getElementsByTagName('p')"])
    assert.match(texts(page.log(`$QpLn(7); $QpLC(7, 0, ${list})`))[2], /^contents 2 /, list);
});

test('all that is new is told where that is asked for', () => {
  const page = pageOf({ tellsResults: true, tellsNew: true });
  assert.deepEqual(texts(page.log("$QpLv(9, 3, { when: new Date(0) })")), [
    'assign 9 3 Object', 'contents 1 Object 1 "when" Date',
    'writeKey 9 Date "[[DateValue]]" "1970-01-01T00:00:00.000Z"',
  ]);
  assert.deepEqual(texts(page.log('$QpLj(9, { a: 1 }, "a")')), ['create 9 Object', 'write 10 Object 1'],
    'what a literal tells is not told twice');
  assert.deepEqual(texts(page.log('$QpLv(9, 3, new Proxy({ a: 1 }, {}))')), ['assign 9 3 Proxy']);
});

// ---- nodes, classes, functions ----

test('the nodes that the log knows are told around and in an element', () => {
  const page = pageOf({}, { html: '<body><div><p><i>x</i></p><b>y</b></div></body>' });
  page.run("var find = (name) => document.querySelector(name)");
  page.log("for (const name of ['body', 'i', 'b']) $QpLv(9, 3, find(name))");
  const told = (name) => JSON.parse(page.run(`$QpLN(find('${name}'))`)).nodes;
  const { below } = told('div');
  const [x, y] = [{ text: 'x', own: 0, around: [told('i').own] }, { text: 'y', own: 0, around: [told('b').own] }];
  assert.deepEqual(told('div'), { own: 0, above: [told('body').own], below, texts: [x, y], more: false });
  assert.deepEqual(below, [told('i').own, told('b').own]);
  assert.deepEqual(told('i').above, [told('body').own]);
  assert.deepEqual(JSON.parse(page.run('$QpLN(null)')).nodes, 
    { own: 0, above: [], below: [], texts: [], more: false });
});

test('the texts of an element are told that somebody can read', () => {
  const long = 'l'.repeat(5000);
  const html = `<body>a <p> </p><p>b</p>\n<script>/* none */</script><style>p {}</style></body><p id=l>${long}</p>`;
  const page = pageOf({}, { html });
  const told = (name) => JSON.parse(page.run(`$QpLN(document.querySelector('${name}'))`)).nodes;
  const texts = (name) => told(name).texts.map((it) => it.text);
  assert.deepEqual(texts('p + p'), ['b']);
  assert.deepEqual(texts('style'), ['p {}'], 'one that is asked about itself');
  assert.deepEqual([texts('body'), told('body').more], [['a ', 'b'], true]);
});

test('a class is told with those that it extends, a function with its number', () => {
  const page = pageOf();
  const classOf = (code) => page.log(`$QpLv(9, 3, ${code})`).at(-1)[3];
  assert.equal(classOf('new (class B extends (class A {}) {})()').class, 'B\u001fA');
  const marked = 'class\v/*$QpLu:Cart*/\v e { a = class\v/*$QpLu:Item*/\v i {} }';
  assert.equal(classOf(`new (${marked})()`).class, 'e\u001eCart');
  assert.equal(classOf(`new (class f extends ${marked} { })()`).class, 'f\u001fe\u001eCart');
  assert.equal(classOf(`new (class { a = class\v/*$QpLu:Item*/\v i {} })()`).class, 'Object');
  page.run('function old() { $QpLe(14, 3, 0, this, arguments); }');
  assert.equal(classOf('new old()').class, 'old\u001e14');
  assert.equal(classOf('Object.create(null)').class, 'Object');
  assert.equal(classOf('Symbol.iterator').class, 'Symbol(Symbol.iterator)');
  page.run(`function known() { $QpLe(12, 3, 0, this, arguments); }
    class Own { constructor() { $QpLK(13, 3, 0, this, []); } }`);
  const { function: number, name } = classOf('known');
  assert.deepEqual([number, name], [12, 'known']);
  assert.equal(classOf('Own').function, 13);
  assert.equal(classOf('Math.max').function, 0);
  assert.equal(classOf('new Proxy(known, {})').function, 0);
});
