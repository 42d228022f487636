// Values as they are sent to be shown: of what is long only the beginning. The browser itself would send strings and
// the texts of functions whole, and bigints in decimal.

import {
  apply, functionText, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, ownKeys, slice, startsWith, SymbolOf,
  symbolText,
} from './captured.js';
import { append, isObject } from './basics.js';
import { proxies, ProxyMark } from './objects.js';

// How many characters of a text are sent: more than are shown.
const LONGEST_TEXT = 1000;
// To read a string that was put together of others is to make it of one piece. So many characters are, at a stop.
export const MOST_READ = 2 ** 26;
// Larger ones have more digits than are shown; what it takes to find them grows faster than they do.
const LARGEST_BIGINT = 2n ** 1024n;

/** @param {string} text */
export const beginningOf = (text) => (text.length > LONGEST_TEXT ? apply(slice, text, [0, LONGEST_TEXT]) : text);
/** @param {bigint} bigint */
export const isLarge = (bigint) => bigint > LARGEST_BIGINT || bigint < -LARGEST_BIGINT;
/** @param {string} string */
export const lengthOf = (string) => `(${string.length} characters)`;
export const LARGE = '(more than 300 digits)';

// Represents what is not sent itself: a symbol that says what is to be shown.
/** @param {string} type @param {string} text */
const told = (type, text) => SymbolOf(`__QP__ ${type} ${text}`);

// `room`: how long a string may be to be read.
/** @param {PageValue} value @param {number} room */
export function beginning(value, room) {
  switch (typeof value) {
    case 'string':
      return value.length > room ? told('string', lengthOf(value)) : beginningOf(value);
    case 'bigint':
      return isLarge(value) ? told('bigint', LARGE) : value;
    case 'symbol': {
      const text = apply(symbolText, value, []);
      return text.length > LONGEST_TEXT ? told('symbol', beginningOf(text)) : value;
    }
    case 'function': {
      const text = apply(functionText, value, []);
      return text.length > LONGEST_TEXT ? told('function', beginningOf(text)) : value;
    }
    default:
      return proxies && isObject(value) && inheritsFromProxy(value) ? told('object', 'Object') : value;
  }
}

// Whether a proxy is among an object's prototypes: what the browser reads to show the object, the proxy's traps see.
/** @param {PageObject} object */
function inheritsFromProxy(object) {
  /** @type {PageValue} */
  let holder = object;
  for (let depth = 0; isObject(holder) && depth < 1000; depth++) {
    if (ProxyMark.is(holder)) return depth > 0;
    holder = getPrototypeOf(holder);
  }
  return false;
}

// The names with those before the others that are among them.
/** @param {(string | symbol)[]} names @param {string[]} before */
function inOrder(names, before) {
  if (before.length === 0) return names;
  /** @type {Table} */
  const known = { __proto__: null };
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === 'string') known[name] = 'there';
  }
  /** @type {(string | symbol)[]} */
  const ordered = [];
  for (let index = 0; index < before.length; index++) {
    const name = before[index];
    if (known[name] !== 'there') continue;
    append(ordered, name);
    known[name] = 'before';
  }
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === 'symbol' || known[name] === 'there') append(ordered, name);
  }
  return ordered;
}

// The variables of scopes, each under the scope's number and its name; of each scope those with the given names first.
/** @param {string[][]} first @param {PageObject[]} scopes */
export function beginnings(first, scopes) {
  const MOST_VARIABLES = 200;
  /** @type {Table} */
  const all = { __proto__: null };
  let room = MOST_READ;
  for (let number = 0; number < scopes.length; number++) {
    const scope = scopes[number];
    const names = inOrder(ownKeys(scope), first[number]);
    let count = 0;
    for (let index = 0; index < names.length && count < MOST_VARIABLES; index++) {
      const name = names[index];
      if (typeof name === 'symbol' || apply(startsWith, name, ['__QP__'])) continue;
      count++;
      let value;
      try {
        const descriptor = getOwnPropertyDescriptor(scope, name);
        value = descriptor === undefined || !hasOwn(descriptor, 'value') ? told('accessor', '(…)')
          : beginning(descriptor.value, room);
        if (typeof value === 'string' && value !== descriptor?.value)
          room -= /** @type {{ value: string }} */ (descriptor)?.value.length;
      } catch {
        value = told('uninitialised', '<not yet initialised>');
      }
      all[`${number} ${beginningOf(name)}`] = value;
    }
  }
  return all;
}
