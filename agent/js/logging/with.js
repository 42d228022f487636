// Writes in the body of `with`: to a property of its object, or to a variable.

import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { H } from '../variables.js';
import { Li, Lv, next, wasAssigned } from './writes.js';

/**
 * @param {number} site @param {number} scope @param {number} own @param {string} name @param {unknown} value
 * @param {unknown[]} objects
 */
function written(site, scope, own, name, value, objects) {
  for (let index = 0; index < objects.length; index++) {
    const object = objects[index];
    if (!isObject(object)) continue;
    // Its trap alone knows. The trap that is called then is in the log.
    if (ProxyMark.is(object)) return value;
    if (H(object, name)) return Li(own, object, name, value);
  }
  return Lv(site, scope, value);
}

// `x = v` in the bodies of `with` of these objects, the innermost first.
/**
 * @param {number} site @param {number} scope @param {number} own @param {string} name @param {unknown} value
 * @param {...unknown} objects
 */
export const LH = (site, scope, own, name, value, ...objects) => written(site, scope, own, name, value, objects);

// `x ||= v`, `x &&= v`, `x ??= v`
/**
 * @param {number} site @param {number} scope @param {number} own @param {string} name @param {unknown} value
 * @param {...unknown} objects
 */
export function LO(site, scope, own, name, value, ...objects) {
  if (wasAssigned()) written(site, scope, own, name, value, objects);
  return value;
}

// `x++` gives the old value.
/**
 * @param {number} site @param {number} scope @param {number} own @param {string} name @param {number | bigint} old
 * @param {1 | -1} delta @param {...unknown} objects
 */
export function LI(site, scope, own, name, old, delta, ...objects) {
  written(site, scope, own, name, next(old, delta), objects);
  return old;
}
