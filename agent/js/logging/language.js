// What functions of the language's own objects write: `Object.assign(a, b)`, `Object.defineProperty(a, k, d)`,
// `Object.defineProperties(a, d)`, `Object.setPrototypeOf(a, p)`, `Reflect.set(a, k, v)`. A page calls them by many
// names, so what replaces them tells what was written.

import { apply, getOwnPropertyDescriptor, ObjectOf, ownKeys, Reflect } from '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES } from './settings.js';
import { GETTER, keyOf } from './values.js';
import { encoder, safely } from './running.js';
import { tellNew } from './new-objects.js';
import { tellOtherPrototype } from './prototypes.js';
import { siteOfCall } from './calls.js';
import { replace } from './replaced.js';

/** @param {PageObject} host @param {string} name */
function watch(host, name) {
  replace(host, name, (original) => ({
    /** @this {unknown} @param {unknown[]} values */
    replacement(...values) {
      // Before anything of the page runs in it.
      const site = siteOfCall();
      const result = apply(original, this, values);
      if (site !== 0) {
        safely(() => {
          tell(site, result, name, values);
          tellNew(site);
        });
      }
      return result;
    },
  }).replacement);
}
watch(ObjectOf, 'assign');
watch(ObjectOf, 'defineProperty');
watch(ObjectOf, 'defineProperties');
watch(Reflect, 'defineProperty');
watch(Reflect, 'set');
watch(ObjectOf, 'setPrototypeOf');
watch(Reflect, 'setPrototypeOf');

// Tells what a call of one of them wrote, which had these arguments.
/** @param {number} site @param {unknown} result @param {string} method @param {unknown[]} given */
function tell(site, result, method, given) {
  const target = given[0];
  if (!isObject(target) || ProxyMark.is(target)) return;
  if (method === 'setPrototypeOf') {
    if (result !== false) tellOtherPrototype(site, target);
    return;
  }
  const copies = method === 'assign';
  if (!copies && method !== 'defineProperties') {
    // `Reflect.set` with a receiver gives the value to that.
    if (result !== false) written(site, target, given[1], given.length > 3 ? GETTER : given[2]);
    return;
  }
  let told = 0;
  for (let index = 1; index < given.length; index++) {
    const source = given[index];
    if (!isObject(source) || ProxyMark.is(source)) continue;
    const keys = ownKeys(source);
    for (let at = 0; at < keys.length && told < MOST_ENTRIES; at++) {
      const property = getOwnPropertyDescriptor(source, keys[at]);
      if (property?.enumerable !== true) continue;
      told++;
      written(site, target, keys[at], copies && 'value' in property ? property.value : GETTER);
    }
  }
}
// Where it is no property of the owner's own now, a setter was given the value, as in an assignment.
/** @param {number} site @param {object} owner @param {unknown} name @param {unknown} given */
function written(site, owner, name, given) {
  const key = keyOf(name);
  if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'symbol') return;
  const property = getOwnPropertyDescriptor(owner, key);
  const value = property === undefined ? given : 'value' in property ? property.value : GETTER;
  encoder.writeKey(site, owner, key, value);
}
