// What built-in methods write.

import { apply, isArray, Map, Set, slice, startsWith, String } from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { GONE, kindOf } from './values.js';
import { ownNameOf } from './own-names.js';
import { encoder, missed } from './running.js';
import { tellInnerState } from './inner-state.js';
import { contents } from './contents.js';
import { tellNew } from './new-objects.js';

const { get: mapGet, has: mapHas } = Map.prototype;
const { has: setHas } = Set.prototype;
const { lastIndexOf } = String.prototype;

// Their names, but for those of dates, which begin with `set`.
/** @type {Table<true>} */
const WRITING = {
  __proto__: /** @type {Bare} */ (null),
  push: true, pop: true, shift: true, unshift: true, splice: true, sort: true, reverse: true, fill: true,
  copyWithin: true, add: true, delete: true, clear: true,
};

// A method with the name of one that writes was called; or one that only the execution names, with so many arguments,
// -1: not known.
/**
 * @param {number} site @param {unknown} result @param {unknown} owner @param {unknown} method @param {unknown} extra
 * @param {number} [count]
 */
export function LB(site, result, owner, method, extra, count) {
  try {
    const name = count === undefined ? /** @type {string} */ (method) : writingName(method);
    if (name === '') return result;
    if (isObject(owner) && !ProxyMark.is(owner)) {
      if (count === undefined) builtIn(site, result, owner, name, extra);
      else asItRan(site, result, owner, name, typeof method === 'function' ? GONE : extra, count);
    }
    tellNew(site);
  } catch { missed(); }
  return result;
}
// The name of the built-in that a key names, or that a function is; '': it writes nothing.
/** @param {unknown} method */
function writingName(method) {
  const own = typeof method === 'function' ? ownNameOf(method) : method;
  if (typeof own !== 'string') return '';
  const name = own === method ? own : apply(slice, own, [apply(lastIndexOf, own, ['.']) + 1]);
  return WRITING[name] === true || apply(startsWith, name, ['set']) ? name : '';
}
/**
 * @param {number} site @param {unknown} result @param {object} owner @param {string} name @param {unknown} first
 * @param {number} count
 */
function asItRan(site, result, owner, name, first, count) {
  if (name === 'push') builtIn(site, result, owner, name, count < 0 ? undefined : count);
  else if ((count < 0 || first === GONE) && !isArray(owner) && kindOf(owner) !== '') contents(owner);
  else builtIn(site, result, owner, name, first);
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
