// watch: .p, x
with (o) {
  x = 1;
  x++;
  p = 2;
}
function f(x) { with (o) x = f(); }
