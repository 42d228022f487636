// What a collection holds.

import { apply, getOwnPropertyDescriptor, getPrototypeOf, isArray, Map, Set } from '../captured.js';
import { append, isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { GETTER, GONE, kindOf } from './values.js';
import { encoder } from './running.js';

const mapSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Map.prototype, 'size')?.get);
const setSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Set.prototype, 'size')?.get);
const { entries: mapEntries } = Map.prototype;
const { values: setValues } = Set.prototype;
/** @typedef {{ next: () => { value: unknown } }} Steps */
const mapNext = /** @type {Steps} */ (getPrototypeOf(new Map().entries())).next;
const setNext = /** @type {Steps} */ (getPrototypeOf(new Set().values())).next;

/** @param {unknown} owner */
export function contents(owner) {
  if (!isObject(owner) || ProxyMark.is(owner)) return;
  /** @type {unknown[]} */
  const entries = [];
  let total = 0;
  if (isArray(owner)) {
    const array = /** @type {unknown[]} */ (owner);
    total = array.length;
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(array, index);
      append(entries, index);
      append(entries, property === undefined ? GONE : 'value' in property ? property.value : GETTER);
    }
  } else if (kindOf(owner) === 'map') {
    const map = /** @type {Map<unknown, unknown>} */ (owner);
    total = apply(mapSize, map, []);
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(mapEntries, map, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(mapNext, iterator, []);
      append(entries, /** @type {unknown[]} */ (value)[0]);
      append(entries, /** @type {unknown[]} */ (value)[1]);
    }
  } else if (kindOf(owner) === 'set') {
    const set = /** @type {Set<unknown>} */ (owner);
    total = apply(setSize, set, []);
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(setValues, set, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(setNext, iterator, []);
      append(entries, value);
      append(entries, true);
    }
  } else {
    return;
  }
  encoder.contents(owner, total, entries);
}
