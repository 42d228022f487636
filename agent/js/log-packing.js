// Packs a batch of the event log before it leaves the page: handing a byte to the driver costs the page more than
// finding out that it was there before. The format is described in `event-log/src/wire/packing.rs`, which unpacks it.

import { ArrayBuffer, imul, Int32Array, Uint8Array } from './captured.js';

// QPZ1
const MAGIC = [0x51, 0x50, 0x5a, 0x31];
// A repetition is at least so many words: fewer take as many bytes as they are.
const SHORTEST = 4;
// Where a pair of words was last is kept for so many bits of its hash.
const BITS = 13;
// A number takes at most so many bytes.
const NUMBER = 5;

/** @returns what packs the first so many words; the bytes are those of the next batch once that is packed */
export function logPacking() {
  let room = 0;
  let buffer = new ArrayBuffer(room);
  let bytes = new Uint8Array(buffer);

  // Numbers are written where they are needed, into variables of the function's own: engines keep these in registers.

  // Seven bits a byte, the lowest first; the highest bit of a byte says that there is another.
  /** @param {Uint8Array} out @param {number} from @param {number} value */
  function put(out, from, value) {
    let at = from;
    let rest = value >>> 0;
    while (rest > 127) {
      out[at++] = rest & 127 | 128;
      rest >>>= 7;
    }
    out[at++] = rest;
    return at;
  }

  /**
   * @param {Uint8Array} out @param {number} from @param {Int32Array} words @param {number} first
   * @param {number} end
   */
  function literally(out, from, words, first, end) {
    let at = put(out, from, end - first);
    for (let index = first; index < end; index++) {
      const word = words[index];
      // Most are small, or parts of fractions, which take five bytes.
      if (word >= 0) {
        if (word < 1 << 7) {
          out[at++] = word;
          continue;
        }
        if (word < 1 << 14) {
          out[at] = word & 127 | 128;
          out[at + 1] = word >> 7;
          at += 2;
          continue;
        }
        if (word < 1 << 21) {
          out[at] = word & 127 | 128;
          out[at + 1] = word >> 7 & 127 | 128;
          out[at + 2] = word >> 14;
          at += 3;
          continue;
        }
        if (word < 1 << 28) {
          out[at] = word & 127 | 128;
          out[at + 1] = word >> 7 & 127 | 128;
          out[at + 2] = word >> 14 & 127 | 128;
          out[at + 3] = word >> 21;
          at += 4;
          continue;
        }
      }
      out[at] = word & 127 | 128;
      out[at + 1] = word >>> 7 & 127 | 128;
      out[at + 2] = word >>> 14 & 127 | 128;
      out[at + 3] = word >>> 21 & 127 | 128;
      out[at + 4] = word >>> 28;
      at += 5;
    }
    return at;
  }

  /** @param {Int32Array} words @param {number} length */
  return (words, length) => {
    const most = NUMBER * (length + 3) + 3 * NUMBER * (length / SHORTEST + 1);
    if (room < most) {
      // All or nothing: the stack may end here.
      const larger = new ArrayBuffer(most);
      bytes = new Uint8Array(larger);
      buffer = larger;
      room = most;
    }
    const out = bytes;
    for (let index = 0; index < 4; index++) out[index] = MAGIC[index];
    let at = put(out, 4, length);
    const places = new Int32Array(1 << BITS);
    let written = 0;
    let index = 0;
    // What does not repeat is looked at less and less closely.
    let misses = 0;
    while (index + SHORTEST <= length) {
      const first = words[index];
      const second = words[index + 1];
      const slot = (imul(first, 0x9e3779b1) ^ imul(second, 0x85ebca6b)) >>> 32 - BITS;
      const before = places[slot] - 1;
      places[slot] = index + 1;
      if (before < 0 || words[before] !== first || words[before + 1] !== second
        || words[before + 2] !== words[index + 2] || words[before + 3] !== words[index + 3]) {
        index += 1 + (misses++ >> 6);
        continue;
      }
      misses = 0;
      let count = SHORTEST;
      while (index + count < length && words[before + count] === words[index + count]) count++;
      at = literally(out, at, words, written, index);
      at = put(out, at, count);
      at = put(out, at, index - before);
      index += count;
      written = index;
    }
    at = literally(out, at, words, written, length);
    return new Uint8Array(buffer, 0, at);
  };
}
