// watch: .p, x
function f() {
  let x = 0;
  return () => x++;
}
const g = (x) => () => x = 1;
