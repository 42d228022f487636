const out = { label: "", size: 0, state: "", total: 1, flag: 0, kind: "", named: {} };
function label(order) {
  if (order.urgent) {
    out.label = "now";
  } else {
    out.label = order.wish;
  }
}
function measure(order) {
  if (order.lines > 10) out.size = order.lines;
  else if (order.lines > 1) out.size = (2);
  else out.size = 1;
}
function add(order) {
  if (order.free) {
    out.total += order.gift;
  } else {
    out.total += order.price;
  }
}
function flag(order) {
  if (order.urgent) {
    out.flag = true;
  } else {
    out["flag"] = false;
  }
}
function choose(order) {
  let kind;
  if (order.urgent) {
    kind = "urgent";
  } else {
    kind = order.wish + "!";
  }
  out.kind = () => kind;
  window.at = 1;
}
function state(order) {
  out.state = order.lines ? "open" : "empty";
}
function named(order, name) {
  if (order.urgent) {
    out.named[name] = 1;
  } else {
    out.named[name] = 2;
  }
}
const order = { urgent: window.isUrgent, lines: window.lines, wish: "later", price: 5 };
label(order);
measure(order);
add(order);
flag(order);
choose(order);
state(order);
named(order, "x");
window.probe = out;
