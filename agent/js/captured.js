// The agent's own references to what is built in, taken when it is loaded: before the page's first script, or, for one
// more question, while the page is paused. No other module names a global; the linter holds it.
//
// What a realm does not have is `undefined` here.

export const realm = /** @type {Realm} */ (/** @type {unknown} */ (globalThis));
export const {
  Array, ArrayBuffer, Attr, AudioWorklet, Blob, CharacterData, DOMParser, Date, Document, DocumentFragment,
  DocumentType, Element, Error, Event, FileReaderSync, Float64Array, Function, HTMLCollection, HTMLElement, HTMLFormElement, HTMLScriptElement,
  HTMLTemplateElement, Int32Array, Intl, Iterator, JSON, Map, Math, MessageChannel, MutationObserver, MutationRecord,
  NamedNodeMap, Node, NodeList, Number, Object, Promise, Proxy, Range, Reflect, RegExp, Selection, Set, ShadowRoot,
  String, SubmitEvent, Symbol, TrustedScript, TrustedScriptURL, TypeError, URL, Uint32Array, Uint8Array, WeakMap,
  WeakSet, Worklet, XMLHttpRequest, XPathExpression, XPathResult, XSLTProcessor, console, document, setTimeout,
} = realm;
export const evalOf = eval;
export const {
  apply, construct, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty, isExtensible, setPrototypeOf,
} = /** @type {Reflection} */ (/** @type {unknown} */ (Reflect));
export const ObjectOf = Object;
export const is = Object.is;
export const freeze = Object.freeze;
export const hasOwn = Object.hasOwn;
export const isArray = Array.isArray;
export const StringOf = String;
export const NumberOf = Number;
export const functionText = Function.prototype.toString;
export const bindTo = Function.prototype.bind;
export const startsWith = String.prototype.startsWith;
export const includes = String.prototype.includes;
export const indexOf = String.prototype.indexOf;
export const symbolText = Symbol.prototype.toString;
export const SymbolOf = Symbol;
export const { unscopables, toStringTag, toPrimitive } = SymbolOf;
export const slice = String.prototype.slice;
export const stringify = JSON.stringify;
export const WeakMapOf = WeakMap;
export const weakGet = /** @type {GetIn} */ (WeakMapOf.prototype.get);
export const weakSet = /** @type {SetIn} */ (WeakMapOf.prototype.set);
export const SetOf = Set;
export const setHas = /** @type {HasIn} */ (SetOf.prototype.has);
export const setAdd = /** @type {AddTo} */ (SetOf.prototype.add);
export const setDelete = SetOf.prototype.delete;
export const ErrorOf = Error;
export const { now } = Date;
export const { imul, random } = Math;
