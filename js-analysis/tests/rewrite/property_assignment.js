// watch: .p, x
a.p = 1;
a.b.p = f();
f().p = g();
this.p = a;
a.q = 1;
a.p = a.p = c();
(a.p) = 2;
a
  .p
  = 3;
