// What the page's DOM holds: which watched names mean it. `dom-platform.js` reads it, `dom-notes.js` notes what a call
// may change, `dom-changes.js` tells what has changed.
//
// Nothing of the DOM is a property that a hook sees written: `append` changes `innerHTML`, `setAttribute` changes
// `className`. So where a question names what the DOM holds, the platform's entry points are replaced (`dom-tree.js`,
// `dom-state.js`) and the user's input is listened to (`dom-input.js`). Each call is a scene: what it may change is
// noted before it, and what has changed is told after it. Two kinds of names are told apart:
//
//   of the tree    `textContent`, `innerHTML` and their kin belong to a node and to everything around it. To read them
//                  at each call would cost what the page's whole work costs, so a call that changes a tree is taken to
//                  change them; for the nodes that an answer is about, they are read before and after.
//   of one object  `className`, `value`, `checked`, `style.color`: read before and after.

import { Document, Node } from './captured.js';
import { armed, config } from './config.js';
import { append } from './basics.js';
import { anyProperty, slotOfKey, slots } from './slots.js';
import { ANY_STATE, ATTRIBUTE_NODES, BELOW_KEYS, PART_KEYS, STATE_KEYS, STORAGE_KEYS, TREE_KEYS } from './dom-names.js';

export const hasDom = armed && (anyProperty || config.shadows) && typeof Node === 'function'
  && typeof Document === 'function';
// Whether hooks are live: all of the DOM is watched, with no slot for any of it (`live-dom.js`).
export const domLive = hasDom && config.shadows;
// The slots, by what is to be watched for them; `parts`: [slot, name of the part].
/** @type {number[]} */
export const treeSlots = [];
/** @type {number[]} */
export const stateSlots = [];
/** @type {number[]} */
export const belowSlots = [];
/** @type {{ index: number, part: string }[]} */
export const partSlots = [];
/** @type {number[]} */
export const storageSlots = [];
/** @type {boolean[]} */
export const isDomSlot = [];
for (let index = 0; index < slots.length; index++) {
  const { kind, key, through } = slots[index];
  append(isDomSlot, false);
  if (!hasDom || kind !== 'property') continue;
  const isState = STATE_KEYS[key] === true || through.includes(ANY_STATE);
  if (TREE_KEYS[key] !== undefined) append(treeSlots, index);
  if (isState) append(stateSlots, index);
  if (BELOW_KEYS[key] === true) append(belowSlots, index);
  let inParts = false;
  for (let number = 0; number < through.length; number++) {
    if (PART_KEYS[through[number]] === true || through[number] === ATTRIBUTE_NODES) {
      append(partSlots, { index, part: through[number] });
      inParts = true;
    }
    if (STORAGE_KEYS[through[number]] === true) {
      append(storageSlots, index);
      inParts = true;
    }
  }
  isDomSlot[index] = isState || inParts || TREE_KEYS[key] !== undefined;
}
export const domWatched = isDomSlot.includes(true);
// Whether any of the DOM is watched, in either way.
export const domFollowed = domWatched || domLive;
// Whether what an element's attributes say is part of what is asked: then all that writes one is watched.
export const markup = treeSlots.some((index) => TREE_KEYS[slots[index].key] === 'html')
  || partSlots.some(({ part }) => part === 'attributes' || part === ATTRIBUTE_NODES);
/** @param {number} index */
export const isHtml = (index) => TREE_KEYS[slots[index].key] === 'html';
/** @param {number} index */
export const isOuter = (index) => slots[index].key === 'outerHTML' || slots[index].key === 'outerText';

// Whether what changes a tree is watched.
export const treeWatched = domLive || treeSlots.length > 0 || belowSlots.length > 0 || partSlots.length > 0
  || slotOfKey.data !== undefined || slotOfKey.nodeValue !== undefined;
// What an element in new markup has is asked about also where no tree is.
export const newMarkupWatched = treeWatched || stateSlots.length > 0;
