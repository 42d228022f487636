// watch: .p, x
"use strict"
a.p = f().p++
function g() {
  "use strict"
  var x
  ;[x] = a
}
