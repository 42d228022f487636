// Bundles the agent: `node build.mjs` writes dist/, `node build.mjs --check` says whether dist/ is what the sources
// give.
//
// The modules of js/ become one function scope each (rolldown), between the names that the rest of the product calls.
// Names and white space are made short; `readable` leaves both, for what measures the modules (`coverage.mjs`).
// Expressions stay as they are written: minifiers take `a === null || a === undefined` for `a == null`, which
// `document.all` tells apart.

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { minifySync, parseSync, Visitor } from 'rolldown/utils';

const here = (path) => new URL(path, import.meta.url);

// Functions that the driver knows by their names, when the page is paused in them or they are on the stack.
const RESERVED = [
  'stop', 'hand', 'restoreHandlers', 'hookHandler', 'tryMaking',
  // The hooks, which a page that is left paused is led out of (`HOOKS` in src/lib.rs).
  'W', 'L', 'O', 'Y', 'F', 'D', 'M', 'I', 'K', 'X', 'V', 'U', 'G', 'N', 'H', 'J', 'B', 'Tt', 'Tr', 'R', 'S',
];
const PRIVATE = '__QP__';

// The names that a bundle exports, and its text, which ends in `return { … }` instead of the exports.
async function bundled(entry, { conditionNames = [], before = '', marks = unmarked } = {}) {
  const build = await rolldown({
    input: here(`js/${entry}.js`).pathname,
    resolve: { conditionNames: [...conditionNames, 'default'] },
    treeshake: entry === 'inputs-only' ? { propertyReadSideEffects: false } : false,
    platform: 'neutral',
    // What represents the prefix is not as long as the prefix: nothing may be worked out of it here.
    optimization: { inlineConst: false },
    onLog(level, log) { throw new Error(`${entry}: ${level}: ${log.message}`); },
  });
  const { output } = await build.generate({
    format: 'esm', comments: false, externalLiveBindings: false, minify: false, sourcemap: marks !== unmarked,
  });
  await build.close();
  const code = marks(output[0]);
  if (output.filter(({ type }) => type === 'chunk').length !== 1) throw new Error(`${entry}: ${output.length} files`);
  const end = /\bexport \{([^}]*)\};?\s*$/.exec(code);
  if (end === null) throw new Error(`${entry}: no exports at the end`);
  const pairs = end[1].split(',').map((pair) => {
    const [local, name = local] = pair.trim().split(' as ');
    return [name, local];
  });
  const returned = pairs.map(([name, local]) => `${name}: ${local}`).join(', ');
  const body = `'use strict';\n${before}${code.slice(0, end.index)}return { ${returned} };`;
  return { names: pairs.map(([name]) => name), body };
}

const pattern = (names) => `{ ${names.map((name) => `${name}: ${PRIVATE}${name}`).join(', ')} }`;

// What puts marks into the code of a bundle; here none.
const unmarked = ({ code }) => code;
// In these two bundles the configuration is a variable, which short names hide.
const DECLARES_CONFIG = ['inputs-only.js', 'rearmed.js'];
const readable = (name, source) => (DECLARES_CONFIG.includes(name) ? source.replaceAll('__CONFIG__', 'config$of')
  : source);

// Short names and no white space, but for private fields: a debugger shows them, and they say whose they are.
function minified(name, source) {
  const { code, errors } = minifySync(name, source, {
    module: false, compress: false, mangle: { toplevel: false, reserved: RESERVED },
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  for (const reserved of RESERVED) {
    const isThere = (text) => new RegExp(`\\b(function ${reserved}\\(|const ${reserved} ?=)`).test(text);
    if (isThere(source) !== isThere(code) || new RegExp(`\\b${reserved}\\$1`).test(source)) {
      throw new Error(`${name}: ${reserved} has another name in the bundle`);
    }
  }
  const starts = [];
  new Visitor({ PrivateIdentifier: (node) => starts.push(node.start) }).visit(parsed(name, code));
  let text = '';
  let at = 0;
  for (const start of starts.sort((one, other) => one - other)) {
    text += `${code.slice(at, start)}#${PRIVATE}`;
    at = start + 1;
  }
  return oneByte(`${text}${code.slice(at)}\n`);
}

// The engine keeps a text of two bytes a character if only one of them needs it.
const oneByte = (text) => text.replaceAll(/[^\0-\x7f]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);

function parsed(name, code) {
  const { program, errors } = parseSync(name, code, { sourceType: 'script', astType: 'js' });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
  return program;
}

// Puts marks around the block that is repeated for each watched property: `/*EACH*/{…}/*EACH*/`.
function withMarks(name, code) {
  const blocks = [];
  new Visitor({
    IfStatement(node) {
      if (node.test.type === 'Identifier' && node.test.name === '__EACH_PROPERTY__') blocks.push(node);
    },
  }).visit(parsed(name, code));
  if (blocks.length !== 1 || code.split('__EACH_PROPERTY__').length !== 2) {
    throw new Error(`${name}: the block for each property is there ${blocks.length} times`);
  }
  const [{ start, end, consequent }] = blocks;
  const block = code.slice(consequent.start, consequent.end);
  return `${code.slice(0, start)}/*EACH*/${block}/*EACH*/${code.slice(end)}`;
}

async function agent(entry, { marks, finish }) {
  const { names, body } = await bundled(entry, { marks });
  const source = `let ${PRIVATE}A = __CONFIG__.armed; let ${PRIVATE}Now = 0; let ${PRIVATE}Get;
    let ${pattern(names)} = (() => { ${body} })();`;
  const text = finish(`${entry}.js`, source);
  const at = text.search(/let ?\{/);
  if (!text.slice(0, at).trimEnd().endsWith(`${PRIVATE}Get;`)) {
    throw new Error(`${entry}.js: the names are not where they were`);
  }
  return withMarks(`${entry}.js`, `${text.slice(0, at)}/*NAMES*/${text.slice(at)}`);
}

async function rearmed({ marks, finish }) {
  const { names, body } = await bundled('rearmed', { conditionNames: ['rearmed'], marks });
  const source = `((__CONFIG__) => {
    ${PRIVATE}E.disarm(); (${pattern(names)} = (() => { ${body} })()); ${PRIVATE}A = true;
  })`;
  return withMarks('rearmed.js', finish('rearmed.js', source));
}

async function inputsOnly({ marks, finish }) {
  const before = `const __CONFIG__ = { post: '${PRIVATE}B' };`;
  const { names, body } = await bundled('inputs-only', { before, marks });
  const source = `const ${pattern(names)} = (() => { ${body} })();`;
  return finish('inputs-only.js', source);
}

// A script of js/page/: one expression, the function that the module exports. What the module does not use is left out;
// names stay, for they are in what such a script throws.
async function page(entry, { marks = unmarked, finish }) {
  const build = await rolldown({
    input: here(`js/page/${entry}.js`).pathname,
    platform: 'neutral',
    onLog(level, log) { throw new Error(`page/${entry}: ${level}: ${log.message}`); },
  });
  const { output: [chunk] } = await build.generate({
    format: 'esm', comments: false, minify: false, sourcemap: marks !== unmarked,
  });
  await build.close();
  const code = marks(chunk);
  const end = /\bexport \{ (\w+) \};?\s*$/.exec(code);
  if (end === null) throw new Error(`page/${entry}: not one export at the end`);
  const wrapped = `(() => { ${code.slice(0, end.index)} return ${end[1]}; })()`;
  if (finish === readable) return wrapped;
  const { code: text, errors } = minifySync(`${entry}.js`, wrapped, {
    module: false, compress: false, mangle: false, codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`page/${entry}: ${errors[0].message}`);
  return `${text.replace(/;\s*$/, '')}\n`;
}

// The texts of all bundles by their names: as they are committed, or with the marks that `marks` puts into what
// rolldown gives (`code`, `map`), and readable.
export async function bundles(marks) {
  const how = marks === undefined ? { finish: minified } : { marks, finish: readable };
  return {
    'agent.js': await agent('agent', how), 'logging.js': await agent('logging', how), 'rearmed.js': await rearmed(how),
    'inputs-only.js': await inputsOnly(how), 'selectors.js': await page('selectors', how),
    'frames.js': await page('frames', how), 'recorder.js': await page('recorder', how),
  };
}

async function build() {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  for (const [name, text] of Object.entries(await bundles())) {
    const path = here(`dist/${name}`);
    if (!values.check) await writeFile(path, text);
    else if (await readFile(path, 'utf8').catch(() => '') !== text) {
      const advice = 'run `cargo xtask agent` and commit what it writes';
      console.error(`agent/dist/${name} is not what agent/js gives: ${advice}`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] === import.meta.filename) await build();
