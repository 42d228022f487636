// watch: .p
function m(o, k, g) {
  delete o?.a.p;
  delete o?.[g()].b[k];
  delete o.m?.(k, 1).p;
  delete o?.a?.b().p;
  delete o.m?.().p;
  return delete o?.p;
}
