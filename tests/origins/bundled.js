// What bundlers make of exports: getters whose functions another object has.
const out = {};
const define = (exports, definition) => {
  for (var key in definition) Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
};
const modules = {
  rates: (exports) => { define(exports, { rate: () => (rate), later: () => later, make: () => (/* here */ make) });
    const rate = 'exported by a getter'; let later = 'changed afterwards'; function make(word) { return word; } later = 'changed in the module'; },
  all: (exports, load) => { define(exports, { rate: () => rates.rate, own: () => (own) }); const rates = load('rates'); const own = 'of the second module'; },
};
const loaded = {};
function load(name) { if (!loaded[name]) { loaded[name] = {}; modules[name](loaded[name], load); } return loaded[name]; }
const rates = load('rates'); const all = load('all');
out.rate = rates.rate; out.later = rates.later; out.made = (0, rates.make)('through an export'); out.again = all.rate; out.own = all.own;
var __defProp = Object.defineProperty;
var __export = (target, all) => { for (var name in all) __defProp(target, name, { get: all[name], enumerable: true }); };
var lib_exports = {}; __export(lib_exports, { first: () => first, second: () => second }); var first = 'of a namespace'; var second = ['of a list in one'][0];
out.first = lib_exports.first; out.second = lib_exports['second'];
function instance(word) { const exports = {}; define(exports, { word: () => word }); return exports; }
const one = instance('of the first instance'); const two = instance('of the second instance'); out.one = one.word; out.two = two.word;
console.log('asked here');
