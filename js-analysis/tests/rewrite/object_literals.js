// watch: .p, x
f({ p: 1, q: { p: 2 }, p2: 3 });
f({ ...o, [k]: v, p() {}, get p() { return 1; } });
f({ p, q });
f({ q: 1 });
f({ __proto__: p });
f({ "p": () => 1 });
