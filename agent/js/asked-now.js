// Whether a change may be the one that is asked for, where that can be said while it happens: a question that begins in
// an element of the document can be followed at any time, without running anything of the page.

import { apply, Element, getOwnPropertyDescriptor, Node, slice } from './captured.js';
import { config } from './config.js';
import { isObject } from './basics.js';
import { readsAhead } from './read-ahead.js';
import { unwrap } from './objects.js';
import { judgeChanges } from './events.js';
import { lookUp } from './lookups.js';
import { follow } from './references.js';

const isConnected = typeof Node === 'function' ? getOwnPropertyDescriptor(Node.prototype, 'isConnected')?.get : undefined;

const matches = typeof Element === 'function' ? Element.prototype.matches : undefined;

// Whether an object is in the document, where it can be found; none: it is no node.
/** @param {PageObject} object */
function isInDocument(object) {
  if (isConnected === undefined) return undefined;
  try {
    return apply(isConnected, object, []) === true;
  } catch {
    return undefined;
  }
}

// The part of a selector that speaks of the element itself; none where there are several.
/** @param {string} selector */
function ownPart(selector) {
  let depth = 0;
  let quote = '';
  let from = 0;
  for (let index = 0; index < selector.length; index++) {
    const character = selector[index];
    if (character === '\\') index++;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[' || character === '(') depth++;
    else if (character === ']' || character === ')') depth--;
    else if (depth === 0 && character === ',') return undefined;
    else if (depth === 0 && (character === ' ' || character === '>' || character === '+' || character === '~'))
      from = index + 1;
  }
  const own = apply(slice, selector, [from]);
  return own === '' ? undefined : own;
}

// Whether an element that is not in the document can be what `lookup` finds once it is there, as it is now.
/** @param {AgentLookup} lookup @param {PageObject} element */
function mayBeFound(lookup, element) {
  const own = lookup.byId ? `#${lookup.text}` : ownPart(lookup.text);
  if (own === undefined || typeof Element !== 'function') return true;
  try {
    return apply(matches, element, [own]) === true;
  } catch {
    // It is no element, or an id is written otherwise in a selector.
    return true;
  }
}

// Whether `object` is what `query` ends in at present; not where that cannot be said.
/** @param {AgentQuery} query @param {PageObject} object */
function endsIn(query, object) {
  try {
    /** @type {PageValue} */
    let base = lookUp(/** @type {AgentLookup} */ (query.lookup));
    for (let index = 0; index < query.path.length; index++) {
      const step = query.path[index];
      if (typeof step !== 'string' && step.keyDependent !== null) return true;
      base = follow(base, step, undefined);
    }
    return unwrap(base) === object;
  } catch {
    return false;
  }
}

// Whether all that is asked begins in elements.
function beginsInElements() {
  for (let index = 0; index < config.slots.length; index++) {
    if (config.slots[index].isAskedThere) return false;
  }
  for (let index = 0; index < config.roots.length; index++) {
    if (config.roots[index].root !== 'element' || config.roots[index].keyed !== null) return false;
  }
  return true;
}

if (readsAhead && beginsInElements()) {
  judgeChanges(({ owner }) => {
    if (!isObject(owner)) return true;
    const isFound = isInDocument(owner);
    if (isFound === undefined) return true;
    for (let index = 0; index < config.roots.length; index++) {
      const query = config.roots[index];
      if (isFound ? endsIn(query, owner) : query.path.length > 0
        || mayBeFound(/** @type {AgentLookup} */ (query.lookup), owner)) return true;
    }
    return false;
  });
}
