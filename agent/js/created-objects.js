// Objects that built-ins make: their properties are written by the call that made them.

import { apply, getPrototypeOf, is, JSON, Map, ObjectOf, realm, setAdd, setHas, SetOf } from './captured.js';
import { armed } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { ProxyMark, typedName, unwrap } from './objects.js';
import { elementSlots, publicSlots, slots } from './slots.js';
import { stamps } from './records.js';
import { replaceMethod } from './installed.js';
import { mapForEach, setForEach } from './entries.js';
import { wroteAll } from './built-in-writes.js';
import { ownValue } from './built-ins.js';

export const keysOf = ObjectOf.keys;
export const mapPrototype = Map.prototype;
export const setPrototype = SetOf.prototype;

// Adds to `changes` what of `watched` an object has that was just made.
/** @param {Change[]} changes @param {PageObject} object @param {number[]} watched */
export function addCreated(changes, object, watched) {
  for (let number = 0; number < watched.length; number++) {
    const index = watched[number];
    const after = ownValue(object, slots[index].key);
    if (after === ABSENT || after === UNKNOWN) continue;
    const seen = stamps[index].record(object);
    if (seen !== undefined && is(seen.v, after)) continue;
    append(changes, {
      __proto__: null, index, object, before: seen === undefined ? ABSENT : seen.v, after,
    });
  }
}

// What a built-in gave back is new: an object, or an array.
/** @param {PageValue} object @param {number[]} watched @param {number} by */
export function tellCreated(object, watched, by) {
  if (!isObject(object) || ProxyMark.is(object)) return;
  /** @type {Change[]} */
  const changes = [];
  addCreated(changes, object, watched);
  if (changes.length > 0) wroteAll(changes, by);
}

// So is everything that can be reached from it, all of it without getters.
/** @param {PageValue} root @param {number} by */
function tellCreatedGraph(root, by) {
  /** @type {Change[]} */
  const changes = [];
  forEachInGraph(root, (/** @type {PageObject} */ object) => addCreated(changes, object, publicSlots));
  if (changes.length > 0) wroteAll(changes, by);
}

// Calls `visit` for each object of a graph that a built-in has just made.
/** @param {PageValue} root @param {(object: PageObject) => void} visit */
export function forEachInGraph(root, visit) {
  const reached = new SetOf();
  /** @type {PageObject[]} */
  const waiting = [];
  /** @param {PageValue} value */
  const reach = (value) => {
    if (!isObject(value) || apply(setHas, reached, [value])) return;
    apply(setAdd, reached, [value]);
    append(waiting, value);
  };
  reach(root);
  for (let next = 0; next < waiting.length; next++) {
    const object = waiting[next];
    visit(object);
    if (apply(typedName, object, []) !== undefined) continue;
    const keys = keysOf(object);
    for (let number = 0; number < keys.length; number++) {
      // All of it is new, so nothing of the page can run here.
      reach(/** @type {Table} */ (object)[keys[number]]);
    }
    const prototype = getPrototypeOf(object);
    if (prototype === mapPrototype) {
      apply(mapForEach, object, [(/** @type {PageValue} */ value, /** @type {Key} */ key) => {
        reach(value);
        reach(key);
      }]);
    } else if (prototype === setPrototype) {
      apply(setForEach, object, [(/** @type {PageValue} */ value) => reach(value)]);
    }
  }
}

if (armed && publicSlots.length > 0) {
  /** @param {AnyFunction} original @param {number} by */
  const graph = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      tellCreatedGraph(result, by);
      return result;
    },
  }).method;
  /** @param {AnyFunction} original @param {number} by */
  const one = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      tellCreated(result, publicSlots, by);
      return result;
    },
  }).method;
  replaceMethod(realm, 'structuredClone', 'structuredClone', graph);
  replaceMethod(JSON, 'parse', 'JSON.parse', (original, by) => ({
    /** @param {string} text @param {PageValue} reviver */
    parse(text, reviver) {
      if (typeof reviver !== 'function') {
        const result = apply(original, this, arguments);
        tellCreatedGraph(result, by);
        return result;
      }
      // What a reviver gives may be the page's own: new is what it was called for.
      const holders = new SetOf();
      const result = apply(original, this, [text, ({
        reviver() {
          apply(setAdd, holders, [unwrap(this)]);
          return apply(reviver, this, arguments);
        },
      }).reviver]);
      /** @type {Change[]} */
      const changes = [];
      apply(setForEach, holders, [(/** @type {PageObject} */ holder) => addCreated(changes, holder, publicSlots)]);
      if (changes.length > 0) wroteAll(changes, by);
      return result;
    },
  }).parse);
  replaceMethod(ObjectOf, 'fromEntries', 'Object.fromEntries', one);
  replaceMethod(ObjectOf, 'create', 'Object.create', one);
  // The groups are arrays; what is in them is the page's.
  /** @param {AnyFunction} original @param {number} by */
  const groups = (original, by) => ({
    method() {
      const result = /** @type {Table<PageObject>} */ (apply(original, this, arguments));
      /** @type {Change[]} */
      const changes = [];
      addCreated(changes, result, publicSlots);
      if (elementSlots.length > 0) {
        const keys = keysOf(result);
        for (let number = 0; number < keys.length; number++) {
          addCreated(changes, result[keys[number]], elementSlots);
        }
      }
      if (changes.length > 0) wroteAll(changes, by);
      return result;
    },
  }).method;
  replaceMethod(ObjectOf, 'groupBy', 'Object.groupBy', groups);
  if (elementSlots.length > 0) {
    replaceMethod(Map, 'groupBy', 'Map.groupBy', (original, by) => ({
      method() {
        const result = apply(original, this, arguments);
        /** @type {Change[]} */
        const changes = [];
        apply(mapForEach, result, [(/** @type {PageObject} */ group) => addCreated(changes, group, elementSlots)]);
        if (changes.length > 0) wroteAll(changes, by);
        return result;
      },
    }).method);
  }
}
