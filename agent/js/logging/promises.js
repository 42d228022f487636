// Promises to which the page reacts: what came of them. The log registers a reaction of its own beside that of the
// page, so no rejection becomes a handled one by it. Only where nothing of the page's is asked for it.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, isArray, Promise, SymbolOf,
} from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { UNTOLD } from './values.js';
import { encoder, safely } from './running.js';
import { callEnded } from './calls.js';
import { tellResult } from './new-objects.js';

const { prototype } = Promise;
const { then } = prototype;
const { species } = SymbolOf;
const speciesGetter = getOwnPropertyDescriptor(Promise, species)?.get;

// Whether it is a promise of the language, to which the page reacts by the language's own method and constructor.
/** @param {unknown} value @returns {value is Promise<unknown>} */
function isPlainPromise(value) {
  return isObject(value) && !ProxyMark.is(value) && getPrototypeOf(value) === prototype
    && getOwnPropertyDescriptor(value, 'constructor') === undefined
    && getOwnPropertyDescriptor(prototype, 'then')?.value === then
    && getOwnPropertyDescriptor(prototype, 'constructor')?.value === Promise
    && getOwnPropertyDescriptor(Promise, species)?.get === speciesGetter;
}

// An object that the log does not know yet is told where the page first has it.
/** @param {unknown} value */
const known = (value) => (isObject(value) && encoder.numberOf(value) === 0 ? UNTOLD : value);

/** @param {number} site @param {object} promise */
function awaitOutcome(site, promise) {
  const told = (/** @type {boolean} */ isFulfilled) => (/** @type {unknown} */ value) => {
    safely(() => encoder.settle(site, promise, isFulfilled, known(value)));
  };
  try {
    apply(then, promise, [told(true), told(false)]);
  } catch { /* it only looks like a promise, or the stack is at its end */ }
}

// `Promise.all(list)` and its like wait for each element.
/** @param {number} site @param {unknown} list */
function awaitElements(site, list) {
  if (!isArray(list) || ProxyMark.is(list)) return;
  for (let index = 0; index < list.length && index < MOST_ENTRIES; index++) {
    const element = getOwnPropertyDescriptor(list, index)?.value;
    if (isPlainPromise(element)) awaitOutcome(site, element);
  }
}

// A call of `then`, `catch` or `finally`, or of `Promise.all` and its like, has come back.
/** @param {number} site @param {unknown} _ @param {unknown} value @param {unknown} owner @param {...unknown} values */
export function Lth(site, _, value, owner, ...values) {
  const isTold = isPlainPromise(owner);
  callEnded(site, value, values, isTold ? owner : UNTOLD);
  if (isTold) awaitOutcome(site, owner);
  else if (owner === Promise) awaitElements(site, values[0]);
  safely(() => tellResult(site));
  return value;
}
