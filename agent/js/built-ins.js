// Built-ins that write: each is replaced by a function that calls it and tells what has changed since.
//
// A change is found by looking at the watched properties before and after the call, by their descriptors: nothing of
// the page runs that the call itself would not run, and in the same order. What a callback (a setter, a comparison)
// wrote by a hook meanwhile is the hook's. The replacements are methods of literals: like the originals they have no
// `prototype` and are no constructors.

import { apply, getOwnPropertyDescriptor, hasOwn, is, ObjectOf, Reflect } from './captured.js';
import { armed } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { sequence } from './counters.js';
import { unwrap } from './objects.js';
import { anySymbol, meetSymbols, publicSlots, slotFor, slots } from './slots.js';
import { stamps } from './records.js';
import { replaceMethod } from './installed.js';
import { unsettle } from './linked.js';
import { wrote, wroteAll } from './built-in-writes.js';

// An object's own values of the watched properties `watched`, as they are.
/** @param {PageObject} object @param {number[]} watched */
function ownValues(object, watched) {
  /** @type {PageValue[]} */
  const values = [];
  for (let number = 0; number < watched.length; number++) {
    append(values, ownValue(object, slots[watched[number]].key));
  }
  return values;
}

// ABSENT: there is none; UNKNOWN: it has a getter.
/** @param {PageObject} object @param {Key} key */
export function ownValue(object, key) {
  if (!hasOwn(object, key)) return ABSENT; // which is most often so, and fast
  const property = getOwnPropertyDescriptor(object, key);
  return property === undefined ? ABSENT : hasOwn(property, 'value') ? property.value : UNKNOWN;
}

// What has become of one property of `object` since it was `before` and hooks had counted to `since`.
/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {number} since @param {number} by
 */
function tellChange(index, object, before, since, by) {
  const after = ownValue(object, slots[index].key);
  if (after === UNKNOWN) unsettle(index, object);
  // Where it is no property of its own, a setter of the platform's has told what it did.
  if (before === ABSENT && after === ABSENT) return;
  let old = before;
  if (sequence !== since) {
    const seen = stamps[index].record(object);
    if (seen !== undefined && seen.s > since) old = seen.v;
  }
  if (is(old, after) || after === UNKNOWN || (old === UNKNOWN && old !== before)) return;
  wrote(index, object, old === UNKNOWN ? ABSENT : old, after, by);
}

// What has changed on `object` since its values were `before` and hooks had counted to `since`.
/**
 * @param {PageObject} object @param {number[]} watched @param {PageValue[]} before @param {number} since
 * @param {number} by
 */
function tellChanges(object, watched, before, since, by) {
  /** @type {Change[] | undefined} */
  let changes;
  for (let number = 0; number < watched.length; number++) {
    const index = watched[number];
    const after = ownValue(object, slots[index].key);
    if (after === UNKNOWN) unsettle(index, object);
    if (before[number] === ABSENT && after === ABSENT) continue;
    const seen = stamps[index].record(object);
    const old = seen !== undefined && seen.s > since ? seen.v : before[number];
    if (is(old, after) || after === UNKNOWN || seen?.v === UNKNOWN) continue;
    append(changes ??= [], { __proto__: null, index, object, before: old === UNKNOWN ? ABSENT : old, after });
  }
  if (changes !== undefined) wroteAll(changes, by);
}

// Calls `original`, which may write the watched properties `watched` of `object`.
/**
 * @param {AnyFunction} original @param {PageValue} self @param {ArrayLike<unknown>} values @param {PageValue} object
 * @param {number[]} watched
 * @param {number} by
 */
export function callWatched(original, self, values, object, watched, by) {
  const owner = unwrap(object);
  if (!isObject(owner)) return apply(original, self, values);
  const since = sequence;
  if (watched.length === 1) {
    const index = watched[0];
    const before = ownValue(owner, slots[index].key);
    try {
      return apply(original, self, values);
    } finally {
      tellChange(index, owner, before, since, by);
    }
  }
  const before = ownValues(owner, watched);
  try {
    return apply(original, self, values);
  } finally {
    tellChanges(owner, watched, before, since, by);
  }
}

if (armed && publicSlots.length > 0) {
  replaceMethod(ObjectOf, 'assign', 'Object.assign', (original, by) => ({
    // One source after the other, as it does itself: a property may be written by each of them.
    /** @param {PageValue} target @param {PageValue} source */
    assign(target, source) {
      if (!isObject(target) || arguments.length < 2) return apply(original, this, arguments);
      for (let index = 1; anySymbol && index < arguments.length; index++) meetSymbols(arguments[index]);
      if (arguments.length === 2) return callWatched(original, this, arguments, target, publicSlots, by);
      for (let index = 1; index < arguments.length; index++) {
        callWatched(original, this, [target, arguments[index]], target, publicSlots, by);
      }
      return target;
    },
  }).assign);
  /** @param {AnyFunction} original @param {number} by */
  const firstArgument = (original, by) => ({
    /** @param {PageValue} target @param {Key} key */
    method(target, key) {
      // Its symbol is met before it is written.
      if (typeof key === 'symbol') slotFor(key);
      else meetSymbols(key);
      return callWatched(original, this, arguments, target, publicSlots, by);
    },
  }).method;
  replaceMethod(ObjectOf, 'defineProperty', 'Object.defineProperty', firstArgument);
  replaceMethod(ObjectOf, 'defineProperties', 'Object.defineProperties', firstArgument);
  replaceMethod(Reflect, 'defineProperty', 'Reflect.defineProperty', firstArgument);
  replaceMethod(Reflect, 'deleteProperty', 'Reflect.deleteProperty', firstArgument);
  replaceMethod(Reflect, 'set', 'Reflect.set', (original, by) => ({
    /** @param {PageValue} target @param {Key} key @param {PageValue} value */
    method(target, key, value) {
      const receiver = arguments.length > 3 ? arguments[3] : target;
      if (typeof key === 'symbol') slotFor(key);
      return callWatched(original, this, arguments, receiver, publicSlots, by);
    },
  }).method);
}
