// watch: .p, x
function f() {
  let x = 1;
  { let x = 2; x = 3; }
  if (x) { const x = g(); }
  { x = 4; }
}
