// Methods that are called by computed names, on other objects, by `super` and by `Reflect`.
const out = {};
const text = 'upper'; const method = 'toUpperCase'; const kept = 'valueOf';
out.computed = 'of a computed method'[kept]();
out.applied = text[method].apply(text, []); out.called = String.prototype.toUpperCase.call(text);
const list = ['of the list', 'of a list']; const red = 'reduce';
out.reduced = list[red]((a, b) => b, ''); out.first = list[list.length ? 'at' : 'pop'](0);
out.mapped = [].map.call(list, (it) => it)[1]; out.spread = list[red].apply(list, [(a, b) => b, '']);
const library = { pick: (a) => a }; const mixed = {};
for (const name of ['pick']) mixed[name] = function (...given) { return library[name].apply(library, given); };
out.mixed = mixed.pick('through a mixin');
class Items extends Array { first() { return super.at(0); } }
const items = new Items(); items.push('by super'); out.super = items.first();
const state = { get name() { return 'by a getter'; }, get other() { return this.name; } };
const view = new Proxy(state, { get(target, key, receiver) { return Reflect.get(target, key, receiver); } });
out.reflected = view.name; out.through = view.other;
out.decoded = new TextDecoder().decode(new TextEncoder().encode('as bytes')); out.based = atob(btoa('in base 64'));
const hole = 'raw'; out.raw = String.raw`\n${hole}`;
const names = ['a', 'b']; let index = 0; const tree = { a: { b: 'by an index that counts' } }; let value = tree;
while (index < names.length) value = value[names[index++]];
out.walked = value; out.last = names[names.length - 1];
let count = 4; out.before = count++; out.after = ++count; const held = { n: 7 }; out.property = held.n--;
out.length = names.length; const pushed = []; pushed.push('x'); pushed.push('y'); out.pushed = pushed.length;
out.units = 'four'.length + '';
console.log('asked here');
