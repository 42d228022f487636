// Values that the object of a `with` had, or that were written in its body, as templates that are compiled in the
// browser do; and what such code needs: symbols as keys, methods of prototypes under another name, defined properties.
const out = {};
const show = (text) => `${text}`;
const model = { title: 'of the object', item: { label: 'behind the object' }, show, own(text) { return text; } };
out.object = new Function('$data', 'with ($data) { return title; }')(model);
out.behind = new Function('$data', 'with ($data) { return item.label; }')(model);
out.called = new Function('$data', 'with ($data) { return show(title); }')(model);
out.method = new Function('$data', 'with ($data) { return own(item.label); }')(model);
out.closure = new Function('$context', 'with ($context) { with ($data || {}) { return { text: () => title }; } }')({ $data: model }).text();
const handlers = { has: (target, key) => Reflect.has(target, key), get: (target, key, receiver) => Reflect.get(target, key, receiver), set: (target, key, value, receiver) => Reflect.set(target, key, value, receiver) };
const watched = new Proxy({ name: 'of a proxy', show, rename(to) { this.name = to; } }, handlers);
out.proxy = new Function('$data', 'with ($data) { return show(name); }')(watched);
const box = new Proxy({ word: 'of one that has all names', show }, { has: () => true, get: (target, key) => target[key] });
out.everything = new Function('$data', 'with ($data) { return show(word); }')(box);
const template = new Function('obj', "let p = ''; with (obj) { p += '<b>'; p += word; p += '</b>'; } return p;");
out.template = template({ word: 'in a template' });
const state = { word: '' }; new Function('state', "with (state) { word = 'written in its body'; }")(state);
out.written = state.word;
let outside = ''; with (state) outside = 'written to a variable';
out.outside = outside;
const writes = (0, eval)("(function (to) { to.word = 'by indirect eval'; })"); writes(state);
out.evaluated = state.word;
const latest = Symbol('latest'); const cell = { [latest]: 'behind a symbol' };
out.symbol = cell[latest]; cell[latest] = 'written to a symbol'; out.symbolWritten = cell[latest];
function Model() {} Model.prototype._s = show; out.inherited = new Model()._s('under another name');
function reactive(object, key) { let value = object[key]; Object.defineProperty(object, key, { get: function () { return value; }, set: function (to) { value = to; } }); }
const kept = { word: 'kept by a getter' }; for (const key of Object.keys(kept)) reactive(kept, key);
out.defined = kept.word;
const shared = { configurable: true }; const view = {}; shared.get = function () { return kept[this.key]; };
view.key = 'word'; Object.defineProperty(view, 'text', shared); out.shared = view.text;
const merged = Object.defineProperties({}, Object.getOwnPropertyDescriptors({ word: 'of descriptors' })); out.merged = merged.word;
const described = Object.defineProperties({}, { word: { value: 'described' } }); out.described = described.word;
Reflect.set(watched, 'name', 'by Reflect.set'); out.reflected = watched.name;
Object.assign(watched, { name: 'by Object.assign' }); out.assigned = watched.name;
const trap = function (target, key) { return target[key]; };
out.unnamed = new Proxy({ word: 'of a trap with another name' }, { get: trap }).word;
const plain = 'nothing to escape'; out.escaped = plain.replace(/[&<>]/g, (it) => `&#${it.charCodeAt(0)};`);
out.joined = ['', 'joined alone', undefined].join('');
function Row(values) { this.values = values; } function field(key) { Object.defineProperty(Row.prototype, key, { get: function () { return this.values[key]; } }); }
field('word'); out.prototype = new Row({ word: 'by a getter of the prototype' }).word;
console.log('asked here');
