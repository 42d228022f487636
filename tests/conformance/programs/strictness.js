// Writes that fail: silent in sloppy code, thrown in strict code, alike for all forms.
var frozen = Object.freeze({ p: 1, q: [1] }), getter = { get p() { return 1; } }, closed = Object.preventExtensions({}), prim = 5;
function sloppy() {
  frozen.p = 2; frozen.p++; frozen.p += 1; frozen.z = 1; getter.p = 3; getter.p--; closed.p = 1; prim.p = 1; 'str'.length = 1; 'str'[0] = 'x'; (5).x = 1; delete frozen.p; delete Object.prototype.toString.name;
  [frozen.p] = [5]; ({ a: getter.p } = { a: 1 }); for (closed.p of [1]); undefined = 1; NaN = 2; Infinity++; print(frozen.p, getter.p, closed.p, prim.p, typeof undefined);
  print(delete frozen.p, delete closed.p, delete [].length, (frozen.p = 7), frozen.p++);
  (function f() { f = 1; print(typeof f); f++; [f] = [2]; print(typeof f); (() => f)(); })();
}
sloppy();
function strict() {
  'use strict';
  attempt('frozen', () => { frozen.p = 2; }); attempt('frozen++', () => frozen.p++); attempt('frozen+=', () => { frozen.p += 1; }); attempt('new', () => { frozen.z = 1; });
  attempt('getter', () => { getter.p = 3; }); attempt('getter--', () => getter.p--); attempt('closed', () => { closed.p = 1; }); attempt('prim', () => { prim.p = 1; }); attempt('length', () => { 'str'.length = 1; });
  attempt('index', () => { 'str'[0] = 1; }); attempt('delete', () => delete frozen.p); attempt('delete length', () => delete [].length); attempt('pattern', () => { [frozen.p] = [5]; }); attempt('object pattern', () => { ({ a: getter.p } = { a: 1 }); });
  attempt('loop', () => { for (closed.p of [1]); }); attempt('undefined', () => { undefined = 1; }); attempt('NaN', () => { NaN++; }); attempt('nowhere', () => { nowhere = 1; }); attempt('nowhere+=', () => { nowhere += 1; }); attempt('nowhere++', () => { nowhere++; });
  attempt('nowhere in pattern', () => { [nowhere] = [1]; }); attempt('nowhere in loop', () => { for (nowhere of [1]); }); attempt('own name', () => { (function f() { f = 1; })(); }); attempt('own name pattern', () => { (function f() { [f] = [1]; })(); });
  attempt('this', () => (function () { return this; })()); attempt('this.p', () => { (function () { this.p = 1; })(); }); attempt('callee', () => arguments.callee);
  attempt('logical', () => { frozen.p ??= 1; frozen.p ||= 2; frozen.p &&= 3; }); attempt('array', () => { frozen.q.push(1); Object.freeze(frozen.q); frozen.q[0] = 2; }); attempt('defined', () => typeof nowhere);
}
strict(); print(typeof nowhere);
//---
// Constants and the temporal dead zone.
function note(v) { print('evaluated', v); return v; }
const c = 1; let late = () => inner; function see() { return [c, late]; }
attempt('const', () => { c = note(2); }); attempt('const +=', () => { c += note(2); }); attempt('const ++', () => c++); attempt('const pattern', () => { [c] = [note(1)]; }); attempt('const ??=', () => { c ??= note(1); }); attempt('const &&=', () => { c &&= note(1); });
attempt('const loop', () => { for (c of [1]) print('body'); }); attempt('const object pattern', () => { ({ c } = { c: note(3) }); }); attempt('const in head', () => { for (const i = 0; i < 2; i++) print(i); });
attempt('tdz write', () => { x = note(1); let x; (() => x)(); }); attempt('tdz read', () => { x; let x = 1; (() => x)(); }); attempt('tdz +=', () => { x += note(1); let x; (() => x)(); }); attempt('tdz ++', () => { x++; let x; (() => x)(); });
attempt('tdz pattern', () => { [x] = [note(1)]; let x; (() => x)(); }); attempt('tdz own', () => { let x = x + 1; (() => x)(); }); attempt('tdz in default', () => ((a = b, b) => () => [a, b])()); attempt('tdz self default', () => ((a = a) => () => a)());
attempt('tdz class', () => { class A extends A {} (() => A)(); }); attempt('tdz class key', () => { class A { [A.x] = 1; } (() => A)(); }); attempt('tdz for', () => { for (let x of [x]) (() => x)(); }); attempt('tdz for in', () => { for (const x in { [x]: 1 }) (() => x)(); });
attempt('tdz switch', () => { switch (0) { case 1: let x; default: x = note(1); (() => x)(); } }); attempt('tdz typeof', () => { typeof x; let x; (() => x)(); }); attempt('tdz closure', () => { f(); let x = 1; function f() { x = note(2); } }); attempt('tdz delete', () => { var o = { p: x }; let x; (() => x)(); });
attempt('tdz global', () => { globalLater = note(1); }); let globalLater = 2; attempt('now', () => { globalLater = 3; return globalLater; }); attempt('class const', () => { class A { static m() { A = 1; } } A.m(); (() => A)(); }); attempt('class decl', () => { class A {} A = 1; (() => A)(); return A; });
attempt('catch', () => { try { throw 1; } catch (e) { e = 2; (() => e)(); return e; } }); attempt('catch tdz', () => { try { throw []; } catch ([a = b, b]) { (() => [a, b])(); } }); attempt('import.meta', () => 1); attempt('function', () => { function f() {} f = 1; (() => f)(); return f; });
attempt('uninitialised', () => { let x; let y = x; (() => [x, y])(); return [x, y]; }); attempt('loop again', () => { var r = []; for (var i = 0; i < 2; i++) { let x; r.push(x); x = i; (() => x)(); } return r; });
attempt('tdz assign order', () => { try { x = y; let x = 1, y = 2; (() => [x, y])(); } catch (e) { return e.name; } }); attempt('tdz param', () => (function f(a, b = () => a, c = (a = 5, b())) { var a; return [a, b(), c]; })(1));
