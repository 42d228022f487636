// A cart with coupons, delivery and stock.
const stock = { tea: 3, cup: 0 };
const flags = { coupons: false, express: undefined };
const cart = { lines: [], total: 0, coupon: null, messages: [] };
function put(name, count) {
  const left = stock[name];
  if (left < count) { // stocked: branch
    cart.messages.push("out of stock"); // why: stocked
  }
  cart.lines.push({ name, count });
}
function apply(code) {
  const coupon = parseCoupon(code); // applied: exception
  cart.coupon = coupon;
  cart.total = cart.total * (1 - coupon.percent); // why: applied
}
function parseCoupon(code) {
  return { percent: code.split("-").at(1).trim() / 100 };
}
function total() {
  let sum = 0;
  for (let line = 0; line < cart.linesCount; line++) { // summed: loop
    sum += cart.lines[line].count; // why: summed
  }
  cart.total = sum;
}
function deliver(kind) {
  switch (kind) { // delivered: branch
    case "express":
      cart.delivery = flags.express; // why: delivered
      break;
    case "post":
      cart.delivery = "post";
      break;
  }
}
function describe(customer) {
  cart.name = customer?.address // described: branch
    ?.format(cart.lines.length); // why: described
}
function discount() {
  return flags.coupons && // discounted: branch
    cart.lines.some((line) => line.count > 1); // why: discounted
}
put("tea", 1);
total();
try { apply("TEN"); } catch { cart.messages.push("bad coupon"); }
deliver("post");
describe({ name: "A" });
discount();
