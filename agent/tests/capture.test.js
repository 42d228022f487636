// Capture inside the page: how long variables are read, and where not any more.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// Reading this variable takes a while.
const SLOW = '() => ({ s: [["local", { v: slow }]], w: [] })';

function pageThatReadsSlowly(foundOwners) {
  const page = pageWith({ watch: ['p'], ask: [{ key: 'p' }], capture: true, foundOwners });
  page.run(`globalThis.slow = () => { const until = Date.now() + 60; while (Date.now() < until); return 7; };
    globalThis.often = {}; globalThis.once = {};
    globalThis.write = (site, owner, value) => { $QpW(site, owner, 'p', value, ${SLOW}); owner.p = value; };`);
  return page;
}
const captured = (page, root) => page.at(root)[0].captured;

test('a place at which is written often leaves time to others', () => {
  const page = pageThatReadsSlowly([]);
  page.run('for (let value = 1; value <= 6; value++) write(11, often, value); write(12, once, 1)');
  assert.equal(captured(page, 'often').short, true);
  assert.deepEqual(captured(page, 'often').scopes, []);
  assert.equal(captured(page, 'once').short, false);
  assert.equal(captured(page, 'once').scopes[0].variables[0].text, '7');
});

test('the owner that was found before is read for longer', () => {
  // Owners are numbered by their first write.
  const page = pageThatReadsSlowly([1]);
  page.run('for (let value = 1; value <= 6; value++) write(11, often, value)');
  assert.equal(captured(page, 'often').short, false);
  assert.equal(captured(page, 'often').scopes[0].variables[0].text, '7');
});
