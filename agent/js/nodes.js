// Nodes of a document, read and written by the browser's own methods; and how these are replaced by ones that replace
// texts.

import {
  apply, Attr, CharacterData, defineProperty, Document, document, DocumentFragment, Element, freeze,
  getOwnPropertyDescriptor, Node, NodeList, Range, RegExp, String, XPathResult,
} from './captured.js';
import { isObject } from './basics.js';
import { disguise } from './source_text.js';
import { inspect } from './objects.js';
import { driven } from './code.js';

// Whether there is a document whose scripts the driver rewrites. Elsewhere nothing is replaced.
export const replacesMarkup = driven && typeof Document === 'function' && typeof document === 'object';
const NO_PROTOTYPE = /** @type {Bare} */ (freeze({ __proto__: null }));
/** @type {<T extends object>(Class: { prototype: T } | undefined) => T} */
export const protoOf = (Class) => (typeof Class === 'function'
  ? /** @type {{ prototype: never }} */ (Class).prototype : NO_PROTOTYPE);
/** @type {<T extends object, K extends keyof T & string>(holder: T, name: K) => Accessor<T[K]>} */
export const accessor = (holder, name) => /** @type {Accessor<never>} */ (
  getOwnPropertyDescriptor(holder, name) ?? { __proto__: null, get: undefined, set: undefined });
export const nodeType = accessor(protoOf(Node), 'nodeType').get;
export const isConnected = accessor(protoOf(Node), 'isConnected').get;
export const firstChild = accessor(protoOf(Node), 'firstChild').get;
export const lastChild = accessor(protoOf(Node), 'lastChild').get;
export const nextSibling = accessor(protoOf(Node), 'nextSibling').get;
export const previousSibling = accessor(protoOf(Node), 'previousSibling').get;
export const parentNode = accessor(protoOf(Node), 'parentNode').get;
export const ownerDocument = accessor(protoOf(Node), 'ownerDocument').get;
export const localName = accessor(protoOf(Element), 'localName').get;
export const firstElementChild = accessor(protoOf(Element), 'firstElementChild').get;
// Which prototype has it differs between versions of Chromium.
export const startContainer = /** @type {(() => Node) | undefined} */ (inspect(protoOf(Range), 'startContainer')?.get);
export const data = accessor(protoOf(CharacterData), 'data');
export const { getAttribute, getAttributeNode, hasAttribute, setAttribute } = protoOf(Element);
export const inElement = protoOf(Element).querySelectorAll;
export const inFragment = protoOf(DocumentFragment).querySelectorAll;
export const listLength = accessor(protoOf(NodeList), 'length').get;
export const listItem = /** @type {(index: number) => Node} */ (protoOf(NodeList).item);
export const { evaluate } = protoOf(Document);
export const snapshotLength = accessor(protoOf(XPathResult), 'snapshotLength').get;
export const { snapshotItem } = /** @type {Attributes} */ (/** @type {unknown} */ (protoOf(XPathResult)));
export const attributeValue = accessor(protoOf(Attr), 'value');
export const attributeName = accessor(protoOf(Attr), 'name').get;
export const ownerElement = /** @type {() => Element} */ (accessor(protoOf(Attr), 'ownerElement').get);
export const { toLowerCase, trim, lastIndexOf } = String.prototype;
export const { exec } = RegExp.prototype;
export const [ELEMENT, ATTRIBUTE, TEXT, CDATA, FRAGMENT] = [1, 2, 3, 4, 11];
/** @param {string} text */
export const lower = (text) => apply(toLowerCase, text, []);

// Methods and setters of ours in the place of the browser's.
/** @param {PageObject} holder @param {string} name @param {MakeOne} make */
export const replaceMember = (holder, name, make) => {
  const property = replacesMarkup ? getOwnPropertyDescriptor(holder, name) : undefined;
  if (property === undefined) return;
  const part = property.set === undefined ? 'value' : 'set';
  const original = property[part];
  if (typeof original !== 'function') return;
  property[part] = disguise(/** @type {AnyFunction} */ (make(original)), original);
  defineProperty(holder, name, { __proto__: null, ...property });
};
/** @type {(value: PageValue) => number} */
export const typeOf = (value) => {
  if (!isObject(value)) return 0;
  try {
    return apply(nodeType, value, []);
  } catch {
    return 0;
  }
};
/** @param {PageValue} node */
export const connected = (node) => typeOf(node) !== 0 && apply(isConnected, node, []);
/** @param {PageValue} node @returns {node is PageObject} */
export const isScript = (node) => typeOf(node) === ELEMENT && apply(localName, node, []) === 'script';
