// The judge: parameters beside a rest have a scope without a token, so one activation was taken for another's end of
// waiting.
let fuel = 6;
let a = 1;
const o = { p: 2 };
async function later(x, ...rest) {
  const me1 = {};
  if (fuel-- <= 0) return 0;
  a = (await x);
  rest.q = a;
}
do {
  later(fuel, o);
} while (fuel-- > 0);
setTimeout(() => {
  void 'R';
});
