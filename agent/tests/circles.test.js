// Which modules of the agent import each other's names in a circle. The list only becomes shorter: a module that is in
// no circle any more is taken off, and none comes on it. An import without names is none of it: it says in which order
// modules are evaluated (see `js/question.js`), which is what lets the others be in a circle.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'rolldown/utils';

const ALLOWED = [
  'accessors.js', 'beginnings.js', 'built-ins.js', 'capture.js', 'code.js', 'conditions.js', 'created-objects.js',
  'document_text.js', 'dom-changes.js', 'dom-hooks.js', 'dom-input.js', 'dom-new.js', 'dom-notes.js', 'dom-platform.js',
  'dom-slots.js', 'dom-state.js', 'dom-tree.js', 'dom-unchanged.js', 'entries.js', 'events.js', 'following.js',
  'insertion.js', 'last-writers.js', 'linked.js', 'live-calls.js', 'live-derived.js', 'live-dom.js', 'live-entries.js',
  'live-parts.js',
  'live-states.js', 'live-storage.js', 'log.js', 'memory.js', 'modules.js', 'objects.js', 'page-reads.js',
  'persistent.js', 'properties.js', 'prototypes.js', 'realm.js', 'records.js', 'references.js', 'reproduction.js',
  'shadows.js', 'stops.js', 'traps.js', 'variables.js',
];

// The modules below `js/`, each with those that it imports.
async function importsOf(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort();
  const pairs = names.map(async (name) => {
    const { module, errors } = parseSync(name, await readFile(new URL(name, folder), 'utf8'), { sourceType: 'module' });
    assert.deepEqual(errors, [], name);
    const sources = [
      ...module.staticImports.filter((it) => it.entries.length > 0).map((it) => it.moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) => entries.flatMap((it) => it.moduleRequest?.value ?? [])),
    ];
    // One that begins with `#` is one of two modules (package.json).
    const resolved = sources.flatMap((it) => (it === '#persistent' ? ['persistent.js', 'shared.js']
      : [posix.join(posix.dirname(name), it)]));
    return [name, new Set(resolved)];
  });
  return new Map(await Promise.all(pairs));
}

// The groups of modules that reach each other: Tarjan's algorithm.
export function circles(imports) {
  const found = [];
  const numbers = new Map();
  const lowest = new Map();
  const open = [];
  const visit = (name) => {
    numbers.set(name, numbers.size);
    lowest.set(name, numbers.get(name));
    open.push(name);
    for (const next of imports.get(name) ?? []) {
      if (!numbers.has(next)) visit(next);
      if (open.includes(next)) lowest.set(name, Math.min(lowest.get(name), lowest.get(next)));
    }
    if (lowest.get(name) !== numbers.get(name)) return;
    const group = open.splice(open.indexOf(name)).sort();
    if (group.length > 1 || imports.get(name)?.has(name)) found.push(group);
  };
  for (const name of imports.keys()) visit(name);
  return found;
}

test('circles are found', () => {
  const imports = { a: ['b'], b: ['c', 'd'], c: ['a'], d: ['e'], e: [], f: ['f'], g: ['h'], h: ['g', 'a'] };
  const found = circles(new Map(Object.entries(imports).map(([name, to]) => [name, new Set(to)])));
  assert.deepEqual(found, [['a', 'b', 'c'], ['f'], ['g', 'h']]);
});

test('no module is in a circle but those that were', async () => {
  const imports = await importsOf(new URL('../js/', import.meta.url));
  assert.ok(imports.size > 90, `${imports.size} modules`);
  for (const [name, to] of imports) for (const other of to) assert.ok(imports.has(other), `${name} imports ${other}`);
  const found = circles(imports).flat();
  assert.deepEqual(found.filter((name) => !ALLOWED.includes(name)), [], 'these are in a circle now');
  assert.deepEqual(ALLOWED.filter((name) => !found.includes(name)), [], 'take these off the list');
});
