// The judge: `rest` has a scope of its own without a token; the object of the first activation was taken for that of
// the last.
'use strict';
let fuel$3 = 24;
let a$3 = 1;
const o$3 = { p: 2, q: 'q' };
function* gen$3(x, y) {
  const me1 = {};
  if (fuel$3-- <= 0) return 0;
  o$3.p = yield 1;
  a$3 = ((x = 1) => ((--a$3)))(((x = 1) => (o$3.q))(y.q));
  o$3.q--;
  const g$3 = function (x, ...rest) {
    const me2 = {me1};
    if (fuel$3-- <= 0) return 0;
    const b$3 = ({ n: y, ...rest }).p;
    x += -1;
    y.r--;
    const f$3 = (x, y) => {
      const me3 = {me2, me1};
      if (fuel$3-- <= 0) return 0;
      delete (y.n ?? y).r;
      void 'R';
      return g$3(...[b$3, rest]);
    };
    f$3(void 0, { p: 5 });
  };
  g$3(...[(yield a$3), ({ n: o$3, m(x) { o$3.q += -1; return this.p; } })]);
  const w$3 = o$3;
  return g$3.call(w$3, void 0, { p: 5 });
}
for (a$3 of gen$3(void 0, { p: 5 })) {
  if (fuel$3-- <= 0) break;
  a$3 += -1;
}
