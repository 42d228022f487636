// watch: .p, .0, r
const { a, ...r } = o, [b, ...s] = v;
function f({ a, ...t }, ...u) { return ([c, ...d.e] = u), ({ ...r } = t); }
for (const { b: [...w] } of list);
try { f() } catch ({ ...e }) { ({ ...g } = e, [...h[0]] = e) }
