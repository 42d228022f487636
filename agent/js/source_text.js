// The text of a function as its author wrote it: what rewriting inserted is between marks and is left out
// (see the module `marks` of the crate `js-analysis`, which does the same). Functions that replace built-ins of
// the realm show the text of what they replace.

import {
  apply, defineProperty, Function, functionText, getOwnPropertyDescriptor, includes, indexOf, slice,
} from './captured.js';
import { earlier } from './config.js';
import { Base, isObject } from './basics.js';

// What a function of ours replaces, kept on it.
class Disguise extends Base {
  #__QP__o;
  /** @param {PageObject} fn @param {PageObject} original */
  constructor(fn, original) { super(fn); this.#__QP__o = original; }
  /** @param {PageValue} fn */
  static of(fn) {
    let shown = fn;
    while (isObject(shown) && #__QP__o in shown) shown = shown.#__QP__o;
    return shown;
  }
}

// What a function replaces, as far as it replaces another.
export const undisguised = earlier?.undisguised ?? Disguise.of;
export const markDisguised = earlier?.markDisguised ?? ((fn, original) => new Disguise(fn, original));

// Gives a replacement the name, the length and the text of what it replaces.
/** @type {<T extends PageObject>(replacement: T, original: PageObject) => T} */
export function disguise(replacement, original) {
  markDisguised(replacement, original);
  const keys = ['length', 'name'];
  for (let index = 0; index < keys.length; index++) {
    const property = getOwnPropertyDescriptor(original, keys[index]);
    if (property !== undefined) defineProperty(replacement, keys[index], { __proto__: null, ...property });
  }
  return replacement;
}

/** @param {string} text */
export function authorText(text) {
  if (!apply(includes, text, ['__QP__'])) return text;
  const rare = apply(includes, text, ['\v\v\f']);
  const open = rare ? '\v\v\f' : '\v';
  const close = rare ? '\f\v\v' : '\v';
  let written = '';
  let at = 0;
  for (;;) {
    const start = apply(indexOf, text, [open, at]);
    if (start < 0) return written + apply(slice, text, [at]);
    written += apply(slice, text, [at, start]);
    const end = apply(indexOf, text, [close, start + open.length]);
    // The function ends with text of ours.
    if (end < 0) return written;
    at = end + close.length;
  }
}

if (earlier === undefined) {
  // A method: it has no `prototype` and cannot be constructed, like the built-in.
  const { toString } = {
    toString() { return authorText(apply(functionText, undisguised(this), [])); },
  };
  disguise(toString, functionText);
  defineProperty(Function.prototype, 'toString', { __proto__: null, value: toString });
}
