// What no group above holds.
var log = [];
// labelled continue in for-of with const closures, finally, iterator close
l: for (const x of [1,2,3]) { for (const y of [1]) { try { (() => [x,y])(); continue l; } finally { log.push(x); } } }
print(log);
// function declarations in blocks and eval
(function () { eval('function ev() { return 1 }'); { function ev2() { return 2 } } print(ev(), ev2(), typeof ev2); (() => ev2)(); })();
(function f(a, b = eval('var a2 = 1; a2'), c = () => a2) { print(c(), b); })();
// switch fallthrough with function hoist and let closures
(function (v) { switch (v) { case 1: let q = 1; case 2: var r = () => q; q = 5; print(r()); break; default: function z() {} } })(1);
print((function () { 'use strict'; switch (1) { case 1: function g() { return 'g'; } return g(); } })());
// getter on prototypes: literals do not invoke
Object.defineProperty(Object.prototype, 'tricky', { get() { log.push('get'); return 1; }, set(v) { log.push('set'); }, configurable: true });
var o = { tricky: 2, a: 1 }; print(o.tricky); class T { tricky = 3; static tricky = 4; } print(new T().tricky, T.tricky); var n = { ...{ tricky: 5 } }; print(n.tricky, log.length); ({}).tricky = 6; print(log.pop()); delete Object.prototype.tricky;
Object.defineProperty(Array.prototype, '0', { set(v) { log.push('array set'); }, get() { return 'proto'; }, configurable: true }); var ar = [1]; print(ar[0]); var [d0] = [2]; print(d0, [,][0]); [].p = 1; delete Array.prototype[0]; print(log.length);
// new.target and arguments in arrow defaults
function NT(a = { p: new.target }, b = { q: arguments.length, r: [arguments[0]] }) { return () => [a.p === NT, b.q, b.r.length]; } print(NT()(), new NT()(), new NT(undefined, undefined)());
class DD extends Array { constructor(a = { p: super() }) { print(a.p === this); } } new DD(); class EE { m(a = { p: super.toString }) { return typeof a.p; } } print(new EE().m());
async function* as(a = { p: [1] }) { yield* a.p; } (async () => { for await (const v of as()) print('v', v); })();
function* gd(a = { p: 1 }) { 'x'; const b = { p: yield a }; return b; } var g = gd(); print(g.next().value, g.next(7).value.p); attempt('early default', () => { (function* (a = (() => { throw new Error('at call'); })(), b = {}) {})(); });
print(((a, b = { p: 1 }, ...c) => c.length)(1, 2, 3, 4), ((...[a, b = { p: a }]) => b.p)(5), (({ [`k${1}`]: a = { p: 1 } }, { ...r } = { z: [1] }) => [a.p, r.z])({}));
var stat = class { static #p = { v: 1 }; static inc() { return [this.#p.v++, ++this.#p.v, this.#p.v += 2, this.#p.w ??= 3, delete this.#p.v, this.#p]; } }; print(stat.inc());
print([1, 2, 3].map((x, i, a) => a[i] = x * 2), (x => { x.a = x; return x.a === x; })({}), Object.entries({ a: 1 }).map(([k, v]) => ({ [k]: v })));
var str = 's'; str += { toString() { return 'obj'; } }; str += `${str = 'changed'}`; print(str); var un; un += 1; print(un); var nul = null; nul -= 1; print(nul);
try { null_.p = 1; } catch (e) { print(e.message); } try { undefined.foo(); } catch (e) { print(e.message); } try { o.nofn(); } catch (e) { print(e.message); } try { o.a.b.c = 1; } catch (e) { print(e.message); } try { ({}).x.y; } catch (e) { print(e.message); } try { [].x.y = 1; } catch (e) { print(e.message); } try { ({ p: 1 }).p(); } catch (e) { print(e.message.length > 0); } try { null[o.a]++; } catch (e) { print(e.message); } try { [a.b] = null; } catch (e) { print(e.name); } try { [o.p] = null; } catch (e) { print(e.message); } try { ({ p: o.p } = null); } catch (e) { print(e.name); } try { const { p } = undefined; } catch (e) { print(e.message); } try { [o.p] = 5; } catch (e) { print(e.message); } try { ({ ...o.p } = null); } catch (e) { print(e.name); } try { for (o.p of 5); } catch (e) { print(e.message); } try { [...5, o.p = 1]; } catch (e) { print(e.name); } try { new (o.p = 5)(); } catch (e) { print(e.name); } try { (o.p = 5)(); } catch (e) { print(e.name); } try { o.p = 1n + 1; } catch (e) { print(e.message); } try { delete null.x; } catch (e) { print(e.message); } try { delete undefined[o]; } catch (e) { print(e.message); }
