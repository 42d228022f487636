// Values that a promise, a timer or an exception brought.
const out = {};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function load() { await sleep(1); return 'loaded'; }
async function outer() { return load(); }
async function fail() { await null; throw 'failed late'; }
function promised(value) { return new Promise((ok) => { setTimeout(() => ok(value), 1); }); }
function boom(value) { throw value; }
async function main() {
  out.returned = await load();
  out.ofAnother = await outer();
  out.resolved = await promised('resolved');
  out.direct = await Promise.resolve('direct');
  const [first, second] = await Promise.all([load(), promised('of all')]);
  out.first = first; out.second = second;
  out.reaction = (await load().then((text) => text.trim()).then((t) => ({ t }))).t;
  load().then((value) => { out.then = value; });
  try { await fail(); } catch (reason) { out.rejected = reason; }
  try { boom('thrown'); } catch (thrown) { out.caught = thrown; }
  try { throw new Error('told'); } catch (error) { out.message = error.message; }
  const kept = promised('kept'); out.kept = await kept;
  out.plain = await 'no promise';
  const { name } = await (async () => ({ name: 'taken apart' }))(); out.name = name;
  setTimeout((given) => { out.timer = given; console.log('asked here'); }, 5, 'given to a timer');
}
main();
