// Which lines of the modules no unit test runs: `npm run coverage`, and with `-- FILE…` the lines of these modules.
//
// The tests run the bundles, so the lines are those of the modules from which a bundle's code comes. Into bundles whose
// names and white space stay, a comment is put before each piece of code that rolldown maps: the module's number, line
// and column. V8 counts what it runs in every realm of a test (`coverage-of-process.mjs`); a line is run if one of its
// pieces is, in any bundle.

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
import { bundles } from './build.mjs';

// No more lines than these are to be without a test: who adds code adds one.
const MOST_LINES = 950;
const root = join(import.meta.dirname, 'js');

// The places of a source map: [line and column of the bundle, module, line and column there], all from 0.
function placesOf({ mappings, sources }) {
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const places = [];
  let [source, line, column] = [0, 0, 0];
  for (const [row, text] of mappings.split(';').entries()) {
    let at = 0;
    for (const segment of text.split(',').filter((it) => it !== '')) {
      const fields = [];
      let [value, shift] = [0, 0];
      for (const letter of segment) {
        const digit = DIGITS.indexOf(letter);
        value += (digit & 31) << shift;
        shift += 5;
        if (digit & 32) continue;
        fields.push(value & 1 ? -(value >> 1) : value >> 1);
        [value, shift] = [0, 0];
      }
      at += fields[0];
      if (fields.length < 4) continue;
      source += fields[1];
      line += fields[2];
      column += fields[3];
      places.push({ row, at, module: sources[source], line, column });
    }
  }
  return places;
}

// The modules, each with its pieces of code, by their numbers.
const modules = [];
const numbers = new Map();
function numberOf(name) {
  if (!numbers.has(name)) {
    numbers.set(name, modules.length);
    modules.push({ name, pieces: new Set() });
  }
  return numbers.get(name);
}

function withPieces({ code: whole, map }) {
  const code = whole.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  // Within a template, a comment would be part of the text.
  const texts = [];
  const { program, errors } = parseSync('bundle.js', code, { sourceType: 'module', astType: 'js' });
  if (errors.length > 0) throw new Error(errors[0].message);
  new Visitor({ TemplateElement: ({ start, end }) => texts.push([start, end]) }).visit(program);
  // What a module exports is no code that runs.
  const exported = code.lastIndexOf('export {');
  const rows = code.split('\n');
  const starts = rows.map(() => 0);
  for (let row = 1; row < rows.length; row++) starts[row] = starts[row - 1] + rows[row - 1].length + 1;
  const inserted = new Map();
  for (const { row, at, module, line, column } of placesOf(map)) {
    const offset = starts[row] + at;
    // They are relative to the folder of the bundles.
    const name = relative(root, join(import.meta.dirname, 'dist', module));
    if (offset >= exported || name.startsWith('..')) continue;
    if (texts.some(([start, end]) => start <= offset && offset <= end)) continue;
    const number = numberOf(name);
    modules[number].pieces.add(`${line}:${column}`);
    inserted.set(offset, `/*@${number}:${line}:${column}*/`);
  }
  let [text, end] = ['', 0];
  for (const [offset, mark] of [...inserted].sort(([one], [other]) => one - other)) {
    text += code.slice(end, offset) + mark;
    end = offset;
  }
  return text + code.slice(end);
}

const folder = await mkdtemp(join(tmpdir(), 'agent-coverage-'));
try {
  for (const [name, text] of Object.entries(await bundles(withPieces))) await writeFile(join(folder, name), text);
  const known = modules.map(({ name, pieces }) => ({ url: `${pathToFileURL(join(root, name))}`, pieces: [...pieces] }));
  await writeFile(join(folder, 'modules.json'), JSON.stringify(known));
  const preload = new URL('coverage-of-process.mjs', import.meta.url);
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...await tests()], {
    cwd: import.meta.dirname, stdio: 'inherit',
    env: { ...process.env, AGENT_BUNDLES: `${pathToFileURL(folder)}/`, NODE_OPTIONS: `--import=${preload}` },
  });
  if (status !== 0) process.exitCode = 1;
  const run = modules.map(() => new Set());
  for (const name of (await readdir(folder)).filter((it) => it.startsWith('run-'))) {
    const ofProcess = JSON.parse(await readFile(join(folder, name), 'utf8'));
    for (const [number, pieces] of ofProcess.entries()) for (const piece of pieces) run[number].add(piece);
  }
  await report(run);
} finally {
  await rm(folder, { recursive: true });
}

async function tests() {
  const names = await readdir(join(import.meta.dirname, 'tests'));
  return names.filter((name) => name.endsWith('.test.js')).map((name) => join('tests', name));
}

async function report(run) {
  const linesOf = (pieces) => new Set([...pieces].map((piece) => +piece.split(':')[0] + 1));
  const table = modules.map(({ name, pieces }, number) => {
    const all = linesOf(pieces);
    const isRun = linesOf(run[number]);
    const missing = [...all].filter((line) => !isRun.has(line)).sort((one, other) => one - other);
    return { name, all: all.size, missing };
  }).sort((one, other) => other.missing.length - one.missing.length);
  for (const { name, all, missing } of table) {
    if (missing.length > 0) console.log(`${`${missing.length}`.padStart(5)} of ${`${all}`.padStart(4)}  js/${name}`);
  }
  const sum = (of) => table.reduce((total, it) => total + of(it), 0);
  const left = sum(({ missing }) => missing.length);
  console.log(`${left} of ${sum(({ all }) => all)} lines of code are run by no unit test`);
  if (left > MOST_LINES) {
    console.error(`at most ${MOST_LINES} are to be: write tests for what you add`);
    process.exitCode = 1;
  }
  for (const wanted of process.argv.slice(2)) {
    const { missing } = table.find(({ name }) => name === wanted || name === `${wanted}.js`);
    const rows = (await readFile(join(root, wanted.endsWith('.js') ? wanted : `${wanted}.js`), 'utf8')).split('\n');
    console.log(`\njs/${wanted}`);
    for (const line of missing) console.log(`${`${line}`.padStart(5)}  ${rows[line - 1]}`);
  }
}
