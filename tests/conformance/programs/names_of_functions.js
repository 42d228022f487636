// Anonymous functions and classes take the name of what they are assigned to, and of nothing else.
let a, b, o = {}; var g; function see() { return [a, b, o, g]; }
a = function () {}; print(a.name); a = () => {}; print(a.name); a = class {}; print(a.name);
a = (function () {}); print(a.name); a = ((() => {})); print(a.name); (a) = function () {}; print(a.name);
o.p = function () {}; print(o.p.name === ''); o['p'] = () => {}; print(o.p.name === ''); o.q = class {}; print(o.q.name === '');
a = class { static name = 'own'; }; print(a.name); a = class { static name() {} }; print(typeof a.name);
b = null; b ??= function () {}; print(b.name); b = 0; b ||= () => {}; print(b.name); b = 1; b &&= class {}; print(b.name);
b = null; o.z ??= function () {}; print(o.z.name === ''); (b) ??= function () {}; print(b.name === 'b', b.name);
g = function () {}; print(g.name); var h = () => {}; print(h.name); const c = class {}; print(c.name);
[a = function () {}] = []; print(a.name); ({ a = () => {} } = {}); print(a.name); ({ x: a = class {} } = {}); print(a.name);
[o.p = function () {}] = []; print(o.p.name === ''); ({ x: o.p = () => {} } = {}); print(o.p.name === '');
({ x: (a) = function () {} } = {}); print(a.name === 'a', a.name); [(a) = () => {}] = []; print(a.name);
let { d = function () {} } = {}; print(d.name); let [e = class {}] = []; print(e.name); (function (f = () => {}) { print(f.name); (() => f)(); })();
for (let i = function () {}; i; i = null) print(i.name);
for (const [k = () => {}] of [[]]) print(k.name);
a = { __proto__: function () {} }; print(Object.getPrototypeOf(a).name === '');
a = { ['__proto__']: function () {} }; print(a.__proto__.name); a = { get x() { return 1; } }; print(Object.getOwnPropertyDescriptor(a, 'x').get.name);
a = (0, function () {}); print(a.name === ''); a = [function () {}]; print(a[0].name === ''); a = true ? function () {} : 0; print(a.name === '');
a = async () => {}; print(a.name); a = function* () {}; print(a.name); a = async function* () {}; print(a.name);
(function () {}).p = 1; print((function () {}).name === '');
//---
// The object of a member is no place to take a name from.
var seen; Object.defineProperty(Function.prototype, 'p', { set(v) { seen = this; }, configurable: true });
(function () {}).p = 1; print(JSON.stringify(seen.name)); (() => {}).p = 1; print(JSON.stringify(seen.name));
(class {}).p = f(); print(JSON.stringify(seen.name)); function f() { return 1; }
(function () {}).p += 1; print(JSON.stringify(seen.name)); (class {})['p'] = 1; print(JSON.stringify(seen.name));
[(function () {}).p] = [1]; print(JSON.stringify(seen.name)); (() => {}).p++; print(JSON.stringify(seen.name));
var kept; (function g() { var o = {}; o[(kept = function () {})] = 1; })(); print(kept.name);
var o = {}; class K { static toString() { return 'k' + this.name.length; } }
o[class { static toString() { return 'key' + this.name; } }] = 1; print(Object.keys(o));
o[class { static toString() { return 'key' + this.name; } }] += f(); print(Object.keys(o));
print(Object.keys({ [class { static toString() { return 'key' + this.name; } }]: 1 }));
print(Object.keys({ ...class { static x = this.name; } }), ({ ...class { static x = this.name; } }).x === '');
delete (function () {}).p; with (class { static seen = this.name; }) print(JSON.stringify(seen));
print({ p: function () {}, q: class {}, r: () => {} }.p.name);
switch (1) { case 1: let s = function () {}; print(s.name, (() => s)().name); }
//---
class A { a = function () {}; 'b c' = () => {}; 3 = class {}; #d = function () {}; static e = () => {}; 1e21 = function () {}; 0x10 = () => {};
  1n = () => {}; .5 = () => {}; '__proto__' = () => {}; static '' = () => {}; 'constructo\u0072s' = () => {};
  d() { return this.#d; } }
var x = new A; for (const k of Reflect.ownKeys(x)) print(k, x[k].name); print(x.d().name, A.e.name, A[''].name === '');
class B { static { this.s = function () {}; } static #t = () => {}; static u() { return B.#t; } } print(B.s.name === '', B.u().name);
var o = { [Symbol('sy')]: function () {}, 0: () => {}, 'x y': class {}, async *m() {}, get g() { return 0; } }; for (const k of Reflect.ownKeys(o)) print(String(k), Object.getOwnPropertyDescriptor(o, k).value?.name ?? Object.getOwnPropertyDescriptor(o, k).get.name);
print(Reflect.ownKeys(function () { x = 1; }), Reflect.ownKeys(class { static p = 1; static m() {} }), (function (a, b = { p: 1 }, c) { x = 1; }).length, ((a, { b } = {}) => ({ p: a })).length);
{ const make = () => (x) => x, made = (f) => { return function () {}; }, kind = () => { return (class {}); };
  function* give() { yield () => {}; return () => {}; }
  const gives = give(); print([make().name, made().name, kind().name, gives.next().value.name, gives.next().value.name].join('|')); }
async function later() { return () => {}; } const lasts = async () => () => {};
later().then((it) => print(it.name.length)); lasts().then((it) => print(it.name.length));
