1; var x = { p: 1 };
//---
x = [1]; var x; ; {} 
//---
var a = {}; a.b = { p: 1 }; let l = 2; class K {} function f() {}
//---
var o = {}; for (var i = 0; i < 3; i++) o.p = i;
//---
var o = {}; do { o.p = 5; continue; } while (0);
//---
'v'; switch (1) { case 1: let y = 2; (() => y)(); 'in switch'; }
//---
'v'; for (const z of [1, 2]) { (() => z)(); z; }
//---
'v'; for (const z of [1, 2]) { (() => z)(); }
//---
'v'; for (const z = 1; ;) { (() => z)(); 'w'; break; }
//---
'v'; try { 'w'; } finally { 'x'; }
//---
'v'; try { throw 1; } catch (e) { (() => e)(); e; }
//---
'v'; if (1) { let q = { p: 1 }; (() => q)(); }
//---
'v'; l: { 'w'; let q = 1; (() => q)(); break l; }
//---
var o = { p: 3 }; o.p++;
//---
var o = { p: 3 }; o.p++, --o.p;
//---
var o = { p: 3 }; delete o.p
//---
var o = {}, x; [x, o.p] = [1, 2];
//---
var [x] = [1];
//---
'v'; var { y } = { y: 1 };
//---
let i = 0; while (i < 3) i++
//---
'use strict'; let x = 1; () => x; x = 2
//---
'not a directive' + 1; x = 4; var x;
//---
with ({ p: 1 }) { p = 2; }
//---
'v'; function f() { return { p: 1 }; } class A { static p = 1; }
//---
print(eval('1; let x = { p: 1 };'), eval('var o = {}; o.p = 3'), eval('for (const x of [1, 2]) { x; }'), eval('switch (1) { case 1: 4; let y; }'), eval('{ 5; class A {} }'), eval('x: for (let i = 0; i < 2; i++) { i; continue x; }'), eval('({ p: 6 })').p, eval('[7]')[0], eval('function f() {}'), eval('8; function g() {}'), eval('if (0) 9'), eval('do { 1; break; } while (1)'), eval('1; try { 2; } catch {}'), eval('"use strict"; 5'), (0, eval)('var ge = { p: 5 }; ge.p += 1'));
//---
// Whether a call with a spread is direct depends on where the spread stands.
var x = 'global';
(function () {
  var x = 'local';
  eval(...[], "x = 'changed';");
  print(x);
  eval(...["x = 'again';"]);
  print(x);
  eval("x = 'first';", ...[]);
  print(x);
  eval(...["x = 'two';"], ...[1]);
  print(x);
})();
print(x);
