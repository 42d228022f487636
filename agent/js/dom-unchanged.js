// What can be said of a value of the DOM that no change was told of.

import { apply, is, Node, weakGet, WeakMapOf, weakSet } from './captured.js';
import { append } from './basics.js';
import { proxies, ProxyMark } from './objects.js';
import { slots } from './slots.js';
import { ANY_STATE, ATTRIBUTE_NODES, LIST_KEYS, PART_KEYS, TREE_KEYS } from './dom-names.js';
import { hasDom, isDomSlot, isHtml, isOuter, markup, partSlots, stateSlots } from './dom-slots.js';
import {
  ATTRIBUTE, attributesOf, ELEMENT, FIXED_KEYS, getOwner, isBelow, nodePrototype, partOwners, platformValue,
  prototypeOf, typeOf,
} from './dom-platform.js';

// Styles and data sets are written by names of any kind, which no hook and no setter sees. What they were when the page
// took them shows, where nothing was told since, whether it still holds.
/** @type {WeakMap<PageObject, Table<{ value: PageValue }>>} */
const handedParts = new WeakMapOf();
/** @type {WeakMap<PageObject, { element: PageObject, before: string }>} */
export const handedOf = new WeakMapOf();
/** @type {{ element: PageObject, before: string }[]} */
const handedOut = [];
const containsNode = hasDom ? Node.prototype.contains : undefined;
/** @param {PageObject} part @param {PageObject} element */
export function handOut(part, element) {
  if (apply(weakGet, handedParts, [part]) !== undefined) return;
  /** @type {Table<{ value: PageValue }>} */
  const values = /** @type {Bare} */ ({ __proto__: null });
  for (let number = 0; number < partSlots.length; number++) {
    const { index, part: name } = partSlots[number];
    if (LIST_KEYS[name] !== true) values[index] = { value: platformValue(index, part) };
  }
  apply(weakSet, partOwners, [part, element]);
  apply(weakSet, handedParts, [part, values]);
  if (!markup || typeOf(element) !== ELEMENT || apply(weakGet, handedOf, [element]) !== undefined) return;
  const handed = { element, before: attributesOf(element) };
  apply(weakSet, handedOf, [element, handed]);
  append(handedOut, handed);
}

// Whether an attribute in it is not what it was when it was last looked at.
/** @param {number} index @param {PageObject} owner */
function isMarkedUnseen(index, owner) {
  for (let number = 0; number < handedOut.length; number++) {
    const { element, before } = handedOut[number];
    if (element === owner ? !isOuter(index) : !apply(containsNode, owner, [element])) continue;
    if (attributesOf(element) !== before) return true;
  }
  return false;
}

// Whether the element of an attribute has attributes that are not what they were when they were last looked at.
/** @param {PageObject} attribute */
function isWrittenUnseen(attribute) {
  const element = apply(getOwner, attribute, []);
  const handed = element === null ? undefined : apply(weakGet, handedOf, [element]);
  return handed !== undefined && attributesOf(/** @type {PageObject} */ (element)) !== handed.before;
}

// Names of parts, by the interface of the objects that are handed out under them.
/** @type {Table<string[]>} */
const PARTS_OF = /** @type {Bare} */ ({
  __proto__: null, CSSStyleDeclaration: ['style'], DOMStringMap: ['dataset'], NamedNodeMap: ['attributes'],
  DOMTokenList: ['classList', 'relList', 'part', 'sandbox', 'sizes', 'htmlFor'], NodeList: ['childNodes'],
  HTMLCollection: ['children', 'rows', 'cells', 'tBodies'], HTMLOptionsCollection: ['options'],
  HTMLFormControlsCollection: ['elements'], Storage: ['localStorage', 'sessionStorage'],
});

// What can be said of a property that no change was told of: `never`, that there was none; `parts`, that there may have
// been and what would have to be watched; `computed`, that the browser makes it up and nobody can say.
/** @param {number} index @param {PageObject} owner @param {Inspected | undefined} property */
export function unchanged(index, owner, property) {
  const { key, through } = slots[index];
  if (typeof Node !== 'function' || (proxies && ProxyMark.is(owner))) return undefined;
  if (apply(isBelow, nodePrototype, [owner])) {
    if (property === undefined || property.data) return undefined;
    if (typeOf(owner) === ATTRIBUTE) {
      if (!through.includes(ATTRIBUTE_NODES)) return { parts: [ATTRIBUTE_NODES] };
      if (isWrittenUnseen(owner)) return { unseen: true };
    }
    if (isDomSlot[index] && TREE_KEYS[key] !== undefined) {
      return isHtml(index) && isMarkedUnseen(index, owner) ? { unseen: true } : { never: true };
    }
    if (isDomSlot[index] && stateSlots.includes(index)) return { never: true };
    if (PART_KEYS[key] === true || FIXED_KEYS[key] === true) return { never: true };
    return property.set === undefined || through.includes(ANY_STATE) ? { computed: true } : { parts: [ANY_STATE] };
  }
  for (const name in PARTS_OF) {
    const prototype = prototypeOf(name);
    if (prototype === undefined || !apply(isBelow, prototype, [owner])) continue;
    for (const part of PARTS_OF[name]) {
      if (!through.includes(part)) return { parts: PARTS_OF[name] };
    }
    // One that no element handed out: a computed style, the style of a rule, a collection by name.
    if (name === 'Storage') return { never: true };
    const first = apply(weakGet, handedParts, [owner]);
    if (first === undefined) return { computed: true };
    const same = first[index] === undefined || is(first[index].value, platformValue(index, owner));
    return same ? { never: true } : { unseen: true };
  }
  return undefined;
}

// Whether an object is one that an element or the window hands out, with properties that the platform keeps for it.
/** @param {PageObject} owner */
export function isPlatform(owner) {
  if (!hasDom || (proxies && ProxyMark.is(owner))) return false;
  for (const name in PARTS_OF) {
    const prototype = prototypeOf(name);
    if (prototype !== undefined && apply(isBelow, prototype, [owner])) return true;
  }
  return false;
}
