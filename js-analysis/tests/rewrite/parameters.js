// watch: .p, x
function f(x) { return x; }
function g(a, x = 1, ...b) { return x; }
function h({ x, y: [p] }) { x = p; }
const i = x => x;
const j = async (a = (f().p = 1), x) => a;
class A { constructor(x) { this.x = x; } set v(x) { } }
