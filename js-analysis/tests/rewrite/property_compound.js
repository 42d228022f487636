// watch: .p, x
a.p += 1;
a.b.p **= f();
a[k()] -= g();
a.p /* why */ >>>= /* how */ 2;
