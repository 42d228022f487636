// Live hooks: whether anything may have been written without a hook, by code that is not rewritten or by another
// window.

import { apply, getOwnPropertyDescriptor, getPrototypeOf, realm } from './captured.js';
import { isObject } from './basics.js';

// Whether anything may have been written without a hook; and whether by scripts of another realm, whose built-ins are
// not ours.
export let isUnsure = false;
let isReached = false;
export function written() {
  isUnsure = true;
}
// What a `with` statement is about whose body writes.
/** @param {PageValue} object */
export const Un = (object) => {
  isUnsure = true;
  return object;
};

/** @param {string} name */
const getterOf = (name) => getOwnPropertyDescriptor(realm, name)?.get;
const windows = { __proto__: null, length: getterOf('length'), parent: getterOf('parent'), opener: getterOf('opener') };

// Whether scripts of another window can reach what is here: nothing can be read of one that is of another origin, not
// even its prototype.
/** @param {PageValue} other */
const reaches = (other) => isObject(other) && other !== realm && getPrototypeOf(other) !== null;

// From when on another realm has been there, objects may have been written by it.
export function watchOthers() {
  if (isReached || windows.length === undefined) return;
  const count = /** @type {number} */ (apply(windows.length, realm, []));
  for (let index = 0; index < count; index++) isReached ||= reaches(realm[index]);
  if (windows.parent !== undefined) isReached ||= reaches(apply(windows.parent, realm, []));
  if (windows.opener !== undefined) isReached ||= reaches(apply(windows.opener, realm, []));
  isUnsure ||= isReached;
}
// Another window is there from now on, and its scripts reach what is here.
export function reachOthers() {
  isReached = true;
  isUnsure = true;
}
export const isShared = () => {
  watchOthers();
  return isReached;
};
export const isDoubted = () => isUnsure || isShared();

// Keys whose writes leave nothing: those of elements, and what the language writes itself.
/** @param {string} key */
export const isLeftOut = (key) => (key >= '0' && key < ':') || key === 'length' || key === 'lastIndex';
