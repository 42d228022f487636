// Writes in the body of `with`: to a property of its object, or to a variable.

import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { H } from '../variables.js';
import { Li, Lv } from './writes.js';

// `x = v` in the bodies of `with` of these objects, the innermost first.
/**
 * @param {number} site @param {number} scope @param {number} own @param {string} name @param {unknown} value
 * @param {...unknown} objects
 */
export function LH(site, scope, own, name, value, ...objects) {
  for (let index = 0; index < objects.length; index++) {
    const object = objects[index];
    if (!isObject(object)) continue;
    // Its trap alone knows. The trap that is called then is in the log.
    if (ProxyMark.is(object)) return value;
    if (H(object, name)) return Li(own, object, name, value);
  }
  return Lv(site, scope, value);
}
