// What the programs beside it call: it calls what it was handed, and decides by what that gives.
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
const field = (rules) => ({
  check: (value) => rules.tests.every((test) => test(value)) && rules.valid(value),
});
