// What changes in the document.
//
// A mutation observer notes each change, whoever makes it. What it noted is taken before and after each call and
// assignment in a script with hooks that may change a document by its name, so that the log knows the place; and where
// a task ends, for what code without hooks changed. What the parser adds, and a library while the document loads, is
// not told: that is the document.
//
// The browser tells all observers of a page in one microtask. Ours could make it come earlier than it would without us,
// which a page could see that has an observer itself. So ours ends where the page's first begins.

import {
  apply, Document, document, Element, getPrototypeOf, Map, MutationObserver, MutationRecord, Node,
} from '../captured.js';
import { isObject } from '../basics.js';
import { listen } from '../listeners.js';
import { ProxyMark } from '../objects.js';
import { accessor, data, listItem, listLength, nodeType, protoOf, TEXT } from '../nodes.js';
import { MOST_ENTRIES, settings } from './settings.js';
import { GONE } from './values.js';
import { beforeTaskEnd, encoder, safely } from './running.js';
import { replace } from './replaced.js';

const { observe, disconnect, takeRecords } = protoOf(MutationObserver);
/** @template {keyof MutationRecord & string} K @param {K} key */
const ofRecord = (key) => /** @type {(() => MutationRecord[K]) | undefined} */ (
  accessor(protoOf(MutationRecord), key).get);
const typeOf = ofRecord('type');
const targetOf = ofRecord('target');
const attributeOf = ofRecord('attributeName');
const namespaceOf = ofRecord('attributeNamespace');
const addedOf = ofRecord('addedNodes');
const removedOf = ofRecord('removedNodes');
const { get: mapGet, set: mapSet } = Map.prototype;
const { getAttributeNS } = protoOf(Element);
const readyState = accessor(protoOf(Document), 'readyState').get;
// Of one call or task no more changes are told.
const MOST_CHANGES = 1000;
const ALL = { __proto__: null, subtree: true, childList: true, attributes: true, characterData: true };

/** @type {MutationObserver | undefined} */
let observer;
let isParsed = false;

/** @param {Node} root */
const watch = (root) => apply(observe, observer, [root, ALL]);

// Takes what has changed: at a place, or, 0, where that is not known.
/** @param {number} site */
function take(site) {
  if (observer === undefined) return;
  const records = /** @type {MutationRecord[]} */ (apply(takeRecords, observer, []));
  if (records.length > 0) tell(site, records);
}

/** @param {number} site @param {MutationRecord[]} records */
function tell(site, records) {
  if (site === 0 && !isParsed) return;
  const last = records.length > 1 ? lastOfAttributes(records) : undefined;
  for (let index = 0; index < records.length && index < MOST_CHANGES; index++) {
    const record = records[index];
    const target = apply(targetOf, record, []);
    switch (apply(typeOf, record, [])) {
      case 'attributes': {
        const name = /** @type {string} */ (apply(attributeOf, record, []));
        // The value is that which it has now.
        if (last !== undefined && apply(mapGet, last, [target])[name] !== index) break;
        const value = apply(getAttributeNS, target, [apply(namespaceOf, record, []), name]);
        encoder.dom(site, name, target, value ?? GONE);
        break;
      }
      case 'characterData':
        encoder.dom(site, 'changed text', target, apply(data.get, target, []));
        break;
      default:
        tellNodes(site, 'removed', target, apply(removedOf, record, []));
        tellNodes(site, 'added', target, apply(addedOf, record, []));
    }
  }
}

// The last records of attributes, by element and name.
/** @param {MutationRecord[]} records */
function lastOfAttributes(records) {
  /** @type {Map<Node, Table<number>>} */
  const last = new Map();
  for (let index = 0; index < records.length && index < MOST_CHANGES; index++) {
    const name = apply(attributeOf, records[index], []);
    if (name === null) continue;
    const target = apply(targetOf, records[index], []);
    const known = apply(mapGet, last, [target]);
    if (known !== undefined) known[name] = index;
    else apply(mapSet, last, [target, { __proto__: null, [name]: index }]);
  }
  return last;
}

// Of a text that was added or removed it is told what it says.
/** @param {number} site @param {'added' | 'removed'} change @param {Node} target @param {NodeList} nodes */
function tellNodes(site, change, target, nodes) {
  const length = apply(listLength, nodes, []);
  for (let index = 0; index < length && index < MOST_ENTRIES; index++) {
    const node = apply(listItem, nodes, [index]);
    const isText = apply(nodeType, node, []) === TEXT;
    encoder.dom(site, isText ? `${change} text` : `${change} node`, target, isText ? apply(data.get, node, []) : node);
  }
}

// Before a call or assignment that may change the document, and behind it. `owner`: whose property is assigned,
// where it can be named; nothing is taken where that is no node.
/** @param {unknown} [owner] */
export function Lz(owner = document) {
  if (observer === undefined || !isNode(owner)) return false;
  safely(() => take(0));
  return true;
}
/** @param {number} site @param {boolean} isTaken @param {unknown} value */
export function LW(site, isTaken, value) {
  if (isTaken && observer !== undefined) safely(() => take(site));
  return value;
}

// The prototype of what was no node the last time: most such objects are of one class.
/** @type {PageObject | null} */
let other = null;
/** @param {unknown} owner */
function isNode(owner) {
  if (owner === document) return true;
  if (!isObject(owner) || ProxyMark.is(owner)) return false;
  const prototype = getPrototypeOf(owner);
  if (prototype === other || prototype === null) return false;
  /** @type {PageObject | null} */
  let holder = prototype;
  for (; holder !== null && !ProxyMark.is(holder); holder = getPrototypeOf(holder)) {
    if (holder === Node.prototype) return true;
  }
  other = prototype;
  return false;
}

if (settings.tellsDocument && typeof MutationObserver === 'function' && typeof document === 'object') {
  observer = new MutationObserver((records) => safely(() => tell(0, records)));
  watch(document);
  beforeTaskEnd(() => take(0));
  isParsed = apply(readyState, document, []) !== 'loading';
  // The parser adds its last text when the document is `interactive` already.
  listen(document, 'DOMContentLoaded', () => {
    if (!isParsed && observer !== undefined) apply(takeRecords, observer, []);
    isParsed = true;
  }, true);
  // What is in a shadow tree is not below the document.
  replace(protoOf(Element), 'attachShadow', (original) => ({
    attachShadow() {
      const root = /** @type {ShadowRoot} */ (apply(original, this, arguments));
      if (observer !== undefined) safely(() => watch(root));
      return root;
    },
  }).attachShadow);
  replace(protoOf(MutationObserver), 'observe', (original) => ({
    observe() {
      if (observer !== undefined) safely(end);
      return apply(original, this, arguments);
    },
  }).observe);
}

function end() {
  take(0);
  apply(disconnect, observer, []);
  observer = undefined;
  encoder.dom(0, 'not observed', document, GONE);
}
