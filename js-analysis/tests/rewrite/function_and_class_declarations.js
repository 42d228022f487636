// watch: .p, x
function x() { }
function f() {
  x();
  function x() { }
  { function x() { } }
}
{ class x { static p = 1; } }
switch (f) { case 1: function x() { } }
