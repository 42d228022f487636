// No module of the agent is in a circle of imports: each is evaluated after all that it builds on.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'rolldown/utils';

// The modules below `js/`, each with those that it imports.
async function importsOf(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js')).sort();
  const pairs = names.map(async (name) => {
    const { module, errors } = parseSync(name, await readFile(new URL(name, folder), 'utf8'), { sourceType: 'module' });
    assert.deepEqual(errors, [], name);
    const sources = [
      ...module.staticImports.map((it) => it.moduleRequest.value),
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

test('no module is in a circle', async () => {
  const imports = await importsOf(new URL('../js/', import.meta.url));
  assert.ok(imports.size > 90, `${imports.size} modules`);
  for (const [name, to] of imports) for (const other of to) assert.ok(imports.has(other), `${name} imports ${other}`);
  assert.deepEqual(circles(imports), []);
});
