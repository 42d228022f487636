// Live hooks: who wrote what the browser works out of what it keeps: addresses, shorthands of styles, and what an
// element shows of its text. Where something else may have changed what comes of it, nobody is named.

import { apply, document, getOwnPropertyDescriptor, indexOf, ownKeys, slice, startsWith } from './captured.js';
import { isObject } from './basics.js';
import { domLive } from './dom-slots.js';
import { getFirstChild, prototypeOf } from './dom-platform.js';
import { notObserved } from './results.js';
import { momentNow, resultOf } from './live-calls.js';
import {
  addressesNow, baseOf, declaredNames, knownOf, lastStateChange, lastWriterOfState, stateNow,
} from './live-states.js';

/** @typedef {(node: PageObject, value: PageValue) => Result} OfText */

// ---- addresses ----

// Properties that give an address in full, and the attribute that has it as it was written.
/** @type {Table<string>} */
const ADDRESSES = /** @type {Bare} */ ({
  __proto__: null, href: 'href', src: 'src', action: 'action', formAction: 'formaction', poster: 'poster',
  data: 'data', cite: 'cite',
});
/** @param {string} key */
export const isAddress = (key) => ADDRESSES[key] !== undefined;

// `https://…`: no other address is part of it.
/** @param {string} text */
function isWhole(text) {
  const end = apply(indexOf, text, ['://']);
  for (let index = 0; index < end; index++) {
    const letter = text[index];
    const isLetter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (!isLetter && (index === 0 || letter < '+' || letter > '9' || letter === ',' || letter === '/')) return false;
  }
  return end > 0;
}

// An address that is not whole is another one where the document's has changed since.
/** @param {PageObject} element @param {string} key @param {PageValue} value @returns {Result} */
export function lastWriterOfAddress(element, key, value) {
  const state = `a:${ADDRESSES[key]}`;
  const written = stateNow(element, state);
  if (typeof value !== 'string' || typeof written !== 'string') return notObserved(value);
  if (!isWhole(written) && baseOf(element, state) !== addressesNow()) return notObserved(value);
  const told = lastWriterOfState(element, state);
  return told.status === 'found' ? about(told, value, told.sure === true) : notObserved(value);
}

/** @param {Result} told @param {PageValue} value @param {boolean} isSure */
function about(told, value, isSure) {
  const result = resultOf(told.write, value, false);
  result.sure = isSure;
  return result;
}

// ---- shorthands of styles ----

const scratch = domLive ? /** @type {PageObject} */ (document.createElement('i').style) : undefined;
const stylePrototype = domLive ? prototypeOf('CSSStyleDeclaration') : undefined;
const setWhole = stylePrototype === undefined ? undefined : getOwnPropertyDescriptor(stylePrototype, 'cssText')?.set;
const setProperty = /** @type {AnyFunction | undefined} */ (
  /** @type {Table | undefined} */ (stylePrototype)?.setProperty);

// A declaration, or all that a shorthand sets: it has changed when one of them has.
/** @param {PageObject} element @param {string} state @returns {Result} */
export function lastWriterOfDeclaration(element, state) {
  const value = stateNow(element, state);
  if (value === undefined || scratch === undefined || !apply(startsWith, state, ['s:'])) {
    return lastWriterOfState(element, state);
  }
  const name = apply(slice, state, [2]);
  apply(setWhole, scratch, ['']);
  apply(setProperty, scratch, [name, value]);
  const names = declaredNames(scratch);
  if (names.length <= 1) return lastWriterOfState(element, state);
  /** @type {Result | undefined} */
  let last;
  for (let index = 0; index < names.length; index++) {
    const told = lastWriterOfState(element, `s:${names[index]}`);
    if (told.status !== 'found' || told.write === undefined) return notObserved(value);
    if (last?.write === undefined || told.write.s > last.write.s) last = told;
  }
  return last === undefined ? notObserved(value) : about(last, value, false);
}

// ---- what an element shows ----

/** @param {string} name @param {string} key @returns {AnyFunction | undefined} */
function getterIn(name, key) {
  const host = domLive ? prototypeOf(name) : undefined;
  return host === undefined ? undefined : getOwnPropertyDescriptor(host, key)?.get;
}
const getSheets = getterIn('Document', 'styleSheets');
const getCount = getterIn('StyleSheetList', 'length');
const getAdopted = getterIn('Document', 'adoptedStyleSheets');
const getOwnerNode = getterIn('StyleSheet', 'ownerNode');

/** @param {PageObject} sheets @param {number} number @returns {PageValue} */
function ownerAt(sheets, number) {
  const sheet = getOwnPropertyDescriptor(sheets, number)?.value;
  return isObject(sheet) ? apply(getOwnerNode, sheet, []) : null;
}

let sheetCount = 0;
/** @type {PageValue} */
let lastOwner = null;
let sheetChange = 0;
// Markup has changed: the document may have other sheets of styles now.
/** @param {number} moment @returns {PageObject} */
export function noteSheets(moment) {
  const sheets = /** @type {PageObject} */ (apply(getSheets, document, []));
  const count = /** @type {number} */ (apply(getCount, sheets, []));
  const last = count === 0 ? null : ownerAt(sheets, count - 1);
  if (count !== sheetCount || last !== lastOwner) {
    sheetCount = count;
    lastOwner = last;
    sheetChange = moment;
  }
  return sheets;
}

/** @param {PageValue} node */
const writtenAt = (node) => (isObject(node) ? knownOf(node)?.text?.write.s ?? 0 : 0);

// Whether sheets of styles may be others than at a moment.
/** @param {number} moment */
function isStyledSince(moment) {
  const adopted = getAdopted === undefined ? undefined : apply(getAdopted, document, []);
  if (isObject(adopted) && ownKeys(adopted).length > 1) return true;
  const sheets = noteSheets(momentNow() + 1);
  if (sheetChange > moment) return true;
  for (let number = 0; number < sheetCount; number++) {
    const owner = ownerAt(sheets, number);
    if (writtenAt(owner) > moment) return true;
    const text = isObject(owner) ? apply(getFirstChild, owner, []) : null;
    if (writtenAt(text) > moment) return true;
  }
  return false;
}

// It shows its text as it is, and nothing that may hide some of it has changed since that was written.
/** @param {PageObject} element @param {PageValue} value @param {string} text @param {OfText} ofText */
export function lastWriterOfShown(element, value, text, ofText) {
  if (value !== text) return notObserved(value);
  const told = ofText(element, value);
  if (told.status !== 'found' || told.write === undefined) return notObserved(value);
  const { s } = told.write;
  if (lastStateChange() > s || isStyledSince(s)) return notObserved(value);
  return told;
}
