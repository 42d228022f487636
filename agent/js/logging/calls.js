// Calls: where they are made and come back, and what code without hooks gave.

import { getOwnPropertyDescriptor, getPrototypeOf, is, isArray, ownKeys } from '../captured.js';
import { append, isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES, settings } from './settings.js';
import { kindOf, UNTOLD } from './values.js';
import { encoder, forgetReturned, goOn, hasReturned, lastReturned, missed, safely } from './running.js';
import { contents } from './contents.js';
import { tellInnerState } from './inner-state.js';

// Where a call is made.
/** @param {number} site */
export function Ln(site) {
  forgetReturned();
  try { encoder.step(site); } catch { missed(); }
}
/** @param {unknown} value @param {number} site */
export function Lt(value, site) {
  forgetReturned();
  try { encoder.step(site); } catch { missed(); }
  return value;
}
// A call has come back. What a function with hooks has just returned is in the log already, with its arguments.
/** @param {number} site @param {unknown} _ @param {unknown} value @param {...unknown} values */
export function LC(site, _, value, ...values) {
  callEnded(site, value, values);
  return value;
}
/** @param {number} site @param {unknown} value @param {unknown[]} values */
export function callEnded(site, value, values) {
  try {
    const isTold = hasReturned && is(value, lastReturned);
    forgetReturned();
    const isNew = tellsResults && !isTold && isObject(value) && !encoder.isKnown(value);
    encoder.callEnd(site, isTold ? UNTOLD : value);
    if (!isTold && values.length > 0) encoder.passed(UNTOLD, values);
    if (isNew) tellResult(site, value, 0);
  } catch { missed(); }
}

const { tellsResults } = settings;
// What code without hooks gave, with what is inside it: plain objects and collections that the log does not know yet.
const MOST_DEPTH = 6;
/** @param {number} site @param {unknown} value @param {number} around how many objects are around it */
function tellResult(site, value, around) {
  if (!isObject(value) || typeof value === 'function' || ProxyMark.is(value)) return;
  /** @type {unknown[]} */
  const inside = [];
  if (isArray(value) || kindOf(value) !== '') {
    if (isArray(value)) {
      const array = /** @type {unknown[]} */ (value);
      for (let index = 0; index < array.length && index < MOST_ENTRIES; index++) {
        const property = getOwnPropertyDescriptor(array, index);
        if (property !== undefined && 'value' in property) addNew(inside, property.value);
      }
    }
    contents(value);
  } else if (!tellInnerState(site, value)) {
    const prototype = getPrototypeOf(value);
    if (prototype !== null && prototype !== objectPrototype) return;
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(value, keys[index]);
      if (property === undefined || !('value' in property)) continue;
      addNew(inside, property.value);
      encoder.writeKey(site, value, keys[index], property.value);
    }
  }
  if (around === MOST_DEPTH) return;
  for (let index = 0; index < inside.length; index++) tellResult(site, inside[index], around + 1);
}
const objectPrototype = getPrototypeOf({});
/** @param {unknown[]} list @param {unknown} value */
function addNew(list, value) {
  if (isObject(value) && !encoder.isKnown(value)) append(list, value);
}
/** @param {unknown} value */
export const LG = (value) => value;

/** @param {import('./running.js').Activation} activation @param {unknown} value */
export function Lr(activation, value) {
  const isNew = tellsResults && isObject(value) && !encoder.isKnown(value);
  goOn(activation, 0, value);
  // At the place where it waited.
  if (isNew) safely(() => tellResult(activation.site, value, 0));
  return value;
}
