// What changes the state of one element or of one object that the platform keeps for it: attributes, the properties of
// controls, class lists, styles, data sets, storage.

import {
  apply, Element, getOwnPropertyDescriptor, hasOwn, ownKeys, realm, slice, startsWith, weakGet,
} from './captured.js';
import { isObject } from './basics.js';
import { disguise, undisguised } from './source_text.js';
import { slots } from './slots.js';
import { install } from './installed.js';
import { domLive, domWatched, markup, partSlots, stateSlots, storageSlots } from './dom-slots.js';
import { ATTRIBUTE, isBelow, partOf, partOwners, prototypeOf, typeOf } from './dom-platform.js';
import { handOut } from './dom-unchanged.js';
import { read } from './following.js';
import { noteItems } from './live-storage.js';
import { noteAttributeNode, noteEach, noteState, noteValue } from './dom-notes.js';
import { watchMethod, watchSetter } from './dom-hooks.js';
// The setters of trees tell the state as well: they are in place before those that tell it alone.
import './dom-tree.js';

/** @param {Scene} noted @param {PageObject} self */
const noteSelf = (noted, self) => noteState(noted, self);

/** @param {Scene} noted @param {PageObject} part */
function notePart(noted, part) {
  notePartValues(noted, part);
  const element = apply(weakGet, partOwners, [part]);
  if (element !== undefined) noteState(noted, element);
}

/** @param {Scene} noted @param {PageObject} part */
function notePartValues(noted, part) {
  for (let number = 0; number < partSlots.length; number++) noteValue(noted, partSlots[number].index, part);
  for (let number = 0; number < stateSlots.length; number++) noteValue(noted, stateSlots[number], part);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteNamed(noted, self, values) {
  notePart(noted, self);
  if (isObject(values[0])) noteAttributeNode(noted, values[0]);
}

// A reset changes every control of the form.
/** @param {Scene} noted @param {PageObject} self */
export function noteForm(noted, self) {
  noteEach(noted, partOf(self, 'elements'));
}

// A click checks, and a click on a label clicks its control.
/** @param {Scene} noted @param {PageObject} self */
export function noteClicked(noted, self) {
  noteState(noted, self);
  const control = read(self, 'control');
  if (isObject(control)) noteState(noted, control);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteStored(noted, self, values) {
  if (domLive) noteItems(noted, self, values);
  for (let number = 0; number < storageSlots.length; number++) noteValue(noted, storageSlots[number], self);
}

/** @type {Notes} */
const STATE_METHODS = /** @type {Bare} */ ({
  __proto__: null,
  Element: {
    setAttribute: noteSelf, setAttributeNS: noteSelf, removeAttribute: noteSelf, removeAttributeNS: noteSelf,
    toggleAttribute: noteSelf,
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    setAttributeNode: (noted, self, values) => {
      noteState(noted, self);
      noteAttributeNode(noted, /** @type {PageObject} */ (values[0]));
    },
    removeAttributeNode: noteSelf,
  },
  NamedNodeMap: {
    setNamedItem: noteNamed, setNamedItemNS: noteNamed, removeNamedItem: noteNamed, removeNamedItemNS: noteNamed,
  },
  DOMTokenList: { add: notePart, remove: notePart, toggle: notePart, replace: notePart },
  CSSStyleDeclaration: { setProperty: notePart, removeProperty: notePart },
  StylePropertyMap: { set: notePart, append: notePart, delete: notePart, clear: notePart },
  HTMLElement: { click: noteClicked, showPopover: noteSelf, hidePopover: noteSelf, togglePopover: noteSelf },
  HTMLInputElement: { stepUp: noteSelf, stepDown: noteSelf, setRangeText: noteSelf },
  HTMLTextAreaElement: { setRangeText: noteSelf },
  HTMLDialogElement: { show: noteSelf, showModal: noteSelf, close: noteSelf, requestClose: noteSelf },
  HTMLFormElement: { reset: noteForm },
  HTMLOptionsCollection: { add: notePart, remove: notePart },
});
STATE_METHODS.Element.setAttributeNodeNS = STATE_METHODS.Element.setAttributeNode;

// Interfaces whose setters change what is asked although the name is none of theirs.
/** @type {Table<string[]>} */
const ALSO = /** @type {Bare} */ ({
  __proto__: null,
  selectedIndex: ['HTMLOptionElement', 'HTMLOptionsCollection'], value: ['HTMLOptionsCollection'],
  valueAsNumber: ['HTMLInputElement'], checked: ['HTMLInputElement'], href: ['HTMLAnchorElement', 'HTMLAreaElement'],
  childElementCount: [], cssText: [],
});
// Interfaces with the names of STATE_KEYS, the most general first.
const INTERFACES = [
  'Node', 'Document', 'CharacterData', 'Attr', 'DOMTokenList', 'CSSStyleDeclaration', 'Element', 'HTMLElement',
  'HTMLInputElement', 'HTMLTextAreaElement', 'HTMLSelectElement', 'HTMLOptionElement', 'HTMLOptGroupElement',
  'HTMLButtonElement', 'HTMLFormElement', 'HTMLFieldSetElement', 'HTMLLabelElement', 'HTMLOutputElement',
  'HTMLProgressElement', 'HTMLMeterElement', 'HTMLDataElement', 'HTMLAnchorElement', 'HTMLAreaElement',
  'HTMLImageElement', 'HTMLLinkElement', 'HTMLMetaElement', 'HTMLScriptElement', 'HTMLStyleElement',
  'HTMLTitleElement', 'HTMLBaseElement', 'HTMLBodyElement', 'HTMLIFrameElement', 'HTMLObjectElement',
  'HTMLEmbedElement', 'HTMLSourceElement', 'HTMLTrackElement', 'HTMLMediaElement', 'HTMLVideoElement',
  'HTMLDetailsElement', 'HTMLDialogElement', 'HTMLSlotElement', 'HTMLTimeElement', 'HTMLModElement',
  'HTMLQuoteElement', 'HTMLLIElement', 'HTMLOListElement', 'HTMLTableElement', 'HTMLTableCellElement',
  'HTMLTableRowElement', 'HTMLTableSectionElement', 'HTMLTableColElement', 'HTMLMapElement', 'HTMLCanvasElement',
  'HTMLParagraphElement', 'HTMLHeadingElement', 'HTMLDivElement', 'HTMLHRElement', 'HTMLOptionsCollection',
];
// What these set is in no attribute, and none of what is asked.
/** @type {Table<boolean>} */
const APART = /** @type {Bare} */ ({ __proto__: null, scrollTop: true, scrollLeft: true });

/** @param {string} name @param {Note} note */
function watchSetters(name, note) {
  const host = prototypeOf(name);
  if (host === undefined) return;
  for (const key of ownKeys(host)) {
    if (typeof key !== 'string' || APART[key] === true || apply(startsWith, key, ['on'])) continue;
    watchSetter(host, key, `${name}.prototype.${key}`, note);
  }
}

// Which interfaces are asked about: those with the names, or all elements where markup is.
function watchedInterfaces() {
  /** @type {Table<boolean>} */
  const wanted = /** @type {Bare} */ ({ __proto__: null });
  for (const name of INTERFACES) {
    const host = prototypeOf(name);
    if (host === undefined) continue;
    for (let number = 0; number < stateSlots.length; number++) {
      const { key } = slots[stateSlots[number]];
      if (hasOwn(host, key) || (ALSO[key] !== undefined && ALSO[key].includes(name))) wanted[name] = true;
    }
  }
  if (markup || domLive) {
    for (const name of ownKeys(realm)) {
      // Each interface that is looked at takes memory from then on: those of elements alone have such names.
      if (typeof name !== 'string' || apply(slice, name, [-7]) !== 'Element') continue;
      const host = prototypeOf(name);
      const isElement = isObject(host) && (host === Element.prototype || apply(isBelow, Element.prototype, [host]));
      if (isElement) wanted[name] = true;
    }
  }
  return wanted;
}

// The objects that elements hand out know their elements no more, so what was taken from where is kept.
/** @param {string} name @param {string[]} keys */
function watchParts(name, keys) {
  const host = prototypeOf(name);
  if (host === undefined) return;
  for (const key of keys) {
    const property = getOwnPropertyDescriptor(host, key);
    if (property === undefined || typeof property.get !== 'function') continue;
    if (undisguised(property.get) !== property.get) continue;
    const original = property.get;
    const replacement = /** @type {AnyFunction} */ (getOwnPropertyDescriptor({
      get part() {
        const part = apply(original, this, []);
        if (isObject(part)) handOut(part, this);
        return part;
      },
    }, 'part')?.get);
    install(host, key, { __proto__: null, ...property, get: disguise(replacement, original) });
  }
}

/** @type {Table<string[]>} */
const HANDED_OUT_BY = /** @type {Bare} */ ({
  __proto__: null, relList: ['HTMLAnchorElement', 'HTMLAreaElement', 'HTMLLinkElement', 'HTMLFormElement'],
  sandbox: ['HTMLIFrameElement'], sizes: ['HTMLLinkElement'], htmlFor: ['HTMLOutputElement'],
  children: ['Element', 'Document', 'DocumentFragment'], childNodes: ['Node'], selectedOptions: ['HTMLSelectElement'],
  rows: ['HTMLTableElement', 'HTMLTableSectionElement'], cells: ['HTMLTableRowElement'], tBodies: ['HTMLTableElement'],
  elements: ['HTMLFormElement', 'HTMLFieldSetElement'],
});

const stateWatched = domLive || domWatched && (stateSlots.length > 0 || partSlots.length > 0 || markup);
if (stateWatched) {
  for (const name in STATE_METHODS) {
    const host = prototypeOf(name);
    const methods = STATE_METHODS[name];
    for (const key of /** @type {string[]} */ (ownKeys(methods)))
      watchMethod(host, key, `${name}.prototype.${key}`, methods[key]);
  }
  /** @param {string} name */
  const isPart = (name) =>
    name === 'DOMTokenList' || name === 'CSSStyleDeclaration' || name === 'HTMLOptionsCollection';
  for (const name in watchedInterfaces()) {
    watchSetters(name, isPart(name) ? notePart : name === 'Attr' ? noteAttributeNode : noteSelf);
  }
  for (const name of ['DOMTokenList', 'CSSStyleDeclaration']) watchSetters(name, notePart);
  watchSetters('Attr', noteAttributeNode);
  // An attribute is a node as well; where trees are watched, their setters tell it.
  /** @param {Scene} noted @param {PageObject} self */
  const noteIfAttribute = (noted, self) => {
    if (typeOf(self) === ATTRIBUTE) noteAttributeNode(noted, self);
  };
  for (const key of ['nodeValue', 'textContent']) {
    watchSetter(prototypeOf('Node'), key, `Node.prototype.${key}`, noteIfAttribute);
  }
  watchParts('Element', ['classList', 'attributes', 'part']);
  watchParts('HTMLElement', ['style', 'dataset', 'attributeStyleMap']);
  watchParts('SVGElement', ['style', 'dataset', 'attributeStyleMap', 'className']);
  watchParts('HTMLSelectElement', ['options']);
  for (const { part } of partSlots) for (const name of HANDED_OUT_BY[part] ?? []) watchParts(name, [part]);
}
if (domLive || storageSlots.length > 0) {
  for (const key of ['setItem', 'removeItem', 'clear']) {
    watchMethod(prototypeOf('Storage'), key, `Storage.prototype.${key}`, noteStored);
  }
}
