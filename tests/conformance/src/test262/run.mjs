// Runs tests of test262, one a line of standard input, each in a context of its own: see process.rs.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import readline from 'node:readline';
import v8 from 'node:v8';
import vm from 'node:vm';

// How long a test may run, and how long it is waited for when it has run.
const LIMIT_MS = 20_000;
const WAIT_MS = 3000;
const scripts = new Map();

// What stands before a test is compiled once.
function compiled(path) {
  let script = scripts.get(path);
  if (script === undefined) {
    script = new vm.Script(readFileSync(path, 'utf8'), { filename: path });
    scripts.set(path, script);
  }
  return script;
}

// The one object that is there and looks undefined, as `document.all` does in a page.
v8.setFlagsFromString('--allow-natives-syntax');
const undetectable = new Function('return %GetUndetectable()');
undetectable();
v8.setFlagsFromString('--no-allow-natives-syntax');

// What the shell has for which the tests' own harness makes `$262`.
function realmOf() {
  const context = vm.createContext({});
  const realm = vm.runInContext('globalThis', context);
  Object.assign(realm, {
    newGlobal: () => realmOf().realm,
    evaluate: (text) => vm.runInContext(text, context),
    detachArrayBuffer: (buffer) => structuredClone(buffer, { transfer: [buffer] }) && undefined,
    createIsHTMLDDA: undetectable,
    gc() {},
    print() {},
  });
  return { context, realm };
}

// `$262`, which the suite's own harness does not make.
function hostOf(context, realm) {
  return {
    global: realm,
    createRealm: () => { const other = realmOf(); return hostOf(other.context, other.realm); },
    evalScript: realm.evaluate,
    detachArrayBuffer: realm.detachArrayBuffer,
    gc() {},
    IsHTMLDDA: undetectable(),
  };
}

function said(error) {
  if (error === null || typeof error !== 'object') return { name: typeof error, text: String(error) };
  let name = '';
  try { name = error.constructor.name; } catch {}
  let text = '';
  try { text = String(error.message); } catch {}
  return { name, text };
}

const timeout = (ms) => new Promise((fulfil) => {
  setTimeout(fulfil, ms, { name: 'timeout', text: '' }).unref();
});

async function run({ agent, before, text, path, module, isAsync }) {
  const { context, realm } = realmOf();
  let done;
  const finished = new Promise((fulfil) => { done = fulfil; });
  const modules = new Map();
  const folder = dirname(path);
  const load = (specifier, referrer) => {
    const place = resolve(dirname(referrer.identifier ?? path), specifier);
    let made = modules.get(place);
    if (made === undefined) {
      const source = readFileSync(place, 'utf8');
      made = new vm.SourceTextModule(source, { context, identifier: place, importModuleDynamically: dynamic });
      modules.set(place, made);
    }
    return made;
  };
  const dynamic = async (specifier, referrer) => {
    const made = load(specifier, referrer instanceof vm.Module ? referrer : { identifier: path });
    if (made.status === 'unlinked') await made.link(load);
    await made.evaluate();
    return made;
  };
  try {
    // As in a page, the agent is there before anything else.
    if (agent !== null) compiled(agent).runInContext(context);
    for (const script of before) compiled(script).runInContext(context);
    if (realm.$262 === undefined) realm.$262 = hostOf(context, realm);
    realm.$DONE = (error) => done(error === undefined ? undefined : said(error));
    realm.reportCompare = () => {};
    if (module) {
      const made = new vm.SourceTextModule(text, {
        context, identifier: path, importModuleDynamically: dynamic,
        initializeImportMeta() {},
      });
      modules.set(path, made);
      await made.link(load);
      // It may wait for ever for what it imports.
      const late = await Promise.race([made.evaluate({ timeout: LIMIT_MS }), timeout(WAIT_MS)]);
      if (late !== undefined) return late;
    } else {
      vm.runInContext(text, context, { filename: path, timeout: LIMIT_MS, importModuleDynamically: dynamic });
    }
  } catch (error) {
    return said(error);
  }
  if (!isAsync) return null;
  return (await Promise.race([finished, timeout(WAIT_MS)])) ?? null;
}

process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
for await (const line of readline.createInterface({ input: process.stdin })) {
  // Whatever a test may have done to the process, another one takes its place.
  const stuck = setTimeout(() => process.exit(1), 3 * LIMIT_MS);
  const thrown = await run(JSON.parse(line));
  clearTimeout(stuck);
  process.stdout.write(`${JSON.stringify({ thrown })}\n`);
}
