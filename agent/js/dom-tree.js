// What changes the tree: the platform's methods and setters that insert, remove or rewrite nodes.

// Whether a node (or what stands for one in an argument) adds to the text, and to the markup, around it.
const LOOKED_AT = 30;
function holdsText(value) {
  if (!isObject(value)) return value !== '';
  const type = typeOf(value);
  if (type === TEXT || type === CDATA) return apply(getData, value, []) !== '';
  if (type !== ELEMENT && type !== FRAGMENT) return false;
  let left = LOOKED_AT;
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
function holdsMarkup(value) {
  if (!isObject(value)) return value !== '';
  const type = typeOf(value);
  if (type === TEXT) return apply(getData, value, []) !== '';
  return type !== FRAGMENT || apply(getFirstChild, value, []) !== null;
}

// `values` from `first` on are put into `parent`, away from where they are.
function noteInserted(noted, parent, values, first) {
  let text = false;
  let html = false;
  for (let index = first; index < values.length; index++) {
    const value = values[index];
    text ||= holdsText(value);
    html ||= holdsMarkup(value);
    noteTaken(noted, value);
  }
  noteTree(noted, parent, text, html);
}

// A node is taken from where it is.
function noteTaken(noted, value) {
  if (!isObject(value)) return;
  const parent = parentOf(value);
  if (parent !== null) noteTree(noted, parent, holdsText(value), holdsMarkup(value));
  else if (typeOf(value) === FRAGMENT) noteTree(noted, value, true, true);
}

const noteAll = (noted, self) => noteTree(noted, self, true, true);
const noteParent = (noted, self) => {
  makesInstead(noted, self);
  noteTree(noted, parentOf(self), true, true);
};
const noteMarkup = (noted, self) => {
  makesInside(noted, self);
  noteAll(noted, self);
};
const noteChildren = (noted, self, values) => noteInserted(noted, self, values, 0);
const noteSiblings = (noted, self, values) => noteInserted(noted, parentOf(self), values, 0);
const noteReplaced = (noted, self, values) => {
  for (let index = 0; index < values.length; index++) noteTaken(noted, values[index]);
};
// Text as such stays; only the number of nodes does not.
const noteSplit = (noted, self) => noteTree(noted, self, false, false);
const noteData = (noted, self) => {
  noteTree(noted, self, true, true);
  noteState(noted, self);
};

// A text that an element has already stays as it is.
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

function noteAppended(noted, self, values) {
  const node = values[0];
  // It is where it is to be.
  if (isObject(node) && parentOf(node) === self && apply(getLastChild, self, []) === node) return;
  noteInserted(noted, self, [node], 0);
}

function noteInsertedBefore(noted, self, values) {
  const node = values[0];
  const next = values[1] ?? null;
  if (isObject(node) && parentOf(node) === self && (node === next || apply(getNextSibling, node, []) === next)) return;
  noteInserted(noted, self, [node], 0);
}

function noteAdjacent(noted, self, values) {
  const place = typeof values[0] === 'string' ? apply(lowerCase, values[0], []) : '';
  const outside = place === 'beforebegin' || place === 'afterend';
  const parent = outside ? parentOf(self) : self;
  if (isObject(values[1])) {
    noteInserted(noted, parent, [values[1]], 0);
    return;
  }
  makesAdjacent(noted, self, place);
  noteTree(noted, parent, true, true);
}

// What is between the ends of a range comes or goes; what they are in stays, and has another text.
function noteEnds(noted, range) {
  noteTree(noted, apply(getRangeStart, range, []), true, true);
  noteTree(noted, apply(getRangeEnd, range, []), true, true);
}

function noteRange(noted, self, values) {
  noteTree(noted, apply(getCommon, self, []), true, true);
  noteEnds(noted, self);
  if (values.length > 0) noteTaken(noted, values[0]);
}

function noteSelection(noted, self) {
  if (read(self, 'rangeCount') > 0) noteRange(noted, apply(getRange, self, [0]), []);
}

// What is written comes after the script that writes.
function noteWritten(noted, self) {
  const script = read(self, 'currentScript');
  if (isObject(script)) makes(noted, parentOf(script), script, null);
  noteTree(noted, isObject(script) ? parentOf(script) : read(self, 'body') ?? read(self, 'documentElement'), true, true);
}

// A command edits where the selection is, or the control that has the focus.
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
const getCommon = domWatched ? getterOf('Range', 'commonAncestorContainer') : undefined;
const getRangeStart = domWatched ? getterOf('AbstractRange', 'startContainer') : undefined;
const getRangeEnd = domWatched ? getterOf('AbstractRange', 'endContainer') : undefined;
const getRange = domWatched ? Selection.prototype.getRangeAt : undefined;
const getSelectionOf = domWatched ? Document.prototype.getSelection : undefined;

const TREE_METHODS = {
  __proto__: null,
  Node: {
    appendChild: noteAppended, insertBefore: noteInsertedBefore, normalize: noteSplit,
    removeChild: (noted, self, values) => noteTaken(noted, values[0]),
    replaceChild: (noted, self, values) => {
      noteTaken(noted, values[1]);
      noteInserted(noted, self, [values[0]], 0);
    },
  },
  Element: {
    append: noteChildren, prepend: noteChildren, after: noteSiblings, before: noteSiblings,
    replaceChildren: (noted, self, values) => {
      noteReplaced(noted, self, values);
      noteAll(noted, self);
    },
    replaceWith: (noted, self, values) => {
      noteReplaced(noted, self, values);
      noteTree(noted, parentOf(self), true, true);
    },
    remove: (noted, self) => noteTaken(noted, self),
    moveBefore: noteInsertedBefore, insertAdjacentElement: noteAdjacent, insertAdjacentHTML: noteAdjacent,
    insertAdjacentText: noteAdjacent, setHTMLUnsafe: noteMarkup, setHTML: noteMarkup,
  },
  CharacterData: {
    after: noteSiblings, before: noteSiblings, remove: (noted, self) => noteTaken(noted, self), appendData: noteData,
    deleteData: noteData, insertData: noteData, replaceData: noteData,
  },
  Text: {
    splitText: (noted, self) => {
      noteState(noted, self);
      const parent = parentOf(self);
      noteTree(noted, self, true, false);
      if (parent !== null) noteSplit(noted, parent);
    },
  },
  ShadowRoot: { setHTMLUnsafe: noteMarkup, setHTML: noteMarkup },
  Document: {
    write: noteWritten, writeln: noteWritten, execCommand: noteCommand, moveBefore: noteInsertedBefore,
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
};
TREE_METHODS.CharacterData.replaceWith = TREE_METHODS.Element.replaceWith;
TREE_METHODS.DocumentType = { remove: TREE_METHODS.Element.remove };
for (const name of ['append', 'prepend', 'replaceChildren']) {
  TREE_METHODS.Document[name] = TREE_METHODS.Element[name];
}
TREE_METHODS.DocumentFragment = {
  append: noteChildren, prepend: noteChildren, replaceChildren: TREE_METHODS.Element.replaceChildren,
  moveBefore: noteInsertedBefore,
};

const TREE_SETTERS = {
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
    body: (noted, self) => noteTree(noted, read(self, 'documentElement'), true, true),
    title: (noted, self) => {
      noteState(noted, self);
      const title = apply(queryOne, self, ['title']);
      noteTree(noted, title ?? read(self, 'head'), true, true);
    },
  },
};
const queryOne = hasDom ? Document.prototype.querySelector : undefined;

// A setter that changes a tree and the state of its object.
const noteBoth = (note) => (noted, self, values) => {
  note(noted, self, values);
  noteState(noted, self);
};

const treeWatched = treeSlots.length > 0 || belowSlots.length > 0 || partSlots.length > 0
  || slotOfKey.data !== undefined || slotOfKey.nodeValue !== undefined;
// What an element in new markup has is asked about also where no tree is.
const madeWatched = treeWatched || stateSlots.length > 0;
const MAKERS = {
  __proto__: null, innerHTML: true, outerHTML: true, insertAdjacentHTML: true, setHTML: true, setHTMLUnsafe: true,
  write: true, writeln: true,
};
if (domWatched && madeWatched) {
  for (const name in TREE_METHODS) {
    const host = prototypeOf(name);
    const methods = TREE_METHODS[name];
    for (const key of ownKeys(methods)) {
      if (treeWatched || MAKERS[key] === true) watchMethod(host, key, `${name}.prototype.${key}`, methods[key]);
    }
  }
  for (const name in TREE_SETTERS) {
    const host = prototypeOf(name);
    const setters = TREE_SETTERS[name];
    for (const key of ownKeys(setters)) {
      if (!treeWatched && MAKERS[key] !== true) continue;
      const note = name === 'Node' || name === 'CharacterData' || name === 'Document' ? setters[key]
        : noteBoth(setters[key]);
      watchSetter(host, key, `${name}.prototype.${key}`, note);
    }
  }
}
