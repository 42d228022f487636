// Numbers for objects that are compared with each other.

import { apply, weakGet, WeakMapOf, weakSet } from './captured.js';
import { isObject } from './basics.js';
import { unwrap } from './objects.js';
import { primitiveText } from './summaries.js';

/** @type {WeakMap<PageObject, number>} */
const identities = new WeakMapOf();
let identified = 0;
/** @param {PageObject} object */
export function identityNumber(object) {
  let number = apply(weakGet, identities, [object]);
  if (number === undefined) {
    number = ++identified;
    apply(weakSet, identities, [object, number]);
  }
  return number;
}
/** @param {PageValue} value */
export const identity = (value) => (isObject(value) ? `object:${identityNumber(unwrap(value))}`
  : `${typeof value}:${primitiveText(value)}`);
