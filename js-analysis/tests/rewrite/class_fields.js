// watch: .p, x
class A {
  p;
  p = f();
  static p = () => 1;
  "p" = g(this.p = 1);
  [k] = 1;
  q = 2;
}
