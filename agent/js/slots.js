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
// Symbols are watched by their descriptions: no other property has such a name.
const symbolDescription = getOwnPropertyDescriptor(SymbolOf.prototype, 'description')?.get;
/** @param {symbol} symbol */
const symbolName = (symbol) => `\0@${apply(symbolDescription, symbol, [])}`;
/** @param {Key} key */
export const nameOfKey = (key) => (typeof key === 'symbol' ? symbolName(key) : /** @type {string} */ (key));
export const anySymbol = slots.some((slot) => slot.kind === 'property' && apply(startsWith, slot.key, ['\0@']));
/** @param {Key} key */
export const isPrivateKey = (key) => typeof key === 'string' && apply(startsWith, key, ['\0#']);
/** @param {Key} key */
export const isElementKey = (key) => typeof key === 'string' && (key === 'length' || StringOf(NumberOf(key)) === key);

// The slot of a symbol. The first one of its description that is met is the slot's key from then on.
/** @param {symbol} symbol @returns {number | undefined} */
function slotOfSymbol(symbol) {
  const known = slotOfKey[symbol];
  if (known !== undefined) return known;
  const index = slotOfKey[symbolName(symbol)];
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
