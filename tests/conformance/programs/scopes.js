// Closures of loops, parameters, blocks, catch, switch, Annex B.
var fs = []; for (let i = 0; i < 3; i++) fs.push(() => i++); print(fs.map((f) => f()), fs.map((f) => f())); fs = []; for (let i = 0, n = { p: 2 }; i < n.p; fs.push(() => i), i++); print(fs.map((f) => f()));
fs = []; for (const x of [1, 2]) fs.push(() => x); for (const k in { a: 1, b: 2 }) fs.push(() => k); for (let [a, b = a] of [[1], [2, 3]]) fs.push(() => a++ + b); for (var v of [7, 8]) fs.push(() => v); print(fs.map((f) => f()));
fs = []; for (let i = 0, get = () => i; i < 2; i++) fs.push(get); print(fs.map((f) => f())); fs = []; for (let i = 0; fs.push(() => i), i < 2; i++) { let i = 'inner'; fs.push(() => i); } print(fs.map((f) => f())); outer: for (let i = 0; i < 3; i++) { for (let j = 0; ; j++) { if (j > i) continue outer; if (i === 2) break outer; fs.push(() => [i, j]); } } print(fs.length);
l1: l2: for (const z = 1; ;) { fs.push(() => z); for (;;) { break l1; } } l3: for (const z of [1, 2]) { (() => z)(); continue l3; } l4: { (() => l4v)(); let l4v2 = 1; var l4v = 2; break l4; } l5: switch (1) { case 1: let s = 1; (() => s)(); break l5; } l6: if (1) { break l6; } l7: for (let q in { a: 1 }) { (() => q)(); break l7; } l8: do { let d = 1; (() => d)(); continue l8; } while (0); l9: try { let d = 2; (() => d)(); break l9; } finally { print('finally'); }
(function (a, b, c) { arguments[0] = 'A'; b = 'B'; arguments[2]++; [c] = [arguments[2] + 1]; print(a, arguments[1], arguments[2], arguments.length); (() => [a, b, c, arguments[0]])(); delete arguments[0]; a = 'gone'; print(arguments[0]); arguments = 5; print(arguments); })(1, 2, 3);
(function (a) { 'use strict'; arguments[0] = 2; print(a); a = 3; print(arguments[0]); (() => a)(); })(1); (function (a = 1) { arguments[0] = 2; print(a, arguments.length); (() => a)(); })(5); (function ({ a }, ...r) { arguments[0] = 2; print(a, r, arguments.length); (() => a)(); })({ a: 1 }, 3, 4); (function (a, a) { print(a); (() => a)(); a = 3; print(arguments[0], arguments[1]); })(1, 2);
(function (a, f = () => a, g = () => (a = 'changed')) { var a; print(a, f()); a = 'body'; print(f()); g(); print(a, f()); (() => a)(); })(1); (function (f = () => x, x = 2) { print(f()); var x = 3; print(f(), x); (() => x)(); })(); (function (x = y, y) { (() => [x, y])(); })(1, 2); (function f(f) { print(f); (() => f)(); })(1); (function f() { var f = 1; print(f); (() => f)(); })(); (function () { print(typeof g); { function g() {} g = 1; print(typeof g); } print(typeof g); (() => g)(); })();
(function () { { function q() { return 1; } } { function q() { return 2; } } print(q()); (() => q)(); })(); (function () { let k = 1; { function k() {} } print(k); (() => k)(); })(); (function () { switch (0) { case 0: function sw() { return 'sw'; } } print(sw()); (() => sw)(); })(); (function () { 'use strict'; { function st() {} (() => st)(); } print(typeof st); })(); (function (p) { { function p() {} } print(typeof p); (() => p)(); })(1); lab: function labelled() { return 1; } print(labelled());
try { throw [1, { b: 2 }]; } catch ([a, { b, c = { p: a } }]) { var fromCatch = a; (() => [a, b, c])(); print(a, b, c); } try { throw 1; } catch (e) { var e = 'var'; print(e); (() => e)(); } print(e); try { throw 1; } catch { print('no parameter'); } (function () { try { throw 1; } catch (e) { for (var e of [2]); } })
switch (3) { case f1(): let sx = 1; case 3: sx = 2; (() => sx)(); print(sx); default: function f1() { return 3; } class SC {} print(typeof SC); } { let b1 = 1; { let b1 = 2; (() => b1)(); b1++; } print(b1); (() => b1)(); } var shadow = 1; { let shadow = 2; (() => shadow)(); shadow++; } print(shadow);
print((() => { var r = []; for (var i = 0; i < 2; i++) { let x; r.push(x); x = i; (() => x)(); var { y } = { y: i }; (() => y)(); } return [r, y]; })()); for (var { length } = 'abc', m = 0; m < length; m++); print(m, length); for (var [w] = [0]; w < 2; w++) (() => w)(); print(w); if (1) var { ifv } = { ifv: 1 }; else var [elsev] = [2]; print(ifv, elsev); for (;;) { var [brk] = [1]; break; } while (1) { var { wh } = { wh: 3 }; break; } print(brk, wh); if (0); else lbl: var { inLabel } = { inLabel: 4 }; print(inLabel);
//---
var x = 'global', obj = { x: 'object', y: 1 }; function see() { return x; }
with (obj) { x = 'written'; y++; y += 5; var z = x; [y] = [y + 1]; ({ x: y } = { x: y * 2 }); print(x, y, (() => x)()); function inWith() { return x; } print(inWith()); let w = { p: x }; w.p = 2; print(w.p); x += '!'; delete y; }
print(x, obj, z, typeof y); var unscop = { [Symbol.unscopables]: { x: true }, x: 1 }; with (unscop) { x = 'through'; } print(x, unscop.x);
(function () { with ({ f() { return this.v; }, v: 5 }) { print(f()); var q = 1; (() => q)(); } print(q); })(); with ([1, 2]) { print(length, join('-')); length = 1; print(length); } for (var i of [1]) with ({ i: 5 }) i = 6; print(i); with ({ get u() { delete this.u; return 1; } }) { attempt('gone', () => { u += 1; }); } print(typeof u);
//---
var before = Reflect.ownKeys(globalThis).length; implicit = 1; implicit++; var declared = { p: 1 }; declared.p = [1]; ({ fromPattern } = { fromPattern: 1 }); function fun() {} class Cls {} let lex = 1; const con = 2; for (var loopVar of [1]) { var inner; } for (let h of [1]) (() => h)(); var { destructured, ...others } = { destructured: 1, o: 2 }; { function annexB() {} }
print(Reflect.ownKeys(globalThis).length - before, Reflect.ownKeys(globalThis).filter((k) => /Qp/.test(String(k)))); print(Object.getOwnPropertyDescriptor(globalThis, 'implicit'), Object.getOwnPropertyDescriptor(globalThis, 'declared')?.configurable, typeof globalThis.lex, delete globalThis.implicit, typeof implicit, delete declared); globalThis.viaObject = 1; viaObject++; this.viaThis = viaObject; print(viaThis, this.viaObject); for (var key in globalThis) if (/Qp/.test(key)) print(key); (function () { this.sloppy = 1; }).call(undefined); print(sloppy, typeof window === 'undefined' || window.sloppy === 1);
var dup = 1; var dup; print(dup); function dupf() { return 1; } function dupf() { return 2; } print(dupf()); var dupf; print(typeof dupf); (function () { eval('var fromEval = 1; let notOut = 2'); print(typeof fromEval, typeof notOut, Object.keys((function () { return arguments; })(1))); (() => fromEval)(); fromEval = 2; print(fromEval); })(); (function (a = eval('var inParam = 1; inParam'), b = inParam) { print(a, b); (() => a)(); })(); (function (a = (eval('var q2 = 3'), { p: q2 }), b = () => q2) { print(a.p, b()); })(); (function () { var x = 1; { let x = 2; eval('x = 3; var y = x'); print(x, y); } print(x); (() => x)(); })(); attempt('conflict', () => { let c = 1; (() => c)(); { eval('var c = 2'); } }); print(eval('({ p: 1 }).p; var q3 = 1'), eval('1; { let x = 2; }'), eval('do { 3; break; } while (0)'), (0, eval)('this') === globalThis, eval('"use strict"; var s = 1; s'), typeof s);
//---
// Functions as branches of `if`: each in a block of its own, and copied out when its declaration is come to.
print(typeof branch, typeof other);
if (true) function branch() { return 1; } else function other() { return 2; }
print(typeof branch, typeof other, branch.name);
if (false) function branch() { return 3; } else function other() { return 4; }
print(branch(), other());
(function (given) {
  print(typeof inner, typeof given);
  if (given) function inner() { inner = 5; return typeof inner; }
  print(inner(), typeof inner);
  if (given) function given() {}
  print(typeof given);
  label: if (given) function deep() { return deep; }
  print(deep() === deep);
})(1);
//---
// The object of a `with` that claims to have every name, and one that throws at those it does not know.
var everything = new Proxy({ v: 5, f() { return this.v; }, print }, { has: () => true, get: (target, key) => (key === Symbol.unscopables ? undefined : target[key]) });
with (everything) { print(f(), v); v = 6; print(v); v += 1; let w = { p: v }; w.p++; print(w.p, (() => v)()); }
print(everything.v);
var strict = new Proxy({ v: 1, print }, { has: (target, key) => { if (key in target || key === 'outside') return key in target; throw new ReferenceError('no such name'); } }); var outside = 1;
with (strict) { v = 2; outside = v; print(v, outside); } attempt('unknown', () => { with (strict) { nothing = 1; } }); print(outside, strict.v);
// Functions of the language under other names.
var extend = Object.assign; var { defineProperty: define, defineProperties: defineAll } = Object; var put = Reflect.set;
print(extend({ a: 1 }, { b: 2 }, null, 'cd'), define({}, 'p', { value: 1, enumerable: true }), defineAll({}, { q: { value: 2, enumerable: true } }), put({}, 'r', 3), put(Object.freeze({}), 'r', 3));
print(extend.name, extend.length, String(extend), 'prototype' in extend, put.length, Object.getOwnPropertyDescriptor(Object, 'assign').enumerable, extend === Object.assign);
attempt('constructed', () => new extend({})); attempt('frozen', () => extend(Object.freeze({ a: 1 }), { a: 2 })); attempt('no object', () => define(1, 'p', {}));
print(extend.call(null, { a: 1 }, { get b() { return 2; } }), [{ a: 1 }, { b: 2 }].reduce((all, one) => extend(all, one), {}), (extend.bind(null, { x: 1 }))({ y: 2 }));
