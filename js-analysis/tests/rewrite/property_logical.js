// watch: .p, x
a.p ??= f();
a.p ||= () => 1;
a[k] &&= 2;
