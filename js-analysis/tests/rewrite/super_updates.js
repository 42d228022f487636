// watch: .p, .q
class K extends Base {
  m(k, f, v) {
    super.p++;
    return super[k] = v, super[f()] += v, --super[k], super.q--, ([super.p, super[k]] = v);
  }
}
