// watch: .p, x
for (let x = 0; x < 3; x++) f(() => x);
for (let x; ; ) break;
for (var x = 0; ; ) break;
label: for (const x = f(); ; ) continue label;
for (const x of f()) g(x);
for (let x in f()) { x = 1; }
for (var [x] of f()) g(x);
for (x in f()) g(x);
