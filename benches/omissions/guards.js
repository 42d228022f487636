// What code of a library does depends on what it asks: guards, predicates, validators, middleware, reducers.
// The library is libraries/guards.js.
const shop = machine({
  context: { total: 40, age: 16, name: "" },
  on: {
    PAY: {
      guard: (context) => context.total > 100, // paid: branch
      actions: (context) => {
        context.paid = true; // why: paid
      },
    },
    ENTER: {
      guard: (context) => {
        if (context.age < 18) { // entered: return
          return false;
        }
        return true;
      },
      actions: [
        (context) => {
          context.entered = true; // why: entered
        },
      ],
    },
    GREET: {
      guard: hasName,
      actions: greet,
    },
  },
});
function hasName(context) {
  return context.name !== ""; // greeted: branch
}
function greet(context) {
  context.greeting = "Hello"; // why: greeted
}
shop.send("PAY");
shop.send("ENTER");
shop.send("GREET");

const pipeline = new Pipeline();
pipeline.use((request, next) => {
  if (request.user) { // served: branch
    next();
  }
});
pipeline.use((request) => {
  request.served = true; // why: served
});
pipeline.run({ user: null });

bus.add({
  canHandle(event) {
    return event.kind === "order"; // ordered: branch
  },
  handle(event) {
    event.done = true; // why: ordered
  },
});
bus.emit({ kind: "oder" });

const items = [{ price: 3 }, { price: 5 }];
items
  .filter((item) => item.price > 9) // dear: branch
  .forEach((item) => {
    item.dear = true; // why: dear
  });

const age = field({
  tests: [(value) => typeof value === "number"], // valid: branch
  valid: (value) => {
    shop.age = value; // why: valid
  },
});
age.check("17");
