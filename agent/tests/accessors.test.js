// Getters that say what they read, instead of being run. The prefix of these tests is shorter than what represents it
// in the bundle: what is worked out of a name with it is worked out when it is there.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const SAYS = 'if($QpGet)return $QpGet([[() => this, "a"]],0,0);';

test('a rewritten getter is asked, and names what must be watched', () => {
  const page = pageWith({ watch: ['v'], ask: [{ key: 'v' }] });
  page.run(`globalThis.runs = 0; globalThis.o = { a: 1, get v() {\v\v${SAYS}\v\v runs++; return this.a; } }`);
  const answer = page.at('o')[0];
  assert.equal(answer.status, 'accessor');
  assert.deepEqual(answer.reads, [{ kind: 'variable', key: 'a' }]);
  assert.equal(page.window.runs, 0);
});

test('a getter that says nothing is not run either', () => {
  const page = pageWith({ watch: ['v'], ask: [{ key: 'v' }] });
  page.run('globalThis.runs = 0; globalThis.o = { get v() { runs++; return 1; } }');
  const answer = page.at('o')[0];
  assert.equal(answer.status, 'accessor');
  assert.equal(answer.reads, undefined);
  assert.match(answer.message, /whose getter could not be followed/);
  assert.equal(page.window.runs, 0);
});

test('the mark before a digest is taken away', async () => {
  const page = pageWith({ driven: true }, {
    html: '<!doctype html><body><script id=s integrity="$Qp-sha256-a $Qp-sha256-b">0</script></body>',
  });
  await new Promise((resolve) => { page.window.addEventListener('load', resolve); });
  page.run('$QpC()');
  assert.equal(page.document.getElementById('s').getAttribute('integrity'), 'sha256-a sha256-b');
});
