// What a collection holds.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, HTMLCollection, isArray, Map, NodeList, Set,
} from '../captured.js';
import { append, isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES, settings } from './settings.js';
import { GETTER, GONE, kindOf, typedPrototype } from './values.js';
import { encoder } from './running.js';

const mapSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Map.prototype, 'size')?.get);
const setSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Set.prototype, 'size')?.get);
const typedLength = /** @type {() => number} */ (
  getOwnPropertyDescriptor(/** @type {object} */ (typedPrototype), 'length')?.get);
// Of a list of the document, whichever it is.
/** @param {typeof NodeList | typeof HTMLCollection | undefined} Class */
const lengthOf = (Class) => /** @type {() => number} */ (
  typeof Class === 'function' ? getOwnPropertyDescriptor(Class.prototype, 'length')?.get : () => -1);
const nodesLength = lengthOf(NodeList);
const collectionLength = lengthOf(HTMLCollection);
// Only an origin asks for what is in the document's lists.
const tellsNodes = settings.tellsResults && !settings.tellsNew;
const { entries: mapEntries } = Map.prototype;
const { values: setValues } = Set.prototype;
/** @typedef {{ next: () => { value: unknown } }} Steps */
const mapNext = /** @type {Steps} */ (getPrototypeOf(new Map().entries())).next;
const setNext = /** @type {Steps} */ (getPrototypeOf(new Set().values())).next;

// How much a collection holds; -1: it only looks like one, as what was made without the constructor does.
/** @param {() => number} getter @param {object} owner */
function sizeOf(getter, owner) {
  try {
    return apply(getter, owner, []);
  } catch {
    return -1;
  }
}

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
    total = sizeOf(mapSize, map);
    if (total < 0) return;
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(mapEntries, map, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(mapNext, iterator, []);
      append(entries, /** @type {unknown[]} */ (value)[0]);
      append(entries, /** @type {unknown[]} */ (value)[1]);
    }
  } else if (kindOf(owner) === 'set') {
    const set = /** @type {Set<unknown>} */ (owner);
    total = sizeOf(setSize, set);
    if (total < 0) return;
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(setValues, set, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(setNext, iterator, []);
      append(entries, value);
      append(entries, true);
    }
  } else if (kindOf(owner) === 'typed') {
    const elements = /** @type {ArrayLike<unknown>} */ (owner);
    total = sizeOf(typedLength, elements);
    if (total < 0) return;
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      append(entries, index);
      append(entries, elements[index]);
    }
  } else if (tellsNodes && kindOf(owner) === 'nodes') {
    total = sizeOf(nodesLength, owner);
    if (total < 0) total = sizeOf(collectionLength, owner);
    if (total < 0) return;
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      append(entries, index);
      append(entries, getOwnPropertyDescriptor(owner, index)?.value);
    }
  } else {
    return;
  }
  encoder.contents(owner, total, entries);
}
