// The encoder of the event log. What it writes here is kept in `event-log/tests/wire/encoder.words`, which the
// decoder's test reads: `UPDATE_WIRE=1 node --test tests/log-encoder.test.js` writes it anew.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import test from 'node:test';
import { CONSTANTS, logEncoder } from '../js/log-encoder.js';

const FIXTURE = new URL('../../event-log/tests/wire/encoder.words', import.meta.url);

function encoder(size) {
  const batches = [];
  const hooked = new Map();
  const encode = logEncoder({
    stream: 1, size,
    send: (words, count) => batches.push(words.slice(0, count)),
    classOf: (value) => typeof value === 'symbol' ? value.description ?? '' : 'Object',
    functionOf: (callee) => hooked.get(callee) ?? 0,
    nameOf: (callee) => callee.name,
  });
  return { encode, batches, hooked };
}

// Every record and every kind of value once.
function everything(size) {
  const { encode, batches, hooked } = encoder(size);
  const cart = {};
  function add() {}
  hooked.set(add, 2);
  encode.task('click', 0, '#add', 12.5);
  encode.enter(1);
  const scope = encode.scope(1, 0);
  encode.callSite(1, add, cart, [1, 'two', cart]);
  encode.enter(2);
  encode.activation(7);
  encode.passed(cart, [1, 'two', cart]);
  const inner = encode.scope(2, scope);
  for (const value of [
    undefined, null, true, false, 0, -0, NaN, 1.5, -1, 2 ** 27 - 1, -(2 ** 27), 2 ** 27, Infinity, '', 'two', 'π\ud800',
    'x'.repeat(256), 'x'.repeat(257), Symbol.iterator, 12345678901234567890n, 10n ** 300n, cart, add,
    CONSTANTS.absent, CONSTANTS.uninitialised, CONSTANTS.accessor, CONSTANTS.unknown,
  ]) encode.assign(2, inner, value);
  encode.write(3, cart, 5);
  encode.writeKey(4, cart, 'key', CONSTANTS.absent);
  encode.writeEntry(4, cart, NaN, true);
  encode.create(5, {});
  encode.branch(6, true);
  encode.branch(6, false);
  encode.branchCase(6, -1, 'three');
  encode.step(7);
  encode.contents(cart, 3, ['a', 1, 'b', 2]);
  encode.suspend(8, 7, cart);
  encode.resume(7, 1, 'late');
  encode.threw(9, 'wrong');
  encode.unwind(2);
  encode.caught(10, 'wrong');
  encode.leaf(2);
  encode.settle(0, cart, true, 1);
  encode.schedule(1, 'timeout', 1, add);
  encode.dom(3, 'textContent', cart, 'Total: 5');
  encode.request(1, 1, 'GET /cart', undefined);
  encode.response(1, 200, '{}');
  encode.action('click', '#add', undefined);
  encode.message(1, 'log', 'done');
  encode.uncaught('wrong', 'Uncaught wrong');
  encode.gap(1, 3);
  encode.clock(20);
  encode.runHash(-1);
  encode.branchBits(1, [5, -1]);
  encode.callEnd(1, 'given');
  encode.returnedValue(11, cart);
  encode.returned(1);
  encode.taskEnd();
  encode.flush();
  return batches;
}

test('what it writes is what the decoder reads', async () => {
  const text = everything(1 << 16).map((batch) => `${[...batch].join(' ')}\n`).join('');
  if (process.env.UPDATE_WIRE === '1') await writeFile(FIXTURE, text);
  assert.equal(text, await readFile(FIXTURE, 'utf8'));
});

test('small batches have the same records, and no record goes over the end of one', () => {
  const whole = everything(1 << 16);
  assert.equal(whole.length, 1);
  const parts = everything(300);
  assert.ok(parts.length > 4, `${parts.length} batches`);
  assert.deepEqual(parts.flatMap((batch) => [...batch.slice(8)]), [...whole[0].slice(8)]);
  parts.forEach((batch, number) => {
    assert.equal(batch[2], number);
    assert.equal(batch[3], batch.length - 8);
  });
});

test('nothing of the page runs', () => {
  const { encode, batches } = encoder(1 << 16);
  const trap = () => assert.fail('a trap ran');
  const handler = new Proxy({}, { get: trap });
  const object = new Proxy({ get a() { return trap(); } }, handler);
  encode.assign(1, 0, object);
  encode.write(1, object, new Proxy(() => 0, { getPrototypeOf: trap, has: trap }));
  encode.flush();
  assert.equal(batches.length, 1);
});

test('a text that grows is not kept', () => {
  const { encode, batches } = encoder(1 << 12);
  let text = '';
  for (let index = 0; index < 1000; index++) encode.assign(1, 0, text += 'x');
  encode.flush();
  const words = batches.reduce((sum, batch) => sum + batch.length, 0);
  assert.ok(words < 1000 * 4 + 256 * 130, `${words} words`);
});
