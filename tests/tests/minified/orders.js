const out = { n: 0, v: 9, w: 0, list: [], other: [] };
function first(order) {
  if (!order) return;
  if (order.lines && order.lines.length) {
    out.list.push(order);
  }
}
function second(step) {
  let done = 0;
  while (done < step) {
    done++;
    out.w += step;
  }
  const old = out.n++;
  return old;
}
function third(isMain, x) {
  (isMain ? out.list : out.other).last =
    x;
}
function all(order, step) {
  first(order);
  out.v = second(step);
  third(step > 5, 0);
}
all({ lines: [1] }, window.step);
window.probe = out;
