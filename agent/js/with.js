// `with`: its object is asked for every name in the body, ours among them. A proxy that claims to have every name, as
// that of a sandbox may, would be in their way.

import { apply, Proxy, Reflect, startsWith } from './captured.js';
import { isObject } from './basics.js';

const { get, has, set } = Reflect;
const marks = '__QP__';

/** @param {Key} key */
const isOurs = (key) => typeof key === 'string' && apply(startsWith, key, [marks]);

// Has not our names, and is otherwise its target.
/** @type {Traps} */
const withoutOurs = {
  __proto__: null,
  /** @param {Function} target @param {Key} key */
  has: (target, key) => !isOurs(key) && has(target, key),
  /** @param {Function} target @param {Key} key */
  get: (target, key) => get(target, key),
  /** @param {PageObject} target @param {Key} key @param {PageValue} value */
  set: (target, key, value) => set(target, key, value),
};

// The object of a `with`: itself, or what hides our names from it.
/** @param {PageValue} object */
export function Cw(object) {
  if (!isObject(object)) return object;
  const name = `${marks}Cw`;
  try {
    if (!has(object, name) || get(object, name) === Cw) return object;
  } catch {
    // It throws at names that it does not know.
  }
  return new Proxy(object, withoutOurs);
}
