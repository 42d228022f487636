// watch: .p, x
a.p = (
  b // comment
);
a.p = "line \
continued";
a[(
  k
)] = `one
two`;
a.p
  +=
  1;
delete (
  a
    .p
);
[
  a
    .p
] = f();
let x
  =
  1
