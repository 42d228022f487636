// The methods that write maps and sets, where an entry, a member or `size` is asked.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, is, realm, setAdd, setHas, SetOf, WeakMapOf, WeakSet,
} from './captured.js';
import { armed } from './config.js';
import { ABSENT, append, isObject } from './basics.js';
import { sequence } from './counters.js';
import { ProxyMark } from './objects.js';
import { slotOfKey, slots } from './slots.js';
import { anyEntry, entryRecord, entrySlots, MapOf } from './entry-records.js';
import { stamps } from './records.js';
import { replaceMethod } from './installed.js';
import { collectionKinds, mapForEach, setForEach } from './entries.js';
import { wrote } from './built-in-writes.js';
import { tellEntries, tellEntryOf } from './entry-changes.js';
import { forEachInGraph, mapPrototype, setPrototype } from './created-objects.js';

if (armed && (anyEntry || slotOfKey.size !== undefined)) {
  const aMap = collectionKinds[0];
  const aWeakMap = collectionKinds[1];
  const aSet = collectionKinds[2];
  const aWeakSet = collectionKinds[3];
  // The only keys that are asked; undefined: any may be.
  /** @type {Table<Set<unknown>>} */
  const askedKeys = /** @type {Bare} */ ({ __proto__: null });
  for (const kind in entrySlots) {
    const slot = slots[entrySlots[kind]];
    if (slot.allKeys) continue;
    askedKeys[kind] = new SetOf();
    for (let number = 0; number < slot.keys.length; number++) apply(setAdd, askedKeys[kind], [slot.keys[number]]);
  }
  /** @param {string} kind @param {PageValue} key */
  const isAsked = (kind, key) => entrySlots[kind] !== undefined
    && (askedKeys[kind] === undefined || apply(setHas, askedKeys[kind], [key]));
  const sizeSlot = slotOfKey.size;
  /** @type {Table<() => number>} */
  const sizes = /** @type {Bare} */ ({
    __proto__: null,
    map: getOwnPropertyDescriptor(MapOf.prototype, 'size')?.get,
    set: getOwnPropertyDescriptor(SetOf.prototype, 'size')?.get,
  });
  /** @param {CollectionKind} of @param {PageObject} collection */
  const sizeOf = (of, collection) => apply(sizes[of.kind], collection, []);

  // A method that may write the entry of its first argument.
  /** @param {CollectionKind} of */
  const onEntry = (of) => (/** @type {AnyFunction} */ original, /** @type {number} */ by) => ({
    /** @param {PageValue} key */
    method(key) {
      const asked = isAsked(of.kind, key);
      const sized = sizeSlot !== undefined && !of.weakly;
      if (!asked && !sized) return apply(original, this, arguments);
      let before;
      let size = 0;
      try {
        before = of.now(this, key);
        if (sized) size = sizeOf(of, this);
      } catch {
        // The original says what is wrong.
        return apply(original, this, arguments);
      }
      const since = sequence;
      try {
        return apply(original, this, arguments);
      } finally {
        if (asked) {
          // A callback of the built-in may have written the same entry.
          const seen = entryRecord(this, key);
          if (seen !== undefined && seen.s > since) before = seen.v;
          const after = of.now(this, key);
          if (!is(before, after)) tellEntryOf(of, this, key, before, after, by);
        }
        if (sized) tellSize(of, this, size, since, by);
      }
    },
  }).method;
  // `size` was `before`; a callback may have changed it since.
  /**
   * @param {CollectionKind} of @param {PageObject} collection @param {PageValue} before @param {number} since
   * @param {number} by
   */
  function tellSize(of, collection, before, since, by) {
    const seen = stamps[sizeSlot].record(collection);
    wrote(sizeSlot, collection, seen !== undefined && seen.s > since ? seen.v : before, sizeOf(of, collection), by);
  }
  /** @param {CollectionKind} of @param {PageObject} collection */
  const keysNow = (of, collection) => {
    /** @type {PageValue[]} */
    const keys = [];
    const forEach = of.kind === 'map' ? mapForEach : setForEach;
    apply(forEach, collection, [(/** @type {PageValue} */ _, /** @type {PageValue} */ key) => {
      if (isAsked(of.kind, key)) append(keys, key);
    }]);
    return keys;
  };
  /** @param {CollectionKind} of */
  const clearing = (of) => (/** @type {AnyFunction} */ original, /** @type {number} */ by) => ({
    clear() {
      let keys;
      let size;
      try {
        size = sizeOf(of, this);
        keys = keysNow(of, this);
      } catch {
        return apply(original, this, arguments);
      }
      /** @type {EntryChange[]} */
      const changes = [];
      for (let number = 0; number < keys.length; number++) {
        append(changes, {
          __proto__: null, object: this, key: keys[number], before: of.now(this, keys[number]),
          after: of.kind === 'map' ? ABSENT : false,
        });
      }
      const result = apply(original, this, arguments);
      if (changes.length > 0) tellEntries(of, changes, by);
      if (sizeSlot !== undefined) wrote(sizeSlot, this, size, 0, by);
      return result;
    },
  }).clear;
  /**
   * @param {CollectionKind} of @param {{ prototype: PageObject }} host @param {string} name @param {string[]} keys
   * @param {(of: CollectionKind) => Make} make
   */
  const replaceIn = (of, host, name, keys, make) => {
    if (entrySlots[of.kind] === undefined && (sizeSlot === undefined || of.weakly)) return;
    for (let number = 0; number < keys.length; number++) {
      replaceMethod(host.prototype, keys[number], `${name}.prototype.${keys[number]}`, make(of));
    }
  };
  const ofMaps = ['set', 'delete', 'getOrInsert', 'getOrInsertComputed'];
  replaceIn(aMap, MapOf, 'Map', ofMaps, onEntry);
  replaceIn(aMap, MapOf, 'Map', ['clear'], clearing);
  replaceIn(aWeakMap, WeakMapOf, 'WeakMap', ofMaps, onEntry);
  replaceIn(aSet, SetOf, 'Set', ['add', 'delete'], onEntry);
  replaceIn(aSet, SetOf, 'Set', ['clear'], clearing);
  replaceIn(aWeakSet, WeakSet, 'WeakSet', ['add', 'delete'], onEntry);

  // Maps and sets that built-ins make without these methods.
  /** @param {PageValue} collection @param {number} by */
  const tellCreatedEntries = (collection, by) => {
    if (!isObject(collection) || ProxyMark.is(collection)) return;
    const of = getPrototypeOf(collection) === mapPrototype ? aMap : aSet;
    if (sizeSlot !== undefined) wrote(sizeSlot, collection, 0, sizeOf(of, collection), by);
    if (entrySlots[of.kind] === undefined) return;
    const keys = keysNow(of, collection);
    /** @type {EntryChange[]} */
    const changes = [];
    for (let number = 0; number < keys.length; number++) {
      append(changes, {
        __proto__: null, object: collection, key: keys[number],
        before: of.kind === 'map' ? ABSENT : false, after: of.now(collection, keys[number]),
      });
    }
    if (changes.length > 0) tellEntries(of, changes, by);
  };
  const making = () => (/** @type {AnyFunction} */ original, /** @type {number} */ by) => ({
    method() {
      const result = apply(original, this, arguments);
      tellCreatedEntries(result, by);
      return result;
    },
  }).method;
  replaceIn(aSet, SetOf, 'Set', ['union', 'intersection', 'difference', 'symmetricDifference'], making);
  replaceMethod(MapOf, 'groupBy', 'Map.groupBy', making());
  replaceMethod(realm, 'structuredClone', 'structuredClone', (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      forEachInGraph(result, (/** @type {PageObject} */ object) => {
        const prototype = getPrototypeOf(object);
        if (prototype === mapPrototype || prototype === setPrototype) tellCreatedEntries(object, by);
      });
      return result;
    },
  }).method);
}
