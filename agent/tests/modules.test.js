// The modules are evaluated in one order, whatever they import from each other: see `js/question.js`.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const folder = new URL('../js/', import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), 'utf8');
const ENTRIES = [
  'agent.js', 'logging.js', 'rearmed.js', 'inputs-only.js', 'question.js', 'persistent.js', 'shared.js',
];
const modules = readdirSync(folder).filter((name) => name.endsWith('.js') && !ENTRIES.includes(name));
const IMPORT = /^(?:import|\}) (?:[^;]*? from )?'([^']+)';/gm;
const importsOf = (name) => [...text(name).matchAll(IMPORT)].map(([, from]) => from);

// From the last module to the first, by the first import of each.
function chain() {
  const names = [];
  for (let name = 'realm.js'; name !== undefined;) {
    names.push(name);
    const [, before] = /^import '([^']+)';/m.exec(text(name)) ?? [];
    if (before !== undefined) assert.equal(importsOf(name)[0], before, `${name} begins with another import`);
    name = before === '#persistent' ? /^import '\.\/([^']+)';/m.exec(text('persistent.js'))[1] : before?.slice(2);
  }
  return names;
}

test('each module is in the chain, or builds on none that is', () => {
  const names = chain();
  assert.equal(names.at(-1), 'stops.js');
  assert.equal(new Set(names).size, names.length);
  const others = modules.filter((name) => !names.includes(name));
  assert.ok(others.includes('captured.js') && others.length < 15, others.join());
  for (const name of others) {
    for (const from of importsOf(name)) assert.ok(others.includes(from.slice(2)), `${name} imports ${from}`);
  }
});

test('one more question begins where what lasts would be', () => {
  const names = chain();
  const [, before] = /^import '\.\/([^']+)';/m.exec(text('shared.js'));
  const lasting = names.slice(names.indexOf('dom-slots.js') + 1, names.indexOf(before));
  assert.ok(lasting.includes('code.js') && lasting.includes('links.js'), lasting.join());
  for (const name of names.filter((each) => !lasting.includes(each))) {
    for (const from of importsOf(name)) assert.ok(!lasting.includes(from.slice(2)), `${name} imports ${from}`);
  }
});

test('what Rust writes in stands where the interface says', () => {
  const has = (mark) => modules.filter((name) => text(name).replaceAll(/^ *\/\/.*$/gm, '').includes(mark));
  assert.deepEqual(has('__CONFIG__'), ['config.js']);
  assert.deepEqual(has('__EACH_PROPERTY__'), ['records.js']);
  assert.deepEqual(has('__SLOT__'), ['records.js']);
});
