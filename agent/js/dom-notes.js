// What a call may change of the DOM: noted before it, with the values as they are.

import { apply, Document, DocumentFragment, Element, getOwnPropertyDescriptor, Node, now } from './captured.js';
import { config } from './config.js';
import { isObject, UNKNOWN } from './basics.js';
import { owners, sequence } from './counters.js';
import { hasReadTree, mayReadTree, readsAhead } from './read-ahead.js';
import { forSlots, slotOfKey, slots } from './slots.js';
import { stamps } from './records.js';
import { stopAhead } from './stops.js';
import { ATTRIBUTE_NODES, LIST_KEYS } from './dom-names.js';
import { belowSlots, domLive, hasDom, isHtml, markup, partSlots, stateSlots, treeSlots } from './dom-slots.js';
import {
  attributesOf, DOCUMENT, ELEMENT, FRAGMENT, getAttributeNode, getAttributes, getDocument, getOwner, isBelow, nameOf,
  nodePrototype, parentOf, partOf, platformValue, typeOf,
} from './dom-platform.js';
import { settle, settlePart, unsettled } from './unsettled.js';
import { read } from './following.js';
import { nextMoment } from './live-calls.js';
import { noteStates } from './live-states.js';
import { noteLocus } from './live-dom.js';

// One call: { since, trees, compared, marked, attributed, made }, each of them a list that is linked by `next`.
//   trees     { node, text, html }: what is in `node` changes, as text or as markup
//   compared  { index, object, before, tree }: values as they were
//   marked    { node, before }: the attributes of an element as they were
//   attributed { index, element }: the nodes of its attributes are followed
//   made      { parent, after, before }: what will be new between two children
/** @returns {Scene} */
export const scene = () => {
  if (unsettled !== undefined) settle();
  if (domLive) settlePart();
  return {
    since: domLive ? nextMoment() : sequence,
    trees: undefined, compared: undefined, marked: undefined, attributed: undefined, made: undefined,
  };
};

// Whether changes of this owner are read before and after: it is followed, or may be later.
const lastFollowed = forSlots((slot) => {
  let last = readsAhead ? Infinity : 0;
  for (const owner of slot.exact) if (owner > last) last = owner;
  return last;
});
let readFor = 0;
/** @param {number} index @param {PageObject} object */
export function isFollowed(index, object) {
  if (config.capture) return readFor < READ_FOR_MS;
  if (readsAhead) return mayReadTree();
  if (owners < lastFollowed[index] && stamps[index].record(object) === undefined) return true;
  const record = stamps[index].record(object);
  if (record === undefined || record.e === undefined) return false;
  // What is large and changes often is read only near the changes that are asked for.
  return (record.e.read ?? 0) < READ_AT_MOST || stopAhead() - sequence < NEAR;
}
// How many characters of one owner are read in one execution, and how near a stop is near, in events.
const READ_AT_MOST = 5_000_000;
const NEAR = 20;
// For how long trees are read where executions differ: then any change may be the one that is asked for.
const READ_FOR_MS = 1000;

/** @param {number} index @param {PageObject} object */
export function readTree(index, object) {
  const began = config.capture || readsAhead ? now() : 0;
  const value = platformValue(index, object);
  if (config.capture) readFor += now() - began;
  if (readsAhead) hasReadTree(now() - began);
  const record = stamps[index].record(object);
  const size = (typeof value === 'string' ? value.length : typeof value === 'number' ? value : 0) + 100;
  if (record !== undefined && record.e !== undefined) record.e.read = (record.e.read ?? 0) + size;
  return value;
}

// What is in `node` is going to change. `how` the two are known: see `noteLocus`.
/**
 * @param {Scene} noted @param {PageObject | null} node @param {boolean} text @param {boolean} html
 * @param {TreeChange} [how]
 */
export function noteTree(noted, node, text, html, how = 'compared') {
  if (node === null) return;
  if (domLive) return noteLocus(noted, node, text, html, how);
  noted.trees = { node, text, html, next: noted.trees };
  for (let number = 0; number < treeSlots.length; number++) {
    const index = treeSlots[number];
    if (isHtml(index) ? html : text) noteAround(noted, index, node);
  }
  for (let number = 0; number < belowSlots.length; number++) {
    const index = belowSlots[number];
    if (slots[index].key !== 'childElementCount') noteBelow(noted, index, node);
    else if (html) noteCounted(noted, index, node);
  }
  if (partSlots.length > 0) noteParts(noted, node);
}

// The trees around `node`, as far as they are followed.
/** @param {Scene} noted @param {number} index @param {PageObject} node */
export function noteAround(noted, index, node) {
  if (lastFollowed[index] === 0 && !config.capture) return;
  for (let owner = /** @type {PageObject | null} */ (node); owner !== null; owner = parentOf(owner)) {
    if (!isFollowed(index, owner) || isNoted(noted, index, owner)) continue;
    noted.compared = { index, object: owner, before: readTree(index, owner), tree: true, next: noted.compared };
  }
}

/** @param {Scene} noted @param {number} index @param {PageObject} object */
export function isNoted(noted, index, object) {
  for (let entry = noted.compared; entry !== undefined; entry = entry.next) {
    if (entry.object === object && entry.index === index) return true;
  }
  return false;
}

// Elements that give what is in them as a value or a text of their own.
/** @type {Table<boolean>} */
const HOLDERS = /** @type {Bare} */ ({
  __proto__: null, option: true, select: true, textarea: true, output: true, title: true, script: true, style: true,
  a: true, button: true,
});
/** @param {Scene} noted @param {number} index @param {PageObject} node */
function noteBelow(noted, index, node) {
  noteValue(noted, index, node);
  for (let owner = /** @type {PageObject | null} */ (node); owner !== null; owner = parentOf(owner)) {
    const name = nameOf(owner);
    if (HOLDERS[name] !== true) continue;
    noteValue(noted, index, owner);
    if (name === 'title') noteValue(noted, index, /** @type {Document} */ (apply(getDocument, owner, [])));
  }
}

// The state of an object of the platform may change.
/** @param {Scene} noted @param {PageObject} object */
export function noteState(noted, object) {
  if (domLive) {
    noteStates(noted, object);
    if (apply(isBelow, nodePrototype, [object]) && nameOf(object) === 'input') noteRadios(noted, object);
    return;
  }
  for (let number = 0; number < stateSlots.length; number++) {
    if (slots[stateSlots[number]].key !== 'childElementCount') noteValue(noted, stateSlots[number], object);
  }
  if (!apply(isBelow, nodePrototype, [object]) || typeOf(object) !== ELEMENT) return;
  if (partSlots.length > 0) noteParts(noted, object);
  if (stateSlots.length > 0) noteRelated(noted, object);
  if (!markup) return;
  noted.marked = { node: object, before: attributesOf(object), next: noted.marked };
  for (let number = 0; number < treeSlots.length; number++) {
    const index = treeSlots[number];
    if (isHtml(index)) noteAround(noted, index, object);
  }
}

/** @param {Scene} noted @param {PageObject} element */
function noteParts(noted, element) {
  if (typeOf(element) !== ELEMENT) return;
  for (let number = 0; number < partSlots.length; number++) {
    const { index, part } = partSlots[number];
    if (part === ATTRIBUTE_NODES) {
      noteAttributeNodes(noted, index, element);
      continue;
    }
    const object = partOf(element, part);
    if (object === undefined) continue;
    if (LIST_KEYS[part] === true && slots[index].key === 'length') noteCounted(noted, index, object);
    else noteValue(noted, index, object);
  }
}

// What has to be counted is read as trees are: where it is followed.
/** @param {Scene} noted @param {number} index @param {PageObject} object */
function noteCounted(noted, index, object) {
  if (isNoted(noted, index, object)) return;
  const before = isFollowed(index, object) ? readTree(index, object) : UNKNOWN;
  noted.compared = { index, object, before, tree: false, counted: true, next: noted.compared };
}

/** @param {Scene} noted @param {number} index @param {PageObject} element */
function noteAttributeNodes(noted, index, element) {
  eachAttributeNode(element, (/** @type {PageObject} */ node) => noteValue(noted, index, node));
  noted.attributed = { index, element, next: noted.attributed };
}

/** @param {PageObject} element @param {(node: PageObject) => void} then */
export function eachAttributeNode(element, then) {
  const names = apply(getAttributes, element, []);
  for (let number = 0; number < names.length; number++) {
    const node = apply(getAttributeNode, element, [names[number]]);
    if (node !== null) then(node);
  }
}

/** @param {Scene} noted @param {number} index @param {PageObject} object */
export function noteValue(noted, index, object) {
  if (isNoted(noted, index, object)) return;
  const before = platformValue(index, object);
  noted.compared = { index, object, before, tree: false, next: noted.compared };
}

// Other controls whose state follows from this one's.
/** @param {Scene} noted @param {PageObject} element */
function noteRelated(noted, element) {
  const name = nameOf(element);
  if (name === 'option' || name === 'optgroup') {
    for (let owner = parentOf(element); owner !== null; owner = parentOf(owner)) {
      if (nameOf(owner) === 'select') return noteControl(noted, owner);
    }
  } else if (name === 'select') {
    if (slotOfKey.selected !== undefined) noteEach(noted, partOf(element, 'options'));
  } else if (name === 'input' && slotOfKey.checked !== undefined) {
    noteRadios(noted, element);
  }
}

/** @param {Scene} noted @param {PageObject} control */
function noteControl(noted, control) {
  if (domLive) return noteStates(noted, control);
  for (let number = 0; number < stateSlots.length; number++) noteValue(noted, stateSlots[number], control);
}

/** @param {Scene} noted @param {PageObject | undefined} list */
export function noteEach(noted, list) {
  const length = list === undefined ? 0 : /** @type {number} */ (read(list, 'length'));
  for (let number = 0; number < length; number++) {
    const item = getOwnPropertyDescriptor(/** @type {PageObject} */ (list), number);
    if (item !== undefined && isObject(item.value)) noteControl(noted, item.value);
  }
}

/** @type {Table<((selectors: string) => NodeList) | undefined>} */
const queryAll = /** @type {Bare} */ ({
  __proto__: null,
  [DOCUMENT]: hasDom ? Document.prototype.querySelectorAll : undefined,
  [ELEMENT]: hasDom ? Element.prototype.querySelectorAll : undefined,
  [FRAGMENT]: hasDom ? DocumentFragment.prototype.querySelectorAll : undefined,
});
const getRoot = hasDom ? Node.prototype.getRootNode : undefined;

// Of radio buttons of one name only one is checked.
/** @param {Scene} noted @param {PageObject} input */
function noteRadios(noted, input) {
  if (read(input, 'type') !== 'radio') return;
  const root = apply(getRoot, input, []);
  const query = queryAll[typeOf(root)];
  if (query === undefined) return;
  const group = read(input, 'name');
  const radios = apply(query, root, ['input[type="radio" i]']);
  for (let number = 0; number < radios.length; number++) {
    const radio = getOwnPropertyDescriptor(radios, number)?.value;
    if (isObject(radio) && radio !== input && read(radio, 'name') === group) {
      if (domLive) noteStates(noted, radio);
      else noteValue(noted, slotOfKey.checked, radio);
    }
  }
}

/** @param {Scene} noted @param {PageObject} attribute */
export function noteAttributeNode(noted, attribute) {
  noteState(noted, attribute);
  const element = apply(getOwner, attribute, []);
  if (element !== null) noteState(noted, element);
}
