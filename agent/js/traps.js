// Proxies: the page reads what a `get` trap gives, and no hook sees that. A rewritten trap says what it reads, as a
// getter does (`resolution.js`). Of any other the target's own property is looked up, and the driver compares that with
// what the page reads.

import { getOwnPropertyDescriptor, getPrototypeOf } from './captured.js';
import { isObject } from './basics.js';
import { inspect, proxies, ProxyMark } from './objects.js';

// The `get` trap that a read of `object[key]` runs: `{ get, self, target, receiver }`; undefined: there is none.
/** @param {PageValue} object @param {Key} key @returns {Trap | undefined} */
export function trapOf(object, key) {
  /** @type {PageValue} */
  let holder = object;
  for (let depth = 0; proxies && isObject(holder) && depth < 1000; depth++) {
    if (ProxyMark.is(holder)) {
      const self = ProxyMark.handler(holder);
      const target = ProxyMark.target(holder);
      const trap = isObject(self) ? inspect(self, 'get') : undefined;
      if (trap !== undefined) {
        const get = trap.data ? trap.value : trap.get;
        if (get !== undefined && get !== null)
          return { __proto__: null, get, self, target, receiver: /** @type {PageObject} */ (object) };
      }
      holder = target;
    } else if (getOwnPropertyDescriptor(holder, key) !== undefined) return undefined;
    else holder = getPrototypeOf(holder);
  }
  return undefined;
}
