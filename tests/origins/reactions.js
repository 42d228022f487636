// Values that functions with names were given by promises, and promises that others settle.
const out = {};
const late = (value) => new Promise((ok) => setTimeout(() => ok(value), 1));
const failing = (reason) => new Promise((ok, no) => setTimeout(() => no(reason), 1));
const trim = (text) => text.trim();
function wrap(text) { return { inside: text }; }
function receive(value) { out.received = value; }
function told(reason) { out.told = reason; }
class Box { take(value) { this.value = value; } listen() { return late('to a method').then(this.take.bind(this)); } }
async function load() { const response = await fetch('/data.json'); return response.json(); }
async function throwing(value) { await null; throw value; }
async function main() {
  out.named = (await late('by a name').then(wrap)).inside;
  out.twice = await late('by a name twice').then(trim).then(trim);
  late('to a receiver').then(receive); await late('before it');
  out.caught = await Promise.reject('rejected at once').catch(trim);
  failing('rejected late').catch(told); await late('behind it'); await late('long behind it');
  try { await failing('caught at await').then(trim); } catch (reason) { out.awaited = reason; }
  try { await throwing('thrown through').finally(() => {}); } catch (reason) { out.through = reason; }
  out.kept = await late('kept by finally').finally(() => {});
  out.race = await Promise.race([late('won the race'), new Promise(() => {})]);
  out.any = await Promise.any([failing('no'), late('any of them')]);
  out.settled = (await Promise.allSettled([late('first settled'), late('second settled')]))[1].value;
  out.reason = (await Promise.allSettled([failing('settled badly')]))[0].reason;
  const { promise, resolve } = Promise.withResolvers(); setTimeout(resolve, 1, 'by a timer'); out.resolvers = await promise;
  out.handed = await new Promise((ok) => { late('handed on').then(ok); });
  const box = new Box(); await box.listen(); out.bound = box.value;
  out.body = await fetch('/data.json').then((response) => response.json()).then((data) => data.items[0].name);
  out.loaded = (await load()).items[0].name;
  const timed = (value, time) => new Promise((ok) => setTimeout(ok, time, value)), order = [], collect = (value) => order.push(value);
  timed('the later one', 9).then(collect); timed('the sooner one', 1).then(collect); await timed('', 20);
  out.sooner = order[0]; out.later = order[1];
  // Which of two equal texts it is, nothing says.
  await Promise.all([late('equal').then(either), late('equal').then(either)]);
  console.log('asked here');
}
const both = []; function either(value) { both.push(value); if (both.length === 2) out.either = value; }
main();
