// What code of a library does depends on what it asks: guards, predicates, validators, middleware, reducers.
// The library is small and here, but its functions call by what they were handed.
const machine = (config) => {
  const seen = [];
  const read = (step) => [].concat(step ?? []);
  return {
    send(event) {
      for (const candidate of read(config.on[event])) {
        const { guard } = candidate;
        let passed = false;
        try {
          passed = !guard || !!guard(config.context);
        } catch {
          passed = false;
        }
        if (!passed) continue;
        const queue = read(candidate.actions);
        for (const action of queue) seen.push(action);
        seen.splice(0).forEach((action) => action(config.context));
      }
    },
  };
};
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

class Pipeline {
  steps = [];
  use(step) {
    this.steps.push(step);
    return this;
  }
  run(request) {
    const go = (index) => {
      const step = this.steps[index];
      if (step) step(request, () => go(index + 1));
    };
    go(0);
  }
}
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

const handlers = [];
const bus = {
  add(handler) {
    handlers.push(handler);
  },
  emit(event) {
    const able = handlers.filter((handler) => handler.canHandle(event));
    able.forEach((handler) => handler.handle(event));
  },
};
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

const field = (rules) => ({
  check: (value) => rules.tests.every((test) => test(value)) && rules.valid(value),
});
const age = field({
  tests: [(value) => typeof value === "number"], // valid: branch
  valid: (value) => {
    shop.age = value; // why: valid
  },
});
age.check("17");
