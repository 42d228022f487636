// watch: .p, x
a.p++;
--f().p;
b = a.p++;
b = --a[k()];
for (;; a.p++);
