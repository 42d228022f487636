// The judge: one statement writes 1, undefined and 1; at its stops it saw 1 all along and named line 3.
const o = { p: 2, q: 'q' };
let a = 1;
([[a, o.q, o.r, a], { p: a = 1 }] = [[1], {}]);
void 'R';
log(a);
log(o);
