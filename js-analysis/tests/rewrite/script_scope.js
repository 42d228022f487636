// watch: .p, x
let x = 1;
x = 2;
function f() { x++; }
{ const x = 1; }
