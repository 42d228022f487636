// Scripts in memory: their addresses are replaced where they are used to run them, and nowhere else.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

// A browser has workers and addresses of blobs; these remember what they were given.
const BROWSER = `
  let number = 0;
  globalThis.freed = [];
  URL.createObjectURL = function createObjectURL(blob) { return 'blob:http://shop.test/' + ++number; };
  URL.revokeObjectURL = function revokeObjectURL(address) { freed.push(address); };
  globalThis.Worker = class Worker { constructor(address) { this.address = String(address); } };`;

function page() {
  const handed = [];
  const made = pageWith({ driven: true }, {
    before: BROWSER,
    rewrite(request) {
      handed.push(request);
      return { text: 'rewritten', type: 'text/javascript' };
    },
  });
  return { ...made, handed };
}

test('a worker of a blob gets the address of the rewritten text, once for each address', () => {
  const made = page();
  made.run("globalThis.address = URL.createObjectURL(new Blob(['f()'], { type: 'text/javascript' }))");
  assert.equal(made.run('address'), 'blob:http://shop.test/1', 'the page has its own address');
  assert.equal(made.run('new Worker(address).address'), 'blob:http://shop.test/2');
  assert.equal(made.run('new Worker(address).address'), 'blob:http://shop.test/2');
  assert.equal(made.handed.length, 1);
  const { kind, module, type, document } = made.handed[0];
  assert.deepEqual([kind, module, type, document], ['memory', false, 'text/javascript', true]);
});

test('a module worker is another script than a classic one', () => {
  const made = page();
  made.run(`globalThis.address = URL.createObjectURL(new Blob(['f()']));
    new Worker(address); new Worker(address, { type: 'module' })`);
  assert.deepEqual(made.handed.map(({ module }) => module), [false, true]);
});

test('import() and import.meta know the two addresses', () => {
  const made = page();
  made.run("globalThis.address = URL.createObjectURL(new Blob(['export {}'])); globalThis.ours = $QpCi(address)");
  assert.equal(made.run('ours'), 'blob:http://shop.test/2');
  assert.equal(made.run('$QpCu(ours)'), made.run('address'));
  assert.equal(made.run("$QpCi('./other.js')"), './other.js');
});

test('a data: address is replaced as well, and others stay', () => {
  const made = page();
  assert.match(made.run("new Worker('data:text/javascript,f()').address"), /^blob:/);
  assert.equal(made.handed[0].address, 'data:text/javascript,f()');
  assert.equal(made.run("new Worker('/worker.js').address"), '/worker.js');
  assert.equal(made.run("new Worker('blob:http://shop.test/99').address"), 'blob:http://shop.test/99');
  assert.equal(made.handed.length, 1);
});

test('what is freed frees what replaces it', () => {
  const made = page();
  made.run(`globalThis.address = URL.createObjectURL(new Blob(['f()']));
    new Worker(address); URL.revokeObjectURL(address)`);
  assert.deepEqual([...made.window.freed], ['blob:http://shop.test/1', 'blob:http://shop.test/2']);
});

test('an object becomes an address where the worker does so itself, once', () => {
  const made = page();
  made.run(`globalThis.times = 0; globalThis.address = URL.createObjectURL(new Blob(['f()']));
    globalThis.worker = new Worker({ toString() { times++; return address; } })`);
  assert.equal(made.run('worker.address'), 'blob:http://shop.test/2');
  assert.equal(made.window.times, 1);
});
