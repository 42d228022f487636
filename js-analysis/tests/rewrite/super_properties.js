// watch: .p, x
class A extends B {
  m() {
    super.p = f();
    super.p += 1;
    [super.p] = g();
    super.p++;
    super[k] = 1;
  }
}
