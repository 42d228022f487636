// watch: .p, x
a: b: for (const x = 0; ; ) { continue b; }
c: switch (f()) { case 1: let x = 1; break c; }
d: { let x = 1; break d; }
e: for (const x of f()) continue e;
