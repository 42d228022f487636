// Values that an iterator gave, or that were handed over to a generator.
// also: constructed entry pair entries
const out = {};
function* numbers() { const got = yield 'yielded'; yield got; return 'ended'; }
function* one() { yield 'of a loop'; }
const steps = numbers();
out.next = steps.next().value; out.handed = steps.next('handed over').value;
const { value } = steps.next(); out.ended = value;
for (const item of one()) { out.loop = item; break; }
class Range {
  constructor(text) { this.text = text; }
  [Symbol.iterator]() {
    let left = 1;
    return { next: () => (left-- > 0 ? { value: this.text, done: false } : { value: undefined, done: true }) };
  }
}
for (const item of new Range('of an iterator')) out.iterator = item;
const map = new Map([['constructed', 'in the constructor']]); map.set('entry', 'set later');
for (const [key, entry] of map) { out[key] = entry; }
for (const again of ['same', 'same']) out.second = again;
const pairs = [['pair', 'in a pair']];
for (const [key, text] of pairs) out[key] = text;
for (const [key, text] of Object.entries({ entries: 'of entries' })) out[key] = text;
const [, ...rest] = ['h0', 'h1', 'behind']; out.rest = rest[1];
const { h0, ...others } = { h0: 'unused', h1: 'the others' }; out.others = others.h1;
const unfinished = numbers(); unfinished.next();
console.log('asked here');
