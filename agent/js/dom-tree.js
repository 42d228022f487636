// What changes the tree: the platform's methods and setters that insert, remove or rewrite nodes.

import { apply, Document, ownKeys, Selection, String, StringOf } from './captured.js';
import { isObject } from './basics.js';
import { domFollowed, domLive, hasDom, newMarkupWatched, treeWatched } from './dom-slots.js';
import {
  ATTRIBUTE, CDATA, ELEMENT, FRAGMENT, getData, getFirstChild, getLastChild, getNextSibling, getterOf, parentOf,
  prototypeOf, TEXT, typeOf,
} from './dom-platform.js';
import { read } from './following.js';
import { fragmentHoldsMarkup, textOf } from './live-dom.js';
import { noteAttributeNode, noteState, noteTree } from './dom-notes.js';
import { watchMethod, watchSetter } from './dom-hooks.js';
import { makes, makesAdjacent, makesInside, makesInstead } from './dom-new.js';

// Whether a node (or what represents one in an argument) adds to the text, and to the markup, around it.
const LOOKED_AT = 30;
/** @param {PageValue} value */
function holdsText(value) {
  if (!isObject(value)) return value !== '';
  const type = typeOf(value);
  if (type === TEXT || type === CDATA) return apply(getData, value, []) !== '';
  if (type !== ELEMENT && type !== FRAGMENT) return false;
  if (domLive) return textOf(value) !== '';
  let left = LOOKED_AT;
  /** @param {PageObject} node */
  const search = (node) => {
    for (let child = apply(getFirstChild, node, []); child !== null; child = apply(getNextSibling, child, [])) {
      if (left-- <= 0) return true;
      const kind = typeOf(child);
      if (kind === TEXT || kind === CDATA ? apply(getData, child, []) !== '' : kind === ELEMENT && search(child)) {
        return true;
      }
    }
    return false;
  };
  return search(value);
}
/** @param {PageValue} value */
function holdsMarkup(value) {
  if (!isObject(value)) return value !== '';
  const type = typeOf(value);
  if (type === TEXT) return apply(getData, value, []) !== '';
  return type !== FRAGMENT || (domLive ? fragmentHoldsMarkup(value) : apply(getFirstChild, value, []) !== null);
}

// `values` from `first` on are put into `parent`, away from where they are.
/** @param {Scene} noted @param {PageObject | null} parent @param {ArrayLike<unknown>} values @param {number} first */
function noteInserted(noted, parent, values, first) {
  let text = false;
  let html = false;
  for (let index = first; index < values.length; index++) {
    const value = values[index];
    text ||= holdsText(value);
    html ||= holdsMarkup(value);
    noteTaken(noted, value);
  }
  noteTree(noted, parent, text, html, 'exact');
}

// A node is taken from where it is.
/** @param {Scene} noted @param {PageValue} value */
function noteTaken(noted, value) {
  if (!isObject(value)) return;
  const parent = parentOf(value);
  if (parent !== null) noteTree(noted, parent, holdsText(value), holdsMarkup(value), 'exact');
  else if (typeOf(value) === FRAGMENT) noteTree(noted, value, true, true);
}

/** @param {Scene} noted @param {PageObject} self */
const noteAll = (noted, self) => noteTree(noted, self, true, true);
/** @param {Scene} noted @param {PageObject} self */
const noteParent = (noted, self) => {
  makesInstead(noted, self);
  noteTree(noted, parentOf(self), true, true);
};
/** @param {Scene} noted @param {PageObject} self */
const noteMarkup = (noted, self) => {
  makesInside(noted, self);
  noteAll(noted, self);
};
/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
const noteChildren = (noted, self, values) => noteInserted(noted, self, values, 0);
/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
const noteSiblings = (noted, self, values) => noteInserted(noted, parentOf(self), values, 0);
/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
const noteReplaced = (noted, self, values) => {
  for (let index = 0; index < values.length; index++) noteTaken(noted, values[index]);
};
// Text as such stays; only the number of nodes does not.
/** @param {Scene} noted @param {PageObject} self */
const noteSplit = (noted, self) => noteTree(noted, self, false, false);
/** @param {Scene} noted @param {PageObject} self */
const noteData = (noted, self) => {
  noteTree(noted, self, true, true);
  noteState(noted, self);
};

// A text that an element has already stays as it is.
/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteText(noted, self, values) {
  const type = typeOf(self);
  if (type !== ELEMENT && type !== FRAGMENT) {
    if (type === ATTRIBUTE) noteAttributeNode(noted, self);
    else noteData(noted, self);
    return;
  }
  const child = apply(getFirstChild, self, []);
  const value = values[0] === null ? '' : values[0];
  let old;
  if (child === null) old = '';
  else if (typeOf(child) === TEXT && apply(getNextSibling, child, []) === null) old = apply(getData, child, []);
  const same = old !== undefined && !isObject(value) && typeof value !== 'symbol' && StringOf(value) === old;
  if (!same) makesInside(noted, self);
  noteTree(noted, self, !same, !same);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteAppended(noted, self, values) {
  const node = values[0];
  // It is where it is to be.
  if (isObject(node) && parentOf(node) === self && apply(getLastChild, self, []) === node) return;
  noteInserted(noted, self, [node], 0);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteInsertedBefore(noted, self, values) {
  const node = values[0];
  const next = values[1] ?? null;
  if (isObject(node) && parentOf(node) === self && (node === next || apply(getNextSibling, node, []) === next)) return;
  noteInserted(noted, self, [node], 0);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteAdjacent(noted, self, values) {
  const place = typeof values[0] === 'string' ? apply(lowerCase, values[0], []) : '';
  const outside = place === 'beforebegin' || place === 'afterend';
  const parent = outside ? parentOf(self) : self;
  if (isObject(values[1])) {
    noteInserted(noted, parent, [values[1]], 0);
    return;
  }
  makesAdjacent(noted, self, place);
  noteTree(noted, parent, true, true, 'made');
}

// What is between the ends of a range comes or goes; what they are in stays, and has another text.
/** @param {Scene} noted @param {PageObject} range */
export function noteEnds(noted, range) {
  noteTree(noted, /** @type {PageObject} */ (read(range, 'startContainer')), true, true);
  noteTree(noted, /** @type {PageObject} */ (read(range, 'endContainer')), true, true);
}

/** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
function noteRange(noted, self, values) {
  const common = /** @type {PageObject} */ (apply(getCommon, self, []));
  noteTree(noted, common, true, true);
  // A text that is taken apart is the same around it.
  if (domLive && typeOf(common) !== ELEMENT) noteTree(noted, parentOf(common), true, true);
  noteEnds(noted, self);
  if (values.length > 0) noteTaken(noted, values[0]);
}

/** @param {Scene} noted @param {PageObject} self */
function noteSelection(noted, self) {
  if (/** @type {number} */ (read(self, 'rangeCount')) > 0) noteRange(noted, apply(getRange, self, [0]), []);
}

// What is written comes after the script that writes.
/** @param {Scene} noted @param {PageObject} self */
function noteWritten(noted, self) {
  const script = read(self, 'currentScript');
  if (isObject(script)) makes(noted, parentOf(script), script, null);
  const node = isObject(script) ? parentOf(script) : read(self, 'body') ?? read(self, 'documentElement');
  noteTree(noted, /** @type {PageObject | null} */ (node), true, true);
}

// A command edits where the selection is, or the control that has the focus.
/** @param {Scene} noted @param {PageObject} self */
function noteCommand(noted, self) {
  const active = read(self, 'activeElement');
  if (isObject(active)) {
    noteState(noted, active);
    noteTree(noted, active, true, true);
  }
  const selection = apply(getSelectionOf, self, []);
  if (isObject(selection)) noteSelection(noted, selection);
}

const lowerCase = String.prototype.toLowerCase;
const getCommon = domFollowed ? getterOf('Range', 'commonAncestorContainer') : undefined;
const getRange = domFollowed ? Selection.prototype.getRangeAt : undefined;
const getSelectionOf = domFollowed ? Document.prototype.getSelection : undefined;

/** @type {Notes} */
const TREE_METHODS = /** @type {Bare} */ ({
  __proto__: null,
  Node: {
    appendChild: noteAppended, insertBefore: noteInsertedBefore, normalize: noteSplit,
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    removeChild: (noted, self, values) => noteTaken(noted, values[0]),
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    replaceChild: (noted, self, values) => {
      noteTaken(noted, values[1]);
      noteInserted(noted, self, [values[0]], 0);
    },
  },
  Element: {
    append: noteChildren, prepend: noteChildren, after: noteSiblings, before: noteSiblings,
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    replaceChildren: (noted, self, values) => {
      noteReplaced(noted, self, values);
      noteAll(noted, self);
    },
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    replaceWith: (noted, self, values) => {
      noteReplaced(noted, self, values);
      noteTree(noted, parentOf(self), true, true);
    },
    /** @param {Scene} noted @param {PageObject} self */
    remove: (noted, self) => noteTaken(noted, self),
    moveBefore: noteInsertedBefore, insertAdjacentElement: noteAdjacent, insertAdjacentHTML: noteAdjacent,
    insertAdjacentText: noteAdjacent, setHTMLUnsafe: noteMarkup, setHTML: noteMarkup,
  },
  CharacterData: {
    after: noteSiblings, before: noteSiblings, 
    remove: (/** @type {Scene} */ noted, /** @type {PageValue} */ self) => noteTaken(noted, self), appendData: noteData,
    deleteData: noteData, insertData: noteData, replaceData: noteData,
  },
  Text: {
    /** @param {Scene} noted @param {PageObject} self */
    splitText: (noted, self) => {
      noteState(noted, self);
      const parent = parentOf(self);
      noteTree(noted, self, true, false);
      if (parent !== null && domLive) noteAll(noted, parent);
      else if (parent !== null) noteSplit(noted, parent);
    },
  },
  ShadowRoot: { setHTMLUnsafe: noteMarkup, setHTML: noteMarkup },
  Document: {
    write: noteWritten, writeln: noteWritten, execCommand: noteCommand, moveBefore: noteInsertedBefore,
    /** @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
    adoptNode: (noted, self, values) => noteTaken(noted, values[0]),
  },
  Range: {
    deleteContents: noteRange, extractContents: noteRange, insertNode: noteRange, surroundContents: noteRange,
  },
  Selection: { deleteFromDocument: noteSelection },
  HTMLTableElement: {
    insertRow: noteAll, deleteRow: noteAll, createCaption: noteAll, deleteCaption: noteAll, createTHead: noteAll,
    deleteTHead: noteAll, createTFoot: noteAll, deleteTFoot: noteAll, createTBody: noteAll,
  },
  HTMLTableSectionElement: { insertRow: noteAll, deleteRow: noteAll },
  HTMLTableRowElement: { insertCell: noteAll, deleteCell: noteAll },
  HTMLSelectElement: { add: noteAll, remove: noteAll },
});
TREE_METHODS.CharacterData.replaceWith = TREE_METHODS.Element.replaceWith;
TREE_METHODS.DocumentType = { remove: TREE_METHODS.Element.remove };
for (const name of ['append', 'prepend', 'replaceChildren']) {
  TREE_METHODS.Document[name] = TREE_METHODS.Element[name];
}
TREE_METHODS.DocumentFragment = {
  append: noteChildren, prepend: noteChildren, replaceChildren: TREE_METHODS.Element.replaceChildren,
  moveBefore: noteInsertedBefore,
};

/** @type {Notes} */
const TREE_SETTERS = /** @type {Bare} */ ({
  __proto__: null,
  Node: { textContent: noteText, nodeValue: noteText },
  Element: { innerHTML: noteMarkup, outerHTML: noteParent },
  HTMLElement: { innerText: noteMarkup, outerText: noteParent },
  ShadowRoot: { innerHTML: noteMarkup },
  CharacterData: { data: noteData },
  HTMLTableElement: { caption: noteAll, tHead: noteAll, tFoot: noteAll },
  HTMLSelectElement: { length: noteAll },
  HTMLTitleElement: { text: noteAll },
  HTMLScriptElement: { text: noteAll },
  HTMLOptionElement: { text: noteAll },
  HTMLAnchorElement: { text: noteAll },
  HTMLTextAreaElement: { defaultValue: noteAll },
  HTMLOutputElement: { value: noteAll, defaultValue: noteAll },
  Document: {
    /** @param {Scene} noted @param {PageObject} self */
    body: (noted, self) => noteTree(
      noted, /** @type {PageObject | null} */ (read(self, 'documentElement')), true, true,
    ),
    /** @param {Scene} noted @param {PageObject} self */
    title: (noted, self) => {
      noteState(noted, self);
      const title = apply(queryOne, self, ['title']);
      noteTree(noted, /** @type {PageObject | null} */ (title ?? read(self, 'head')), true, true);
    },
  },
});
const queryOne = hasDom ? Document.prototype.querySelector : undefined;

// A setter that changes a tree and the state of its object.
/** @type {(note: Note) => Note} */
const noteBoth = (note) => (noted, self, values) => {
  note(noted, self, values);
  noteState(noted, self);
};
/** @type {Table<boolean>} */
const MARKUP_KEYS = /** @type {Bare} */ ({
  __proto__: null, innerHTML: true, outerHTML: true, insertAdjacentHTML: true, setHTML: true, setHTMLUnsafe: true,
  write: true, writeln: true,
});
if (domFollowed && newMarkupWatched) {
  for (const name in TREE_METHODS) {
    const host = prototypeOf(name);
    const methods = TREE_METHODS[name];
    for (const key of /** @type {string[]} */ (ownKeys(methods))) {
      if (treeWatched || MARKUP_KEYS[key] === true) watchMethod(host, key, `${name}.prototype.${key}`, methods[key]);
    }
  }
  for (const name in TREE_SETTERS) {
    const host = prototypeOf(name);
    const setters = TREE_SETTERS[name];
    for (const key of /** @type {string[]} */ (ownKeys(setters))) {
      if (!treeWatched && MARKUP_KEYS[key] !== true) continue;
      const note = name === 'Node' || name === 'CharacterData' || name === 'Document' ? setters[key]
        : noteBoth(setters[key]);
      watchSetter(host, key, `${name}.prototype.${key}`, note);
    }
  }
}
