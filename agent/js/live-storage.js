// Live hooks: who wrote what `localStorage` and `sessionStorage` keep.

import { apply, getOwnPropertyDescriptor, ownKeys, realm, StringOf, weakGet, WeakMapOf, weakSet } from './captured.js';
import { isObject } from './basics.js';
import { listenFor } from './installed.js';
import { domLive } from './dom-slots.js';
import { isBelow, prototypeOf } from './dom-platform.js';
import { notObserved } from './results.js';
import { isDoubted, isLeftOut } from './live-doubts.js';
import { resultOf } from './live-calls.js';

const storagePrototype = domLive ? prototypeOf('Storage') : undefined;
const getItem = /** @type {AnyFunction | undefined} */ (
  /** @type {Table | undefined} */ (storagePrototype)?.getItem);
/** @param {PageObject} object */
export const isStorage = (object) => storagePrototype !== undefined && apply(isBelow, storagePrototype, [object]);

// The writes of each storage, by key; of more keys nothing is known.
const MOST_ITEMS = 10_000;
/** @typedef {{ __proto__: null, write: LiveWrite, value: PageValue }} ItemWrite */
/** @typedef {{ __proto__: null, writes: Table<ItemWrite>, count: number }} Items */
/** @type {WeakMap<PageObject, Items>} */
const known = new WeakMapOf();
/** @param {PageObject} storage @param {string} key @returns {PageValue} */
const itemNow = (storage, key) => apply(getItem, storage, [key]);

// What a call on a storage may change: the item of its first argument, or all.
/** @param {Scene} noted @param {PageObject} storage @param {ArrayLike<unknown>} values */
export function noteItems(noted, storage, values) {
  if (values.length > 0) {
    const key = isObject(values[0]) || typeof values[0] === 'symbol' ? undefined : StringOf(values[0]);
    // What an object has for a key, only the call itself will say.
    if (key === undefined) deleteItems(storage);
    else noteItem(noted, storage, key);
    return;
  }
  const keys = ownKeys(storage);
  if (keys.length > MOST_ITEMS) deleteItems(storage);
  for (let index = 0; index < keys.length && keys.length <= MOST_ITEMS; index++) {
    const key = keys[index];
    if (typeof key === 'string') noteItem(noted, storage, key);
  }
}

/** @param {Scene} noted @param {PageObject} storage @param {string} key */
export function noteItem(noted, storage, key) {
  noted.items = { storage, key, before: itemNow(storage, key), next: noted.items };
}

/** @param {PageObject} storage */
export function deleteItems(storage) {
  apply(weakSet, known, [storage, newItems()]);
}
/** @returns {Items} */
const newItems = () => ({ __proto__: null, writes: /** @type {Bare} */ ({ __proto__: null }), count: 0 });

/** @param {PageObject} storage @param {string} key */
export function deleteItem(storage, key) {
  const items = apply(weakGet, known, [storage]);
  if (items !== undefined) delete items.writes[key];
}

/** @param {Scene} noted @param {() => LiveWrite} write */
export function endStored(noted, write) {
  for (let entry = noted.items; entry !== undefined; entry = entry.next) {
    const { storage, key, before } = entry;
    const value = itemNow(storage, key);
    if (value === before) continue;
    let items = apply(weakGet, known, [storage]);
    if (items === undefined || items.count >= MOST_ITEMS) {
      deleteItems(storage);
      items = /** @type {Items} */ (apply(weakGet, known, [storage]));
    }
    items.count++;
    items.writes[key] = { __proto__: null, write: write(), value };
  }
}

/** @param {PageObject} storage @param {string} key @returns {Result} */
export function lastWriterOfItem(storage, key) {
  const now = itemNow(storage, key);
  const value = now ?? undefined;
  const write = apply(weakGet, known, [storage])?.writes[key];
  // Elements of arrays have no hooks, and `length` is no item.
  const isKnown = write !== undefined && write.value === now && !isLeftOut(key) && !isDoubted();
  return isKnown ? resultOf(write.write, value, now === null) : notObserved(value);
}

if (domLive && typeof realm.addEventListener === 'function') {
  const eventPrototype = prototypeOf('StorageEvent');
  const getter = (/** @type {string} */ name) => (
    eventPrototype === undefined ? undefined : getOwnPropertyDescriptor(eventPrototype, name)?.get);
  const getKey = getter('key');
  const getArea = getter('storageArea');
  // Another document has written.
  listenFor(/** @type {EventTarget} */ (/** @type {unknown} */ (realm)), 'storage', (event) => {
    try {
      const storage = apply(getArea, event, []);
      const key = apply(getKey, event, []);
      if (!isObject(storage)) return;
      if (typeof key === 'string') deleteItem(storage, key);
      else deleteItems(storage);
    } catch { /* an event that a script made */ }
  }, true);
}
