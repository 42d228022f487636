// What every module builds on.

import { defineProperty, freeze } from './captured.js';

// Appends without the page's `push` and past any setter on `Array.prototype`.
/** @type {<T>(list: T[], value: T) => boolean} */
export const append = (list, value) => defineProperty(list, list.length, {
  __proto__: null, value, writable: true, enumerable: true, configurable: true,
});

/** @type {(value: PageValue) => value is PageObject} */
export const isObject = (value) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
  || (typeof value === 'undefined' && value !== undefined); // document.all

// A constructor that gives back what it is given: a class that extends it puts its private fields on any object.
export class Base { constructor(/** @type {PageObject} */ object) { return object; } }

// A value no page can hold: what a deleted property has become.
/** @type {PageValue} */
export const ABSENT = freeze({ __proto__: null });
// The new value is not known before the write (`object++`).
/** @type {PageValue} */
export const UNKNOWN = freeze({ __proto__: null });
