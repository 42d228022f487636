// The judge took the parameter for a `var` that nothing was written to.
const o = { p: 1 };
const f = (x, y) => {
  const me1 = {};
  y.p = x;
  void 'R';
  return x;
};
f(void 0, o);
log(o);
