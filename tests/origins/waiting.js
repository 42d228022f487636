// Loops in loops, loops that wait, lists of promises, and functions that are handed on before they settle one.
const out = {};
const rows = [['one a', 'one b'], ['same', 'two b', 'same']]; let cells = 0;
for (const row of rows) for (const cell of row) { cells += 1; if (cells === 3) out.nested = cell; }
for (const row of rows) for (const cell of row) out.last = cell;
for (const [first] of [[['pair one', 1]], [['pair two', 2]]]) { for (const part of [first]) out.first = part; }
function* lasting() { const given = yield 'asked for'; return given; }
const drive = (generator) => {
  let next = 'next', value;
  for (;;) { const step = generator[next](value); if (step.done) return step.value; value = 'given by next'; }
};
out.driven = drive(lasting());
async function* numbers() { yield 'yielded at once'; yield await Promise.resolve('yielded later'); }
const own = { async *[Symbol.asyncIterator]() { yield 'of its own iterator'; } };
const delay = (value) => new Promise((done) => { setTimeout(() => done(value), 1); });
const tasks = {
  async add(task) { return new Promise((done) => { setTimeout(async () => { done(await task()); }, 1); }); },
  async addAll(all) { return Promise.all(all.map(async (task) => this.add(task))); },
};
// As p-limit does: `resolve` is bound to a function that calls it later.
const limit = () => {
  const queue = [];
  const run = async (task, resolve, args) => { const result = (async () => task(...args))(); resolve(result); };
  const enqueue = (task, resolve, args) => {
    new Promise((begin) => { queue.push(begin); }).then(run.bind(undefined, task, resolve, args)); queue.shift()();
  };
  return (task, ...args) => new Promise((resolve) => { enqueue(task, resolve, args); });
};
(async () => {
  for await (const value of numbers()) { if (out.now) out.later = value; else out.now = value; }
  for await (const { part } of (async function* () { yield { part: 'a part of it' }; })()) out.part = part;
  for await (const value of own) out.own = value;
  // The second element has the value that the first one gives.
  let passes = 0;
  for await (const value of [Promise.resolve('equal'), 'equal']) {
    passes += 1; if (passes === 1) out.promised = value;
  }
  for await (const { v } of [Promise.resolve({ v: 'in a promise' })]) out.inPromise = v;
  for await (const value of (async function* () { yield delay('a promise is yielded'); })()) out.waited = value;
  const all = await tasks.addAll([async () => 'the first task', () => 'the second task']);
  out.firstTask = all[0]; out.secondTask = all[1];
  const [mapped] = await Promise.all([1].map(async () => ({ name: 'of a mapped function' }))); out.mapped = mapped.name;
  const settled = await Promise.allSettled([1].map(async () => 'a settled one')); out.settled = settled[0].value;
  const limited = limit(); out.limited = await limited(async () => 'limited');
  out.passed = await limited((it) => it, 'passed');
  console.log('asked here');
})();
