class Order {
  price = 3;
  count = 2;
}
function* ids() {
  yield 1;
}
window.probe = new Order();
