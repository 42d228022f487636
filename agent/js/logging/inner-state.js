// What an object holds that no property shows as it is, or that no script wrote: the time of a date, the message of an
// error. The log has it as fields whose names no script can write by accident.

import {
  apply, Date, ErrorOf, getOwnPropertyDescriptor, getPrototypeOf, realm, weakGet, WeakMapOf, weakSet,
} from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { encoder } from './running.js';

const DATE_VALUE = '[[DateValue]]';
const MESSAGE = '[[Message]]';

const datePrototype = Date.prototype;
const { getTime, toISOString } = datePrototype;
const errorPrototype = ErrorOf.prototype;
const { DOMException } = realm;
const domMessage = typeof DOMException === 'function'
  ? getOwnPropertyDescriptor(DOMException.prototype, 'message')?.get : undefined;

// The errors whose messages are told.
/** @type {WeakMap<object, true>} */
const told = new WeakMapOf();

/** Tells it of an object that has it. Gives whether it has. @param {number} site @param {unknown} value */
export function tellInnerState(site, value) {
  if (!isObject(value)) return false;
  switch (kindOf(value)) {
    case 'date': {
      const time = timeOf(value);
      if (time === undefined) return false;
      encoder.writeKey(site, value, DATE_VALUE, time);
      return true;
    }
    case 'error': {
      if (apply(weakGet, told, [value]) === true) return true;
      apply(weakSet, told, [value, true]);
      const message = messageOf(value);
      if (message !== '') encoder.writeKey(site, value, MESSAGE, message);
      return true;
    }
    default:
      return false;
  }
}

// By its class: what asks the object itself could throw, which is slow.
/** @param {object} owner */
function kindOf(owner) {
  for (let holder = /** @type {object | null} */ (owner); holder !== null; holder = getPrototypeOf(holder)) {
    if (ProxyMark.is(holder)) return '';
    if (holder === datePrototype) return 'date';
    if (holder === errorPrototype) return 'error';
  }
  return '';
}

/** @param {object} date */
function timeOf(date) {
  try {
    const time = apply(getTime, date, []);
    return time === time ? apply(toISOString, date, []) : 'Invalid Date';
  } catch {
    // It only looks like one: it was made without the constructor.
    return undefined;
  }
}

/** The message of an error; nothing: it has none, or is no error. @param {unknown} error */
export function messageOf(error) {
  if (!isObject(error) || kindOf(error) !== 'error') return '';
  const own = getOwnPropertyDescriptor(error, 'message');
  if (own !== undefined) return typeof own.value === 'string' ? own.value : '';
  if (domMessage === undefined) return '';
  try {
    return /** @type {string} */ (apply(domMessage, error, []));
  } catch {
    return '';
  }
}
