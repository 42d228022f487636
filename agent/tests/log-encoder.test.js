// The encoder of the event log. What it writes here is kept in `event-log/tests/wire/encoder.words`, which the
// decoder's test reads: `UPDATE_WIRE=1 node --test tests/log-encoder.test.js` writes it anew.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import test from 'node:test';
import { CONSTANTS, logEncoder } from '../js/log-encoder.js';

const FIXTURE = new URL('../../event-log/tests/wire/encoder.words', import.meta.url);

function encoder(size, longestText) {
  const batches = [];
  const hooked = new Map();
  const encode = logEncoder({
    stream: 1, size, longestText,
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

// A text of 257 units that is kept whole, and two that begin alike and are identified.
function longTexts() {
  const { encode, batches } = encoder(1 << 16, 257);
  encode.writeKey(4, {}, 'key', 'x'.repeat(257));
  for (const length of [258, 259, 258]) encode.assign(2, 0, 'x'.repeat(length));
  encode.flush();
  return batches;
}

// What was assigned: `whole`, `cut`, or the number of a text that is identified.
function assigned(batches) {
  const found = [];
  for (const batch of batches) {
    for (let at = 8; at < batch.length;) {
      const code = batch[at] & 31;
      if (code === 1) {
        at += 1 + ((batch[at] >>> 5) + 1 >> 1);
      } else {
        assert.equal(code, 20);
        const tag = batch[at + 2] & 15;
        found.push(tag === 3 ? 'whole' : tag === 4 ? 'cut' : batch[at + 2] >>> 4);
        at += tag === 3 ? 3 : 4;
      }
    }
  }
  return found;
}

test('what it writes is what the decoder reads', async () => {
  const batches = [...everything(1 << 16), ...longTexts()];
  const text = batches.map((batch) => `${[...batch].join(' ')}\n`).join('');
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

test('an object has one number, whatever was looked up since, and in the next task too', () => {
  const { encode, batches } = encoder(1 << 12);
  const objects = [{}, {}, {}, {}];
  for (const object of objects) encode.known(object);
  const numbers = objects.map((object) => encode.numberOf(object));
  assert.deepEqual([...new Set(numbers)].filter((number) => number > 0), numbers);
  const writes = [[0, 1, 0, 1, 1], [3, 2, 1, 0], [0, 0, 2, 2, 3, 3]];
  for (const by of writes) {
    encode.task('click', 0, undefined, 0);
    for (const which of by) encode.write(1, objects[which], 5);
    encode.taskEnd();
  }
  encode.flush();
  // The record of a write: its code, the owner, the value.
  const words = batches.flatMap((batch) => [...batch]);
  const owners = words.filter((_, at) => words[at - 1] === (1 << 5 | 17) && words[at + 1] === (5 << 4 | 1));
  assert.deepEqual(owners, writes.flat().map((which) => numbers[which] << 4 | 5));
});

test('a batch that could not be taken is handed over later, once, and only the records between are missing', () => {
  const batches = [];
  let refusals = 3;
  const encode = logEncoder({
    stream: 1, size: 64, classOf: () => '', functionOf: () => 0, nameOf: () => '',
    send(words, count) {
      if (batches.length === 2 && refusals-- > 0) throw new RangeError('the stack is at its end');
      batches.push(words.slice(0, count));
    },
  });
  let missed = 0;
  for (let index = 0; index < 200; index++) {
    try {
      encode.assign(1, 0, index);
    } catch {
      encode.recover();
      missed++;
    }
  }
  encode.flush();
  assert.equal(missed, 3);
  assert.deepEqual(batches.map((batch) => batch[2]), batches.map((_, number) => number));
  const values = batches.flatMap((batch) => [...batch.slice(8)]).filter((_, at) => at % 3 === 2);
  assert.equal(values.length, 197);
  assert.deepEqual(values, [...new Set(values)].sort((one, other) => one - other));
});

test('a record that was not finished is not in the log, though nothing took it back', () => {
  for (const [next, expected] of [
    [(encode) => encode.step(2), [2 << 5 | 25]],
    [(encode) => encode.entered(3), [3 << 5 | 8]],
    [(encode) => encode.left(3), [3 << 5 | 10]],
    [(encode) => encode.assign(1, 0, 7), [1 << 5 | 20, 0, 7 << 4 | 1]],
    [(encode) => encode.assign(1, 0, true), [1 << 5 | 20, 0, 2 << 4]],
    [(encode) => encode.callEnd(1, 7), [1 << 5 | 16, 7 << 4 | 1]],
    [() => undefined, []],
  ]) {
    const { encode, batches } = encoder(1 << 12);
    encode.step(1);
    encode.open(true);
    let reads = 0;
    // It is read once for its room, once for what it defines, and once when it is written.
    const values = { length: 2, 0: 5, get 1() { if (++reads === 3) throw new RangeError('the end'); return 6; } };
    assert.throws(() => encode.passed(undefined, values), RangeError);
    next(encode);
    encode.flush();
    assert.deepEqual(batches.flatMap((batch) => [...batch.slice(8)]), [1 << 5 | 25, ...expected]);
  }
});

test('a text that grows is not kept', () => {
  const { encode, batches } = encoder(1 << 12);
  let text = '';
  for (let index = 0; index < 1000; index++) encode.assign(1, 0, text += 'x');
  encode.flush();
  const words = batches.reduce((sum, batch) => sum + batch.length, 0);
  assert.ok(words < 1000 * 4 + 256 * 130, `${words} words`);
});

test('a text is whole up to the length that is asked for, and no shorter one is cut', () => {
  for (const [longestText, expected] of [
    [undefined, ['whole', 'cut', 'cut', 'cut']], [0, ['whole', 'cut', 'cut', 'cut']],
    [257, ['whole', 'whole', 3, 4]], [4096, ['whole', 'whole', 'whole', 4]],
  ]) {
    const { encode, batches } = encoder(1 << 16, longestText);
    for (const length of [256, 257, 4096, 4097]) encode.assign(1, 0, 'x'.repeat(length));
    encode.flush();
    assert.deepEqual(assigned(batches), expected, `${longestText}`);
  }
});

test('a record asks for the room that its texts need', () => {
  const written = (size) => {
    const { encode, batches } = encoder(size, 4096);
    const long = (letter) => letter.repeat(4096);
    encode.callSite(1, () => 0, long('a'), [long('b'), 1, long('c')]);
    encode.writeKey(1, {}, long('d'), long('e'));
    encode.contents([], 2, ['f', long('f'), 'g', long('g')]);
    encode.task('click', 0, long('h'), 1);
    encode.dom(3, 'textContent', {}, long('i'));
    encode.returnedValue(1, long('j'));
    encode.branchCase(1, 0, long('k'));
    encode.passed(long('l'), [long('m')]);
    encode.flush();
    return batches;
  };
  const [whole, ...none] = written(1 << 16);
  assert.equal(none.length, 0);
  const parts = written(300);
  assert.deepEqual(parts.flatMap((batch) => [...batch.slice(8)]), [...whole.slice(8)]);
  for (const batch of parts) assert.equal(batch[3], batch.length - 8);
  // Short texts need no more than before: a batch is not handed over early for what is not there.
  const { encode, batches } = encoder(500, 1 << 14);
  encode.writeKey(1, {}, 'key', 'value');
  encode.writeKey(1, {}, 'key', 'value');
  assert.equal(batches.length, 0);
});

test('of long texts that begin alike not all are whole, and each is what it was before', () => {
  const { encode, batches } = encoder(1 << 16, 340);
  const texts = [];
  for (let text = 'x'.repeat(300); texts.length < 100; text += 'x') texts.push(text);
  for (let round = 0; round < 2; round++) for (const text of texts) encode.assign(1, 0, text);
  encode.assign(1, 0, 'y'.repeat(300));
  encode.flush();
  // The numbers: one of each whole text before.
  const expected = texts.map((_, index) => (index < 41 ? 'whole' : index < 64 ? index + 1 : 'cut'));
  assert.deepEqual(assigned(batches), [...expected, ...expected, 'whole']);
});

test('long texts are whole until there are too many of them', () => {
  const { encode, batches } = encoder(1 << 16, 4096);
  for (let index = 0; index < 1100; index++) encode.assign(1, 0, `${index}`.padEnd(256, '-').padEnd(4096, 'x'));
  encode.flush();
  const found = assigned(batches);
  assert.deepEqual(found, found.map((_, index) => (index < 1024 ? 'whole' : 'cut')));
});
