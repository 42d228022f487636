// watch: .p, x
[a.p, b[k]] = f();
({ a: a.p, b: { c: f().p = 1 }, ...a.p } = g());
[...a["p"]] = h;
