// Code given to a direct eval: as bundlers of a development build write it, and in functions that do more.
const out = {};
const modules = {
  cart: (module, exports, load) => { "use strict"; eval("{const rate = load('rate');\nexports.words = { own: 'in a module', rated: rate.rated };\nexports.name = (word) => word;\n}\n//# sourceURL=made:///cart.js\n"); },
  rate: (module, exports) => { eval("var rated = 'by var in a module';\nfunction give() { return rated; }\nexports.rated = give();\n//# sourceURL=made:///rate.js\n"); },
};
function load(name) { const exports = {}; modules[name](name, exports, load); return exports; }
const cart = load('cart'); out.own = cart.words.own; out.rated = cart.words.rated; out.passed = cart.name('through a module');
function around(given) { let word = 'before'; eval("word = given"); given = null; return word; }
out.around = around('handed into a text');
function inside() { const word = 'seen in a text'; const made = eval("() => word"); return made(); }
out.inside = inside();
const given = eval("(['made in a text'])"); out.made = given[0];
function deep(word) { return eval("eval('word')"); }
out.deep = deep('two texts down');
function declared() { var word = 'first'; eval("var word = 'declared again'"); return word; }
out.declared = declared();
console.log('asked here');
