// Arrays and typed arrays, where an index or `length` is asked: what their methods write, and those that built-ins
// make.

import { apply, Array, getPrototypeOf, isArray, Iterator, ObjectOf, Reflect, String, Uint8Array } from './captured.js';
import { armed } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { typedName } from './objects.js';
import { elementSlots, slotOfKey, slots } from './slots.js';
import { replaceMethod } from './installed.js';
import { wrote, wroteAll } from './built-in-writes.js';
import { callWatched, ownValue } from './built-ins.js';
import { addCreated, tellCreated } from './created-objects.js';
import { isPlainArray } from './properties.js';

if (armed && elementSlots.length > 0) {
  const lengthSlot = slotOfKey.length;
  /** @type {number[]} */
  const indexSlots = [];
  for (let number = 0; number < elementSlots.length; number++) {
    if (elementSlots[number] !== lengthSlot) append(indexSlots, elementSlots[number]);
  }
  // The only asked index, if nothing else is asked.
  const onlyIndex = lengthSlot === undefined && indexSlots.length === 1
    ? +/** @type {string} */ (slots[indexSlots[0]].key) : -1;
  /** @param {AnyFunction} original @param {number} by */
  const onSelf = (original, by) => ({
    method() { return callWatched(original, this, arguments, this, elementSlots, by); },
  }).method;
  /** @param {AnyFunction} original @param {number} by */
  const onSelfAndResult = (original, by) => ({
    method() {
      const result = callWatched(original, this, arguments, this, elementSlots, by);
      if (isArray(result)) tellCreated(result, elementSlots, by);
      return result;
    },
  }).method;
  /** @param {AnyFunction} original @param {number} by */
  const ofResult = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      if (isArray(result) || (isObject(result) && apply(typedName, result, []) !== undefined)) {
        tellCreated(result, elementSlots, by);
      }
      return result;
    },
  }).method;
  /** @param {PageObject | undefined} host @param {string} name @param {string[]} keys @param {Make} make */
  const replaceAll = (host, name, keys, make) => {
    for (let number = 0; number < keys.length; number++) {
      replaceMethod(host, keys[number], `${name}.${keys[number]}`, make);
    }
  };

  // The two that are called most: no more than the ends can change.
  replaceMethod(Array.prototype, 'push', 'Array.prototype.push', (original, by) => ({
    /** @param {PageValue} item */
    push(item) {
      if (!isPlainArray(this)) return callWatched(original, this, arguments, this, elementSlots, by);
      const before = /** @type {PageValue[]} */ (this).length;
      const after = /** @type {number} */ (apply(original, this, arguments));
      if (onlyIndex >= 0 && (onlyIndex < before || onlyIndex >= after)) return after;
      tellGrown(this, before, by);
      return after;
    },
  }).push);
  const writers = ['pop', 'shift', 'unshift', 'sort', 'reverse', 'fill', 'copyWithin'];
  replaceAll(Array.prototype, 'Array.prototype', writers, onSelf);
  replaceAll(Array.prototype, 'Array.prototype', ['splice'], onSelfAndResult);
  replaceAll(Array.prototype, 'Array.prototype', [
    'concat', 'filter', 'flat', 'flatMap', 'map', 'slice', 'toReversed', 'toSorted', 'toSpliced', 'with',
  ], ofResult);
  replaceAll(Array, 'Array', ['from', 'of'], ofResult);
  replaceAll(ObjectOf, 'Object', ['keys', 'values', 'getOwnPropertyNames', 'getOwnPropertySymbols'], ofResult);
  replaceAll(Reflect, 'Reflect', ['ownKeys'], ofResult);
  replaceMethod(ObjectOf, 'entries', 'Object.entries', (original, by) => ({
    method() {
      const result = /** @type {PageObject[]} */ (apply(original, this, arguments));
      /** @type {Change[]} */
      const changes = [];
      addCreated(changes, result, elementSlots);
      for (let number = 0; number < result.length; number++) addCreated(changes, result[number], elementSlots);
      if (changes.length > 0) wroteAll(changes, by);
      return result;
    },
  }).method);
  replaceAll(String.prototype, 'String.prototype', ['split'], ofResult);
  if (typeof Iterator === 'function') replaceAll(Iterator.prototype, 'Iterator.prototype', ['toArray'], ofResult);

  const Typed = /** @type {typeof Uint8Array} */ (getPrototypeOf(Uint8Array));
  replaceAll(Typed.prototype, 'TypedArray.prototype', ['set', 'fill', 'sort', 'reverse', 'copyWithin'], onSelf);
  replaceAll(Typed.prototype, 'TypedArray.prototype', [
    'map', 'filter', 'slice', 'toReversed', 'toSorted', 'with',
  ], ofResult);
  replaceAll(Typed, 'TypedArray', ['from', 'of'], ofResult);

  // An array was `before` long, and only what comes after that can have changed.
  /** @param {PageValue[]} array @param {number} before @param {number} by */
  function tellGrown(array, before, by) {
    if (indexSlots.length === 0) {
      wrote(lengthSlot, array, before, array.length, by);
      return;
    }
    /** @type {Change[]} */
    const changes = [];
    for (let number = 0; number < indexSlots.length; number++) {
      const index = indexSlots[number];
      if (+/** @type {string} */ (slots[index].key) < before) continue;
      const after = ownValue(array, slots[index].key);
      if (after === ABSENT || after === UNKNOWN) continue;
      append(changes, { __proto__: null, index, object: array, before: ABSENT, after });
    }
    if (lengthSlot !== undefined) {
      append(changes, { __proto__: null, index: lengthSlot, object: array, before, after: array.length });
    }
    if (changes.length > 0) wroteAll(changes, by);
  }
}
