// watch: .p, x
a["p"] = 1;
a[k] = 1;
a[f()] = g();
a[0] = 1;
(function (o, k) {
  o[k] = 1;
  o[k] = k = "p";
  o[o = k] = 1;
})();
