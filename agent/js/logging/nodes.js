// The nodes that the log knows around an element that is asked about.

import { apply, getOwnPropertyDescriptor, hasOwn, Node } from '../captured.js';
import { append, isObject } from '../basics.js';
import { toJson } from '../telling.js';
import { encoder } from './running.js';

// The platform's getters, none of the page's.
/** @param {string} key */
const getterOf = (key) => {
  const get = typeof Node === 'function' ? getOwnPropertyDescriptor(Node.prototype, key)?.get : undefined;
  return (/** @type {PageObject} */ node) => apply(get, node, []);
};
/** @param {'parentNode' | 'firstChild' | 'nextSibling'} key */
const nodeGetterOf = (key) =>
  /** @type {(node: PageObject) => PageObject | null} */ (getterOf(key));
const parentOf = nodeGetterOf('parentNode');
const firstOf = nodeGetterOf('firstChild');
const nextOf = nodeGetterOf('nextSibling');
const typeOf = getterOf('nodeType');
const nameOf = /** @type {(node: PageObject) => string} */ (getterOf('nodeName'));
const textIn = /** @type {(node: PageObject) => string} */ (getterOf('nodeValue'));

/** @param {import('../reports.js').NodesAround} nodes */
const toldOf = (nodes) => toJson({ nodes });

// How many nodes in an element are looked through, and how many texts are told, of so many units at most.
const MOST_NODES = 10_000;
const MOST_TEXTS = 500;
const MOST_UNITS = 4096;
const TEXT_NODE = 3;
// A text in these is none that anybody reads.
const HIDDEN = { __proto__: null, SCRIPT: true, STYLE: true, NOSCRIPT: true };

// Whether a text has nothing but white space.
/** @param {string} text */
function isBlank(text) {
  for (let index = 0; index < text.length; index++) {
    const unit = text[index];
    if (unit !== ' ' && unit !== '\n' && unit !== '\t' && unit !== '\r' && unit !== '\f') return false;
  }
  return true;
}

// A text in an element that is asked about.
/** @param {import('../reports.js').NodesAround} known @param {PageObject} node @param {PageObject} asked */
function tellText(known, node, asked) {
  const text = textIn(node);
  let parent = parentOf(node);
  if (isBlank(text) || (parent !== null && parent !== asked && hasOwn(HIDDEN, nameOf(parent)))) return;
  if (known.texts.length === MOST_TEXTS || text.length > MOST_UNITS) {
    known.more = true;
    return;
  }
  /** @type {number[]} */
  const around = [];
  while (parent !== null) {
    const number = encoder.numberOf(parent);
    if (number !== 0) append(around, number);
    parent = parent === asked ? null : parentOf(parent);
  }
  append(known.texts, { text, own: encoder.numberOf(node), around });
}

/**
 * The numbers that the log has for a node, for those around it and for those in it as the message
 * `nodes`, with the texts in it; what it does not know has none.
 *
 * @param {unknown} node
 */
export function LN(node) {
  /** @type {import('../reports.js').NodesAround} */
  const known = { own: 0, above: [], below: [], texts: [], more: false };
  if (!isObject(node)) return toldOf(known);
  known.own = encoder.numberOf(node);
  for (let around = parentOf(node); around !== null; around = parentOf(around)) {
    const number = encoder.numberOf(around);
    if (number !== 0) append(known.above, number);
  }
  let left = MOST_NODES;
  // Not recursive: pages nest as deep as they like.
  let inside = firstOf(node);
  while (inside !== null && left-- > 0) {
    const number = encoder.numberOf(inside);
    if (number !== 0) append(known.below, number);
    if (typeOf(inside) === TEXT_NODE) tellText(known, inside, node);
    let next = firstOf(inside);
    while (next === null && inside !== null) {
      next = nextOf(inside);
      if (next === null) {
        inside = parentOf(inside);
        if (inside === node) inside = null;
      }
    }
    inside = next;
  }
  if (left <= 0) known.more = true;
  return toldOf(known);
}
