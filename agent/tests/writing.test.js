// What a page writes into its document in pieces: each script in it runs rewritten, once, and is read as written.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith, rewritten } from './realm.js';

function page() {
  const handed = [];
  const made = pageWith({ driven: true }, {
    rewrite(request) {
      handed.push(request);
      if (request.kind !== 'markup') return rewritten(request.text);
      // As the rewriter of HTML gives it: scripts and handlers.
      return request.text
        .replace(/(<script>)([^]*?)(<\/script)/g, (_, open, text, close) => open + rewritten(text) + close)
        .replace(/onclick="([^"]*)"/g, (_, text) => `onclick="${rewritten(text)}"`);
    },
  });
  const write = (...pieces) => {
    made.run('document.open()');
    for (const piece of pieces) made.run(`document.write(${JSON.stringify(piece)})`);
    made.run('document.close()');
  };
  return { ...made, handed, write };
}
test('a handler in what is written runs rewritten, also where a tag comes in pieces', () => {
  const handler = '<u id=b onclick="globalThis.done = 1">x</u>';
  for (const pieces of [[`<body>${handler}`], ['<body><p>a</p>', handler]]) {
    const made = page();
    made.write(...pieces);
    made.document.getElementById('b').click();
    assert.deepEqual([made.window.done, made.window.hooks], [1, 1], pieces.join('|'));
  }
});

test('what has neither scripts nor handlers is not handed over', () => {
  const made = page();
  made.write('<body><p>a</p>');
  assert.equal(made.document.querySelector('p').textContent, 'a');
  assert.deepEqual(made.handed, []);
});

test('another document is written as it is', () => {
  const made = page();
  made.run(`var other = document.implementation.createHTMLDocument(''); other.open();
    other.write('<u onclick="f()">x</u>')`);
  assert.deepEqual(made.handed, []);
});
