// Which modules of the agent there are, and what is part of which bundle.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const folder = new URL('../js/', import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), 'utf8');
const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
const IMPORT = /^(?:import|export|\}) (?:[^;]*? ?from )?'([^']+)';/gm;
const importsOf = (name) => [...text(name).matchAll(IMPORT)].map(([, from]) => from)
  .filter((from) => !from.slice(2).includes('/'));

// What is part of the bundle of `entry`; `persistent`: what represents `#persistent` in it.
function bundle(entry, persistent) {
  const names = new Set();
  const add = (name) => {
    if (names.has(name)) return;
    names.add(name);
    for (const from of importsOf(name)) add(from === '#persistent' ? persistent : from.slice(2));
  };
  add(entry);
  return names;
}

test('each module is part of a bundle', () => {
  const parts = new Set([
    ...bundle('logging.js', 'persistent.js'), ...bundle('rearmed.js', 'shared.js'), ...bundle('inputs-only.js'),
    'log-encoder.js', 'log-packing.js',
  ]);
  assert.deepEqual(modules.filter((name) => !parts.has(name)), []);
});

// What lasts would be evaluated a second time, with a state of its own.
test('what lasts is no part of one more question', () => {
  const lasting = importsOf('persistent.js').map((from) => from.slice(2));
  assert.ok(lasting.includes('code.js') && lasting.includes('links.js'), lasting.join());
  const parts = bundle('rearmed.js', 'shared.js');
  assert.ok(parts.has('realm.js') && parts.has('stops.js'));
  assert.deepEqual(lasting.filter((name) => parts.has(name)), []);
});

test('what lasts is put in place before what a question replaces', () => {
  const [first, second, ...others] = importsOf('question.js');
  assert.deepEqual([first, second], ['./installed.js', '#persistent']);
  assert.ok(others.includes('./built-ins.js') && others.includes('./dom-tree.js'));
  // None of what lasts takes a built-in that a question has replaced already.
  const before = bundle('persistent.js');
  assert.deepEqual([...before].filter((name) => importsOf(name).includes('./installed.js')), []);
});

test('what Rust writes in is where the interface says', () => {
  const has = (mark) => modules.filter((name) => text(name).replaceAll(/^ *\/\/.*$/gm, '').includes(mark));
  assert.deepEqual(has('__CONFIG__'), ['config.js']);
  assert.deepEqual(has('__EACH_PROPERTY__'), ['changes.js']);
  assert.deepEqual(has('__SLOT__'), ['changes.js']);
});
