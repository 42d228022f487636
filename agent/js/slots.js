// What is watched: a slot for each name, and how a key finds its slot.

import { apply, getOwnPropertyDescriptor, NumberOf, ownKeys, startsWith, StringOf, SymbolOf } from './captured.js';
import { config } from './config.js';
import { append, isObject } from './basics.js';
import { beginCounting } from './event-numbers.js';
import { ProxyMark } from './objects.js';

export const slots = /** @type {Slot[]} */ (/** @type {unknown} */ (config.slots));
/** @type {Table<number>} */
export const slotOfKey = /** @type {Bare} */ ({ __proto__: null });
/** @type {Table<number>} */
export const slotOfVariable = /** @type {Bare} */ ({ __proto__: null });
for (let index = 0; index < slots.length; index++) {
  const slot = slots[index];
  slot.tracked = /** @type {Bare} */ ({ __proto__: null });
  for (const owner of slot.exact) slot.tracked[owner] = true;
  slot.plain = slot.askedThere.length === 0 && !slot.isAskedThere && !config.capture;
  if (slot.kind === 'condition' || slot.kind === 'events') beginCounting(slot, slot.query, config.stops);
  if (slot.kind === 'property') slotOfKey[slot.key] = index;
  else if (slot.kind === 'variable') slotOfVariable[slot.key] = index;
}
export const anyTraced = slots.some((slot) => slot.traced.length > 0);
export const anyProperty = slots.some((slot) => slot.kind === 'property');
// Whether a number can be a watched key: most writes with computed keys are of elements, and their keys stay numbers.
export const anyNumber = slots.some((slot) => StringOf(NumberOf(slot.key)) === slot.key);
// Symbols are watched by their descriptions: no other property has such a name. Of those that share one, as all have
// that are made without (`Symbol()`), the second that is met is watched by its number as well, and so on.
const symbolDescription = getOwnPropertyDescriptor(SymbolOf.prototype, 'description')?.get;
/** @param {symbol} symbol */
const symbolName = (symbol) => `\0@${apply(symbolDescription, symbol, []) ?? ''}`;
/** @type {Table<string>} */
const nameOfSymbol = /** @type {Bare} */ ({ __proto__: null });
/** @type {Table<number>} */
const metOfName = /** @type {Bare} */ ({ __proto__: null });
const MOST_OF_A_NAME = 10000;
/** @param {Key} key */
export const nameOfKey = (key) => (typeof key === 'symbol' ? nameOfSymbol[key] ?? symbolName(key)
  : /** @type {string} */ (key));
export const anySymbol = slots.some((slot) => slot.kind === 'property' && apply(startsWith, slot.key, ['\0@']));
/** @param {Key} key */
export const isPrivateKey = (key) => typeof key === 'string' && apply(startsWith, key, ['\0#']);
/** @param {Key} key */
export const isElementKey = (key) => typeof key === 'string' && (key === 'length' || StringOf(NumberOf(key)) === key);

// The slot of a symbol. A slot with the name that a symbol has when it is met has it as its key from then on.
/** @param {symbol} symbol @returns {number | undefined} */
function slotOfSymbol(symbol) {
  const known = slotOfKey[symbol];
  if (known !== undefined || nameOfSymbol[symbol] !== undefined) return known;
  const shared = symbolName(symbol);
  if (slotOfKey[shared] === undefined) return undefined;
  const number = metOfName[shared] ?? 0;
  if (number === MOST_OF_A_NAME) return undefined;
  metOfName[shared] = number + 1;
  const name = number === 0 ? shared : `${shared}\0${number}`;
  nameOfSymbol[symbol] = name;
  const index = slotOfKey[name];
  if (index === undefined || typeof slots[index].key === 'symbol') return undefined;
  slots[index].key = symbol;
  slotOfKey[symbol] = index;
  return index;
}

// Meets the symbols that are keys of what is copied.
/** @param {PageValue} source */
export function meetSymbols(source) {
  if (!anySymbol || !isObject(source) || ProxyMark.is(source)) return;
  const keys = ownKeys(source);
  for (let index = 0; index < keys.length; index++) {
    if (typeof keys[index] === 'symbol') slotOfSymbol(/** @type {symbol} */ (keys[index]));
  }
}
export const anyElement = slots.some((slot) => slot.kind === 'property' && isElementKey(slot.key));
// A list with something for each slot. (The `map` of the realm may be one that tells what it makes.)
/** @type {<T>(make: (slot: Slot) => T) => T[]} */
export const forSlots = (make) => {
  const list = /** @type {ReturnType<typeof make>[]} */ ([]);
  for (let index = 0; index < slots.length; index++) append(list, make(slots[index]));
  return list;
};

/** @param {PageValue} key @returns {number | undefined} */
export function slotFor(key) {
  if (typeof key === 'string') return slotOfKey[key];
  if (typeof key === 'number') return anyNumber ? slotOfKey[StringOf(key)] : undefined;
  return anySymbol && typeof key === 'symbol' ? slotOfSymbol(key) : undefined;
}

// The slots of properties that have a public name: all, those of elements and `length`, and the others.
/** @type {number[]} */
export const publicSlots = [];
/** @type {number[]} */
export const elementSlots = [];
for (let index = 0; index < slots.length; index++) {
  if (slots[index].kind !== 'property' || isPrivateKey(slots[index].key)) continue;
  append(publicSlots, index);
  if (isElementKey(slots[index].key)) append(elementSlots, index);
}
