// Live hooks: who wrote the state of one element: attributes, declarations of its style, and what controls keep.
//
// What an element has is looked at before and after each call that may change it: names with a letter before, `a:class`
// an attribute, `s:color` a declaration, `p:value` what a control keeps.

import {
  apply, document, getOwnPropertyDescriptor, indexOf, ownKeys, realm, slice, startsWith, String, weakGet,
} from './captured.js';
import { append, Base, isObject } from './basics.js';
import { domLive } from './dom-slots.js';
import {
  DOCUMENT, ELEMENT, getAttribute, getAttributes, isBelow, nameOf, nodeGetter, nodePrototype, parentOf, partOf,
  partOwners, prototypeOf, typeOf,
} from './dom-platform.js';
import { settlePart } from './unsettled.js';
import { notObserved } from './results.js';
import { read } from './following.js';
import { isDoubted, isLeftOut, isShared } from './live-doubts.js';
import { resultOf, unsureWrite } from './live-calls.js';

// What is known of one node.
class Known extends Base {
  #__QP__d;
  /** @param {PageObject} node @param {NodeWrites} writes */
  constructor(node, writes) { super(node); this.#__QP__d = writes; }
  /** @param {PageObject} node */
  static of(node) { return #__QP__d in node ? node.#__QP__d : undefined; }
}
export const knownOf = Known.of;
/** @param {PageObject} node @returns {NodeWrites} */
export function knownFor(node) {
  const known = Known.of(node);
  if (known !== undefined) return known;
  /** @type {NodeWrites} */
  const writes = {
    __proto__: null, text: undefined, html: undefined, attribute: undefined, born: undefined,
    states: /** @type {Bare} */ ({ __proto__: null }), isDoubted: false,
  };
  try {
    new Known(node, writes);
  } catch { /* it takes no private field: then nothing is known of it */ }
  return writes;
}

// ---- what an element has ----

// What controls keep besides their attributes.
/** @type {Table<string[]>} */
const KEPT = /** @type {Bare} */ ({
  __proto__: null, input: ['value', 'checked', 'indeterminate'], textarea: ['value'],
  select: ['value', 'selectedIndex'],
  output: ['value'], dialog: ['returnValue'], option: ['selected'],
});
/** @type {Table<Table<AnyFunction | undefined>>} */
const keptGetters = /** @type {Bare} */ ({ __proto__: null });
const INTERFACES = /** @type {Bare} */ ({
  __proto__: null, input: 'HTMLInputElement', textarea: 'HTMLTextAreaElement', select: 'HTMLSelectElement',
  output: 'HTMLOutputElement', dialog: 'HTMLDialogElement', option: 'HTMLOptionElement',
});
for (const name in KEPT) {
  const host = domLive ? prototypeOf(/** @type {Table<string>} */ (INTERFACES)[name]) : undefined;
  keptGetters[name] = /** @type {Bare} */ ({ __proto__: null });
  for (const key of KEPT[name]) {
    if (host !== undefined) keptGetters[name][key] = getOwnPropertyDescriptor(host, key)?.get;
  }
}
const documentPrototype = domLive ? prototypeOf('Document') : undefined;
const getTitle = documentPrototype === undefined
  ? undefined
  : getOwnPropertyDescriptor(documentPrototype, 'title')?.get;
const stylePrototype = domLive ? prototypeOf('CSSStyleDeclaration') : undefined;
const getLength = stylePrototype === undefined ? undefined : getOwnPropertyDescriptor(stylePrototype, 'length')?.get;
const getItem = /** @type {AnyFunction | undefined} */ (/** @type {Table | undefined} */ (stylePrototype)?.item);
const getDeclared = /** @type {AnyFunction | undefined} */ (
  /** @type {Table | undefined} */ (stylePrototype)?.getPropertyValue);

// The value of one state as it is; undefined: there is none.
/** @param {PageObject} object @param {string} key @returns {PageValue} */
export function stateNow(object, key) {
  const name = apply(slice, key, [2]);
  try {
    if (apply(startsWith, key, ['a:'])) return apply(getAttribute, object, [name]) ?? undefined;
    if (apply(startsWith, key, ['s:'])) {
      const style = partOf(object, 'style');
      const value = style === undefined ? '' : apply(getDeclared, style, [name]);
      return value === '' ? undefined : value;
    }
    if (typeOf(object) === DOCUMENT) return apply(getTitle, object, []);
    return apply(keptGetters[nameOf(object)][name], object, []);
  } catch {
    return undefined;
  }
}

/** @param {PageObject} object @returns {Table} */
function statesOf(object) {
  /** @type {Table} */
  const states = /** @type {Bare} */ ({ __proto__: null });
  if (typeOf(object) === DOCUMENT) {
    states['p:title'] = stateNow(object, 'p:title');
    return states;
  }
  const names = apply(getAttributes, object, []);
  for (let index = 0; index < names.length; index++) {
    states[`a:${names[index]}`] = apply(getAttribute, object, [names[index]]);
    if (names[index] === 'style') addDeclarations(states, object);
  }
  const kept = KEPT[nameOf(object)];
  for (let index = 0; kept !== undefined && index < kept.length; index++) {
    const key = `p:${kept[index]}`;
    states[key] = stateNow(object, key);
  }
  return states;
}

// The names that a style declares, those of shorthands taken apart.
/** @param {PageObject} style */
export function declaredNames(style) {
  /** @type {string[]} */
  const names = [];
  const length = /** @type {number} */ (apply(getLength, style, []));
  for (let number = 0; number < length; number++) {
    append(names, /** @type {string} */ (apply(getItem, style, [number])));
  }
  return names;
}

/** @param {Table} states @param {PageObject} element */
function addDeclarations(states, element) {
  const style = partOf(element, 'style');
  if (style === undefined) return;
  const names = declaredNames(style);
  for (let number = 0; number < names.length; number++) {
    states[`s:${names[number]}`] = apply(getDeclared, style, [names[number]]);
  }
}

const getBase = domLive ? nodeGetter('baseURI') : undefined;
const historyPrototype = domLive ? prototypeOf('History') : undefined;
const getEntries = historyPrototype === undefined
  ? undefined
  : getOwnPropertyDescriptor(historyPrototype, 'length')?.get;
const getHistory = domLive ? getOwnPropertyDescriptor(realm, 'history')?.get : undefined;
// What addresses are part of that are not whole: the document's, and how often it was given another one. Not the part
// behind `#`.
export function addressesNow() {
  const base = /** @type {string} */ (apply(getBase, document, []));
  const end = apply(indexOf, base, ['#']);
  const entries = getHistory === undefined ? 0 : apply(getEntries, apply(getHistory, realm, []), []);
  return `${entries} ${end < 0 ? base : apply(slice, base, [0, end])}`;
}
/** @type {Table<boolean>} */
const OF_ADDRESSES = /** @type {Bare} */ ({
  __proto__: null, 'a:href': true, 'a:src': true, 'a:action': true, 'a:formaction': true, 'a:poster': true,
  'a:data': true, 'a:cite': true,
});
// `addressesNow` of when an address was written.
/** @param {PageObject} element @param {string} key */
export const baseOf = (element, key) => Known.of(element)?.states[key]?.base;

// The moment at which an attribute or a declaration of anything changed last.
let stateChange = 0;
export const lastStateChange = () => stateChange;

// ---- calls ----

// The state of an object may change.
/** @param {Scene} noted @param {PageObject} object */
export function noteStates(noted, object) {
  if (!apply(isBelow, nodePrototype, [object])) return;
  const type = typeOf(object);
  if (type !== ELEMENT && type !== DOCUMENT) return;
  for (let entry = noted.states; entry !== undefined; entry = entry.next) if (entry.object === object) return;
  noted.states = { object, before: statesOf(object), next: noted.states };
  const name = type === ELEMENT ? nameOf(object) : '';
  // A choice gives its list another value, and the other way round.
  if (name === 'option' || name === 'optgroup') noteList(noted, object);
  else if (name === 'select') noteChoices(noted, object);
}

/** @param {Scene} noted @param {PageObject} choice */
function noteList(noted, choice) {
  for (let owner = parentOf(choice); owner !== null; owner = parentOf(owner)) {
    if (nameOf(owner) === 'select') return noteStates(noted, owner);
  }
}

// More choices are not looked at: what is known of them does not hold any more.
const MOST_CHOICES = 200;
/** @param {Scene} noted @param {PageObject} list */
function noteChoices(noted, list) {
  const options = partOf(list, 'options');
  const length = options === undefined ? 0 : /** @type {number} */ (read(options, 'length'));
  for (let number = 0; number < length && number < MOST_CHOICES; number++) {
    const item = getOwnPropertyDescriptor(/** @type {PageObject} */ (options), number);
    if (item !== undefined && isObject(item.value)) noteStates(noted, item.value);
  }
}

// The call is over: what has changed is its write.
/** @param {Scene} noted @param {() => LiveWrite} write */
export function endStates(noted, write) {
  for (let entry = noted.states; entry !== undefined; entry = entry.next) {
    const { object, before } = entry;
    const after = statesOf(object);
    /** @type {NodeWrites | undefined} */
    let known = Known.of(object);
    const keys = ownKeys(before);
    const added = ownKeys(after);
    for (let index = 0; index < added.length; index++) if (!(added[index] in before)) append(keys, added[index]);
    for (let index = 0; index < keys.length; index++) {
      const key = /** @type {string} */ (keys[index]);
      const seen = known?.states[key];
      // What ran inside the call has its own write.
      const old = seen !== undefined && seen.write.s > noted.since ? seen.value : before[key];
      if (old === after[key]) continue;
      known ??= knownFor(object);
      const base = OF_ADDRESSES[key] === true ? addressesNow() : undefined;
      known.states[key] = { __proto__: null, write: write(), value: after[key], base };
      if (!apply(startsWith, key, ['p:'])) stateChange = write().s;
      if (apply(startsWith, key, ['a:'])) known.attribute = write();
    }
  }
}

// Nobody knows any more who wrote what an element has.
/** @param {PageObject} element */
export function doubtStates(element) {
  const known = knownFor(element);
  known.states = /** @type {Bare} */ ({ __proto__: null });
  known.isDoubted = true;
  known.attribute = unsureWrite();
  stateChange = known.attribute.s;
}

// ---- at a stop ----

// Properties that say what an attribute says, and the attribute; the browser may put it in other words, but nothing
// else changes them.
/** @type {Table<string>} */
const REFLECTED = /** @type {Bare} */ ({
  __proto__: null, className: 'class', htmlFor: 'for', httpEquiv: 'http-equiv', defaultChecked: 'checked',
  defaultSelected: 'selected',
});
for (const name of [
  'id', 'title', 'lang', 'dir', 'hidden', 'inert', 'accessKey', 'slot', 'role', 'name', 'placeholder', 'pattern', 'min',
  'max', 'step', 'accept', 'alt', 'autocomplete', 'target', 'rel', 'download', 'media', 'content', 'disabled',
  'readOnly', 'required', 'multiple', 'open', 'colSpan', 'rowSpan', 'scope', 'headers', 'start', 'reversed', 'cols',
  'rows', 'wrap', 'noValidate', 'integrity', 'async', 'defer', 'useMap', 'isMap', 'allow', 'srcset', 'dateTime',
  'shape', 'coords', 'autoplay', 'controls', 'loop', 'kind', 'srclang', 'default', 'align', 'bgColor',
]) REFLECTED[name] = apply(String.prototype.toLowerCase, name, []);
// Elements whose `value` is their attribute.
/** @type {Table<boolean>} */
const VALUED = /** @type {Bare} */ ({ __proto__: null, button: true, data: true });

const isUpper = (/** @type {string} */ letter) => letter >= 'A' && letter <= 'Z';
// `backgroundColor` as it is declared, `background-color`.
/** @param {string} name */
export function dashed(name) {
  let text = '';
  for (let index = 0; index < name.length; index++) {
    const letter = name[index];
    text += isUpper(letter) ? `-${apply(String.prototype.toLowerCase, letter, [])}` : letter;
  }
  return text;
}

// Whether a state is also written by names that no setter sees, so that code without hooks may have written it.
/** @param {string} key */
const isNamed = (key) => key === 'a:style' || apply(startsWith, key, ['s:']) || apply(startsWith, key, ['a:data-']);

// Who wrote a state last.
/** @param {PageObject} object @param {string} key @returns {Result} */
export function lastWriterOfState(object, key) {
  const value = stateNow(object, key);
  const known = Known.of(object);
  if (known === undefined || isShared() || (isNamed(key) && isDoubted())) return notObserved(value);
  const seen = known.states[key];
  if (seen !== undefined && seen.value !== value) return notObserved(value);
  if (seen !== undefined) return sure(resultOf(seen.write, value, value === undefined), !isNamed(key));
  const isBorn = apply(startsWith, key, ['a:']) && value !== undefined && !known.isDoubted;
  return isBorn ? sure(resultOf(known.born, value, false), !isNamed(key)) : notObserved(value);
}

/** @param {Result} result @param {boolean} isSure */
function sure(result, isSure) {
  result.sure = isSure;
  return result;
}

/** @param {PageObject} element @param {string} name */
export function lastWriterOfAttribute(element, name) {
  settlePart();
  return lastWriterOfState(element, `a:${name}`);
}

// The state that a property of a node is; undefined: it is none.
/** @param {PageObject} node @param {string} key */
export function stateOfProperty(node, key) {
  const type = typeOf(node);
  if (type === DOCUMENT) return key === 'title' ? 'p:title' : undefined;
  if (type !== ELEMENT) return undefined;
  const name = nameOf(node);
  const kept = KEPT[name];
  for (let index = 0; kept !== undefined && index < kept.length; index++) if (kept[index] === key) return `p:${key}`;
  if (key === 'value') return VALUED[name] === true ? 'a:value' : undefined;
  const reflected = REFLECTED[key];
  return reflected === undefined ? undefined : `a:${reflected}`;
}

// ---- what elements hand out: styles and data sets ----

const dataPrototype = domLive ? prototypeOf('DOMStringMap') : undefined;
/** @param {PageObject} object */
export const isStyle = (object) => stylePrototype !== undefined && apply(isBelow, stylePrototype, [object]);
/** @param {PageObject} object */
export const isDataSet = (object) => dataPrototype !== undefined && apply(isBelow, dataPrototype, [object]);

// The state that a property of a style or a data set is, with its element.
/** @param {PageObject} part @param {string} key @returns {{ element: PageObject, key: string } | undefined} */
export function stateOfPart(part, key) {
  const element = apply(weakGet, partOwners, [part]);
  if (element === undefined) return undefined;
  if (isDataSet(part)) return isLeftOut(key) ? undefined : { element, key: `a:data-${dashed(key)}` };
  if (!isStyle(part)) return key === 'value' ? tokens(element, part) : undefined;
  if (key === 'cssText') return { element, key: 'a:style' };
  return { element, key: `s:${key === 'cssFloat' ? 'float' : dashed(key)}` };
}
/** @param {PageObject} element @param {PageObject} part */
const tokens = (element, part) => (partOf(element, 'classList') === part ? { element, key: 'a:class' } : undefined);

