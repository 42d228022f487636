// What the page's DOM holds: which watched names mean it, how it is read, and how its changes are told.
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

import '#lasting';
import {
  apply, Document, DocumentFragment, Element, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, Node, now, Object,
  realm, stringify, weakGet, WeakMapOf, weakSet,
} from './captured.js';
import {
  ANY_STATE, ATTRIBUTE_NODES, BELOW_KEYS, LIST_KEYS, PART_KEYS, STATE_KEYS, STORAGE_KEYS, TREE_KEYS,
} from './dom-names.js';
import { armed, config } from './config.js';
import { ABSENT, append, Base, isObject, UNKNOWN } from './basics.js';
import { nextEvent, owners, sequence } from './counters.js';
import { disguise } from './source_text.js';
import { stopAhead } from './stops.js';
import { inspect, proxies, ProxyMark, read } from './objects.js';
import { install } from './installed.js';
import {
  anyProperty, changed, forSlots, hang, keepFirst, LATE, maker, makeRecord, slotOfKey, slots, stamps,
} from './records.js';
import { shareState } from './capture.js';
import { replaceMethod } from './built-ins.js';
import { handedOf } from './dom-unchanged.js';
import { tellNodesMade } from './dom-new.js';
import { asKept } from './dom-state.js';
import { settle, unsettled } from './dom-input.js';

export const hasDom = armed && anyProperty && typeof Node === 'function' && typeof Document === 'function';
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
// Whether what an element's attributes say is part of what is asked: then all that writes one is watched.
export const markup = treeSlots.some((index) => TREE_KEYS[slots[index].key] === 'html')
  || partSlots.some(({ part }) => part === 'attributes' || part === ATTRIBUTE_NODES);
/** @param {number} index */
export const isHtml = (index) => TREE_KEYS[slots[index].key] === 'html';
/** @param {number} index */
export const isOuter = (index) => slots[index].key === 'outerHTML' || slots[index].key === 'outerText';

/** @param {string} name */
export const prototypeOf = (name) => {
  const property = getOwnPropertyDescriptor(realm, name);
  return property !== undefined && typeof property.value === 'function' ? property.value.prototype : undefined;
};
/**
 * @template {keyof Platform} N @template {keyof Platform[N]} K
 * @param {N} name @param {K} key @returns {(() => Platform[N][K]) | undefined}
 */
export const getterOf = (name, key) => {
  const host = prototypeOf(name);
  return host === undefined ? undefined
    : /** @type {Accessor<Platform[N][K]> | undefined} */ (getOwnPropertyDescriptor(host, key))?.get;
};
/** @template {keyof Node} K @param {K} key @returns {(() => Node[K]) | undefined} */
export const nodeGetter = (key) => (hasDom ? getterOf('Node', key) : undefined);
const getParent = nodeGetter('parentNode');
export const getFirstChild = nodeGetter('firstChild');
export const getLastChild = nodeGetter('lastChild');
export const getNextSibling = nodeGetter('nextSibling');
const getNodeType = nodeGetter('nodeType');
const getDocument = nodeGetter('ownerDocument');
const getLocalName = hasDom ? getterOf('Element', 'localName') : undefined;
export const getData = hasDom ? getterOf('CharacterData', 'data') : undefined;
export const getAttributes = hasDom ? Element.prototype.getAttributeNames : undefined;
const getAttributeNode = hasDom ? Element.prototype.getAttributeNode : undefined;
const getAttribute = hasDom ? Element.prototype.getAttribute : undefined;
export const isBelow = Object.prototype.isPrototypeOf;
export const nodePrototype = typeof Node === 'function' ? Node.prototype : undefined;
export const ELEMENT = 1;
export const ATTRIBUTE = 2;
export const TEXT = 3;
export const CDATA = 4;
export const DOCUMENT = 9;
export const FRAGMENT = 11;

// What never changes, as long as its owner is.
/** @type {Table<boolean>} */
export const FIXED_KEYS = /** @type {Bare} */ ({ __proto__: null });
for (const key of [
  'nodeType', 'nodeName', 'tagName', 'localName', 'namespaceURI', 'prefix', 'ownerElement', 'content', 'form', 'list',
  'shadowRoot', 'implementation', 'doctype', 'defaultView', 'contentType', 'compatMode', 'characterSet',
]) FIXED_KEYS[key] = true;

/** @param {PageObject} node @returns {PageObject | null} */
export const parentOf = (node) => apply(getParent, node, []);
/** @param {PageObject} node */
export const typeOf = (node) => apply(getNodeType, node, []);
/** @param {PageObject} node */
export const nameOf = (node) => (typeOf(node) === ELEMENT ? apply(getLocalName, node, []) : '');

// What the platform gives for a watched name: ABSENT where it gives nothing, UNKNOWN where the page has put a getter of
// its own and it gives nothing behind that. The platform's getters are found once for each prototype.
const getters = forSlots(() => /** @type {WeakMap<PageObject, AnyFunction | null>} */ (new WeakMapOf()));
/** @param {number} index @param {PageObject} object */
export function platformValue(index, object) {
  const { key } = slots[index];
  const own = getOwnPropertyDescriptor(object, key);
  if (own !== undefined && hasOwn(own, 'value')) return own.value;
  // What an accessor of the page's hides is what the platform keeps all the same.
  const get = platformGetter(getters[index], object, key);
  if (get === null) return own === undefined ? ABSENT : UNKNOWN;
  try {
    return apply(get, object, []);
  } catch {
    return ABSENT;
  }
}

/** @param {WeakMap<PageObject, AnyFunction | null>} known @param {PageObject} object @param {Key} key */
function platformGetter(known, object, key) {
  const prototype = getPrototypeOf(object);
  if (!isObject(prototype) || (proxies && ProxyMark.is(prototype))) return null;
  let get = apply(weakGet, known, [prototype]);
  if (get === undefined) {
    const found = inspect(prototype, key);
    get = found !== undefined && !found.data && found.native && found.get !== undefined ? found.get : null;
    apply(weakSet, known, [prototype, get]);
  }
  return get;
}

// The part of an element that it hands out under a name; undefined: it has none.
/** @type {Table<WeakMap<PageObject, AnyFunction | null>>} */
const partGetters = /** @type {Bare} */ ({ __proto__: null });
for (const name in PART_KEYS) partGetters[name] = new WeakMapOf();
/** @param {PageObject} element @param {string} name */
export function partOf(element, name) {
  const get = platformGetter(partGetters[name], element, name);
  if (get === null) return undefined;
  try {
    const part = apply(get, element, []);
    return isObject(part) ? part : undefined;
  } catch {
    return undefined;
  }
}

// One call: { since, trees, compared, marked, attributed, made }, each of them a list that is linked by `next`.
//   trees     { node, text, html }: what is in `node` changes, as text or as markup
//   compared  { index, object, before, tree }: values as they were
//   marked    { node, before }: the attributes of an element as they were
//   attributed { index, element }: the nodes of its attributes are followed
//   made      { parent, after, before }: what will be new between two children
/** @returns {Scene} */
export const scene = () => {
  if (unsettled !== undefined) settle();
  return {
    since: sequence, trees: undefined, compared: undefined, marked: undefined, attributed: undefined, made: undefined,
  };
};

// Whether changes of this owner are read before and after: it is followed, or may come to be.
const lastFollowed = forSlots((slot) => {
  let last = 0;
  for (const owner of slot.exact) if (owner > last) last = owner;
  return last;
});
let readFor = 0;
/** @param {number} index @param {PageObject} object */
export function isFollowed(index, object) {
  if (config.capture) return readFor < READ_FOR_MS;
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
  const began = config.capture ? now() : 0;
  const value = platformValue(index, object);
  if (config.capture) readFor += now() - began;
  const record = stamps[index].record(object);
  const size = (typeof value === 'string' ? value.length : typeof value === 'number' ? value : 0) + 100;
  if (record !== undefined && record.e !== undefined) record.e.read = (record.e.read ?? 0) + size;
  return value;
}

// What is in `node` is going to change.
/** @param {Scene} noted @param {PageObject | null} node @param {boolean} text @param {boolean} html */
export function noteTree(noted, node, text, html) {
  if (node === null) return;
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

// A node that an attribute got in the call begins there.
/** @param {Scene} noted @param {Origin} from */
function tellNewAttributes(noted, from) {
  for (let entry = noted.attributed; entry !== undefined; entry = entry.next) {
    const { index, element } = entry;
    eachAttributeNode(element, (/** @type {PageObject} */ node) => {
      if (isNoted(noted, index, node) || stamps[index].record(node) !== undefined) return;
      const value = platformValue(index, node);
      if (value !== ABSENT && value !== UNKNOWN) tell(index, node, ABSENT, value, from);
    });
  }
}

/** @param {Scene} noted @param {number} index @param {PageObject} object */
export function noteValue(noted, index, object) {
  if (isNoted(noted, index, object)) return;
  const before = platformValue(index, object);
  noted.compared = { index, object, before, tree: false, next: noted.compared };
}

/** @param {PageObject} element */
export const attributesOf = (element) => {
  const names = apply(getAttributes, element, []);
  let text = '';
  for (let index = 0; index < names.length; index++) {
    text += `${names[index]}=${stringify(apply(getAttribute, element, [names[index]]))} `;
  }
  return text;
};

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
      noteValue(noted, slotOfKey.checked, radio);
    }
  }
}

// The call is over: what of what was noted has changed is told. `from`: who did it.
/** @param {Scene} noted @param {Origin} from */
export function end(noted, from) {
  if (!config.capture) {
    tellNoted(noted, from);
    return;
  }
  shareState({ __proto__: null, state: undefined });
  try {
    tellNoted(noted, from);
  } finally {
    shareState(undefined);
  }
}

/** @param {Scene} noted @param {Origin} from */
function tellNoted(noted, from) {
  for (let entry = noted.compared; entry !== undefined; entry = entry.next) {
    if (entry.tree) continue;
    const { index, object } = entry;
    if (entry.counted) {
      tell(index, object, entry.before, entry.before === UNKNOWN ? UNKNOWN : readTree(index, object), from);
      continue;
    }
    const after = platformValue(index, object);
    const record = stamps[index].record(object);
    // What ran inside the call may have told its own changes.
    const before = record !== undefined && record.s > noted.since ? record.v : entry.before;
    if (!is(before, after)) tell(index, object, before, after, from);
  }
  if (noted.attributed !== undefined) tellNewAttributes(noted, from);
  if (noted.made !== undefined) tellNodesMade(noted, from);
  for (let entry = noted.trees; entry !== undefined; entry = entry.next) {
    for (let number = 0; number < treeSlots.length; number++) {
      const index = treeSlots[number];
      if (isHtml(index) ? entry.html : entry.text) tellAround(noted, index, entry.node, from);
    }
  }
  for (let entry = noted.marked; entry !== undefined; entry = entry.next) {
    const now = attributesOf(entry.node);
    if (now === entry.before) continue;
    const handed = apply(weakGet, handedOf, [entry.node]);
    if (handed !== undefined && handed.before === entry.before) handed.before = now;
    for (let number = 0; number < treeSlots.length; number++) {
      const index = treeSlots[number];
      if (!isHtml(index)) continue;
      const first = isOuter(index) ? entry.node : parentOf(entry.node);
      if (first !== null) tellAround(noted, index, first, from);
    }
  }
}

/** @param {Scene} noted @param {number} index @param {PageObject} node @param {Origin} from */
function tellAround(noted, index, node, from) {
  for (let owner = /** @type {PageObject | null} */ (node); owner !== null; owner = parentOf(owner)) {
    // A document has neither text nor markup of its own.
    if (owner !== node && typeOf(owner) === DOCUMENT) return;
    const record = stamps[index].record(owner);
    // Told already: by what ran inside the call and came later, or by this call.
    if (record !== undefined && /** @type {number} */ (record.w) > noted.since) continue;
    let before = UNKNOWN;
    for (let entry = noted.compared; entry !== undefined; entry = entry.next) {
      if (entry.object === owner && entry.index === index) before = entry.before;
    }
    tell(index, owner, before, before === UNKNOWN ? UNKNOWN : readTree(index, owner), from);
  }
}

// A change that has happened; `before` and `after` are UNKNOWN where nobody looked.
/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {Origin} from
 */
export function tell(index, object, before, after, from) {
  const s = nextEvent();
  const Stamp = stamps[index];
  const known = Stamp.record(object);
  const record = known ?? makeRecord(index, s, from.site, after, object);
  record.w = s;
  const exact = record.e;
  const happened = before === UNKNOWN || !is(before, after);
  if (exact !== undefined && happened) {
    exact.v = after;
    exact.host = true;
    exact.platform = true;
    exact.old = before;
    changed(exact, record, from.site, object, after, before, s, from);
  }
  if (known === undefined) {
    if (!happened) record.n = 0;
    keepFirst(index, Stamp, object, record);
    if (happened && !slots[index].plain) hang(record, object, givenBy(from), index, before);
  } else if (happened && slots[index].plain) {
    record.s = s;
    record.t = from.site;
    record.v = after;
    record.n++;
  } else if (happened) {
    const next = {
      s, t: from.site, v: after, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: exact, w: s,
    };
    hang(next, object, givenBy(from), index, before);
    Stamp.keep(object, next);
  }
}

/** @param {Origin} origin @returns {Handed} */
const givenBy = ({ site, context }) => (site < 0 ? LATE : typeof context === 'function' ? context() : undefined);

// A setter that tells what it changes, as others of ours do not.
class TellingSetter extends Base {
  /** @type {undefined} */
  #__QP__t;
  /** @param {PageValue} fn */
  static is(fn) { return typeof fn === 'function' && #__QP__t in fn; }
}

// A hooked write of a property whose setter is replaced: the setter tells it, with the hook's place.
/** @type {(Origin & { object: PageObject, key: Key }) | undefined} */
let handedOver;

// A hooked assignment to what may be an object of the platform, just before.
/**
 * @param {number} index @param {Site} site @param {PageObject} object @param {Key} key @param {PageValue} value
 * @param {Context} context
 */
export function writeDom(index, site, object, key, value, context) {
  if (unsettled !== undefined) settle();
  if (isDomSlot[index]) {
    if (handOver(site, object, key, context)) return;
    value = asKept(object, key, value);
  }
  stamps[index].write(site, object, value, context, 'assign');
}

// Whether the setter will tell it.
/** @param {Site} site @param {PageObject} object @param {Key} key @param {Context} context */
function handOver(site, object, key, context) {
  for (let holder = /** @type {PageObject | null} */ (object); isObject(holder); holder = getPrototypeOf(holder)) {
    if (proxies && ProxyMark.is(holder)) return false;
    const property = getOwnPropertyDescriptor(holder, key);
    if (property === undefined) continue;
    if (!TellingSetter.is(property.set)) return false;
    handedOver = { site, object, key, context };
    return true;
  }
  return false;
}

/** @param {PageObject} object @param {Key} key */
function takeOver(object, key) {
  const hooked = handedOver;
  handedOver = undefined;
  return hooked !== undefined && hooked.object === object && hooked.key === key ? hooked : undefined;
}

// Replaces a method: `note(noted, self, values)` notes what it may change.
/** @param {PageObject | undefined} host @param {string} name @param {string} shown @param {Note} note */
export function watchMethod(host, name, shown, note) {
  replaceMethod(host, name, shown, (original, by) => {
    const from = { site: -by, context: undefined };
    return {
      method() {
        const noted = scene();
        noteSafely(note, noted, this, arguments);
        const result = apply(original, this, arguments);
        end(noted, from);
        return result;
      },
    }.method;
  });
}

/** @param {PageObject | undefined} host @param {Key} key @param {string} shown @param {Note} note */
export function watchSetter(host, key, shown, note) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
  if (property === undefined || typeof property.set !== 'function' || !property.configurable) return;
  if (TellingSetter.is(property.set)) return;
  const original = property.set;
  const from = { site: -maker(shown), context: undefined };
  const replacement = /** @type {AnyFunction} */ (getOwnPropertyDescriptor({
    /** @param {PageValue} value */
    set accessor(value) {
      const hooked = takeOver(this, key);
      const noted = scene();
      noteSafely(note, noted, this, [value]);
      apply(original, this, [value]);
      end(noted, hooked ?? from);
    },
  }, 'accessor')?.set);
  new TellingSetter(disguise(replacement, original));
  install(/** @type {PageObject} */ (host), key, { __proto__: null, ...property, set: replacement });
}

// Where the call is no proper one, what it is called on or with is nothing to look at: the original says so.
/** @param {Note} note @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
export function noteSafely(note, noted, self, values) {
  try {
    note(noted, self, values);
  } catch { /* the original throws what there is to throw */ }
}
