// watch: .p, x
function f() {
  "use strict";
  var x;
  x = g();
  let y = x;
  x += y;
  return x++;
}
