// Calls: where they are made and come back, and what code without hooks gave.

import { freeze, is, SymbolOf } from '../captured.js';
import { UNTOLD } from './values.js';
import { beforeTaskEnd, encoder, dropReturned, goOn, hasReturned, lastReturned, missed, safely } from './running.js';
import { beforeResult, tellResult } from './new-objects.js';

// Where the current call was made; 0: there is none, or it is not known.
let callSite = 0;
export const siteOfCall = () => callSite;
// An exception may have left it: what runs in the next task is not called there.
beforeTaskEnd(() => { callSite = 0; });

// Where a call is made.
/** @param {number} site */
export function Ln(site) {
  dropReturned();
  callSite = site;
  try { encoder.step(site); } catch { missed(); }
}
/** @param {unknown} value @param {number} site */
export function Lt(value, site) {
  dropReturned();
  callSite = site;
  try { encoder.step(site); } catch { missed(); }
  return value;
}
// `a?.f()`, where the chain does not end before: nothing is there to spread. What the page has made of its own
// iterators is not asked.
const { iterator } = SymbolOf;
const ended = freeze({ done: true, value: undefined });
const nothing = freeze({ [iterator]: () => nothing, next: () => ended });
/** @param {number} site */
export function Lk(site) {
  Ln(site);
  return nothing;
}
// A call has come back. What a function with hooks has just returned is in the log already, with its arguments.
/** @param {number} site @param {unknown} _ @param {unknown} value @param {...unknown} values */
export function LC(site, _, value, ...values) {
  callEnded(site, value, values);
  try { tellResult(site); } catch { missed(); }
  return value;
}
// `owner` is what it was called on, where that is told.
/** @param {number} site @param {unknown} value @param {unknown[]} values @param {unknown} [owner] */
export function callEnded(site, value, values, owner = UNTOLD) {
  callSite = 0;
  try {
    const isTold = hasReturned && is(value, lastReturned);
    dropReturned();
    beforeResult();
    encoder.callEnd(site, isTold ? UNTOLD : value);
    if (!isTold && (values.length > 0 || owner !== UNTOLD)) encoder.passed(owner, values);
  } catch { missed(); }
}
/** @param {unknown} value */
export const LG = (value) => value;

/** @param {import('./running.js').Activation} activation @param {unknown} value */
export function Lr(activation, value) {
  safely(beforeResult);
  goOn(activation, 0, value);
  // At the place where it waited.
  safely(() => tellResult(activation.site));
  return value;
}
