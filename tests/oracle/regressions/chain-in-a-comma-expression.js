// The judge: the engine stops "before the script" only at the chain, so all before it was one step.
let a = 1;
const o = { p: 2 };
a = 2;
o.q = (a, o.m?.(a));
o.r = a;
a = 3;
void 'R';
