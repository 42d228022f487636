// watch: .p, x
let { x } = f();
function g() {
  const [a, { x = 1 }] = f();
  if (a) var { x: y } = f();
  for (let { x } = f(); x; x--);
}
if (g) var [x2] = f();
