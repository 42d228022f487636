// Runs programs, each in a context of its own, or in a thread of its own: see node.rs.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import vm from 'node:vm';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const LIMIT_MS = 120_000;
const PRELUDE = `globalThis.attempt = (label, work) => {
  try { print(label, work()); } catch (error) { print(label, 'threw', error?.name, error?.message); }
};`;

const show = (value) => (typeof value === 'string' ? value : inspect(value, { breakLength: Infinity, depth: 6 }));
const shown = (error) => {
  // A script that does not parse is refused alike; what is said of the place may differ.
  if (error?.name === 'SyntaxError') return 'SyntaxError';
  return typeof error === 'object' && error !== null && 'message' in error ? `${error.name}: ${error.message}` : show(error);
};

async function run({ agent, before: scripts, text, module }) {
  const lines = [];
  const context = vm.createContext({}, { microtaskMode: undefined });
  const realm = vm.runInContext('globalThis', context);
  realm.print = (...values) => lines.push(values.map(show).join(' '));
  realm.later = (callback) => setTimeout(callback, 0);
  realm.runScript = (script) => vm.runInContext(script, context);
  vm.runInContext(PRELUDE, context);
  const before = new Set(Reflect.ownKeys(realm));
  if (agent !== null) vm.runInContext(agent, context, { filename: 'agent.js' });
  try {
    for (const script of scripts) vm.runInContext(script, context, { filename: 'before.js' });
    if (module) {
      const made = new vm.SourceTextModule(text, {
        context, identifier: 'program.mjs',
        initializeImportMeta(meta) { meta.url = 'program.mjs'; },
        importModuleDynamically: (specifier, referrer) => referrer,
      });
      const synthetic = new vm.SyntheticModule(['default', 'a'], function set() {
        this.setExport('default', 1);
        this.setExport('a', { p: 1 });
      }, { context });
      await made.link((specifier) => (specifier === 'self' ? made : synthetic));
      await made.evaluate({ timeout: LIMIT_MS });
      for (const key of Reflect.ownKeys(made.namespace)) {
        try {
          lines.push(`export ${show(key)} ${show(made.namespace[key])}`);
        } catch (error) {
          lines.push(`export ${show(key)} ${shown(error)}`);
        }
      }
    } else {
      lines.push(`value ${show(vm.runInContext(text, context, { filename: 'program.js', timeout: LIMIT_MS }))}`);
    }
  } catch (error) {
    lines.push(`threw ${shown(error)}`);
  }
  // Promises and what was put off.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => { setTimeout(resolve, 0); });
  const left = Reflect.ownKeys(realm).filter((key) => !before.has(key));
  lines.push(`globals ${show(left)}`);
  return { lines };
}

// In a thread's own realm: there a global variable is one, whereas a context asks an interceptor for each.
// A program that keeps its state in global variables (Mandreel) is ten times as fast so.
async function runInThread(run) {
  const thread = new Worker(new URL(import.meta.url), { workerData: run });
  const [outcome] = await once(thread, 'message');
  await thread.terminate();
  return outcome;
}

function runInThisRealm({ agent, before: scripts, text }) {
  const lines = [];
  globalThis.print = (...values) => lines.push(values.map(show).join(' '));
  vm.runInThisContext(PRELUDE);
  const before = new Set(Reflect.ownKeys(globalThis));
  if (agent !== null) vm.runInThisContext(agent, { filename: 'agent.js' });
  try {
    for (const script of scripts) vm.runInThisContext(script, { filename: 'before.js' });
    lines.push(`value ${show(vm.runInThisContext(text, { filename: 'program.js', timeout: LIMIT_MS }))}`);
  } catch (error) {
    lines.push(`threw ${shown(error)}`);
  }
  lines.push(`globals ${show(Reflect.ownKeys(globalThis).filter((key) => !before.has(key)))}`);
  return { lines };
}

function parse({ text, module }) {
  try {
    if (module) new vm.SourceTextModule(text);
    else new vm.Script(text);
    return { lines: [] };
  } catch (error) {
    return { lines: [error.name] };
  }
}

process.on('unhandledRejection', () => {});
if (isMainThread) {
  const work = { run, parse, thread: runInThread }[process.argv[2]];
  const runs = readFileSync(0, 'utf8').split('\n').filter((line) => line !== '');
  for (const line of runs) process.stdout.write(`${JSON.stringify(await work(JSON.parse(line)))}\n`);
} else {
  parentPort.postMessage(runInThisRealm(workerData));
}
