let o={p:1,q:{}}; let x=1;
function a(b, c={p:1}) { x += b; o.p++; ++o.q.r; delete o.p; delete (o /* hi */ . z); [o.p, (x)] = [1,2]; ({x} = {x:4}); return x => y => o.p = y }
print(a.toString()); print(a().toString()); o.q={r:1};print(a()(1).toString());
class K { static s = 1; #t; t = function(){}; [o.p]() { return this.#t = 4 } get g() { return [1] } static { this.q = {x:1} } async *m() { for (const y of [1,2]) { print(()=>y) } } }
print(String(K)); for (const k of Reflect.ownKeys(K.prototype)) { const d=Object.getOwnPropertyDescriptor(K.prototype,k); print(String(d.value||d.get)) }
print(String(Function.prototype.toString), Function.prototype.toString.name, Function.prototype.toString.length, Reflect.ownKeys(Function.prototype.toString));
try { Function.prototype.toString.call({}) } catch (e) { print(e.message, e instanceof TypeError, e.constructor === TypeError) }
try { new Function.prototype.toString } catch (e) { print(e.message) }
print(Object.getOwnPropertyDescriptor(Function.prototype,'toString'), Reflect.ownKeys(Function.prototype));
print(String(new Proxy(function(){},{})), String((function f(){x=1}).bind()), String(new Function('a','x=1;return {a}')));
print(eval('(function(){ x=2; return {x:1} })').toString());
print(Function.prototype.toString.toString === Function.prototype.toString);
print(String(function () { switch (x) { case 1: let f = () => { f = 1; o.p ??= 3 } } for (const i = 0;;) print(()=>i); }));
