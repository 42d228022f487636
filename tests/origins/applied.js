// Built-ins that write under computed names or on other objects, and functions that `Reflect` calls.
const out = {};
const list = ['at first', 'second']; const add = 'push'; const many = ['of a list', 'last of a list'];
list[add]('by a computed name'); out.computed = list[2];
[].push.apply(list, many); out.applied = list[4];
Array.prototype.push.call(list, 'called on it'); out.called = list[5];
const { push } = list; push.apply(list, ['by a name of its own']); out.own = list[6];
const front = ['behind']; front[['un', 'shift'].join('')]('in front'); out.front = front[0]; out.behind = front[1];
const map = new Map(); const put = 'set'; map[put]('k', 'put into a map'); out.entry = map.get('k');
Map.prototype.set.call(map, 'c', 'called on a map'); out.mapped = map.get('c');
const store = { on: { save(text) { this.text = text; } } }; const how = 'save'; store.on[how]('by a method of the page'); out.method = store.on.text;
function joined(a, b) { this.kept = b; return a; }
const kept = {}; out.reflected = Reflect.apply(joined, kept, ['returned to Reflect', 'kept by Reflect']); out.kept = kept.kept;
const passed = ['an element of a list']; out.passed = Reflect.apply((a) => a, null, passed);
class Row { constructor(text) { this.text = text; } }
out.made = Reflect.construct(Row, ['constructed']).text;
function Old(text) { this.text = text; }
out.old = Reflect.construct(Old, ['constructed by a function']).text;
out.set = Reflect.construct(Map, [[['k', 'in a map that is constructed']]]).get('k');
const { apply } = Reflect; out.alias = apply((a) => a, null, ['by another name']); out.slice = apply([].slice, ['cut', 'cut out'], [1])[0];
class Hidden { #text = 'in a private field'; get text() { return this.#text; } } out.hidden = new Hidden().text;
const items = ['alpha', 'omega']; items.splice.apply(items, [1, 0, 'spliced in by a list']); out.spliced = items[1];
const described = Object.create({ word: 'of the prototype' }, { own: { value: 'described when it was made' } }); out.described = described.own;
function* steps() { const { part } = yield 1; const [, second] = yield 2; return { part, second }; }
const run = steps(); run.next(); run.next({ part: 'a part of what next has' }); const { value: end } = run.next([0, 'an element of what next has']);
out.part = end.part; out.second = end.second;
console.log('asked here');
