// Live hooks: who wrote the entries of maps and the members of sets.
//
// The methods that write one are replaced: each looks at the entry before and after the call. What is known of a
// collection is in a map of its own, in a private field of it. Where the page puts a method of its own in the place of
// one, it is the call of the built-in in it that writes.

import { apply, ErrorOf, is, SetOf, weakGet, WeakMapOf, WeakSet, weakSet } from './captured.js';
import { shadowing } from './config.js';
import { ABSENT, append, Base, isObject } from './basics.js';
import { unwrap } from './objects.js';
import { mapGet, MapOf } from './entry-records.js';
import { replaceMethod } from './installed.js';
import { notObserved } from './results.js';
import { collectionKind, collectionKinds, mapForEach, setForEach } from './entries.js';
import { isShared } from './live-doubts.js';
import { resultOf, writtenNow } from './live-calls.js';

const mapSet = /** @type {SetIn} */ (MapOf.prototype.set);
const mapDelete = MapOf.prototype.delete;
const weakDelete = WeakMapOf.prototype.delete;
/** @typedef {Map<PageValue, LiveWrite> | WeakMap<WeakKey, LiveWrite>} Writes */

// Deleted entries of one collection of which it is known who deleted them.
const MOST_DELETED = 1000;

/**
 * @typedef {{ __proto__: null, of: CollectionKind, there: Writes, deleted: Map<PageValue, LiveWrite>, size: number }}
 *   Entries
 */
class Entered extends Base {
  #__QP__e;
  /** @param {PageObject} object @param {Entries} entries */
  constructor(object, entries) { super(object); this.#__QP__e = entries; }
  /** @param {PageObject} object */
  static of(object) { return #__QP__e in object ? object.#__QP__e : undefined; }
}

/** @param {PageObject} object @param {CollectionKind} of */
function entriesOf(object, of) {
  const known = Entered.of(object);
  if (known !== undefined) return known;
  const there = of.weakly ? new WeakMapOf() : new MapOf();
  /** @type {Entries} */
  const entries = { __proto__: null, of, there, deleted: new MapOf(), size: 0 };
  try {
    new Entered(object, entries);
  } catch { /* it takes no private field: then nothing is known of it */ }
  return entries;
}

/** @param {CollectionKind} of @param {PageValue} value */
const isThere = (of, value) => (of.kind === 'map' ? value !== ABSENT : value === true);

// An entry is another one now, or gone.
/** @param {Entries} entries @param {PageValue} key @param {PageValue} after @param {LiveWrite} write */
function keep(entries, key, after, write) {
  const { of, there } = entries;
  if (isThere(of, after)) {
    apply(of.weakly ? weakSet : mapSet, there, [key, write]);
    if (entries.size > 0) apply(mapDelete, entries.deleted, [key]);
    return;
  }
  apply(of.weakly ? weakDelete : mapDelete, there, [key]);
  // What the page has let go of stays with nobody.
  if (isObject(key) || typeof key === 'symbol') return;
  if (entries.size++ >= MOST_DELETED) {
    entries.deleted = new MapOf();
    entries.size = 1;
  }
  apply(mapSet, entries.deleted, [key, write]);
}

// A method that may write the entry of its first argument.
/** @param {CollectionKind} of @returns {Make} */
const onEntry = (of) => (original, by) => ({
  /** @param {PageValue} key */
  method(key) {
    let before;
    try {
      before = of.now(this, key);
    } catch {
      // The original says what is wrong.
      return apply(original, this, arguments);
    }
    const result = apply(original, this, arguments);
    const after = of.now(this, key);
    if (!is(before, after)) keep(entriesOf(this, of), key, after, writtenNow(by, 0, undefined));
    return result;
  },
}).method;

/** @param {CollectionKind} of @returns {Make} */
const clearing = (of) => (original, by) => ({
  clear() {
    /** @type {PageValue[]} */
    const keys = [];
    try {
      const forEach = of.kind === 'map' ? mapForEach : setForEach;
      apply(forEach, this, [(/** @type {PageValue} */ _, /** @type {PageValue} */ key) => {
        if (keys.length < MOST_DELETED) append(keys, key);
      }]);
    } catch {
      return apply(original, this, arguments);
    }
    const result = apply(original, this, arguments);
    if (keys.length === 0) return result;
    const entries = entriesOf(this, of);
    const write = writtenNow(by, 0, undefined);
    entries.there = new MapOf();
    const none = of.kind === 'map' ? ABSENT : false;
    for (let index = 0; index < keys.length; index++) keep(entries, keys[index], none, write);
    return result;
  },
}).clear;

if (shadowing) {
  const [aMap, aWeakMap, aSet, aWeakSet] = collectionKinds;
  /**
   * @param {CollectionKind} of @param {{ prototype: PageObject }} host @param {string} name
   * @param {Table<Make>} makes
   */
  const replaceIn = (of, host, name, makes) => {
    for (const key in makes) replaceMethod(host.prototype, key, `${name}.prototype.${key}`, makes[key]);
  };
  /** @param {CollectionKind} of @returns {Table<Make>} */
  const ofMap = (of) => /** @type {Bare} */ ({
    __proto__: null, set: onEntry(of), delete: onEntry(of), getOrInsert: onEntry(of), getOrInsertComputed: onEntry(of),
  });
  /** @param {CollectionKind} of @returns {Table<Make>} */
  const ofSet = (of) => /** @type {Bare} */ ({ __proto__: null, add: onEntry(of), delete: onEntry(of) });
  replaceIn(aMap, MapOf, 'Map', { ...ofMap(aMap), clear: clearing(aMap) });
  replaceIn(aWeakMap, WeakMapOf, 'WeakMap', ofMap(aWeakMap));
  replaceIn(aSet, SetOf, 'Set', { ...ofSet(aSet), clear: clearing(aSet) });
  replaceIn(aWeakSet, WeakSet, 'WeakSet', ofSet(aWeakSet));
}

// ---- at a stop ----

/** @param {PageObject} collection @param {CollectionKind} of @param {PageValue} key @returns {Result} */
function lastWriterOf(collection, of, key) {
  const now = of.now(collection, key);
  const value = now === ABSENT ? undefined : now;
  const entries = Entered.of(collection);
  // Methods of another realm write without any word.
  if (entries === undefined || isShared()) return notObserved(value);
  const there = isThere(of, now);
  const write = there ? apply(of.weakly ? weakGet : mapGet, entries.there, [key])
    : apply(mapGet, entries.deleted, [key]);
  return resultOf(write, value, !there && of.kind === 'map');
}

// `map.get(key)`, `set.has(key)`.
/** @param {AgentKeyed} keyed @param {PageValue} base @param {PageValue} key @returns {Result} */
export function lastWriterOfEntry(keyed, base, key) {
  const owner = unwrap(base);
  const of = isObject(owner) ? collectionKind(owner) : undefined;
  if (of === undefined || of.kind !== keyed.kind) {
    throw new ErrorOf(`its owner is no ${keyed.kind === 'map' ? 'Map' : 'Set'}`);
  }
  return lastWriterOf(/** @type {PageObject} */ (owner), of, key);
}

// The same for whatever collection it is.
/** @param {PageObject} collection @param {PageValue} key @returns {Result} */
export function lastWriterOfKey(collection, key) {
  const of = collectionKind(collection);
  return of === undefined ? notObserved(undefined) : lastWriterOf(collection, of, key);
}
