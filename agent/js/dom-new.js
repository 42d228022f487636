// Nodes that a call makes of markup, or copies: what they hold comes from that call.
//
// Each is told as a change of what is asked about, from nothing to what it has; what is empty or not set is as no
// markup would have it, so nothing is told of it. Nodes of the document's own text are the parser's: nobody changed
// them.

import './dom-tree.js';
import { apply } from './captured.js';
import { ABSENT, isObject, UNKNOWN } from './basics.js';
import { read } from './objects.js';
import { slots, stamps } from './records.js';
import { replaceMethod } from './built-ins.js';
import { ATTRIBUTE_NODES, LIST_KEYS } from './dom-names.js';
import { domFollowed, domLive, isOuter, partSlots, stateSlots, treeSlots } from './dom-slots.js';
import {
  DOCUMENT, ELEMENT, getAttributes, getFirstChild, getLastChild, getNextSibling, nameOf, nodeGetter, parentOf, partOf,
  platformValue, prototypeOf, typeOf,
} from './dom-platform.js';
import { eachAttributeNode, isFollowed, readTree } from './dom-notes.js';
import { tell } from './dom-changes.js';
import { newMarkupWatched } from './dom-tree.js';
import { bornLive } from './live-dom.js';

// The children of `parent` between two of its children (null: from the first, to the last) will be new when the call
// ends.
/**
 * @param {Scene} noted @param {PageObject | null} parent @param {PageObject | null} after
 * @param {PageObject | null} before
 */
export function makes(noted, parent, after, before) {
  if (parent !== null) noted.made = { parent, after, before, next: noted.made };
}

/** @param {Scene} noted @param {PageObject} self */
export function makesInside(noted, self) {
  const content = nameOf(self) === 'template' ? read(self, 'content') : undefined;
  makes(noted, isObject(content) ? content : self, null, null);
}

/** @param {Scene} noted @param {PageObject} self */
export const makesInstead = (noted, self) =>
  makes(noted, parentOf(self), apply(getPrevious, self, []), apply(getNextSibling, self, []));

/** @param {Scene} noted @param {PageObject} self @param {string} place */
export function makesAdjacent(noted, self, place) {
  switch (place) {
    case 'beforebegin': return makes(noted, parentOf(self), apply(getPrevious, self, []), self);
    case 'afterbegin': return makes(noted, self, null, apply(getFirstChild, self, []));
    case 'beforeend': return makes(noted, self, apply(getLastChild, self, []), null);
    case 'afterend': return makes(noted, parentOf(self), self, apply(getNextSibling, self, []));
  }
}

// The call is over.
/** @param {Scene} noted @param {Origin} from */
export function tellNewNodes(noted, from) {
  for (let entry = noted.made; entry !== undefined; entry = entry.next) {
    const { parent, after, before } = entry;
    /** @type {PageObject | null} */
    let node = after === null ? apply(getFirstChild, parent, []) : apply(getNextSibling, after, []);
    for (; node !== null && node !== before; node = apply(getNextSibling, node, [])) tellNewTree(node, from);
  }
}

// A node that is new, and all that is in it. Not recursive: pages nest as deep as they like.
/** @param {PageObject} root @param {Origin} from */
function tellNewTree(root, from) {
  let node = root;
  for (;;) {
    tellNew(node, from);
    /** @type {PageObject | null} */
    let next = apply(getFirstChild, node, []);
    while (next === null) {
      if (node === root) return;
      next = apply(getNextSibling, node, []);
      if (next === null) node = /** @type {PageObject} */ (parentOf(node));
    }
    node = next;
  }
}

/** @param {PageObject} node @param {Origin} from */
function tellNew(node, from) {
  const type = typeOf(node);
  for (let number = 0; number < treeSlots.length; number++) {
    const index = treeSlots[number];
    if (type !== ELEMENT && (type === DOCUMENT || slots[index].key !== 'textContent')) continue;
    const isEmpty = type === ELEMENT && !isOuter(index) && apply(getFirstChild, node, []) === null;
    if (!isEmpty) tellBegun(index, node, isFollowed(index, node) ? readTree(index, node) : UNKNOWN, from);
  }
  for (let number = 0; number < stateSlots.length; number++) tellState(stateSlots[number], node, from);
  if (type !== ELEMENT) return;
  for (let number = 0; number < partSlots.length; number++) {
    const { index, part } = partSlots[number];
    if (part === ATTRIBUTE_NODES) {
      eachAttributeNode(node, (/** @type {PageObject} */ attribute) => tellState(index, attribute, from));
    } else if (LIST_KEYS[part] !== true && apply(getAttributes, node, []).length > 0) {
      const object = partOf(node, part);
      if (object !== undefined) tellState(index, object, from);
    }
  }
}

/** @param {number} index @param {PageObject} object @param {Origin} from */
function tellState(index, object, from) {
  const value = platformValue(index, object);
  const isUnset = value === ABSENT || value === UNKNOWN || value === '' || value === false || value === null
    || value === undefined || value === 0 || value === -1;
  if (!isUnset) tellBegun(index, object, value, from);
}

// Where something ran inside the call and wrote it, that is told already.
/** @param {number} index @param {PageObject} object @param {PageValue} value @param {Origin} from */
function tellBegun(index, object, value, from) {
  if (stamps[index].record(object) === undefined) tell(index, object, ABSENT, value, from);
}

const getPrevious = nodeGetter('previousSibling');

// Calls that give what they make.
/** @param {string} name @param {string} key */
function watchCreator(name, key) {
  const host = prototypeOf(name);
  if (host === undefined) return;
  replaceMethod(host, key, `${name}.prototype.${key}`, (original, by) => {
    const from = { site: -by, context: undefined };
    return {
      method() {
        const made = apply(original, this, arguments);
        if (isObject(made) && domLive) bornLive(made, from.site);
        else if (isObject(made)) tellNewTree(made, from);
        return made;
      },
    }.method;
  });
}
if (domFollowed && newMarkupWatched) {
  for (const [name, key] of [
    ['Node', 'cloneNode'], ['Document', 'importNode'], ['Range', 'createContextualFragment'],
    ['Range', 'cloneContents'],
    ['DOMParser', 'parseFromString'],
  ]) watchCreator(name, key);
}
