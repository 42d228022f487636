var o = { p: 1, q: [1] }, x = 1, f = () => x
let y
[x] = [2]
print(x, y)
let z
(function () { print('called', z) })()
let w = x
++x
print(w, x)
let v
/1/g.test('1')
print(v)
let u
`t`
print(u)
x = o
o.p++
++o.p
print(o.p)
x = 1
o.p = 2; [o.p] = [3]
print(o.p)
var g = x => o.p = x
g(4)
print(o.p)
if (x) o.p++
else o.p--
do o.p++
while (o.p < 8) o.p--
print(o.p)
do x++; while (x < 3) [x] = [10]
print(x)
for (let i = 0; i < 1; i++) (() => i)()
o.p = 5
;[o.q[0]] = [7]
print(o.q)
var a = (f) => 1
let b = a
(() => 2)
print(b)
const c = { p: 1 }
delete c.p
print(c)
return_()
function return_() {
  let k
  (() => k)()
  if (o) return
  o.p = 1
}
label:
o.p++
throw_: try { throw o
.p } catch (e) { print(e) }
let async
async
x => 1
var let_ = 1; { let
l = 2; (() => l)() }
for (x of [1]) o.p = x
print(o.p)
class A { p
  q = 1
  r
  ;['s'] = 2 }
print(Reflect.ownKeys(new A))
while (0) x++
x--
print(x) /* c */ ; /* d */ o.p /* e */ ++ /* f */
o /* a */ . /* b */ p /* c */ += /* d */ 1 // e
delete /* a */ o /* b */ . /* c */ p /* d */ ; ++ /* x */ o . p
print(o.p); [ /* a */ o /* b */ [ /* c */ 'p' /* d */ ] /* e */ ] = [1]; [ ( /* ( */ o /* ) */ .p ) ] = [ 2 ]; print(o.p)
x = 1 <!-- comment = 2
--> x = 3
print(x)
x
--> no comment before the line: a = 1
+= 1
print(x)
//---
'use strict'
let s
(() => s)()
print((function () { return this })())
//---
"use strict" /* c */
var x = { p: 1 }
x.p++
print((function () { return this })())
//---
function f() { "use strict"
  let x
  (() => x)()
  return this
}
function g() { 'a'; "use strict"; var x = 1; return () => (x, this) }
function h() { ('use strict'); var x = 1; return (() => (x, this))() === globalThis }
function i() { 'use strict' + ''; var x = 1; return (() => (x, this))() === globalThis }
function j() { 'use\x20strict'; var x = 1; return (() => (x, this))() === globalThis }
function k() { 'a'
'use strict'
var x = 1; return (() => (x, this))() }
function l() { 'use strict'
[0]; var x = 1; return (() => (x, this))() === globalThis }
attempt('f', f); print(g()(), h(), i(), j(), k(), l())
//---
var let = 1; let = 2; let += 1; print(let); var yield = { p: 1 }; yield.p++; yield = 3; print(yield); var await = 1; await++; print(await); var async = { p: 1 }; async.p = 2; async = async.p; print(async); var of = [1]; for (of of [2]) print(of); for (var of of of = [4]) print(of); var get = 1, set = 2, static = 3; static++; print(static); (() => [let, yield, await, async, of])(); let.p = 1; (let)['p'] = 2; (let)[0] = 1; 
//---
var \u0061bc = 1; abc = 2; \u{61}bc++; a\u0062c += 1; print(abc); (() => abc)(); (function () { let \u0078 = 1; x = 2; \u0078++; (() => \u{78})(); print(x); var o = { \u0070: 1 }; o.\u0070 = 2; o.p++; print(o); class A { \u0070 = 1; #\u0071 = 2; m() { this.#q = 3; return this.#\u0071++; } } print(new A().p, new A().m()); [o.\u0070] = [9]; delete o.\u0070; print(o); var ünï = 1, 𝒳 = 2, ℘ = 3; ünï++; 𝒳 += 1; (() => [ünï, 𝒳, ℘])(); print(ünï, 𝒳, ℘ = 4); x = function () {}; print(x.name); \u0078 = () => {}; print(x.name); var f = { ünï: function () {} }; print(f.ünï.name); })();
//---
var o = {}; o['\uD800'] = 1; o['\uD800'] = 2; o['\udc00\ud800'] = [1]; print(Object.keys(o).map((k) => escape(k)), o['\uD800']); var p = { '\uD83D': function () {}, '\uD83D\uDE00': () => {} }; print(Object.keys(p).map((k) => escape(p[k].name))); class L { '\uDFFF' = function () {}; static '\uD800' = 1; } print(Object.keys(new L).map((k) => escape(k) + escape(new L()[k].name)), escape(Object.keys(L)[0])); o = { 'a b': 1, "a'b": 2, 'a"b': 3, '\n\\': 4, '\0': 5, '<\/script>': 6 }; o['a"b'] = 7; o['\n\\'] = 8; o['\0']++; o['</scr' + 'ipt>'] = 9; print(JSON.stringify(o)); var s = 'a b'; s += ' '; print(escape(s)); o.x = ' '; o[' '] = o.x; print(escape(Object.keys(o).join())); `a${o.x = 1}
${o.y = 2}b`; print(o.x, o.y);
//---
var o = { p: 1, q: [] }, x = 1, y, seen = []; function see() { return [x, y]; } function call(v) { seen.push(v); return call; }
x++
(call)(1)
o.p++
[call][0](2)
y = () => {}
(call)(3)
o.m = v => { x = v }
(call)(4)
let a = () => {}
(call)(5)
var { b } = o, c = function () {}, d = () => {}
(call)(6)
if (x) x--
(call)(7)
if (x) y = () => {}
else y = 1
do x++
while (x < 3)
(call)(8)
for (const i of [1]) o.p = i ? () => {} : () => {}
;[o.r] = [1]; (() => x)()
class A {
  a = () => {}
  ['b'] = 1
  c = () => {};
  *d() { yield 1 }
  static e = x++
  static *['f']() {}
  #g = () => {}
  ['h'] = this.#g
  set
}
print(Reflect.ownKeys(new A), Reflect.ownKeys(A.prototype), Reflect.ownKeys(A), seen, x, typeof o.m)
function f() { return x++
}
var z = x => y => { return x + y }
`template`
print(f(), z(1)(2)); x = y => y
/1/g; print(typeof x)
