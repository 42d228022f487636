// Names that traps of a proxy are called with, by reads and writes.
const out = {};
const named = new Proxy({}, { get(target, key) { return key; } });
out.read = named.readHere;
const { destructured } = named; out.pattern = destructured;
const which = ['by an expression'][0]; out.computed = named[which];
function call() { return new Proxy({}, { get: (target, method) => (text) => ({ method, text }) }); }
const client = call(); const sent = client.askFor('an argument'); out.method = sent.method; out.argument = sent.text;
const written = new Proxy({}, { set(target, key, value) { target.last = key; target[key] = value; return true; } });
written.writtenHere = 'its value'; out.value = Object.values(written)[1];
const last = 'a key that is computed'; const other = {}; new Proxy(other, { set(target, key) { target.kept = key; return true; } })[last] = 1; out.key = other.kept;
function twice(proxy) { return [proxy.same, proxy.same]; }
out.twice = twice(named)[1];
const two = new Proxy({}, { get: (target, key) => key }); function both(a, b) { return a.alike + b.alike; } out.both = both({ alike: '' }, two);
const wrapped = new Proxy((a, b) => b, { apply(target, self, list) { return target(...list); } }); out.spread = wrapped(0, 'spread by a trap');
const through = new Proxy(function (a) { return a; }, { apply: (target, self, list) => Reflect.apply(target, self, list) });
out.through = through('through a trap');
class Item { constructor(text) { this.text = text; } }
const Made = new Proxy(Item, { construct(target, list) { return new target(list[0]); } }); out.made = new Made('constructed by a trap').text;
console.log('asked here');
