// How the DOM is read: by the getters of the platform, none of the page's.

import {
  apply, Element, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, Node, Object, realm, stringify, weakGet, WeakMapOf,
  weakSet,
} from './captured.js';
import { ABSENT, isObject, UNKNOWN } from './basics.js';
import { inspect, proxies, ProxyMark } from './objects.js';
import { forSlots, slots } from './slots.js';
import { PART_KEYS } from './dom-names.js';
import { hasDom } from './dom-slots.js';

/** @param {string} name */
export const prototypeOf = (name) => {
  const property = getOwnPropertyDescriptor(realm, name);
  return property !== undefined && typeof property.value === 'function' ? property.value.prototype : undefined;
};
/**
 * @template {keyof Platform} N @template {keyof Platform[N]} K
 * @param {N} name @param {K} key @returns {(() => Platform[N][K]) | undefined}
 */
export const getterOf = (name, key) => {
  const host = prototypeOf(name);
  return host === undefined ? undefined
    : /** @type {Accessor<Platform[N][K]> | undefined} */ (getOwnPropertyDescriptor(host, key))?.get;
};
/** @template {keyof Node} K @param {K} key @returns {(() => Node[K]) | undefined} */
export const nodeGetter = (key) => (hasDom ? getterOf('Node', key) : undefined);
const getParent = nodeGetter('parentNode');
export const getFirstChild = nodeGetter('firstChild');
export const getLastChild = nodeGetter('lastChild');
export const getNextSibling = nodeGetter('nextSibling');
const getNodeType = nodeGetter('nodeType');
export const getDocument = nodeGetter('ownerDocument');
const getLocalName = hasDom ? getterOf('Element', 'localName') : undefined;
export const getData = hasDom ? getterOf('CharacterData', 'data') : undefined;
export const getAttributes = hasDom ? Element.prototype.getAttributeNames : undefined;
export const getAttributeNode = hasDom ? Element.prototype.getAttributeNode : undefined;
export const getAttribute = hasDom ? Element.prototype.getAttribute : undefined;
export const isBelow = Object.prototype.isPrototypeOf;
export const nodePrototype = typeof Node === 'function' ? Node.prototype : undefined;
export const ELEMENT = 1;
export const ATTRIBUTE = 2;
export const TEXT = 3;
export const CDATA = 4;
export const DOCUMENT = 9;
export const FRAGMENT = 11;

// What never changes, as long as its owner is.
/** @type {Table<boolean>} */
export const FIXED_KEYS = /** @type {Bare} */ ({ __proto__: null });
for (const key of [
  'nodeType', 'nodeName', 'tagName', 'localName', 'namespaceURI', 'prefix', 'ownerElement', 'content', 'form', 'list',
  'shadowRoot', 'implementation', 'doctype', 'defaultView', 'contentType', 'compatMode', 'characterSet',
]) FIXED_KEYS[key] = true;

/** @param {PageObject} node @returns {PageObject | null} */
export const parentOf = (node) => apply(getParent, node, []);
/** @param {PageObject} node */
export const typeOf = (node) => apply(getNodeType, node, []);
/** @param {PageObject} node */
export const nameOf = (node) => (typeOf(node) === ELEMENT ? apply(getLocalName, node, []) : '');

// What the platform gives for a watched name: ABSENT where it gives nothing, UNKNOWN where the page has put a getter of
// its own and it gives nothing behind that. The platform's getters are found once for each prototype.
const getters = forSlots(() => /** @type {WeakMap<PageObject, AnyFunction | null>} */ (new WeakMapOf()));
/** @param {number} index @param {PageObject} object */
export function platformValue(index, object) {
  const { key } = slots[index];
  const own = getOwnPropertyDescriptor(object, key);
  if (own !== undefined && hasOwn(own, 'value')) return own.value;
  // What an accessor of the page's hides is what the platform keeps all the same.
  const get = platformGetter(getters[index], object, key);
  if (get === null) return own === undefined ? ABSENT : UNKNOWN;
  try {
    return apply(get, object, []);
  } catch {
    return ABSENT;
  }
}

/** @param {WeakMap<PageObject, AnyFunction | null>} known @param {PageObject} object @param {Key} key */
function platformGetter(known, object, key) {
  const prototype = getPrototypeOf(object);
  if (!isObject(prototype) || (proxies && ProxyMark.is(prototype))) return null;
  let get = apply(weakGet, known, [prototype]);
  if (get === undefined) {
    const found = inspect(prototype, key);
    get = found !== undefined && !found.data && found.native && found.get !== undefined ? found.get : null;
    apply(weakSet, known, [prototype, get]);
  }
  return get;
}

// The part of an element that it hands out under a name; undefined: it has none.
/** @type {Table<WeakMap<PageObject, AnyFunction | null>>} */
const partGetters = /** @type {Bare} */ ({ __proto__: null });
for (const name in PART_KEYS) partGetters[name] = new WeakMapOf();
/** @param {PageObject} element @param {string} name */
export function partOf(element, name) {
  const get = platformGetter(partGetters[name], element, name);
  if (get === null) return undefined;
  try {
    const part = apply(get, element, []);
    return isObject(part) ? part : undefined;
  } catch {
    return undefined;
  }
}

export const getOwner = hasDom ? getterOf('Attr', 'ownerElement') : undefined;

// The element that an object shows part of: known from when the page took the object from the element.
/** @type {WeakMap<PageObject, PageObject>} */
export const partOwners = new WeakMapOf();

// All attributes of an element, as one text.
/** @param {PageObject} element */
export const attributesOf = (element) => {
  const names = apply(getAttributes, element, []);
  let text = '';
  for (let index = 0; index < names.length; index++) {
    text += `${names[index]}=${stringify(apply(getAttribute, element, [names[index]]))} `;
  }
  return text;
};
