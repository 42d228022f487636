// Methods of the platform in whose place the log has ones that tell.

import { defineProperty, getOwnPropertyDescriptor } from '../captured.js';
import { disguise } from '../source_text.js';

/**
 * @param {PageObject | undefined} host @param {string} name
 * @param {(original: AnyFunction) => AnyFunction} make gives the method that is put there: like the built-in, it cannot
 *   be constructed
 */
export function replace(host, name, make) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, name);
  const original = property?.value;
  if (host === undefined || typeof original !== 'function') return;
  const value = disguise(make(original), original);
  defineProperty(host, name, { __proto__: null, ...property, value });
}
