// Live hooks: what was written last, and where, for every property and variable.
//
// Each write of a rewritten script leaves one number in a shadow: the site in its lower bits, the task above. The
// shadow of a variable is a variable. That of an object is an object behind a private field of it, with two properties
// for each of the owner's: `s$name` has the number, `v$name` the value that was written, so that what changes nothing
// is told from a change. Where something else may have written, the number is -1: not observed. At a stop, a number
// counts only if the value is still there.

import './dom-unchanged.js';
import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, JSON, ObjectOf, ownKeys, realm, Reflect, setPrototypeOf,
  slice, startsWith,
} from './captured.js';
import { armed, config } from './config.js';
import { ABSENT, append, Base, isObject, UNKNOWN } from './basics.js';
import { disguise } from './source_text.js';
import { inspect, ProxyMark, unwrap } from './objects.js';
import { install } from './installed.js';
import { isPlatform } from './dom-unchanged.js';
import { cause, summary } from './capture.js';
import { tellLastWriters } from './reproduction.js';
import { domLive } from './dom-slots.js';
import { lastWriterInDom } from './live-dom.js';
import { doubtPart, isPart, partShadow } from './live-parts.js';
import { lastWriterOfKey } from './live-entries.js';
import { lastWriterOfAttribute } from './live-states.js';

// As the rewriter has it (`shadows.rs`).
const SITE_BITS = 18;
export const SITE = (1 << SITE_BITS) - 1;
// Numbers of tasks are not used again: a later task than this one is not told from others.
const LAST_TASK = (1 << (30 - SITE_BITS)) - 1;

export const shadowing = armed && config.shadows;

// ---- shadows of objects ----

/** @type {{ new (): Table }} */
const Shadow = /** @type {never} */ (class {});
setPrototypeOf(Shadow.prototype, null);
// That of an object whose last writers cannot be told.
/** @type {{ new (): Table }} */
const Dead = /** @type {never} */ (class {});
setPrototypeOf(Dead.prototype, null);

class Shadowed extends Base {
  #__QP__s;
  /** @param {PageObject} object @param {Table} shadow */
  constructor(object, shadow) { super(object); this.#__QP__s = shadow; }
  /** @param {PageValue} object @returns {Table} */
  static of(object) {
    try {
      // To ask first whether it is there would take a second look.
      return /** @type {Shadowed} */ (object).#__QP__s;
    } catch {
      const shadow = new Shadow();
      return given(object, domLive && isObject(object) && isPart(object) ? partShadow(object, shadow) : shadow);
    }
  }
  /** @param {PageObject} object @returns {Table | undefined} */
  static known(object) { return object === realm ? globalShadow : #__QP__s in object ? object.#__QP__s : undefined; }
  /** @param {PageObject} object */
  static kill(object) {
    if (#__QP__s in object) object.#__QP__s = new Dead();
    else given(object, new Dead());
  }
}

// Global variables: properties of the global object, and what is declared at the top of scripts.
const globalShadow = new Shadow();
const lexicalShadow = new Shadow();

// Gives an object without a shadow this one. What is no object has one for a moment.
/** @param {PageValue} object @param {Table} shadow */
function given(object, shadow) {
  if (object === realm) return globalShadow;
  if (!isObject(object)) return shadow;
  try {
    new Shadowed(object, shadow);
  } catch { /* it takes no private field: then nothing is known of it */ }
  return shadow;
}

// The shadow of an object that is written, and of one that was just made.
export const Sh = Shadowed.of;
/** @param {PageObject} object */
export const Sn = (object) => given(object, new Shadow());
export const Is = is;

// Whether anything may have been written without a hook; and whether by scripts of another realm, whose built-ins are
// not ours.
let isUnsure = false;
let isReached = false;
export function written() {
  isUnsure = true;
}
// What a `with` statement is about whose body writes.
/** @param {PageValue} object */
export const Un = (object) => {
  isUnsure = true;
  return object;
};

/** @param {PageObject} object */
export function forget(object) {
  if (domLive && object !== realm && isPart(object)) doubtPart(object);
  if (shadowing && object !== realm) Shadowed.kill(object);
  else if (object === realm) isUnsure = true;
}

/** @param {string} key */
export const isLeftOut = (key) => (key >= '0' && key < ':') || key === 'length' || key === 'lastIndex';

// A write whose key or kind is known only as it runs, just before.
/** @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {How} how */
export function shade(site, object, key, value, how) {
  if (typeof key !== 'string') {
    // Which property a key means that is an object, only the write itself will say.
    if (isObject(key) && isObject(object)) forget(object);
    return;
  }
  if (isLeftOut(key) || !isObject(object)) return;
  if (how === 'delete') return shadeDeletion(site, object, key);
  const shadow = Shadowed.of(object);
  if (value === UNKNOWN) {
    shadow[`s$${key}`] = -1;
  } else if (!is(shadow[`v$${key}`], value)) {
    shadow[`v$${key}`] = value;
    shadow[`s$${key}`] = __QP__Now | site;
  }
}

/** @param {Site} site @param {PageObject} object @param {string} key */
function shadeDeletion(site, object, key) {
  if (ProxyMark.is(object) || getOwnPropertyDescriptor(object, key)?.configurable !== true) return;
  const shadow = Shadowed.of(object);
  shadow[`v$${key}`] = ABSENT;
  shadow[`s$${key}`] = __QP__Now | site;
}

// A global variable is written; `after`: it is already.
/** @param {Site} site @param {string} name @param {PageValue} value @param {boolean} lexical */
export function shadeGlobal(site, name, value, lexical) {
  const shadow = lexical || hasOwn(lexicalShadow, `s$${name}`) ? lexicalShadow : globalShadow;
  if (value === UNKNOWN) shadow[`v$${name}`] = ABSENT;
  else if (is(shadow[`v$${name}`], value) && site > 0) return;
  else shadow[`v$${name}`] = value;
  shadow[`s$${name}`] = value === UNKNOWN || site < 0 ? -1 : __QP__Now | site;
}

// ---- tasks ----

// The event that each task dispatches.
/** @type {(Cause | undefined)[]} */
const causes = [undefined];
const currentEvent = getOwnPropertyDescriptor(realm, 'event')?.get;
/** @type {PageValue} */
let lastEvent;
let task = 0;
// How often a task was seen to begin, also where it has no number of its own.
export let begun = 0;

// Until the stack is empty, and then no longer.
async function endTask() {
  await undefined;
  __QP__Now = 0;
}

// A function begins, and no task has a number: it is called by the browser. Where no event is being dispatched, tasks
// are not told from each other.
export const Be = () => {
  begun++;
  const event = typeof currentEvent === 'function' ? apply(currentEvent, realm, []) : undefined;
  if (task === 0 || event !== lastEvent) {
    lastEvent = event;
    if (task < LAST_TASK) task++;
    append(causes, task < LAST_TASK ? cause() : undefined);
  }
  watchOthers();
  __QP__Now = task << SITE_BITS;
  endTask();
};

// The task under way as a shadow's number has it, and what made the browser run it.
export function taskNumber() {
  if (__QP__Now === 0) Be();
  return __QP__Now;
}
/** @param {number} number */
export const causeOfTask = (number) => causes[number >> SITE_BITS];

// ---- who else may write ----

/** @param {string} name */
const getterOf = (name) => getOwnPropertyDescriptor(realm, name)?.get;
const windows = { __proto__: null, length: getterOf('length'), parent: getterOf('parent'), opener: getterOf('opener') };

// Whether scripts of another window can reach what is here: nothing can be read of one that is of another origin, not
// even its prototype.
/** @param {PageValue} other */
const reaches = (other) => isObject(other) && other !== realm && getPrototypeOf(other) !== null;

// From when on another realm has been there, objects may have been written by it.
function watchOthers() {
  if (isReached || windows.length === undefined) return;
  const count = /** @type {number} */ (apply(windows.length, realm, []));
  for (let index = 0; index < count; index++) isReached ||= reaches(realm[index]);
  if (windows.parent !== undefined) isReached ||= reaches(apply(windows.parent, realm, []));
  if (windows.opener !== undefined) isReached ||= reaches(apply(windows.opener, realm, []));
  isUnsure ||= isReached;
}
export const isShared = () => {
  watchOthers();
  return isReached;
};
export const isDoubted = () => isUnsure || isShared();

// A built-in has written `key` of `object`, or may have.
/** @param {PageObject} object @param {Key} key */
function missed(object, key) {
  if (typeof key !== 'string' || isLeftOut(key)) return;
  if (domLive && object !== realm && isPart(object)) return doubtPart(object);
  const shadow = Shadowed.known(object);
  if (shadow === undefined) return;
  const property = getOwnPropertyDescriptor(object, key);
  shadow[`v$${key}`] = property !== undefined && hasOwn(property, 'value') ? property.value : ABSENT;
  shadow[`s$${key}`] = -1;
}
/** @param {PageValue} object @param {PageValue} source */
function missedAll(object, source) {
  if (!isObject(source)) return;
  if (ProxyMark.is(source)) return forget(/** @type {PageObject} */ (object));
  const keys = ownKeys(source);
  for (let index = 0; index < keys.length; index++) missed(/** @type {PageObject} */ (object), keys[index]);
}

/** @param {PageObject | undefined} host @param {Key} key @param {(original: AnyFunction) => AnyFunction} make */
function replace(host, key, make) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
  if (property === undefined || typeof property.value !== 'function') return;
  const value = disguise(make(property.value), property.value);
  install(/** @type {PageObject} */ (host), key, { __proto__: null, ...property, value });
}

// Calls `original` and then `after`, whatever comes of it.
/** @param {(values: ArrayLike<PageValue>) => void} after */
const afterwards = (after) => (/** @type {AnyFunction} */ original) => ({
  method() {
    try {
      return apply(original, this, arguments);
    } finally {
      after(arguments);
    }
  },
}).method;

if (shadowing) {
  /** @param {number} place */
  const named = (place) => afterwards((values) => {
    const object = values.length > place ? values[place] : values[0];
    const key = values[1];
    if (!isObject(object)) return;
    const owner = /** @type {PageObject} */ (unwrap(object));
    if (isObject(key)) forget(owner);
    else missed(owner, typeof key === 'symbol' ? key : `${key}`);
  });
  const firstArgument = named(0);
  replace(ObjectOf, 'defineProperty', firstArgument);
  replace(Reflect, 'defineProperty', firstArgument);
  replace(Reflect, 'deleteProperty', firstArgument);
  replace(Reflect, 'set', named(3));
  replace(ObjectOf, 'defineProperties', afterwards((values) => {
    if (isObject(values[0])) missedAll(unwrap(values[0]), values[1]);
  }));
  replace(ObjectOf, 'assign', afterwards((values) => {
    if (!isObject(values[0])) return;
    for (let index = 1; index < values.length; index++) missedAll(unwrap(values[0]), values[index]);
  }));
  replace(realm.Error, 'captureStackTrace', afterwards((values) => {
    if (isObject(values[0])) missed(/** @type {PageObject} */ (unwrap(values[0])), 'stack');
  }));
  replace(realm, 'open', afterwards(() => {
    isReached = true;
    written();
  }));
  if (!config.driven) {
    // Nobody rewrites the texts that become code.
    for (const name of ['setTimeout', 'setInterval']) {
      replace(realm, name, afterwards((values) => {
        if (values.length > 0 && typeof values[0] !== 'function') written();
      }));
    }
  }
  replace(JSON, 'parse', (original) => ({
    /** @param {string} text @param {PageValue} reviver */
    parse(text, reviver) {
      if (typeof reviver !== 'function') return apply(original, this, arguments);
      return apply(original, this, [text, ({
        reviver() {
          if (isObject(this)) forget(this);
          return apply(reviver, this, arguments);
        },
      }).reviver]);
    },
  }).parse);
}

// ---- at a stop ----

/** @type {(value: PageValue) => Result} */
export const notObserved = (value) => ({ status: 'unseen', value: summary(value), raw: value });

// What a number of a shadow says.
/** @param {PageValue} number @param {PageValue} value @param {boolean} deleted @returns {Result} */
function lastWriter(number, value, deleted) {
  if (typeof number !== 'number' || number <= 0 || (number & SITE) === 0) return notObserved(value);
  return {
    status: 'found', sequence: 0, owner: 0, site: number & SITE, value: summary(value), raw: value, same: true,
    captured: {
      stack: [], scopes: [], watches: [], cause: causes[number >> SITE_BITS], short: false, created: false, deleted,
      old: undefined, value: deleted ? undefined : summary(value), oldUnknown: false, class: undefined,
    },
  };
}

// Numbers that `++` may leave as they are: only of others it is sure that it changed them.
/** @param {PageValue} value */
const isStuck = (value) => typeof value === 'number' && !(value < 9007199254740992 && value > -9007199254740992);

/** @param {VariablePlace} place @returns {Result} */
export function lastWriterOfVariable(place) {
  const value = place.get();
  const { name } = place;
  if (name !== undefined) {
    const shadow = hasOwn(lexicalShadow, `s$${name}`) ? lexicalShadow : globalShadow;
    const property = shadow === globalShadow ? getOwnPropertyDescriptor(realm, name) : undefined;
    const isPlain = shadow === lexicalShadow
      || (property !== undefined && hasOwn(property, 'value') && property.writable === true);
    return isUnsure || !isPlain || !is(shadow[`v$${name}`], value) ? notObserved(value)
      : lastWriter(shadow[`s$${name}`], value, false);
  }
  return isStuck(value) ? notObserved(value) : lastWriter(place.record, value, false);
}

// The shadow of an object whose last writers can be told.
/** @param {PageObject} object */
function shadowOf(object) {
  const known = Shadowed.known(object);
  return known === undefined || getPrototypeOf(known) === Dead.prototype ? undefined : known;
}

/** @param {PageValue} base @param {Key} key @returns {Result} */
export function lastWriterOfProperty(base, key) {
  if (!isObject(base) || ProxyMark.is(base)) return notObserved(undefined);
  const kept = domLive ? lastWriterInDom(base, key) : undefined;
  if (kept !== undefined) return kept;
  const shadow = shadowOf(base);
  const property = getOwnPropertyDescriptor(base, key);
  if (property === undefined) {
    // An inherited value may be there because another object was put in the place of the prototype.
    if (isUnsure || shadow === undefined || typeof key !== 'string' || inspect(base, key) !== undefined) {
      return notObserved(undefined);
    }
    return shadow[`v$${key}`] === ABSENT ? lastWriter(shadow[`s$${key}`], undefined, true) : notObserved(undefined);
  }
  if (!hasOwn(property, 'value')) return notObserved(undefined);
  const { value } = property;
  // What cannot be written looks as if every write that fails had been the last.
  if (isUnsure || property.writable !== true || typeof key !== 'string' || isLeftOut(key) || isPlatform(base)) {
    return notObserved(value);
  }
  return shadow === undefined || !is(shadow[`v$${key}`], value) ? notObserved(value)
    : lastWriter(shadow[`s$${key}`], value, false);
}

// ---- of all that is in sight ----

// The task under way; the next one, where none has a number yet.
function taskNow() {
  if (__QP__Now !== 0) return __QP__Now >> SITE_BITS;
  const event = typeof currentEvent === 'function' ? apply(currentEvent, realm, []) : undefined;
  return task > 0 && event === lastEvent ? task : task + 1;
}

/** @typedef {import('./reports').LastWriterTold} LastWriterTold */

// Adds who wrote a variable of a scope, or what is inside an object, if it is known. `write`: of a built-in; `isSure`:
// that code without hooks would have been seen as well.
/**
 * @param {LastWriterTold[]} all @param {number} scope @param {string} name @param {PageValue} number
 * @param {number} [index] @param {LiveWrite} [write] @param {boolean} [isSure]
 */
function addWriter(all, scope, name, number, index, write, isSure = false) {
  if (typeof number !== 'number' || number <= 0) return;
  const { frame, user } = write ?? { __proto__: null, frame: undefined, user: undefined };
  if (write === undefined && (number & SITE) === 0) return;
  const by = number >> SITE_BITS;
  const ago = by === 0 || by >= LAST_TASK ? undefined : taskNow() - by;
  append(all, /** @type {LastWriterTold} */ ({
    __proto__: null, scope, name, index, site: frame === undefined && user === undefined ? number & SITE : 0, frame,
    user: user !== undefined, sure: isSure, ago, cause: user ?? (ago === undefined ? undefined : causes[by]),
  }));
}

// What a variable of this scope holds; what is not initialised has no value.
/** @param {PageObject} scope @param {Key} name */
function held(scope, name) {
  try {
    return getOwnPropertyDescriptor(scope, name)?.value;
  } catch {
    return undefined;
  }
}

// Who wrote the properties of an object that have these names; a name in a list is an attribute's.
/**
 * @param {LastWriterTold[]} all @param {number} scope @param {PageObject} object
 * @param {ArrayLike<string | [string]>} names
 */
function addProperties(all, scope, object, names) {
  for (let index = 0; index < names.length; index++) {
    const asked = names[index];
    const name = typeof asked === 'string' ? asked : asked[0];
    const found = typeof asked === 'string' ? lastWriterOfProperty(object, name) : lastWriterOfAttribute(object, name);
    if (found.status !== 'found') continue;
    const { write } = found;
    const number = write === undefined ? shadowOf(object)?.[`s$${name}`] : write.number;
    addWriter(all, scope, name, number, index, write, found.sure === true);
  }
}

// Who wrote the entries of a collection; `list`: their keys and values, one after the other, as the debugger has them.
/** @param {LastWriterTold[]} all @param {number} scope @param {PageObject} list @param {PageObject} collection */
function addEntries(all, scope, list, collection) {
  const length = /** @type {number} */ (getOwnPropertyDescriptor(list, 'length')?.value);
  for (let index = 0; 2 * index < length; index++) {
    const found = lastWriterOfKey(collection, getOwnPropertyDescriptor(list, 2 * index)?.value);
    if (found.status === 'found') addWriter(all, scope, '', found.write?.number, index, found.write, true);
  }
}

// What the name of a variable's shadow begins with: see `shadow` in the rewriter's `hooks.rs`.
const MARKS = ['__QP__$', '__QP__B$'];
/** @param {string | symbol} name */
function variableOf(name) {
  for (let index = 0; typeof name === 'string' && index < MARKS.length; index++) {
    if (apply(startsWith, name, [MARKS[index]])) return apply(slice, name, [MARKS[index].length]);
  }
  return undefined;
}

// Who wrote last what the debugger has: the variables of scopes, each of a kind that the protocol names, and the
// properties of objects, each with their names instead of a kind. A number says which object is the collection that has
// the entries in this list.
/** @param {ArrayLike<string | number | (string | [string])[]>} kinds @param {ArrayLike<PageObject>} objects */
function lastWriters(kinds, objects) {
  /** @type {LastWriterTold[]} */
  const all = [];
  for (let number = 0; number < objects.length; number++) {
    const object = objects[number];
    const kind = kinds[number];
    if (typeof kind === 'number') {
      addEntries(all, number, object, objects[kind]);
    } else if (typeof kind !== 'string') {
      addProperties(all, number, object, kind);
    } else if (kind === 'global') {
      const names = ownKeys(globalShadow);
      for (let index = 0; index < names.length; index++) {
        const name = apply(slice, names[index], [2]);
        if (apply(slice, names[index], [0, 2]) !== 's$' || hasOwn(lexicalShadow, names[index])) continue;
        if (lastWriterOfProperty(realm, name).status !== 'found') continue;
        addWriter(all, number, name, globalShadow[`s$${name}`]);
      }
    } else if (kind === 'script') {
      const names = ownKeys(lexicalShadow);
      for (let index = 0; index < names.length; index++) {
        const name = apply(slice, names[index], [2]);
        if (apply(slice, names[index], [0, 2]) !== 's$' || isUnsure) continue;
        if (!is(held(object, name), lexicalShadow[`v$${name}`])) continue;
        addWriter(all, number, name, lexicalShadow[`s$${name}`]);
      }
    } else {
      const names = ownKeys(object);
      for (let index = 0; index < names.length; index++) {
        const name = variableOf(names[index]);
        if (name === undefined || isStuck(held(object, name))) continue;
        addWriter(all, number, name, held(object, names[index]));
      }
    }
  }
  return all;
}
if (shadowing) tellLastWriters(lastWriters);
