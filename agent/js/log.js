// The log of the writes that one trace query counts, for the execution line: columns of numbers, handed over in
// batches.

import { Float64Array, is, Uint8Array } from './captured.js';
import { UNKNOWN } from './basics.js';
import { MOST_EVENTS } from './constants.js';
import { activation, sequence, token } from './counters.js';
import { post } from './post.js';
import { tell } from './telling.js';
import { unwrap } from './objects.js';
import { identityNumber } from './identities.js';
import { slots } from './slots.js';
import { writers } from './records.js';

const LOG_BATCH = 4096;
export const isLogging = slots.some((slot) => slot.logged);
const logRoom = isLogging ? LOG_BATCH : 0;
/**
 * @type {{ __proto__: null, sequences: Float64Array, sites: Float64Array, objects: Float64Array, changes: Uint8Array }}
 */
const logColumns = {
  __proto__: null, sequences: new Float64Array(logRoom), sites: new Float64Array(logRoom),
  objects: new Float64Array(logRoom), changes: new Uint8Array(logRoom),
};
let logSize = 0;
export let logged = 0;
let logLeftOut = 0;
// What the user did: see `actions.js`.
/** @type {[number, string][]} */
export let logMarks = [];

// A write that is about to happen: it has the next sequence number. `old` is UNKNOWN where only the platform has it.
/** @param {Site} site @param {PageValue} owner @param {PageValue} old @param {PageValue} value */
export function log(site, owner, old, value) {
  // More are counted and not logged.
  if (logged === MOST_EVENTS) {
    logLeftOut++;
    return;
  }
  const { sequences, sites, objects, changes } = logColumns;
  sequences[logSize] = sequence + 1;
  sites[logSize] = site;
  // The activations of variables, and objects, are numbered apart; a line is of one or the other, or of global
  // variables.
  objects[logSize] = owner === undefined ? activation : identityNumber(/** @type {PageObject} */ (unwrap(owner)));
  changes[logSize] = old === UNKNOWN || value === UNKNOWN || !is(old, value) ? 1 : 0;
  logged++;
  if (++logSize === LOG_BATCH) handOverLog();
}

/** @param {Float64Array | Uint8Array} column */
function columnText(column) {
  let text = '';
  for (let index = 0; index < logSize; index++) text += (index === 0 ? '' : ',') + column[index];
  return text;
}

// Posts what was not yet.
export function handOverLog() {
  if (logSize === 0 && logMarks.length === 0 && logLeftOut === 0) return;
  if (typeof post !== 'function') return;
  const { sequences, sites, objects, changes } = logColumns;
  const batch = {
    document: token, sequences: columnText(sequences), sites: columnText(sites), objects: columnText(objects),
    changes: columnText(changes), marks: logMarks, nativeFunctions: writers, leftOut: logLeftOut,
  };
  logSize = 0;
  logMarks = [];
  tell({ log: batch });
}
