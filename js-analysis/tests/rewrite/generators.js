// watch: .p, x
function* f(x) {
  x = yield 1;
  a[yield 2] = yield 3;
  a.p += yield;
  [x = yield 4] = g();
}
async function h() { let x = await 1; a.p = await x; for await (x of h()); }
