// Iterators that are written or asked by hand, parameters of generators, and JSON of what a spread made of a map.
const out = {};
const hand = { [Symbol.iterator]() { let at = 0; const items = ['by hand one', 'by hand two']; return { next() { return at < items.length ? { value: items[at++], done: false } : { value: undefined, done: true }; } }; } };
for (const it of hand) out.hand = it;
out.spread = [...hand][0];
const [first] = hand; out.firstOf = first;
const steps = ['stepped']["values"](); out.stepped = steps.next().value;
const walker = hand[Symbol.iterator](); out.walked = walker.next().value; const second = walker.next(); out.second = second.value;
out.fromHand = Array.from(hand)[1];
out.mapHand = new Map([['k', 'in a map by hand']])[Symbol.iterator]().next().value[1];
class Range { constructor(items) { this.items = items; } [Symbol.iterator]() { let i = 0; const { items } = this; return { next: () => i < items.length ? { value: items[i++], done: false } : { done: true } }; } }
for (const it of new Range(['of a range'])) out.range = it;
class Self { constructor(v) { this.v = v; this.n = 0; } [Symbol.iterator]() { return this; } next() { return { done: this.n++ > 0, value: this.v }; } }
for (const it of new Self('its own iterator')) out.self = it;
function* deleg() { yield* hand; } for (const it of deleg()) { out.deleg = it; }
class Wrapped { constructor(list) { this.list = list; } [Symbol.iterator]() { return this.list[Symbol.iterator](); } }
for (const it of new Wrapped(['of a wrapped list'])) out.wrapped = it;
function* twice(word, options) { yield word; yield options.last; }
for (const it of twice('first of both', { last: 'last of both' })) out.twice = it;
function* pairs(list) { for (const it of list) yield [it.key, it.word]; }
for (const [key, word] of pairs([{ key: 'k', word: 'of a pair' }])) out.pair = word;
const early = twice('begun later', {}); const step = (generator) => generator.next().value; out.early = step(early);
const table = new Map([['k', { deep: 'of a map' }]]);
out.replaced = JSON.parse(JSON.stringify({ table }, (key, it) => it instanceof Map ? [...it] : it)).table[0][1].deep;
out.replacedFrom = JSON.parse(JSON.stringify({ t: new Set(['of a set']) }, (key, it) => it instanceof Set ? Array.from(it) : it)).t[0];
out.entriesOf = JSON.parse(JSON.stringify([...table]))[0][1].deep;
out.objectOf = JSON.parse(JSON.stringify({ table }, (key, it) => it instanceof Map ? Object.fromEntries(it) : it)).table.k.deep;
console.log('asked here');
