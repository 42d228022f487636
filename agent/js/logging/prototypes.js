// From what an object inherits: a prototype that the log knows and that has values, not only methods. The log has it as
// a field whose name no script can write by accident.

import { apply, getOwnPropertyDescriptor, getPrototypeOf, ObjectOf, ownKeys, weakGet, WeakMapOf, weakSet } from
  '../captured.js';
import { ProxyMark } from '../objects.js';
import { settings } from './settings.js';
import { encoder } from './running.js';
import { GONE } from './values.js';

const PROTOTYPE = '[[Prototype]]';
// So many prototypes are looked at, and so many properties of one.
const MOST_PROTOTYPES = 32;
const MOST_PROPERTIES = 1000;
const plain = ObjectOf.prototype;
const plainFunction = getPrototypeOf(ObjectOf);
// Only an origin asks for it.
const isTold = settings.tellsResults && !settings.tellsNew;

// Whether a prototype has values, by what it had when it was looked at first.
/** @type {WeakMap<object, boolean>} */
const having = new WeakMapOf();
// Prototypes whose own prototype was told.
/** @type {WeakMap<object, true>} */
const told = new WeakMapOf();

/** @param {object} prototype */
function hasValues(prototype) {
  const known = apply(weakGet, having, [prototype]);
  if (known !== undefined) return known;
  let has = false;
  const keys = ownKeys(prototype);
  for (let index = 0; index < keys.length && index < MOST_PROPERTIES && !has; index++) {
    const property = getOwnPropertyDescriptor(prototype, keys[index]);
    has = property !== undefined && 'value' in property && typeof property.value !== 'function';
  }
  apply(weakSet, having, [prototype, has]);
  return has;
}

/** Tells it of an object whose prototype has changed. @param {number} site @param {object} object */
export function tellOtherPrototype(site, object) {
  if (!isTold) return;
  encoder.writeKey(site, object, PROTOTYPE, GONE);
  tellPrototype(site, object);
}

// Classes whose own class was told.
/** @type {WeakMap<object, true>} */
const extending = new WeakMapOf();

/** Tells of a class which one it extends. @param {number} site @param {Function} value */
export function tellExtended(site, value) {
  if (!isTold || ProxyMark.is(value) || getPrototypeOf(value) === plainFunction) return;
  if (apply(weakGet, extending, [value]) === true) return;
  apply(weakSet, extending, [value, true]);
  tellPrototype(site, value);
}

/** Tells what an object inherits from. @param {number} site @param {object} object */
export function tellPrototype(site, object) {
  if (!isTold) return;
  let heir = object;
  let at = object;
  for (let count = 0; count < MOST_PROTOTYPES; count++) {
    if (ProxyMark.is(at)) return;
    const prototype = getPrototypeOf(at);
    if (prototype === null || prototype === plain || ProxyMark.is(prototype)) return;
    at = prototype;
    if (encoder.numberOf(prototype) === 0 || !hasValues(prototype)) continue;
    encoder.writeKey(site, heir, PROTOTYPE, prototype);
    if (apply(weakGet, told, [prototype]) === true) return;
    apply(weakSet, told, [prototype, true]);
    heir = prototype;
  }
}
