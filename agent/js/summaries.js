// Values as text, cut short: nothing of the page runs for it.

import {
  apply, getOwnPropertyDescriptor, hasOwn, is, isArray, ownKeys, slice, stringify, StringOf, symbolText, toStringTag,
} from './captured.js';
import { ABSENT, append, isObject } from './basics.js';
import { inspect, ProxyMark } from './objects.js';
import { beginningOf, isLarge, LARGE, lengthOf, MOST_READ } from './beginnings.js';

/** @param {PageValue} value */
export const primitiveText = (value) => {
  switch (typeof value) {
    case 'string': return value.length > MOST_READ ? lengthOf(value) : stringify(beginningOf(value));
    case 'bigint': return isLarge(value) ? LARGE : `${value}n`;
    case 'number': return is(value, -0) ? '-0' : StringOf(value);
    case 'symbol': return beginningOf(apply(symbolText, value, []));
    case 'undefined': return 'undefined';
    case 'boolean': return value ? 'true' : 'false';
    default: return value === null ? 'null' : typeof value;
  }
};

/** @param {PageObject} object */
export const className = (object) => {
  if (ProxyMark.is(object)) return 'Proxy';
  const found = inspect(object, 'constructor');
  if (found === undefined || !found.data || typeof found.value !== 'function') return 'Object';
  const name = getOwnPropertyDescriptor(found.value, 'name');
  if (name === undefined || typeof name.value !== 'string' || name.value === '') return 'Object';
  if (name.value !== 'Object') return beginningOf(name.value);
  const tag = inspect(object, toStringTag);
  return tag !== undefined && tag.data && typeof tag.value === 'string' && tag.value !== '' ? beginningOf(tag.value)
    : 'Object';
};

// A value as text, cut short; never runs anything of the page.
/** @param {PageValue} value @returns {ValueText} */
export function summary(value) {
  if (value === ABSENT) return { type: 'undefined', text: 'undefined' };
  if (!isObject(value)) {
    const type = value === null ? 'object' : typeof value;
    return { type, text: apply(slice, primitiveText(value), [0, 300]) };
  }
  if (typeof value === 'function') {
    const name = getOwnPropertyDescriptor(value, 'name');
    const text = name !== undefined && typeof name.value === 'string' ? beginningOf(name.value) : '';
    return { type: 'function', text: `ƒ ${text}()` };
  }
  const tag = className(value);
  if (ProxyMark.is(value)) return { type: 'object', text: tag };
  /** @type {string[]} */
  const parts = [];
  const keys = ownKeys(value);
  const array = isArray(value);
  for (let index = 0; index < keys.length && parts.length < 5; index++) {
    const key = keys[index];
    if (typeof key === 'symbol' || (array && key === 'length')) continue;
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    const text = !hasOwn(descriptor, 'value') ? '(…)'
      : isObject(descriptor.value) ? (typeof descriptor.value === 'function' ? 'ƒ' : className(descriptor.value))
        : primitiveText(descriptor.value);
    append(parts, array ? text : `${beginningOf(key)}: ${text}`);
  }
  let text = parts[0] ?? '';
  for (let index = 1; index < parts.length; index++) text += `, ${parts[index]}`;
  if (parts.length === 5) text += ', …';
  text = array ? `(${value.length}) [${text}]` : `${tag === 'Object' ? '' : `${tag} `}{${text}}`;
  return { type: 'object', text: apply(slice, text, [0, 300]) };
}
