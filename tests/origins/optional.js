// What optional calls, several spreads, generators that are spread and lists that are joined give; what setters took.
const out = {};
const map = new Map([['k', 'in the map']]), mapGet = (of, key) => of?.get(key), mapSet = (of, key, value) => of?.set(key, value);
mapSet(map, 'set', 'set in the map');
out.optional = mapGet(map, 'set'); out.first = mapGet(map, 'k'); out.absent = mapGet(undefined, 'k') ?? 'no map';
out.missing = `${mapGet(map, 'nothing')}`;
const forEach = (of, call) => of?.forEach(call);
forEach(map, (value) => { out.each = value; }); forEach(new Set(['a set each']), (value) => { out.setEach = value; });
forEach(new Map([['x', ['one', 'a part of an entry']]]), ([, part]) => { out.part = part; });
const entries = (of) => [...(of?.entries() ?? [])], keys = (of) => [...(of?.keys() ?? [])], values = (of) => [...(of?.values() ?? [])];
out.entry = entries(map)[1][1]; out.key = keys(new Map([['a key', 1]]))[0]; out.value = values(map)[0];
for (const [key, value] of map?.entries() ?? []) { out.loop = value; out.loopKey = key; }
out.method = (() => { const o = { f(x) { return x; } }; return o?.f?.('called optionally'); })();
const people = [{ id: 1, name: 'the first name' }, { id: 2, name: 'the found name' }];
const nameOf = (list, id) => list?.find((it) => it.id === id)?.name; out.found = nameOf(people, 2);
out.filtered = (() => { const of = (list) => list?.filter((it) => it.id > 1)?.map((it) => it.name)?.[0]; return of(people); })();
out.skipped = ((all) => { let last; for (const f of all) last = f?.(); return `${last}`; })([() => 'called', undefined]);
const listener = (first, second, third, fourth) => { out.third = third; out.fourth = fourth; };
const call = (f, ids, more) => f('the first', ...ids, ...more);
call(listener, ['an id', 'a second id'], ['one more']);
const two = (p, q) => [...p, ...q, 'behind both']; const joint = two(['of the one'], ['of the other']);
out.one = joint[0]; out.other = joint[1]; out.behind = joint[2];
class Cache {
  #all = ['cached zero', 'cached one'];
  *values() { for (const item of this.#all) yield item; }
  *[Symbol.iterator]() { for (const item of this.#all) yield item; }
  *entries() { for (const item of this.#all) yield [item.slice(-3), item]; }
}
const cache = new Cache();
out.spread = [...cache.values()][1]; out.itself = [...cache][0]; out.from = Array.from(cache.values())[0];
out.fromEntries = Object.fromEntries(cache.entries()).one; out.newMap = new Map(cache.entries()).get('one');
out.newSet = [...new Set(cache.values())][1]; out.ofMap = Object.fromEntries(map.entries()).set;
const [, taken] = cache.values(); out.taken = taken;
const concat = (x, y) => [].concat(x, y), joined = concat('text one', ['text two']), added = ['a', 'b'].concat('a', 'added last');
out.joined = joined[0]; out.joinedList = joined[1]; out.concat = added[3];
out.defaulted = (() => { const f = (given) => { const { params, args = [params] } = given; return args[0]; }; return f({ params: 'in a default' }); })();
class Reference { constructor(of) { this.of = of; } get value() { return this.of.label; } set value(v) { this.of.label = v; } }
const state = { label: 'a label' }, reference = new Reference(state); reference.value = 'by the setter';
out.bySetter = reference.value; state.label = 'behind the setter'; out.behindSetter = reference.value;
reference.value = 'equal'; state.label = 'x'; state.label = 'equal'; out.equalBehind = reference.value;
const el = document.createElement('b'), node = document.createTextNode('first text'); el.className = 'n'; el.append(node);
document.documentElement.append(el); node.nodeValue = 'next text'; out.node = document.querySelector('.n').textContent;
const form = document.createElement('form'); document.documentElement.append(form);
form.innerHTML = '<input type=radio name=r><input type=radio name=r><input type=checkbox name=c><input type=checkbox name=c>';
const [r1, r2, c1, c2] = form.elements; r1.value = 'a radio'; r2.value = 'the radio'; r2.checked = true;
c1.value = 'a box'; c2.value = 'the box'; c2.checked = true;
const data = new FormData(form); out.radio = data.get('r'); out.box = data.get('c'); out.allFields = Object.fromEntries(data).r;
// As jotai writes: one spread, the last, from one function to the next.
const atom = { last: '', write(get, set, arg) { return set(this, typeof arg === 'function' ? arg(get(this)) : arg); } };
const blocks = [(_, of, ...params) => of.write(...params)];
const writeState = (store, of, ...args) => {
  const pass = blocks[0], setter = (it, ...rest) => { it.last = rest[0]; };
  try { return pass(store, of, () => 1, setter, ...args); } finally { blocks.length = 0; }
};
const setState = (store, of, ...args) => { try { return writeState(store, of, ...args); } finally { blocks.push(0); } };
const stateOf = { set(of, ...args) { return setState(stateOf, of, ...args); } }; stateOf.set(atom, 'handed on by spreads');
out.handedOn = atom.last;
// Spreads into a rest parameter of an arrow function; entries of a list; what generators hand over to others.
const rest = (...all) => all; out.secondSpread = rest('x', ...['in the first'], ...['in the second'])[2];
const third = (...all) => all[2];
out.closed = ((...some) => (...others) => third(...some, ...others))('x', 'y')('closed over');
const behind = (...all) => [...all, 'behind a rest']; out.behindRest = behind('before it')[1];
out.inRest = behind('in the rest')[0];
const items = ['item zero', 'item one']; out.itemEntry = [...items.entries()][1][1];
out.itemIndex = [...items.entries()][1][0];
function* walk(node) { yield node.name; for (const child of node.children ?? []) yield* walk(child); }
const nodes = (name) => ({ name: 'a root', children: [{ name }] });
out.walked = [...walk(nodes('walked to'))][1]; out.walkedFrom = Array.from(walk(nodes('made a list')))[1];
function* listed() { yield* ['of a list']; yield 'twice'; yield 'twice'; } out.behindList = [...listed()][1];
const compose = (...all) => (value) => all.reduceRight((before, f) => f(before), value);
out.composed = compose((value) => ({ value }), (value) => [value])('composed').value[0];
out.fromRight = ['on the left', 'on the right'].reduceRight((before, it) => before ?? { it }, undefined).it;
out.foundLast = ((all) => all.findLast((it) => it.id))([{ id: 1, name: 'not it' }, { id: 1, name: 'found last' }]).name;
console.log('asked here');
