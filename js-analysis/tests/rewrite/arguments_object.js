// watch: x
function f(x, y) {
  arguments[0] = g();
  (() => { arguments[y]++ })();
  { let x = 2; arguments[0] = 3; }
  return arguments.length = 0, delete arguments[0];
}
function h(x, y = arguments[0] = 1) { o.arguments[0] = 2 }
