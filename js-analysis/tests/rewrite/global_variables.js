// watch: .p, x
var x = 1;
x = f();
x += 2;
x++;
function y() { x = 3; }
var x;
