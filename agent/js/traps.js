// Proxies: the page reads what a `get` trap gives, and no hook sees that. A rewritten trap says what it reads, as a
// getter does. Of any other the target's own property is looked up, and the driver compares that with what the page
// reads.

import './following.js';
import { getOwnPropertyDescriptor, getPrototypeOf, isArray, StringOf } from './captured.js';
import { isObject } from './basics.js';
import { inspect, proxies, ProxyMark } from './objects.js';
import { doubt, lastOfReads, MOST_ACCESSORS_IN_A_ROW, saidBy } from './accessors.js';
import { FAILED, followReads, frameOf } from './following.js';

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

// What the trap reads for `key`, resolved; undefined: it cannot be followed.
/** @param {Key} key @param {Trap} trap @param {number} depth @returns {Result | undefined} */
export function resolveTrap(key, trap, depth) {
  if (depth > MOST_ACCESSORS_IN_A_ROW) return undefined;
  const name = StringOf(key);
  /** @type {Into} */
  const into = { names: [], shown: [], results: [] };
  try {
    const values = [trap.target, key, trap.receiver];
    const said = saidBy(trap.get, trap.self, values);
    if (!isArray(said?.reads) || followReads(said.reads, into, depth, frameOf(values)) === FAILED) return undefined;
  } catch {
    return undefined;
  }
  const message = `${name} is computed by a proxy's get trap that could not be followed`;
  /** @type {Refused} */
  const refused = { status: 'accessor', message };
  doubt(into);
  const result = lastOfReads(into, refused, `${name} is read by a proxy's get trap, which reads`);
  return result === refused ? undefined : result;
}
