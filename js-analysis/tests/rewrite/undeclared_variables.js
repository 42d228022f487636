// watch: .p, x
x = 1;
x ??= f();
--x;
[x] = g();
for (x of h());
