// What built-in methods write.

import {
  apply, getOwnPropertyDescriptor, isArray, Map, ObjectOf, ownKeys, Reflect, Set, startsWith,
} from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { GETTER, GONE, keyOf, kindOf } from './values.js';
import { encoder, missed } from './running.js';
import { contents } from './contents.js';
import { tellInnerState } from './inner-state.js';
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
  if (owner === ObjectOf || owner === Reflect) {
    if (isArray(extra)) byLanguage(site, result, method, extra);
    return;
  }
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

// `Object.assign(a, b)`, `Object.defineProperty(a, k, d)`, `Object.defineProperties(a, d)`, `Reflect.set(a, k, v)`, with their first arguments.
/** @param {number} site @param {unknown} result @param {string} method @param {unknown[]} given */
function byLanguage(site, result, method, given) {
  const target = given[0];
  if (!isObject(target) || ProxyMark.is(target)) return;
  const copies = method === 'assign';
  if (!copies && method !== 'defineProperties') {
    // `Reflect.set` with a receiver gives the value to that.
    if (result !== false) written(site, target, given[1], given.length > 3 ? GETTER : given[2]);
    return;
  }
  let told = 0;
  for (let index = 1; index < given.length; index++) {
    const source = given[index];
    if (!isObject(source) || ProxyMark.is(source)) continue;
    const keys = ownKeys(source);
    for (let at = 0; at < keys.length && told < MOST_ENTRIES; at++) {
      const property = getOwnPropertyDescriptor(source, keys[at]);
      if (property?.enumerable !== true) continue;
      told++;
      written(site, target, keys[at], copies && 'value' in property ? property.value : GETTER);
    }
  }
}
// Where it is no property of the owner's own now, a setter was given the value, as in an assignment.
/** @param {number} site @param {object} owner @param {unknown} name @param {unknown} given */
function written(site, owner, name, given) {
  const key = keyOf(name);
  if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'symbol') return;
  const property = getOwnPropertyDescriptor(owner, key);
  const value = property === undefined ? given : 'value' in property ? property.value : GETTER;
  encoder.writeKey(site, owner, key, value);
}
