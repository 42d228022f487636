// Live hooks: who wrote the texts and the markup of a document.
//
// Each call that changes a tree leaves its write at the node whose children or text it changes. A text that is asked
// belongs to a node and all that is in it: the latest of the writes in there is its last one. A write that leaves the
// text as it is counts for nothing; where it moves parts within what is asked, nobody knows.

import { apply, Document, document, getOwnPropertyDescriptor, Node } from './captured.js';
import { isObject } from './basics.js';
import { inspect, proxies, ProxyMark } from './objects.js';
import { domLive } from './dom-slots.js';
import {
  CDATA, DOCUMENT, ELEMENT, FRAGMENT, getData, getFirstChild, getLastChild, getNextSibling, getterOf, isBelow, nameOf,
  nodePrototype, parentOf, prototypeOf, TEXT, typeOf,
} from './dom-platform.js';
import { settle, settlePart } from './unsettled.js';
import { notObserved } from './results.js';
import { isDoubted, isShared } from './live-doubts.js';
import { momentNow, nextMoment, resultOf, UNSURE, unsureWrite, writtenNow } from './live-calls.js';
import { endStored, isStorage, lastWriterOfItem } from './live-storage.js';
import {
  doubtStates, endStates, knownFor, knownOf, lastWriterOfState, noteStates, stateOfPart, stateOfProperty,
} from './live-states.js';
import {
  isAddress, lastWriterOfAddress, lastWriterOfDeclaration, lastWriterOfShown, noteSheets,
} from './live-derived.js';

const getText = domLive ? getterOf('Node', 'textContent') : undefined;
const getMarkup = domLive ? getterOf('Element', 'innerHTML') : undefined;
const shadowPrototype = domLive ? prototypeOf('ShadowRoot') : undefined;
const getShadowMarkup = shadowPrototype === undefined ? undefined
  : getOwnPropertyDescriptor(shadowPrototype, 'innerHTML')?.get;
const getReadiness = domLive ? getOwnPropertyDescriptor(Document.prototype, 'readyState')?.get : undefined;
const contains = domLive ? Node.prototype.contains : undefined;

/** @param {PageObject} node @returns {string} */
export const textOf = (node) => apply(getText, node, []) ?? '';
/** @param {number} type */
const isText = (type) => type === TEXT || type === CDATA;

// Whether what is in a fragment adds to the markup around it.
/** @param {PageObject} fragment */
export function fragmentHoldsMarkup(fragment) {
  for (let child = apply(getFirstChild, fragment, []); child !== null; child = apply(getNextSibling, child, [])) {
    if (!isText(typeOf(child)) || apply(getData, child, []) !== '') return true;
  }
  return false;
}

// ---- before a call ----

// So many characters are compared in one document; then nobody knows what changed.
let charactersLeft = 50_000_000;
/** @param {PageObject} node @returns {Look | undefined} */
function look(node) {
  if (charactersLeft < 0) return undefined;
  const type = typeOf(node);
  /** @type {Look} */
  let seen;
  if (type === ELEMENT) seen = { text: textOf(node), html: apply(getMarkup, node, []) };
  else if (type === FRAGMENT) {
    const isShadow = shadowPrototype !== undefined && apply(isBelow, shadowPrototype, [node]);
    seen = { text: textOf(node), html: undefined };
    if (isShadow) seen.html = /** @type {string} */ (apply(getShadowMarkup, node, []));
  } else {
    const data = apply(getData, node, []);
    seen = { text: data, html: data };
  }
  charactersLeft -= seen.text.length + (seen.html ?? '').length + 100;
  return seen;
}

// What is in `node` is going to change. `how`: `exact`, as `text` and `html` say; `made`, by the new nodes; else it is
// compared.
/** @param {Scene} noted @param {PageObject} node @param {boolean} text @param {boolean} html @param {TreeChange} how */
export function noteLocus(noted, node, text, html, how) {
  if ((!text && !html) || typeOf(node) === DOCUMENT) return;
  noteHolders(noted, node);
  for (let entry = noted.loci; entry !== undefined; entry = entry.next) {
    if (entry.node !== node) continue;
    if (entry.how !== 'compared') {
      entry.how = 'compared';
      entry.before = look(node);
    }
    return;
  }
  const before = how === 'compared' ? look(node) : undefined;
  noted.loci = { node, text, html, how, before, next: noted.loci };
}

/** @type {Table<boolean>} */
const HOLDERS = /** @type {Bare} */ ({
  __proto__: null, option: true, optgroup: true, select: true, textarea: true, output: true, title: true,
});
// Elements that give what is in them as a value of their own.
/** @param {Scene} noted @param {PageObject} node */
function noteHolders(noted, node) {
  let owner = /** @type {PageObject | null} */ (node);
  for (let level = 0; level < 3 && owner !== null; level++) {
    const name = nameOf(owner);
    if (HOLDERS[name] === true) noteStates(noted, name === 'title' ? /** @type {PageObject} */ (document) : owner);
    owner = parentOf(owner);
  }
}

// ---- after it ----

// The elements that the document's parser has not closed yet; undefined: it is done.
/** @type {PageObject[] | undefined} */
let lastOpen;
function openElements() {
  if (apply(getReadiness, document, []) !== 'loading') return undefined;
  let last = /** @type {PageObject} */ (document);
  for (let next = /** @type {PageObject | null} */ (last); next !== null; next = apply(getLastChild, next, [])) {
    last = next;
  }
  if (lastOpen !== undefined && lastOpen[0] === last) return lastOpen;
  /** @type {PageObject[]} */
  const open = [last];
  for (let owner = parentOf(last); owner !== null; owner = parentOf(owner)) open[open.length] = owner;
  lastOpen = open;
  return open;
}

// The call is over. `number`: of a hook, whose place is known.
/** @param {Scene} noted @param {Origin} from @param {PageObject | undefined} self @param {number} [number] */
export function endLive(noted, from, self, number = 0) {
  const isNested = momentNow() !== noted.since;
  if (isNested) nextMoment();
  /** @type {LiveWrite | undefined} */
  let known;
  const write = () => {
    if (known === undefined) {
      known = writtenNow(-from.site, number, from.cause);
      known.open = openElements();
    }
    return known;
  };
  endStates(noted, write);
  endStored(noted, write);
  // What ran inside the call may have come before it or after.
  const treeWrite = isNested ? unsureWrite : write;
  for (let entry = noted.loci; entry !== undefined; entry = entry.next) compare(noted, entry);
  for (let entry = noted.loci; entry !== undefined; entry = entry.next) endLocus(noted, entry, treeWrite);
  if (noted.made !== undefined) eachMade(noted, undefined, (node) => beBorn(node, treeWrite()));
  if (noted.failed === true && self !== undefined) doubt(self);
}

// What has changed there.
/** @param {Scene} noted @param {NotedLocus} entry */
function compare(noted, entry) {
  const { node, how, before } = entry;
  if (how === 'made') {
    entry.text = false;
    entry.html = false;
    eachMade(noted, node, (made) => {
      entry.html = true;
      entry.text ||= (isText(typeOf(made)) || typeOf(made) === ELEMENT) && textOf(made) !== '';
    });
  } else if (how === 'compared') {
    entry.after = before === undefined ? undefined : look(node);
    if (before === undefined || entry.after === undefined) return;
    entry.text = before.text !== entry.after.text;
    entry.html = entry.after.html === undefined || before.html !== entry.after.html;
  }
}

/** @param {Scene} noted @param {NotedLocus} entry @param {() => LiveWrite} write */
function endLocus(noted, entry, write) {
  const { node, how, text, html, after } = entry;
  if (!text && !html) return;
  const isWhole = how === 'compared';
  const by = isWhole && after === undefined ? unsureWrite() : write();
  if (html) noteSheets(by.s);
  const known = knownFor(node);
  if (text) known.text = treeWrite(known, 'text', by, isWhole, after?.text.length ?? -1, left(noted, node, 'text'));
  if (html) known.html = treeWrite(known, 'html', by, isWhole, -1, left(noted, node, 'html'));
}

// The outermost node around this one that the call has left as it was.
/** @param {Scene} noted @param {PageObject} node @param {'text' | 'html'} kind */
function left(noted, node, kind) {
  /** @type {PageObject | undefined} */
  let outermost;
  for (let entry = noted.loci; entry !== undefined; entry = entry.next) {
    if (entry.after === undefined || entry[kind] || entry.node === node) continue;
    if (!apply(contains, entry.node, [node])) continue;
    if (outermost === undefined || apply(contains, entry.node, [outermost])) outermost = entry.node;
  }
  return outermost;
}

/**
 * @param {NodeWrites} known @param {'text' | 'html'} kind @param {LiveWrite} write @param {boolean} isWhole
 * @param {number} size @param {PageObject | undefined} within @returns {TreeWrite}
 */
function treeWrite(known, kind, write, isWhole, size, within) {
  const last = known[kind];
  // Of several that left the same node as it was, the latest says it for all.
  const before = within === undefined ? undefined : last?.within === within ? last.before : last;
  return { __proto__: null, write, isWhole, size, within, before };
}

// The nodes that a call has made in `parent`; undefined: wherever it is.
/** @param {Scene} noted @param {PageObject | undefined} parent @param {(node: PageObject) => void} then */
function eachMade(noted, parent, then) {
  for (let entry = noted.made; entry !== undefined; entry = entry.next) {
    if (parent !== undefined && entry.parent !== parent) continue;
    /** @type {PageObject | null} */
    let node = entry.after === null ? apply(getFirstChild, entry.parent, []) : apply(getNextSibling, entry.after, []);
    for (; node !== null && node !== entry.before; node = apply(getNextSibling, node, [])) then(node);
  }
}

// The node after this one in its tree, as far as it is in `root`.
/** @param {PageObject} node @param {PageObject} root @returns {PageObject | null} */
function following(node, root) {
  /** @type {PageObject | null} */
  let next = apply(getFirstChild, node, []);
  for (let at = node; next === null; at = /** @type {PageObject} */ (parentOf(at))) {
    if (at === root) return null;
    next = apply(getNextSibling, at, []);
  }
  return next;
}

// A node that is new, with all that is in it.
/** @param {PageObject} root @param {LiveWrite} write */
function beBorn(root, write) {
  for (let node = /** @type {PageObject | null} */ (root); node !== null; node = following(node, root)) {
    const known = knownFor(node);
    // What ran inside the call has written it already.
    known.born ??= write;
  }
}

// A call has made this.
/** @param {PageObject} root @param {number} site */
export function bornLive(root, site) {
  settlePart();
  nextMoment();
  const write = writtenNow(-site, 0, undefined);
  write.open = openElements();
  beBorn(root, write);
}

// Something has changed a node in a way that nobody understood.
/** @param {PageValue} object */
function doubt(object) {
  if (!isObject(object) || (proxies && ProxyMark.is(object)) || !apply(isBelow, nodePrototype, [object])) return;
  for (const node of [object, parentOf(object)]) {
    if (node === null) continue;
    const known = knownFor(node);
    /** @type {TreeWrite} */
    const locus = {
      __proto__: null, write: unsureWrite(), isWhole: true, size: -1, within: undefined, before: undefined,
    };
    known.text = locus;
    known.html = locus;
    if (typeOf(node) === ELEMENT) doubtStates(node);
  }
}

// ---- at a stop ----

// More nodes are not searched.
const MOST_NODES = 100_000;
/** @type {Table<boolean>} */
const UNSEEN = /** @type {Bare} */ ({ __proto__: null, select: true, template: true });

// Who wrote last what is in a node, as text or as markup.
/** @param {PageObject} root @param {'text' | 'html'} kind @param {boolean} isOuter @returns {LiveWrite | undefined} */
function lastTreeWrite(root, kind, isOuter) {
  let latest = 0;
  let count = 0;
  /** @type {PageObject | undefined} */
  let whole;
  /** @type {LiveWrite | undefined} */
  let write;
  let isSpread = false;
  /** @param {LiveWrite | undefined} by @param {PageObject} node @param {boolean} isWhole */
  const consider = (by, node, isWhole) => {
    if (by === undefined || by.s < latest) return;
    if (by.s > latest) {
      latest = by.s;
      write = by;
      whole = isWhole ? node : undefined;
      isSpread = false;
      return;
    }
    // The same call in two places: what is around both of them it has changed as well, but for what it only moved.
    if (by.number === UNSURE) write = by;
    isSpread ||= whole === undefined || !apply(contains, whole, [node]);
  };
  for (let node = /** @type {PageObject | null} */ (root); node !== null; node = following(node, root)) {
    if (count++ >= MOST_NODES) return undefined;
    const type = typeOf(node);
    if (type === ELEMENT && UNSEEN[nameOf(node)] === true) return undefined;
    if (kind === 'text' && node !== root && type !== ELEMENT && !isText(type)) continue;
    const known = knownOf(node);
    if (known === undefined) continue;
    let locus = known[kind];
    // A call that left what is asked as it was counts for what is within alone.
    while (locus?.within !== undefined && apply(contains, root, [locus.within])) locus = locus.before;
    if (locus !== undefined) consider(locus.write, node, locus.isWhole);
    if (kind === 'html' && (node !== root || isOuter)) consider(known.attribute, node, false);
    if (node === root) consider(known.born, node, true);
  }
  if (write === undefined || isSpread || write.number === UNSURE) return undefined;
  const own = kind === 'text' ? knownOf(root)?.text : undefined;
  // It has been written since in a way that nobody saw.
  if (own !== undefined && own.write === write && own.size >= 0 && own.size !== textOf(root).length) return undefined;
  // The parser may have added to it since.
  for (let index = 0; write.open !== undefined && index < write.open.length; index++) {
    if (write.open[index] === root) return undefined;
  }
  return write;
}

/**
 * @param {PageObject} node @param {'text' | 'html'} kind @param {boolean} isOuter @param {PageValue} value
 * @returns {Result}
 */
function lastWriterOfTree(node, kind, isOuter, value) {
  if (isShared() || (kind === 'html' && isDoubted())) return notObserved(value);
  const result = resultOf(lastTreeWrite(node, kind, isOuter), value, false);
  // Markup has the attributes that are written by name.
  result.sure = kind === 'text' || !isDoubted();
  return result;
}

/** @param {PageObject} node @param {PageValue} value */
const ofText = (node, value) => lastWriterOfTree(node, 'text', false, value);

// Who wrote last what the browser keeps under this name; undefined: it keeps nothing there.
/** @param {PageObject} base @param {Key} key @returns {Result | undefined} */
export function lastWriterInDom(base, key) {
  if (typeof key !== 'string') return undefined;
  settle();
  settlePart();
  if (isStorage(base)) return lastWriterOfItem(base, key);
  if (!apply(isBelow, nodePrototype, [base])) {
    const state = stateOfPart(base, key);
    return state === undefined ? undefined : lastWriterOfDeclaration(state.element, state.key);
  }
  const property = inspect(base, key);
  if (property === undefined || property.own || property.data || property.native !== true) return undefined;
  const value = property.get === undefined ? undefined : apply(property.get, base, []);
  const type = typeOf(base);
  if (type === ELEMENT && isAddress(key)) return lastWriterOfAddress(base, key, value);
  const state = stateOfProperty(base, key);
  if (state !== undefined) {
    const told = lastWriterOfState(base, state);
    // The browser's words for it.
    if (told.status !== 'found') return notObserved(value);
    const result = resultOf(told.write, value, false);
    result.sure = told.sure === true;
    return result;
  }
  switch (key) {
    case 'textContent': return type === DOCUMENT ? notObserved(value) : lastWriterOfTree(base, 'text', false, value);
    case 'data': case 'nodeValue': {
      return type === TEXT || type === CDATA || key === 'data' ? lastWriterOfTree(base, 'text', false, value)
        : notObserved(value);
    }
    case 'innerText': case 'outerText': return type === ELEMENT ? lastWriterOfShown(base, value, textOf(base), ofText)
      : notObserved(value);
    case 'innerHTML': return lastWriterOfTree(base, 'html', false, value);
    case 'outerHTML': return lastWriterOfTree(base, 'html', true, value);
    default: return notObserved(value);
  }
}
