// Objects as they are, without running anything of the page: proxies by their mark, properties by their descriptors.

import {
  apply, functionText, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, ownKeys, slice, startsWith, toStringTag,
  Uint8Array,
} from './captured.js';
import { earlier } from './config.js';
import { Base, isObject } from './basics.js';
import { undisguised } from './source_text.js';

// A part of what a hook hands over: where it has none, nothing of the page's prototypes is read instead.
/** @type {<T extends object, K extends keyof T>(given: T | undefined, key: K) => T[K] | undefined} */
export const part = (given, key) => (given !== undefined && hasOwn(given, key) ? given[key] : undefined);

// Whether there are proxies: where there are none, a fresh object need not be asked whether it is one.
export let proxies = earlier !== undefined;
export const meetProxies = () => { proxies = true; };

// A proxy's target and handler, kept on the proxy itself, for proxies made while we look.
/** @type {ProxyMarkClass} */
export const ProxyMark = earlier?.ProxyMark ?? class extends Base {
  #__QP__t; #__QP__h;
  /** @param {PageObject} proxy @param {PageValue} target @param {PageObject} handler */
  constructor(proxy, target, handler) { super(proxy); this.#__QP__t = target; this.#__QP__h = handler; }
  /** @param {PageObject} value */
  static is(value) { return #__QP__t in value; }
  /** @param {any} value */
  static target(value) { return value.#__QP__t; }
  /** @param {any} value */
  static handler(value) { return value.#__QP__h; }
};

/** @type {<T extends PageValue>(value: T) => T extends PageObject ? PageObject : PageValue} */
export const unwrap = (/** @type {PageValue} */ value) => {
  while (isObject(value) && ProxyMark.is(value)) value = ProxyMark.target(value);
  return /** @type {PageObject} */ (value);
};

// Whether a function is the browser's own. One of the page that was bound has such a text too, but no name in it.
/** @param {PageValue} fn */
export const isNative = (fn) => {
  if (typeof fn !== 'function' || ProxyMark.is(fn)) return false;
  const text = apply(functionText, undisguised(fn), []);
  return apply(slice, text, [-17]) === '{ [native code] }' && !apply(startsWith, text, ['function () {']);
};

// The property as it is, without running anything: `{ holder, own, data, value, writable, configurable }`, or
// `{ holder, own, data, native, get, set, configurable }`.
/** @param {PageValue} object @param {Key} key @returns {Inspected | undefined} */
export function inspect(object, key) {
  let holder = unwrap(object);
  let own = true;
  for (let depth = 0; isObject(holder) && depth < 1000; depth++) {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) {
      if (hasOwn(descriptor, 'value')) {
        const { value, writable, configurable } = descriptor;
        return { holder, own, data: true, value, writable, configurable };
      }
      const native = (descriptor.get === undefined || isNative(descriptor.get))
        && (descriptor.set === undefined || isNative(descriptor.set));
      const { get, set, configurable } = descriptor;
      return { holder, own, data: false, native, get, set, configurable };
    }
    own = false;
    holder = unwrap(getPrototypeOf(holder));
  }
  return undefined;
}

/** @param {PageValue} key */
export const toKey = (key) => ownKeys({ [/** @type {Key} */ (key)]: 0 })[0];
// Gives the name of a typed array's kind, and undefined for anything else.
export const typedName = /** @type {() => string | undefined} */ (
  getOwnPropertyDescriptor(/** @type {PageObject} */ (getPrototypeOf(Uint8Array.prototype)), toStringTag)?.get);
