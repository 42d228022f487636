// The user's own input: what typing, clicking and choosing change without any script.
//
// The agent's listeners are the first on the window, so they see every event of the user before the page does, and no
// page can stop them. What an event may lead to is noted as a scene, like the call of a built-in; what has changed is
// told when the event comes that says so (`input`, `change`, `click`), or, where none does, before anything else is.

import { apply, Event, getOwnPropertyDescriptor, includes, realm, setAdd, setHas, SetOf } from './captured.js';
import { ABSENT, append, isObject } from './basics.js';
import { stack } from './stacks.js';
import { slotOfKey } from './slots.js';
import { writerNumber } from './records.js';
import { listenFor, replaceMethod } from './installed.js';
import { domFollowed, domLive, domWatched, treeSlots } from './dom-slots.js';
import {
  ELEMENT, getData, getFirstChild, getNextSibling, getterOf, isBelow, nameOf, nodePrototype, parentOf, platformValue,
  prototypeOf, TEXT, typeOf,
} from './dom-platform.js';
import { settle, settleLater } from './unsettled.js';
import { read } from './following.js';
import { causeOf } from './causes.js';
import { isNoted, noteAround, noteState, noteTree, scene } from './dom-notes.js';
import { end, tell } from './dom-changes.js';
import { noteSafely, watchMethod } from './dom-hooks.js';
import { noteClicked, noteForm } from './dom-state.js';
import { noteEnds } from './dom-tree.js';

const USER = -writerNumber('the user');
const BEFORE_INPUT = ['focusin', 'pointerdown', 'mousedown', 'keydown', 'beforeinput', 'drop', 'paste', 'cut'];
const AFTER_INPUT = ['input', 'change', 'click', 'toggle', 'close'];

const eventPrototype = domFollowed ? prototypeOf('Event') : undefined;
const inputEventPrototype = domFollowed ? prototypeOf('InputEvent') : undefined;
const getTargetRanges = inputEventPrototype?.getTargetRanges;
const later = realm.setTimeout;
const getPath = eventPrototype?.composedPath;
const getType = domFollowed ? getterOf('Event', 'type') : undefined;
const getTrusted = domFollowed ? getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get : undefined;

// What the user may be about to change.
/** @type {{ target: PageValue, noted: Scene } | undefined} */
let expected;

// Whether it is the user who made the event, or the driver in the user's place, and no script of the page.
/** @param {Event} event */
const isOfUser = (event) => apply(getTrusted, event, []) === true || !calledByPage();

// Whether any code of the page is running.
function calledByPage() {
  const frames = stack();
  for (let index = 0; index < frames.length; index++) {
    const { url } = frames[index];
    if (url !== '' && !apply(includes, url, ['querypoint-agent-'])) return true;
  }
  return false;
}

/** @param {Event} event @returns {PageValue} */
const innermostTarget = (event) => apply(getPath, event, [])[0];

// What the user is about to edit in an element that can be edited: the browser says between which places. Of an undo it
// does not; then the texts in it are compared.
/** @param {Scene} noted @param {PageObject} target @param {Event | undefined} event */
function noteEdited(noted, target, event) {
  noteTree(noted, target, true, true);
  if (event === undefined || apply(getType, event, []) !== 'beforeinput') return;
  const ranges = apply(isBelow, inputEventPrototype, [event]) ? apply(getTargetRanges, event, []) : [];
  for (let index = 0; index < ranges.length; index++) noteEnds(noted, ranges[index]);
  if (ranges.length === 0) noted.texts = textsBelow(target, noted);
}

// Texts that are compared at most; of more, it is not known which one an undo changes.
const MOST_TEXTS = 2000;

// The texts below an element, as { node, parent, data }; what is followed around them is read.
/** @param {PageObject} element @param {Scene} [noted] */
function textsBelow(element, noted) {
  /** @type {NotedText[]} */
  const texts = [];
  /** @param {PageObject} node */
  const search = (node) => {
    for (let child = apply(getFirstChild, node, []); child !== null; child = apply(getNextSibling, child, [])) {
      if (typeOf(child) === ELEMENT) search(child);
      if (typeOf(child) !== TEXT || texts.length >= MOST_TEXTS) continue;
      append(texts, { node: child, parent: node, data: apply(getData, child, []) });
      for (let number = 0; number < treeSlots.length && noted !== undefined; number++) {
        noteAround(noted, treeSlots[number], child);
      }
    }
  };
  search(element);
  return texts;
}

// The texts that are other ones now, or elsewhere, are what was edited.
/** @param {Scene} noted @param {PageValue} target */
function noteEditedTexts(noted, target) {
  const before = /** @type {NotedText[]} */ (noted.texts);
  noted.texts = undefined;
  /** @param {PageObject} node */
  const add = (node) => {
    if (domLive) noted.loci = { node, text: true, html: true, how: 'exact', before: undefined, next: noted.loci };
    else noted.trees = { node, text: true, html: true, next: noted.trees };
  };
  for (let index = 0; index < before.length; index++) {
    const { node, parent, data } = before[index];
    if (apply(getData, node, []) !== data) add(node);
    if (parentOf(node) === parent) continue;
    add(parent);
    if (parentOf(node) !== null) add(/** @type {PageObject} */ (parentOf(node)));
  }
  const after = textsBelow(/** @type {PageObject} */ (target));
  const known = new SetOf();
  for (let index = 0; index < before.length; index++) apply(setAdd, known, [before[index].node]);
  for (let index = 0; index < after.length; index++) {
    if (!apply(setHas, known, [after[index].node])) add(after[index].parent);
  }
}

/** @param {Scene} noted @param {PageValue} target @param {Event | undefined} event */
function noteTouched(noted, target, event) {
  if (!isObject(target) || !apply(isBelow, nodePrototype, [target])) return;
  if (typeOf(target) !== ELEMENT) return;
  noteState(noted, target);
  const control = nameOf(target) === 'label' ? read(target, 'control') : null;
  if (isObject(control)) noteState(noted, control);
  // A click on a summary opens its details.
  if (domLive || slotOfKey.open !== undefined) {
    for (let node = /** @type {PageObject | null} */ (target); node !== null; node = parentOf(node)) {
      if (nameOf(node) === 'details') noteState(noted, node);
    }
  }
  if ((domLive || treeSlots.length > 0) && read(target, 'isContentEditable') === true) {
    noteEdited(noted, target, event);
  }
}

/** @param {PageValue} target @param {Event} [event] */
function noteUser(target, event) {
  const noted = scene();
  try {
    noteTouched(noted, target, event);
  } catch { /* a target that is no element of a document */ }
  return noted;
}

/** @param {Event} event */
const byUser = (event) => ({ site: USER, context: undefined, cause: causeOf(event) });

/** @param {Event} event */
function beforeInput(event) {
  settle();
  if (!isOfUser(event)) return;
  const target = innermostTarget(event);
  expected = { target, noted: noteUser(target, event) };
}

/** @param {Event} event */
function afterInput(event) {
  settle();
  if (!isOfUser(event)) return;
  const target = innermostTarget(event);
  const noted = expected?.noted ?? scene();
  const kind = apply(getType, event, []);
  // What is edited is told by that event alone.
  if (kind !== 'input') {
    noted.trees = undefined;
    noted.loci = undefined;
  }
  else if (noted.texts !== undefined) noteEditedTexts(noted, target);
  // Nobody has looked at it before: a click on a checkbox has turned it over.
  const index = slotOfKey.checked;
  if (kind === 'click' && index !== undefined && isObject(target) && !isNoted(noted, index, target)) {
    const checked = platformValue(index, target);
    const type = checked === ABSENT ? undefined : read(target, 'type');
    if (type === 'checkbox' || type === 'radio') {
      noted.compared = { index, object: target, before: !checked, tree: false, next: noted.compared };
    }
  }
  end(noted, byUser(event));
  expected = { target, noted: noteUser(target) };
}

// The controls are reset when the event is over.
/** @param {Event} event */
function beforeReset(event) {
  settle();
  const target = innermostTarget(event);
  if (!isObject(target) || calledByPage()) return;
  const noted = scene();
  try {
    noteForm(noted, target);
  } catch { /* no form */ }
  const from = byUser(event);
  settleLater(() => end(noted, from));
  apply(later, realm, [settle, 0]);
}

// A prevented click turns the checkbox back over when the event is over; whose doing that is, is known now.
/** @param {Scene} noted @param {PageObject} event */
function notePrevented(noted, event) {
  if (slotOfKey.checked === undefined || apply(getType, event, []) !== 'click') return;
  if (read(event, 'defaultPrevented') === true || read(event, 'cancelable') !== true) return;
  const target = innermostTarget(/** @type {Event} */ (event));
  if (!isObject(target) || !apply(isBelow, nodePrototype, [target]) || nameOf(target) !== 'input') return;
  if (read(target, 'type') !== 'checkbox') return;
  noted.turned = { target, before: platformValue(slotOfKey.checked, target) };
}

function watchPrevention() {
  if (domWatched) replaceMethod(eventPrototype, 'preventDefault', 'Event.prototype.preventDefault', (original, by) => ({
    method() {
      const noted = /** @type {Scene} */ ({});
      noteSafely(notePrevented, noted, this, arguments);
      const result = apply(original, this, arguments);
      if (noted.turned !== undefined && read(this, 'defaultPrevented') === true) {
        const { target, before } = noted.turned;
        tell(slotOfKey.checked, target, before, !before, { site: -by, context: undefined });
      }
      return result;
    },
  }).method);
  /** @type {Note} */
  const noteDispatch = (noted, self, values) => {
    if (apply(isBelow, nodePrototype, [self]) && apply(getType, values[0], []) === 'click') noteClicked(noted, self);
  };
  const type = 'dispatchEvent';
  watchMethod(prototypeOf('EventTarget'), type, `EventTarget.prototype.${type}`, noteDispatch);
}

if (domFollowed && typeof realm.addEventListener === 'function' && typeof getTrusted === 'function') {
  /** @param {string[]} types @param {(event: Event) => void} listener */
  const hearAll = (types, listener) => {
    /** @param {Event} event */
    const hear = (event) => {
      try {
        listener(event);
      } catch { /* an event of a kind that is not to be understood */ }
    };
    for (const type of types) listenFor(realm, type, hear, true);
  };
  hearAll(BEFORE_INPUT, beforeInput);
  hearAll(AFTER_INPUT, afterInput);
  hearAll(['reset'], beforeReset);
  if (domLive || slotOfKey.checked !== undefined || slotOfKey.open !== undefined) watchPrevention();
}
