// Hands batches of words over to the driver, in base64.

import { apply, now, realm, Uint8Array } from '../captured.js';
import { append } from '../basics.js';
import { wasPaused } from '#persistent';
import { logPacking } from '../log-packing.js';
import { settings } from './settings.js';

const send = /** @type {((text: string) => void) | undefined} */ (realm[settings.binding]);
if (typeof send === 'function') delete realm[settings.binding];
const { toBase64 } = /** @type {{ toBase64?: () => string }} */ (/** @type {unknown} */ (Uint8Array.prototype));

// What could not be sent yet: the stack was at its end.
/** @typedef {{ __proto__: null, words: Int32Array, count: number, isSent: boolean }} Batch */
/** @type {Batch[]} */
let unsent = [];
const pack = logPacking();

// Takes a batch. It is thrown only where it was not taken: what goes wrong behind that is done again with the next one.
/** @param {Int32Array} words @param {number} count */
export function post(words, count) {
  append(unsent, { __proto__: null, words, count, isSent: false });
  try {
    sendAll();
  } catch { /* the stack is at its end */ }
}

function sendAll() {
  for (let index = 0; index < unsent.length; index++) {
    const batch = unsent[index];
    if (batch.isSent || typeof send !== 'function') continue;
    const bytes = pack(batch.words, batch.count);
    send(typeof toBase64 === 'function' ? apply(toBase64, bytes, []) : base64(bytes));
    // At once: none is sent twice.
    batch.isSent = true;
    sent += batch.count;
  }
  unsent = [];
  if (sent > MOST_SENT) {
    drain();
    sent = 0;
  }
}

// So many words are on their way at most: then the page pauses until the driver has taken them.
const MOST_SENT = 1 << 21;
let sent = 0;
function drain() {
  const since = now();
  debugger;
  wasPaused(now() - since);
}

// Where the realm has no such method.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const word = bytes[at] << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0);
    text += DIGITS[word >> 18] + DIGITS[word >> 12 & 63]
      + (at + 1 < bytes.length ? DIGITS[word >> 6 & 63] : '=') + (at + 2 < bytes.length ? DIGITS[word & 63] : '=');
  }
  return text;
}
