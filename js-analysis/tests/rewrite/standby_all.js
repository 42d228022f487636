// standby
var a = 1, b;
let c = [1, 2, { p: a }];
function f(x, y = x) {
  for (let i = 0; i < x.length; i++) x[i] = y;
  try { this.z = { x, ...y }; } catch (e) { e.m = e; }
  return () => y;
}
class K { static s = 1; #t; u = f(this); m() { this.#t = delete this.u; } }
