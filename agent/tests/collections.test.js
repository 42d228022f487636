// Entries of maps and members of sets: each method that writes one is named, with what the entry was after it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// The answer about `object.get(key)` (or `.has(key)`) after `code` has run.
function after(kind, code, key = 'a', given = {}) {
  const keyed = { kind, literal: key, keyDependent: null };
  const page = pageWith({ watch: [{ kind, allKeys: true, ...given }], ask: [{ keyed }] });
  page.run(code);
  return page.at('box')[0];
}
const told = ({ status, by, changes, value, same }) => ({ status, by, changes, value: value?.text, same });

const WRITES = [
  ['map', 'var box = new Map(); box.set("a", 1)', 'Map.prototype.set', 1, '1'],
  ['map', 'var box = new Map(); box.set("a", 1); box.set("a", 1); box.set("a", 2)', 'Map.prototype.set', 2, '2'],
  ['map', 'var box = new Map(); box.set("a", 1); box.delete("a")', 'Map.prototype.delete', 2, 'undefined'],
  ['map', 'var box = new Map(); box.set("a", 1); box.clear()', 'Map.prototype.clear', 2, 'undefined'],
  ['map', 'var box = new Map([["a", 1]])', 'Map.prototype.set', 1, '1'],
  ['set', 'var box = new Set(); box.add("a"); box.add("a")', 'Set.prototype.add', 1, 'true'],
  ['set', 'var box = new Set(["a"]); box.delete("a")', 'Set.prototype.delete', 2, 'false'],
  ['set', 'var box = new Set(["a"]); box.clear()', 'Set.prototype.clear', 2, 'false'],
];
for (const [kind, code, by, changes, value] of WRITES) {
  test(`${code}: ${by} is named`, () => {
    assert.deepEqual(told(after(kind, code)), { status: 'found', by, changes, value, same: true });
  });
}

test('an entry that nobody wrote, and a member that nobody added, never changed', () => {
  assert.deepEqual(told(after('map', 'var box = new Map([["b", 1]])')).status, 'never');
  assert.equal(after('set', 'var box = new Set(["b"])').status, 'never');
});

test('what is no collection, or one of the other kind, is an error', () => {
  assert.equal(after('map', 'var box = new Set(["a"])').message, 'its owner is no Map, whose entries get gives');
  assert.equal(after('set', 'var box = {}').message, 'its owner is no Set, whose members has finds');
});

test('of keys that nobody asks about nothing is kept', () => {
  const page = pageWith({
    watch: [{ kind: 'map', allKeys: false, keys: ['b'] }],
    ask: ['a', 'b'].map((literal) => ({ keyed: { kind: 'map', literal, keyDependent: null } })),
  });
  page.run('var box = new Map(); box.set("a", 1).set("b", 2)');
  const answers = page.at('box', 'box');
  assert.deepEqual([answers[0].status, answers[1].status], ['unseen', 'found']);
});

test('keys are the same as the collection has it: -0 is 0, NaN is NaN, and an object is itself', () => {
  const page = pageWith({
    watch: [{ kind: 'map', allKeys: true }],
    ask: [{ keyed: { kind: 'map', literal: null, keyDependent: 1 } }],
  });
  page.run(`var key = {}, box = new Map(); box.set(-0, 'zero').set(NaN, 'none').set(key, 'own').set({}, 'other')`);
  const answer = (key) => JSON.parse(page.run(
    `$QpE.at(() => ({ d: [() => box, () => (${key})] }))`)).report.hit.results[0];
  assert.deepEqual(['0', 'NaN', 'key'].map((key) => answer(key).value.text), ['"zero"', '"none"', '"own"']);
});

test('weak collections are followed as the others are', () => {
  const page = pageWith({
    watch: [{ kind: 'map', allKeys: true }, { kind: 'set', allKeys: true }],
    ask: ['map', 'set'].map((kind, dependent) => ({ dependent, keyed: { kind, literal: null, keyDependent: 2 } })),
  });
  page.run('var key = {}, map = new WeakMap(), set = new WeakSet(); map.set(key, 1); set.add(key); set.delete(key)');
  const { results } = JSON.parse(page.run('$QpE.at(() => ({ d: [() => map, () => set, () => key] }))')).report.hit;
  assert.deepEqual([results[0].by, results[1].by], ['WeakMap.prototype.set', 'WeakSet.prototype.delete']);
});

test('the size of a collection changes with what is added and deleted', () => {
  const page = pageWith({ watch: ['size'], ask: [{ key: 'size' }] });
  page.run('var box = new Set(["x"]); box.add("y"); box.add("y"); box.delete("x")');
  const { by, changes, value } = page.at('box')[0];
  assert.deepEqual([by, changes, value.text], ['Set.prototype.delete', 3, '1']);
});

test('a replaced method answers and throws as the original does', () => {
  const page = pageWith({ watch: [{ kind: 'map', allKeys: true }, { kind: 'set', allKeys: true }] });
  assert.equal(page.run('var m = new Map(); m.set("a", 1) === m && m.delete("a") && !m.delete("a")'), true);
  assert.throws(() => page.run('Map.prototype.set.call(new Set(), "a", 1)'), /Map/);
  assert.throws(() => page.run('new WeakMap().set(1, 1)'), /WeakMap|weak map/);
  assert.deepEqual(page.run('[Map.prototype.set.name, Map.prototype.set.length, Set.prototype.add.length]'),
    page.run('["set", 2, 1]'));
});
