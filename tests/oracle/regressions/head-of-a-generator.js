// The judge: a generator runs its head when it is called and is not on the stack at any stop, so the caller's line was
// named.
let a = 1;
const o = { p: 2 };
const gen = function* (x = (a |= 1), { p: z = (a = x) } = {}) {
  yield z;
};
const it = gen(eval('o.p ^= -1'), { n: o });
void 'R';
