// The nodes that the log knows around an element that is asked about.

import { apply, getOwnPropertyDescriptor, Node } from '../captured.js';
import { append, isObject } from '../basics.js';
import { toJson } from '../telling.js';
import { encoder } from './running.js';

// The platform's getters, none of the page's.
/** @param {'parentNode' | 'firstChild' | 'nextSibling'} key */
const getterOf = (key) => {
  const get = typeof Node === 'function' ? getOwnPropertyDescriptor(Node.prototype, key)?.get : undefined;
  return (/** @type {PageObject} */ node) => /** @type {PageObject | null} */ (apply(get, node, []));
};
const parentOf = getterOf('parentNode');
const firstOf = getterOf('firstChild');
const nextOf = getterOf('nextSibling');

/** @param {import('../reports.js').NodesAround} nodes */
const toldOf = (nodes) => toJson({ nodes });

// How many nodes in an element are looked through.
const MOST_NODES = 10_000;

/**
 * The numbers that the log has for a node, for those around it and for those in it as the message
 * `nodes`; what it does not know has none.
 *
 * @param {unknown} node
 */
export function LN(node) {
  /** @type {import('../reports.js').NodesAround} */
  const known = { own: 0, above: [], below: [] };
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
  return toldOf(known);
}
