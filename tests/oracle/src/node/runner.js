// Runs programs, each in a realm of its own, and says what they printed.
//
// One JSON object to a line comes in: `{ agent, text }` keeps an agent under a name; `{ run: [{ agent, script }, …] }`
// runs scripts, each after the agent of that name (none: null), and is answered by `{ printed: [text, …] }`.
'use strict';
const vm = require('node:vm');
const readline = require('node:readline');

// Runs in the realm, before all else. It prints what a value is without running anything of the program.
const host = new vm.Script(`(() => {
  const printed = [];
  const timers = [];
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const ErrorOf = Error;
  const show = (value, depth, seen) => {
    if (typeof value === 'string') return JSON.stringify(value);
    if (Object.is(value, -0)) return '-0';
    if (typeof value !== 'object' && typeof value !== 'function' || value === null) return String(value);
    if (value instanceof ErrorOf) return value.name + ': ' + value.message;
    if (seen.includes(value)) return '<' + seen.indexOf(value) + '>';
    seen.push(value);
    const kind = typeof value === 'function' ? 'function' : Array.isArray(value) ? 'array' : 'object';
    if (depth === 0) return kind;
    const keys = ownKeys(value).map((key) => {
      const property = getOwnPropertyDescriptor(value, key);
      const flags = (property.writable ? 'w' : '') + (property.enumerable ? 'e' : '')
        + (property.configurable ? 'c' : '');
      const text = 'value' in property ? show(property.value, depth - 1, seen)
        : 'get ' + show(property.get, 1, seen) + ' set ' + show(property.set, 1, seen);
      return String(key) + (flags === 'wec' ? '' : ' ' + flags) + ': ' + text;
    });
    return kind + ' {' + keys.join(', ') + '}';
  };
  globalThis.log = (value) => { printed.push(show(value, 4, [])); };
  globalThis.setTimeout = (callback) => { timers.push(callback); };
  return {
    next: () => timers.shift(),
    failed: (error) => { printed.push('uncaught ' + show(error, 2, [])); },
    printed: () => printed.join('\\n'),
  };
})()`, { filename: 'host' });
const timer = new vm.Script('next()', { filename: 'timer' });

const agents = new Map();
const LIMIT = { timeout: 5000 };

function run({ agent, script }) {
  const context = vm.createContext(vm.constants?.DONT_CONTEXTIFY ?? {}, { microtaskMode: 'afterEvaluate' });
  const program = host.runInContext(context);
  const attempt = (work) => {
    try {
      work();
    } catch (error) {
      program.failed(error);
    }
  };
  if (agent !== null) agents.get(agent).runInContext(context);
  attempt(() => new vm.Script(script, { filename: 'program' }).runInContext(context, LIMIT));
  for (let callback = program.next(); callback !== undefined; callback = program.next()) {
    vm.runInContext('globalThis', context).next = callback;
    attempt(() => timer.runInContext(context, LIMIT));
  }
  return program.printed();
}

// A promise that a program leaves rejected is no failure of ours.
process.on('unhandledRejection', () => {});

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line);
  if (request.run === undefined) {
    agents.set(request.agent, new vm.Script(request.text, { filename: 'agent' }));
    return;
  }
  process.stdout.write(`${JSON.stringify({ printed: request.run.map(run) })}\n`);
});
