// What built-in methods write.

import { apply, isArray, Map, Set, startsWith } from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { GONE, kindOf } from './values.js';
import { encoder, missed } from './running.js';
import { tellInnerState } from './inner-state.js';
import { contents } from './contents.js';
import { tellNew } from './new-objects.js';

const { get: mapGet, has: mapHas } = Map.prototype;
const { has: setHas } = Set.prototype;

// A method with the name of one that writes was called.
/** @param {number} site @param {unknown} result @param {unknown} owner @param {string} method @param {unknown} extra */
export function LB(site, result, owner, method, extra) {
  try {
    if (isObject(owner) && !ProxyMark.is(owner)) builtIn(site, result, owner, method, extra);
    tellNew(site);
  } catch { missed(); }
  return result;
}
/** @param {number} site @param {unknown} result @param {object} owner @param {string} method @param {unknown} extra */
function builtIn(site, result, owner, method, extra) {
  if (isArray(owner)) {
    const array = /** @type {unknown[]} */ (owner);
    if (method === 'push' && typeof extra === 'number' && extra <= MOST_ENTRIES && result === array.length) {
      for (let index = array.length - extra; index < array.length; index++) {
        encoder.writeKey(site, array, index, array[index]);
      }
    } else if (method === 'pop' && result !== undefined) {
      encoder.writeKey(site, array, array.length, GONE);
    } else if (method !== 'set' && method !== 'add' && method !== 'delete' && method !== 'clear') {
      contents(array);
    }
    return;
  }
  if (apply(startsWith, method, ['set']) && method !== 'set') {
    tellInnerState(site, owner);
    return;
  }
  const kind = kindOf(owner);
  if (kind === 'map' && (method === 'set' || method === 'delete')) {
    const map = /** @type {Map<unknown, unknown>} */ (owner);
    encoder.writeEntry(site, map, extra, apply(mapHas, map, [extra]) ? apply(mapGet, map, [extra]) : GONE);
  } else if (kind === 'set' && (method === 'add' || method === 'delete')) {
    const set = /** @type {Set<unknown>} */ (owner);
    encoder.writeEntry(site, set, extra, apply(setHas, set, [extra]) ? true : GONE);
  } else if (kind === 'typed' || (kind !== '' && method === 'clear')) {
    contents(owner);
  }
}
