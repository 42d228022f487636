// A page with the agent in it, for the unit tests: the committed bundle, with written into it what Rust writes in
// (`src/lib.rs`), in a DOM without a browser.

import { readdirSync, readFileSync } from 'node:fs';
import vm from 'node:vm';
import { JSDOM, VirtualConsole } from 'jsdom';
import wrappers from 'jsdom/lib/jsdom/living/generated/utils.js';

// The bundles that are tested: those that are committed, or the same with marks (`coverage.mjs`).
const FOLDER = process.env.AGENT_BUNDLES ?? new URL('../dist/', import.meta.url);
export const dist = (name) => readFileSync(new URL(name, FOLDER), 'utf8');
const BUNDLES = {
  agent: dist('agent.js'), rearmed: dist('rearmed.js'), inputsOnly: dist('inputs-only.js'), logging: dist('logging.js'),
};
const PREFIX = '$Qp';
const INTERFACES = readdirSync(new URL('generated/', import.meta.resolve('jsdom/lib/jsdom/living/interfaces.js')))
  .map((name) => name.replace(/\.js$/, ''));

const query = (given) => ({
  query: 0, dependent: 0, root: 'name', lookup: null, variable: false, condition: false, events: false, slot: 0,
  inFrames: false, path: [], key: '', keyed: null, needsFrame: false, late: false, askedThere: [],
  ...given,
});
const slot = (given) => ({
  kind: 'property', query: null, key: '', askedThere: [], isAskedThere: false, exact: [], keys: [], allKeys: false,
  traced: [], logged: false, through: [], ...given,
});

// What the agent is to do. `watch`: names of properties, or slots; `ask`: queries.
export function configOf({ watch = [], ask = [], ...given } = {}) {
  const slots = watch.map((each) => slot(typeof each === 'string' ? { key: each } : each));
  return {
    armed: slots.length > 0, slots, roots: ask.map((each, index) => query({ query: index, dependent: index, ...each })),
    hit: -1, stopAtHit: null, stops: [], capture: false, foundOwners: [],
    live: false, shadows: false, console: null, driven: false, post: `${PREFIX}B`,
    standby: false, rearmed: false, postEachTask: false, ...given,
  };
}

// The text of a bundle for a configuration.
export function textOf(name, config) {
  const [before, each = '', after = ''] = BUNDLES[name].split('/*EACH*/');
  const blocks = config.slots.map(({ kind }, index) => (kind === 'property' ? each.replaceAll('__SLOT__', index) : ''));
  const text = (before + blocks.join('') + after).replace('/*NAMES*/let', config.standby ? 'let' : 'const')
    .replaceAll('__CONFIG__', JSON.stringify(config)).replaceAll('__QP__', PREFIX);
  return `${text}\n//# sourceURL=querypoint-agent-${PREFIX}.js`;
}

// What is behind an object of the DOM here: what is done to it goes around the methods that scripts call, as what a
// user does.
export const behind = wrappers.implForWrapper;
// An event that no script made.
export function byUser(target, event) {
  behind(event).isTrusted = true;
  behind(target)._dispatch(behind(event));
}

// A text as the rewriter gives it: what it inserts is between marks, and has a name of ours in it.
export const rewritten = (text, inserted = 'globalThis.hooks = (globalThis.hooks ?? 0) + 1') =>
  `\v/*${PREFIX}*/${inserted};\v${text}`;

// A page whose agent has the configuration. `rewrite` answers what the agent hands over, as the driver does, and
// `paused` is called where the page is paused; `before` runs before the agent, and `prepare` puts into the window what
// the DOM here has not; `bundle` is another one than the agent's. `batches`: what it gives the log.
export function pageWith(given, options = {}) {
  const { html = '<!doctype html><body></body>', url = 'http://shop.test/', before = '', rewrite } = options;
  const { bundle = 'agent', paused, prepare } = options;
  const messages = [];
  const batches = [];
  const beforeParse = (window) => {
    const { eval: run } = window;
    // What the DOM here has in JavaScript is a browser's own there, and says so.
    run(`((Outer) => {
      const { toString } = Function.prototype;
      const { apply } = Reflect;
      Function.prototype.toString = {
        toString() {
          return this instanceof Outer ? \`function \${this.name}() { [native code] }\`
            : apply(toString, this, []);
        },
      }.toString;
    })`)(Function);
    window[`${PREFIX}B`] = (text) => {
      const message = JSON.parse(text);
      messages.push(message);
      if (message.handed !== undefined && rewrite !== undefined) {
        const code = rewrite(message.handed);
        if (code !== undefined) run(`${PREFIX}Ch.request.code = ${JSON.stringify(code)}`);
      }
    };
    if (bundle === 'logging') window[`${PREFIX}Log`] = (text) => batches.push(text);
    // Of a context's global object Node 20 lists what is enumerable; a browser lists all.
    for (const name of INTERFACES.filter((each) => typeof window[each] === 'function')) {
      Object.defineProperty(window, name, { ...Object.getOwnPropertyDescriptor(window, name), enumerable: true });
    }
    prepare?.(window);
    run(before);
    if (paused !== undefined) window[`${PREFIX}Paused`] = () => paused(window);
    // As a script: what `eval` declares is its own.
    const script = window.document.createElement('script');
    const text = textOf(bundle, configOf(given));
    script.text = paused === undefined ? text : text.replace(/\bdebugger\b/g, `${PREFIX}Paused()`);
    window.document.append(script);
    script.remove();
  };
  const virtualConsole = new VirtualConsole();
  const dom = new JSDOM(html, { url, runScripts: 'dangerously', pretendToBeVisual: true, virtualConsole, beforeParse });
  const { window } = dom;
  const context = dom.getInternalVMContext();
  const run = (code) => new vm.Script(code).runInContext(context);
  return {
    run, messages, batches, window, document: window.document,
    // What the queries find here and now; `roots` are those of their references, as texts.
    at(...roots) {
      const dependents = roots.map((root) => `() => (${root})`);
      return JSON.parse(run(`${PREFIX}E.at(() => ({ d: [${dependents}] }))`)).report.hit.results;
    },
  };
}
