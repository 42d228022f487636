// watch: .p
function f(o, k, v) {
  o[k] = v;
  o[k] += v;
  o[k]++;
  o[g()] ??= v;
  o[k + 1] = v;
  o[`${k}`] = v;
  [o[k]] = [v];
}
