// watch: .p, x
for (a.p of f()) g(a.p);
for (a.p in f()) g(a.p);
for ([a.p, b] of f()) g(a.p);
async () => { for await (f().p of g()); };
