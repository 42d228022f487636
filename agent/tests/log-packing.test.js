// What packs the batches of the event log. What it gives is kept in `event-log/tests/wire/packed.txt`, which the test
// of what unpacks it reads: `UPDATE_WIRE=1 node --test tests/log-packing.test.js` writes it anew.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import test from 'node:test';
import { logPacking } from '../js/log-packing.js';

const FIXTURE = new URL('../../event-log/tests/wire/packed.txt', import.meta.url);

// Always the same numbers.
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return (state >>> 8) % below;
  };
}

// Batches with more and with fewer repetitions, and the shortest ones.
function batches() {
  const below = numbers(7);
  const all = [[], [0], [-1, 1, -(2 ** 31), 2 ** 31 - 1], [5, 5, 5], [5, 5, 5, 5, 5, 5, 5, 5, 5, 5]];
  for (const kinds of [1, 2, 5, 40, 2 ** 24]) {
    const words = [];
    while (words.length < 300) {
      if (below(3) === 0 && words.length > 10) {
        const from = below(words.length - 5);
        words.push(...words.slice(from, from + 3 + below(30)));
      } else {
        words.push(below(kinds) - below(2) * kinds);
      }
    }
    all.push(words);
  }
  return all;
}

test('what it packs is what the driver unpacks', async () => {
  const pack = logPacking();
  let text = '';
  for (const words of batches()) {
    const bytes = pack(Int32Array.from([...words, 99, 99, 99]), words.length);
    text += `${words.join(' ')}\t${Buffer.from(bytes).toString('base64')}\n`;
  }
  if (process.env.UPDATE_WIRE === '1') await writeFile(FIXTURE, text);
  assert.equal(text, await readFile(FIXTURE, 'utf8'));
});

test('what repeats takes little, and what does not hardly more than before', () => {
  const pack = logPacking();
  const loop = Int32Array.from({ length: 1 << 16 }, (_, index) => index % 12 << 5 | 8);
  assert.ok(pack(loop, loop.length).length < 100);
  const below = numbers(3);
  const noise = Int32Array.from({ length: 1 << 16 }, () => below(2 ** 24) << 8 | below(256));
  assert.ok(pack(noise, noise.length).length < 5 * noise.length + 100);
});
