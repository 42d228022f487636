// Live hooks: who wrote a property or a variable last, as its shadow says it at a stop (`live-shadows.js`). A number in
// a shadow counts only if the value is still there.

import { apply, getOwnPropertyDescriptor, hasOwn, is, ownKeys, realm, slice, startsWith } from './captured.js';
import { shadowing } from './config.js';
import { ABSENT, append, isObject } from './basics.js';
import { SITE_BITS } from './constants.js';
import { inspect, ProxyMark } from './objects.js';
import { summary } from './summaries.js';
import { domLive } from './dom-slots.js';
import { isPlatform } from './dom-unchanged.js';
import { notObserved } from './results.js';
import { isLeftOut, isUnsure } from './live-doubts.js';
import { causes, LAST_TASK, SITE, taskNow } from './live-tasks.js';
import { lastWriterOfAttribute } from './live-states.js';
import { lastWriterInDom } from './live-dom.js';
import { globalShadow, lexicalShadow, shadowOf } from './live-shadows.js';
import { lastWriterOfKey } from './live-entries.js';

// What a number of a shadow says.
/** @param {PageValue} number @param {PageValue} value @param {boolean} deleted @returns {Result} */
function lastWriter(number, value, deleted) {
  if (typeof number !== 'number' || number <= 0 || (number & SITE) === 0) return notObserved(value);
  return {
    status: 'found', sequence: 0, owner: 0, site: number & SITE, value: summary(value), raw: value, same: true,
    captured: {
      stack: [], scopes: [], watches: [], cause: causes[number >> SITE_BITS], short: false, created: false, deleted,
      old: undefined, value: deleted ? undefined : summary(value), oldUnknown: false, class: undefined,
    },
  };
}

// Numbers that `++` may leave as they are: only of others it is sure that it changed them.
/** @param {PageValue} value */
const isStuck = (value) => typeof value === 'number' && !(value < 9007199254740992 && value > -9007199254740992);

/** @param {VariablePlace} place @returns {Result} */
export function lastWriterOfVariable(place) {
  const value = place.get();
  const { name } = place;
  if (name !== undefined) {
    const shadow = hasOwn(lexicalShadow, `s$${name}`) ? lexicalShadow : globalShadow;
    const property = shadow === globalShadow ? getOwnPropertyDescriptor(realm, name) : undefined;
    const isPlain = shadow === lexicalShadow
      || (property !== undefined && hasOwn(property, 'value') && property.writable === true);
    return isUnsure || !isPlain || !is(shadow[`v$${name}`], value) ? notObserved(value)
      : lastWriter(shadow[`s$${name}`], value, false);
  }
  return isStuck(value) ? notObserved(value) : lastWriter(place.record, value, false);
}

/** @param {PageValue} base @param {Key} key @returns {Result} */
export function lastWriterOfProperty(base, key) {
  if (!isObject(base) || ProxyMark.is(base)) return notObserved(undefined);
  const kept = domLive ? lastWriterInDom(base, key) : undefined;
  if (kept !== undefined) return kept;
  const shadow = shadowOf(base);
  const property = getOwnPropertyDescriptor(base, key);
  if (property === undefined) {
    // An inherited value may be there because another object was put in the place of the prototype.
    if (isUnsure || shadow === undefined || typeof key !== 'string' || inspect(base, key) !== undefined) {
      return notObserved(undefined);
    }
    return shadow[`v$${key}`] === ABSENT ? lastWriter(shadow[`s$${key}`], undefined, true) : notObserved(undefined);
  }
  if (!hasOwn(property, 'value')) return notObserved(undefined);
  const { value } = property;
  // What cannot be written looks as if every write that fails had been the last.
  if (isUnsure || property.writable !== true || typeof key !== 'string' || isLeftOut(key) || isPlatform(base)) {
    return notObserved(value);
  }
  return shadow === undefined || !is(shadow[`v$${key}`], value) ? notObserved(value)
    : lastWriter(shadow[`s$${key}`], value, false);
}

/** @typedef {import('./reports').LastWriterTold} LastWriterTold */

// Adds who wrote a variable of a scope, or what is inside an object, if it is known. `write`: of a built-in; `isSure`:
// that code without hooks would have been seen as well.
/**
 * @param {LastWriterTold[]} all @param {number} scope @param {string} name @param {PageValue} number
 * @param {number} [index] @param {LiveWrite} [write] @param {boolean} [isSure]
 */
function addWriter(all, scope, name, number, index, write, isSure = false) {
  if (typeof number !== 'number' || number <= 0) return;
  const { frame, user } = write ?? { __proto__: null, frame: undefined, user: undefined };
  if (write === undefined && (number & SITE) === 0) return;
  const by = number >> SITE_BITS;
  const ago = by === 0 || by >= LAST_TASK ? undefined : taskNow() - by;
  append(all, /** @type {LastWriterTold} */ ({
    __proto__: null, scope, name, index, site: frame === undefined && user === undefined ? number & SITE : 0, frame,
    user: user !== undefined, sure: isSure, ago, cause: user ?? (ago === undefined ? undefined : causes[by]),
  }));
}

// What a variable of this scope holds; what is not initialised has no value.
/** @param {PageObject} scope @param {Key} name */
function held(scope, name) {
  try {
    return getOwnPropertyDescriptor(scope, name)?.value;
  } catch {
    return undefined;
  }
}

// Who wrote the properties of an object that have these names; a name in a list is an attribute's.
/**
 * @param {LastWriterTold[]} all @param {number} scope @param {PageObject} object
 * @param {ArrayLike<string | [string]>} names
 */
function addProperties(all, scope, object, names) {
  for (let index = 0; index < names.length; index++) {
    const asked = names[index];
    const name = typeof asked === 'string' ? asked : asked[0];
    const found = typeof asked === 'string' ? lastWriterOfProperty(object, name) : lastWriterOfAttribute(object, name);
    if (found.status !== 'found') continue;
    const { write } = found;
    const number = write === undefined ? shadowOf(object)?.[`s$${name}`] : write.number;
    addWriter(all, scope, name, number, index, write, found.sure === true);
  }
}

// Who wrote the entries of a collection; `list`: their keys and values, one after the other, as the debugger has them.
/** @param {LastWriterTold[]} all @param {number} scope @param {PageObject} list @param {PageObject} collection */
function addEntries(all, scope, list, collection) {
  const length = /** @type {number} */ (getOwnPropertyDescriptor(list, 'length')?.value);
  for (let index = 0; 2 * index < length; index++) {
    const found = lastWriterOfKey(collection, getOwnPropertyDescriptor(list, 2 * index)?.value);
    if (found.status === 'found') addWriter(all, scope, '', found.write?.number, index, found.write, true);
  }
}

// What the name of a variable's shadow begins with: see `shadow` in the rewriter's `hooks.rs`.
const MARKS = ['__QP__$', '__QP__B$'];
/** @param {string | symbol} name */
function variableOf(name) {
  for (let index = 0; typeof name === 'string' && index < MARKS.length; index++) {
    if (apply(startsWith, name, [MARKS[index]])) return apply(slice, name, [MARKS[index].length]);
  }
  return undefined;
}

// Who wrote last what the debugger has; nobody, unless hooks are live: the variables of scopes, each of a kind that the
// protocol names, and the properties of objects, each with their names instead of a kind. A number says which object is
// the collection that has the entries in this list.
/** @param {ArrayLike<string | number | (string | [string])[]>} kinds @param {ArrayLike<PageObject>} objects */
export function lastWriters(kinds, objects) {
  /** @type {LastWriterTold[]} */
  const all = [];
  if (!shadowing) return all;
  for (let number = 0; number < objects.length; number++) {
    const object = objects[number];
    const kind = kinds[number];
    if (typeof kind === 'number') {
      addEntries(all, number, object, objects[kind]);
    } else if (typeof kind !== 'string') {
      addProperties(all, number, object, kind);
    } else if (kind === 'global') {
      const names = ownKeys(globalShadow);
      for (let index = 0; index < names.length; index++) {
        const name = apply(slice, names[index], [2]);
        if (apply(slice, names[index], [0, 2]) !== 's$' || hasOwn(lexicalShadow, names[index])) continue;
        if (lastWriterOfProperty(realm, name).status !== 'found') continue;
        addWriter(all, number, name, globalShadow[`s$${name}`]);
      }
    } else if (kind === 'script') {
      const names = ownKeys(lexicalShadow);
      for (let index = 0; index < names.length; index++) {
        const name = apply(slice, names[index], [2]);
        if (apply(slice, names[index], [0, 2]) !== 's$' || isUnsure) continue;
        if (!is(held(object, name), lexicalShadow[`v$${name}`])) continue;
        addWriter(all, number, name, lexicalShadow[`s$${name}`]);
      }
    } else {
      const names = ownKeys(object);
      for (let index = 0; index < names.length; index++) {
        const name = variableOf(names[index]);
        if (name === undefined || isStuck(held(object, name))) continue;
        addWriter(all, number, name, held(object, names[index]));
      }
    }
  }
  return all;
}
