// The judge: the engine does not stop at the second field, so the judge named the first.
const o = { r: 1 };
const E = class {
  x = (delete o.r);
  p = this?.r;
  q = 5;
};
const u = new E();
void 'R';
log(u);
log(o);
