// What the log says of a value: the function, the class, the key and the kind of collection that it is.

import {
  apply, Float64Array, functionText, getOwnPropertyDescriptor, getPrototypeOf, HTMLCollection, indexOf, is, Map,
  NodeList, ObjectOf, Set, slice, startsWith, String, symbolText, weakGet, WeakMapOf, weakSet,
} from '../captured.js';
import { undisguised } from '../source_text.js';
import { inspect, ProxyMark } from '../objects.js';
import { prototypeOf } from '../dom-platform.js';
import { className } from '../summaries.js';
import { CONSTANTS } from '../log-encoder.js';
import { ownNameOf, tellsOwnNames } from './own-names.js';

// What is between the names of a class and of those that it extends, of a function and of where the browser keeps it.
const EXTENDS = '\u001f';

export const { absent: GONE, accessor: GETTER, unknown: UNTOLD } = CONSTANTS;
const { charCodeAt } = String.prototype;

// The number that the rewriter gave a function is in its text: in the hook that it begins with.
const ENTRIES = ['__QP__Le(', '__QP__La('];
const CONSTRUCTOR = '__QP__LK(';
/** @param {Function} callee */
export function functionOf(callee) {
  if (ProxyMark.is(callee)) return 0;
  const text = apply(functionText, undisguised(callee), []);
  let first = -1;
  if (apply(startsWith, text, ['class'])) {
    first = apply(indexOf, text, [CONSTRUCTOR]);
  } else {
    for (let index = 0; index < ENTRIES.length; index++) {
      const found = apply(indexOf, text, [ENTRIES[index]]);
      if (found >= 0 && (first < 0 || found < first)) first = found;
    }
  }
  if (first < 0) return 0;
  let number = 0;
  for (let at = first + CONSTRUCTOR.length; at < text.length; at++) {
    const digit = apply(charCodeAt, text, [at]) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}

// Behind the name, which function of the language it is.
/** @param {Function} callee */
export function nameOf(callee) {
  if (ProxyMark.is(callee)) return '';
  const found = getOwnPropertyDescriptor(callee, 'name');
  const name = found !== undefined && typeof found.value === 'string' ? found.value : '';
  if (!tellsOwnNames) return name;
  // What a page calls its functions does not say that they are others.
  const end = apply(indexOf, name, [EXTENDS]);
  const plain = end < 0 ? name : apply(slice, name, [0, end]);
  const own = ownNameOf(callee);
  return own === '' ? plain : `${plain}${EXTENDS}${own}`;
}

// Classes by their prototypes: most objects have one of a few.
/** @type {WeakMap<object, string>} */
const classes = new WeakMapOf();
/** @param {object | symbol} object */
export function classOf(object) {
  if (typeof object === 'symbol') return apply(symbolText, object, []);
  if (ProxyMark.is(object)) return 'Proxy';
  const prototype = getPrototypeOf(object);
  if (prototype === null) return 'Object';
  const known = apply(weakGet, classes, [prototype]);
  if (known !== undefined) return known;
  // By what its prototype says: an object that is a prototype itself has the class that it is the prototype of.
  let name = writtenAs(prototype);
  const bases = basesOf(prototype);
  if (bases !== '') name = `${apply(slice, name, [0, LONGEST_NAMES])}${bases}`;
  apply(weakSet, classes, [prototype, name]);
  return name;
}

// The name of a class, and by what the log knows how its author called it: the rewriter says so behind `class`, and of
// a function it has a table.
const WRITTEN_AS = '\u001e';
const CLASS = '/*__QP__Lu:';
// Behind `class` and what marks inserted text, of which the longest has three units.
const LAST_START = 8;
/** @param {object} prototype */
function writtenAs(prototype) {
  const name = apply(slice, className(prototype), [0, LONGEST_CLASS]);
  if (ProxyMark.is(prototype)) return name;
  const found = inspect(prototype, 'constructor');
  const constructor = found !== undefined && found.data ? found.value : undefined;
  if (typeof constructor !== 'function' || ProxyMark.is(constructor)) return name;
  const text = apply(functionText, undisguised(constructor), []);
  if (apply(startsWith, text, ['class'])) {
    const start = apply(indexOf, text, [CLASS]);
    if (start < 0 || start > LAST_START) return name;
    const written = apply(slice, text, [start + CLASS.length, apply(indexOf, text, ['*/', start])]);
    return `${name}${WRITTEN_AS}${apply(slice, written, [0, LONGEST_CLASS])}`;
  }
  const number = functionOf(constructor);
  return number === 0 ? name : `${name}${WRITTEN_AS}${number}`;
}

// The classes that a class extends, each behind a mark; `Object`, which all have, is left out.
const MOST_BASES = 16;
const LONGEST_CLASS = 60;
const LONGEST_NAMES = 2 * LONGEST_CLASS + 1;
/** @param {object} prototype */
function basesOf(prototype) {
  let bases = '';
  let before = prototype;
  for (let count = 0; count < MOST_BASES; count++) {
    const base = getPrototypeOf(before);
    if (base === null || base === ObjectOf.prototype || ProxyMark.is(base)) break;
    bases += `${EXTENDS}${writtenAs(base)}`;
    before = base;
  }
  return bases;
}

// A response of the network. Node makes that class, and globals beside it, when a script first asks for it.
const responsePrototype = prototypeOf('Response');
/** @param {object} object */
export const isResponse = (object) =>
  responsePrototype !== undefined && !ProxyMark.is(object) && getPrototypeOf(object) === responsePrototype;

// A key as the record has it: a number, a text or a symbol. An object's text is its own affair.
/** @param {unknown} key */
export function keyOf(key) {
  switch (typeof key) {
    case 'number': return is(key, -0) ? 0 : key;
    case 'string': case 'symbol': return key;
    case 'object': case 'function': return key === null ? 'null' : UNTOLD;
    default: return `${/** @type {boolean | bigint | undefined} */ (key)}`;
  }
}

export const typedPrototype = getPrototypeOf(Float64Array.prototype);
const listPrototype = typeof NodeList === 'function' ? NodeList.prototype : undefined;
const collectionPrototype = typeof HTMLCollection === 'function' ? HTMLCollection.prototype : undefined;

// Which collection it is, by its class: what asks the object itself could throw, which is slow.
/** @param {object} owner */
export function kindOf(owner) {
  for (let holder = getPrototypeOf(owner); holder !== null; holder = getPrototypeOf(holder)) {
    if (ProxyMark.is(holder)) return '';
    if (holder === Map.prototype) return 'map';
    if (holder === Set.prototype) return 'set';
    if (holder === typedPrototype) return 'typed';
    if (holder === listPrototype || holder === collectionPrototype) return 'nodes';
  }
  return '';
}
