// Where the browser keeps the functions of the language: `JSON.parse`. A page calls them by other names, too; which one
// it was, the function itself says.

import {
  apply, Function, getOwnPropertyDescriptor, includes, ownKeys, realm, weakGet, WeakMapOf, weakSet,
} from '../captured.js';
import { isObject } from '../basics.js';
import { undisguised } from '../source_text.js';
import { replace } from './replaced.js';
import { settings } from './settings.js';

const HOLDERS = [
  'JSON', 'Object', 'Array', 'Reflect', 'Promise', 'Math', 'Number', 'String', 'Date', 'Map', 'Set', 'WeakMap',
  'Function', 'Symbol', 'BigInt', 'Iterator',
];
const GLOBALS = [
  'String', 'Number', 'Boolean', 'BigInt', 'parseInt', 'parseFloat', 'decodeURIComponent', 'encodeURIComponent',
  'structuredClone', 'atob', 'btoa', 'fetch', 'prompt', 'confirm', 'eval',
];

/** @type {WeakMap<object, string>} */
const names = new WeakMapOf();

// What an object has by itself, where no getter is asked for it.
/** @param {object} holder @param {string | symbol} key @returns {unknown} */
const held = (holder, key) => getOwnPropertyDescriptor(holder, key)?.value;

// The name of a function of the language, with what holds it; '': it is none.
/** @param {Function} callee */
export const ownNameOf = (callee) => apply(weakGet, names, [undisguised(callee)]) ?? '';

// A function that is in several places has the name of the first.
/** @param {unknown} value @param {string} name */
function keep(value, name) {
  if (typeof value === 'function' && ownNameOf(value) === '') apply(weakSet, names, [undisguised(value), name]);
}
/** @param {unknown} holder @param {string} name */
function keepAll(holder, name) {
  if (!isObject(holder)) return;
  const keys = ownKeys(holder);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key === 'string' && key !== 'constructor') keep(held(holder, key), `${name}.${key}`);
  }
}

for (let index = 0; index < GLOBALS.length; index++) keep(held(realm, GLOBALS[index]), GLOBALS[index]);
for (let index = 0; index < HOLDERS.length; index++) {
  const name = HOLDERS[index];
  const holder = held(realm, name);
  keepAll(holder, name);
  if (isObject(holder)) keepAll(held(holder, 'prototype'), `${name}.prototype`);
}

// Only an origin asks for them.
export const tellsOwnNames = settings.tellsResults && !settings.tellsNew;
// Before the name of what has as its first argument what the method is called on: `call.bind(slice)`.
const ON = 'on:';

// What `bind` made of a function of the language is called by its name, too. Of a method that is bound to an object no
// text says to which.
/** @param {object} made @param {unknown} of @param {unknown[]} given */
function nameBound(made, of, given) {
  const own = typeof of === 'function' ? ownNameOf(of) : '';
  if (own === 'Function.prototype.call') {
    const [inner] = given;
    const name = typeof inner === 'function' ? ownNameOf(inner) : '';
    if (name === '') return;
    if (given.length === 1) apply(weakSet, names, [made, `${ON}${name}`]);
    else if (given.length === 2 && isStatic(name)) apply(weakSet, names, [made, name]);
  } else if (own !== '' && given.length === 1 && isStatic(own)) {
    apply(weakSet, names, [made, own]);
  }
}
/** @param {string} name */
const isStatic = (name) => !apply(includes, name, ['.prototype.']) && !apply(includes, name, [ON]);

if (tellsOwnNames) {
  replace(Function.prototype, 'bind', (original) => ({
    /** @this {unknown} @param {unknown[]} given */
    replacement(...given) {
      const made = apply(original, this, given);
      nameBound(/** @type {object} */ (made), this, given);
      return made;
    },
  }).replacement);
}
