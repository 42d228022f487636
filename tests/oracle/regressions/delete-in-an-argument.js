// The judge: where a call begins a statement, the engine stops before its arguments are evaluated, not after.
const u = { p: 1, q: 2 };
function f(x, y) {
  let a = x;
  return a;
}
f((delete u.p), u);
void 'R';
log(u);
