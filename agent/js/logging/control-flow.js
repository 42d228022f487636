// Conditions and exceptions.

import { is } from '../captured.js';
import { isObject } from '../basics.js';
import { encoder, missed } from './running.js';
import { tellInnerState } from './inner-state.js';
import { tellNew } from './new-objects.js';

/** @param {number} site @param {unknown} test */
export function Lf(site, test) {
  try { encoder.branch(site, !!test); } catch { missed(); }
  return test;
}
/** @param {number} site @param {unknown} value */
export function Lh(site, value) {
  try { encoder.branch(site, !is(value, undefined) && value !== null); } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} value */
export function LT(site, value) {
  try {
    tellInnerState(site, value);
    // The throw is the last thing that the call does.
    if (isObject(value)) {
      encoder.known(value);
      tellNew(site);
    }
    encoder.threw(site, value);
  } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} value */
export function Lq(site, value) {
  try {
    encoder.caught(site, value);
    tellInnerState(site, value);
    tellNew(site);
  } catch { missed(); }
}
