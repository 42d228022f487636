// A chain of questions: what is asked at a change of one property is not worked out there, if the record that has the
// answer can be kept instead.

import assert from 'node:assert/strict';
import test from 'node:test';
import { configOf, pageWith } from './realm.js';

// `C = lastChange(B:box.c)` at each change of `box.b` that `B = lastChange(R:box.b)` may be about.
const { roots: [asked] } = configOf({ ask: [{ query: 1, key: 'c' }] });
const CHAIN = {
  watch: [{ key: 'b', askedThere: [asked] }, { key: 'c', isAskedThere: true }],
  ask: [{ key: 'b', askedThere: [1] }],
};

function pageOfChain() {
  const page = pageWith(CHAIN);
  page.run('var box = {}, looks = 0; var context = () => ({ d: [() => { looks++; return box; }] })');
  const write = (key, value, site) => (
    page.run(`$QpW(${site}, box, '${key}', ${value}, context); box.${key} = ${value}`));
  return { ...page, write };
}

test('the answer to the question at a change is what was the last one then', () => {
  const page = pageOfChain();
  for (const [key, value, site] of [['c', 1, 11], ['b', 1, 12], ['c', 2, 13], ['b', 2, 14], ['c', 3, 15]]) {
    page.write(key, value, site);
  }
  const { 0: answer } = page.at('box');
  assert.deepEqual([answer.site, answer.askedThere[1].site, answer.askedThere[1].value.text], [14, 13, '2']);
});

test('once the record is known, a change looks at the object once, and asks nothing', () => {
  const page = pageOfChain();
  const looks = (...writes) => {
    page.run('looks = 0');
    for (const write of writes) page.write(...write);
    return page.run('looks');
  };
  page.write('c', 1, 11);
  // The first takes the whole look.
  assert.equal(looks(['b', 1, 12]), 1);
  assert.equal(looks(['b', 2, 12]), 1);
  // What is an accessor now takes it again.
  page.run("Object.defineProperty(box, 'c', { get: () => 7 })");
  assert.equal(looks(['b', 3, 12]), 2);
});
