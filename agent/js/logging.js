// The agent of an execution whose events are logged: the agent, and the hooks that a script calls which was rewritten
// for the log (`js-analysis/src/log`). A bundle of its own: no other execution loads it.
//
// A hook throws nothing and runs nothing of the page. What it cannot write, because the stack or the memory ends, is
// said to be missing, and the log goes on.

import { C, Cb, Ce, Ch, Ci, Cm, Cs, Cu, Cv, T, Z } from './agent.js';
import {
  apply, defineProperty, functionText, getOwnPropertyDescriptor, getPrototypeOf, indexOf, is, isArray, Map, now, ObjectOf,
  ownKeys, realm, Reflect, Set, startsWith, String, symbolText, Uint8Array, weakGet, WeakMapOf, weakSet,
} from './captured.js';
import { config } from './config.js';
import { append, isObject } from './basics.js';
import { beforeAnswers } from './before-answers.js';
import { wasPaused } from '#persistent';
import { className } from './capture.js';
import { listen } from './listeners.js';
import { CONSTANTS, logEncoder } from './log-encoder.js';
import { logPacking } from './log-packing.js';
import { ProxyMark } from './objects.js';
import { undisguised } from './source_text.js';

export * from './question.js';
export { C, Cb, Ce, Ch, Ci, Cm, Cs, Cu, Cv, T, Z };

const settings = /** @type {import('./generated.d.ts').AgentLog} */ (config.log);
const send = /** @type {((text: string) => void) | undefined} */ (realm[settings.binding]);
if (typeof send === 'function') delete realm[settings.binding];
const { absent: GONE, accessor: GETTER, unknown: UNTOLD } = CONSTANTS;
// More arguments, or entries of a collection, are not recorded.
const MOST_VALUES = 64;
const MOST_ENTRIES = 100;

const { toBase64 } = /** @type {{ toBase64?: () => string }} */ (/** @type {unknown} */ (Uint8Array.prototype));
const { charCodeAt } = String.prototype;
const { queueMicrotask, Event, ErrorEvent } = realm;
const eventGetter = getOwnPropertyDescriptor(realm, 'event')?.get;
const eventPrototype = typeof Event === 'function' ? Event.prototype : undefined;
const typeGetter = eventPrototype && getOwnPropertyDescriptor(eventPrototype, 'type')?.get;
const targetGetter = eventPrototype && getOwnPropertyDescriptor(eventPrototype, 'target')?.get;
const mapSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Map.prototype, 'size')?.get);
const setSize = /** @type {() => number} */ (getOwnPropertyDescriptor(Set.prototype, 'size')?.get);
const { entries: mapEntries, get: mapGet, has: mapHas } = Map.prototype;
const { values: setValues, has: setHas } = Set.prototype;
/** @typedef {{ next: () => { value: unknown } }} Steps */
const mapNext = /** @type {Steps} */ (getPrototypeOf(new Map().entries())).next;
const setNext = /** @type {Steps} */ (getPrototypeOf(new Set().values())).next;

// What could not be sent yet: the stack was at its end.
/** @typedef {{ __proto__: null, words: Int32Array, count: number }} Batch */
/** @type {Batch[]} */
let unsent = [];
const pack = logPacking();

/** @param {Int32Array} words @param {number} count */
function post(words, count) {
  append(unsent, { __proto__: null, words, count });
  if (typeof send !== 'function') {
    unsent = [];
    return;
  }
  while (unsent.length > 0) {
    const batch = unsent[0];
    const bytes = pack(batch.words, batch.count);
    sent += batch.count;
    send(typeof toBase64 === 'function' ? apply(toBase64, bytes, []) : base64(bytes));
    /** @type {Batch[]} */
    const rest = [];
    for (let index = 1; index < unsent.length; index++) append(rest, unsent[index]);
    unsent = rest;
  }
  if (sent > MOST_SENT) {
    sent = 0;
    drain();
  }
}

// So many words are on their way at most: then the page pauses until the driver has taken them.
const MOST_SENT = 1 << 21;
let sent = 0;
function drain() {
  const since = now();
  debugger;
  wasPaused(now() - since);
}

// Where the realm has no such method.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const word = bytes[at] << 16 | (bytes[at + 1] ?? 0) << 8 | (bytes[at + 2] ?? 0);
    text += DIGITS[word >> 18] + DIGITS[word >> 12 & 63]
      + (at + 1 < bytes.length ? DIGITS[word >> 6 & 63] : '=') + (at + 2 < bytes.length ? DIGITS[word & 63] : '=');
  }
  return text;
}

// The number that the rewriter gave a function stands in its text: in the hook that it begins with.
const ENTRIES = ['__QP__Le(', '__QP__La('];
const CONSTRUCTOR = '__QP__LK(';
/** @param {Function} callee */
function functionOf(callee) {
  if (ProxyMark.is(callee)) return 0;
  const text = apply(functionText, undisguised(callee), []);
  let first = -1;
  if (apply(startsWith, text, ['class'])) {
    first = apply(indexOf, text, [CONSTRUCTOR]);
  } else {
    for (let index = 0; index < ENTRIES.length; index++) {
      const found = apply(indexOf, text, [ENTRIES[index]]);
      if (found >= 0 && (first < 0 || found < first)) first = found;
    }
  }
  if (first < 0) return 0;
  let number = 0;
  for (let at = first + CONSTRUCTOR.length; at < text.length; at++) {
    const digit = apply(charCodeAt, text, [at]) - 48;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return number;
}

/** @param {Function} callee */
function nameOf(callee) {
  if (ProxyMark.is(callee)) return '';
  const name = getOwnPropertyDescriptor(callee, 'name');
  return name !== undefined && typeof name.value === 'string' ? name.value : '';
}

// Classes by their prototypes: most objects have one of a few.
/** @type {WeakMap<object, string>} */
const classes = new WeakMapOf();
/** @param {object | symbol} object */
function classOf(object) {
  if (typeof object === 'symbol') return apply(symbolText, object, []);
  if (ProxyMark.is(object)) return 'Proxy';
  const prototype = getPrototypeOf(object);
  if (prototype === null) return 'Object';
  const known = apply(weakGet, classes, [prototype]);
  if (known !== undefined) return known;
  // By what its prototype says: an object that is a prototype itself has the class that it is the prototype of.
  const name = className(prototype);
  apply(weakSet, classes, [prototype, name]);
  return name;
}

const encoder = logEncoder({ stream: 1, send: post, classOf, functionOf, nameOf });
const began = now();
// The global object is the first that the log knows: who reads it finds `window.x` by that.
encoder.known(realm);

// How many functions are running, and the scripts among them.
let depth = 0;
/** @typedef {{ __proto__: null, depth: number, fn: number }} RunningScript */
/** @type {RunningScript[]} */
let scripts = [];
// Whether something is missing: it is said before the next record.
let isMissing = false;
let isWatched = false;
let activations = 0;

// The stack is empty now: what is still said to run was left by an exception.
function stackIsEmpty() {
  isWatched = false;
  otherDepth = 0;
  if (depth === 0) return;
  depth = 0;
  encoder.open(false);
  scripts = [];
  encoder.taskEnd();
}

// Of functions that have the bodies of two versions (`js-analysis/src/versions.rs`) the other one runs while the call
// runs that has this number, and in all that it calls.
const { otherCall, switchName, tellsResults } = settings;
let entered = 0;
let otherDepth = 0;
if (switchName !== null) {
  defineProperty(realm, switchName, { __proto__: null, get: () => otherDepth !== 0, enumerable: false });
}
function countCall() {
  if (++entered === otherCall) otherDepth = depth;
}

/** @param {string} kind */
function beginTask(kind) {
  let what = kind;
  /** @type {unknown} */
  let target = undefined;
  const event = typeof eventGetter === 'function' ? apply(eventGetter, realm, []) : undefined;
  if (kind === '' && isObject(event) && !ProxyMark.is(event)) {
    try {
      what = /** @type {string} */ (apply(typeGetter, event, []));
      target = apply(targetGetter, event, []);
    } catch { /* not an event of the platform */ }
  }
  encoder.task(what === '' ? 'callback' : what, 0, target ?? undefined, now() - began);
  if (!isWatched && typeof queueMicrotask === 'function') {
    isWatched = true;
    queueMicrotask(stackIsEmpty);
  }
}

// Something begins to run; `kind` is what, where the stack was empty.
/** @param {string} kind */
function begin(kind) {
  if (isMissing) {
    isMissing = false;
    encoder.gap(1, 0);
  }
  if (depth === 0) beginTask(kind);
  depth++;
  encoder.open(true);
}

function ended() {
  if (depth === 0) return;
  depth--;
  if (depth < otherDepth) otherDepth = 0;
  if (depth > 0) return;
  encoder.open(false);
  encoder.taskEnd();
}

// A record could not be written.
function missed() {
  encoder.recover();
  isMissing = true;
  encoder.open(false);
}

// Runs what writes records; nothing that goes wrong in it reaches the page.
/** @param {() => void} write */
function safely(write) {
  try {
    write();
  } catch {
    missed();
  }
}

/** @param {ArrayLike<unknown>} values */
const firstOf = (values) => {
  if (values.length <= MOST_VALUES) return values;
  /** @type {unknown[]} */
  const first = [];
  for (let index = 0; index < MOST_VALUES; index++) append(first, values[index]);
  return first;
};

// A function begins. Where the stack ends here, it has not begun: the exception goes on.
/** @param {number} fn */
export function Lc(fn) {
  if (encoder.entered(fn)) depth++;
  else enter(fn);
  if (otherCall !== 0) countCall();
}
/** @param {number} fn */
function enter(fn) {
  try {
    begin('');
    encoder.enter(fn);
  } catch (error) {
    notBegun();
    throw error;
  }
}

function notBegun() {
  if (depth > 0) depth--;
  if (depth < otherDepth) otherDepth = 0;
  missed();
}

/** @param {number} fn @param {number} of @param {number} parent @param {unknown} self @param {ArrayLike<unknown>} values */
export function Le(fn, of, parent, self, values) {
  if (encoder.entered(fn)) depth++;
  else enter(fn);
  if (otherCall !== 0) countCall();
  try {
    encoder.passed(self, firstOf(values));
    return encoder.scope(of, parent);
  } catch (error) {
    notBegun();
    throw error;
  }
}
export const LE = Le;
export const LK = Le;

/** @param {number} fn @param {number} of @param {number} parent @param {...unknown} values */
export function La(fn, of, parent, ...values) {
  return Le(fn, of, parent, UNTOLD, values);
}
export const LA = La;
export const LU = UNTOLD;

// A script begins, a module begins, either ends.
/** @param {number} fn */
export function LS(fn) {
  safely(() => {
    begin('script');
    append(scripts, { __proto__: null, depth, fn });
    encoder.enter(fn);
    countCall();
  });
}
/** @param {number} fn @param {number} of */
export function LM(fn, of) {
  LS(fn);
  return encoder.scope(of, 0);
}
/** @param {number} fn @param {number} _site */
export function LZ(fn, _site) {
  safely(() => {
    // One that was taken for ended.
    if (scripts.length === 0 || scripts[scripts.length - 1].fn !== fn) return;
    leaveScript();
    encoder.returned(fn);
    ended();
  });
}
function leaveScript() {
  /** @type {RunningScript[]} */
  const rest = [];
  for (let index = 0; index + 1 < scripts.length; index++) append(rest, scripts[index]);
  scripts = rest;
}

// An activation that can be suspended.
/** @typedef {{ __proto__: null, number: number, suspended: boolean, isOther: boolean }} Activation */
/** @param {number} _fn @returns {Activation} */
export function Lb(_fn) {
  const number = ++activations;
  safely(() => encoder.activation(number));
  return { __proto__: null, number, suspended: false, isOther: otherDepth !== 0 };
}

// What a function with hooks returned, until something else is written.
let hasReturned = false;
/** @type {unknown} */
let lastReturned;

// A function ends: `site` is its `return`, 0: an exception leaves it.
/** @param {number} fn @param {number} site @param {unknown} value */
export function Lx(fn, site, value) {
  hasReturned = site !== 0;
  lastReturned = value;
  try {
    if (site === 0) encoder.unwind(fn);
    else encoder.returnedValue(site, value);
  } catch {
    // With less.
    try {
      encoder.recover();
      if (site === 0) encoder.unwind(fn);
      else encoder.returned(fn);
    } catch {
      missed();
    }
  }
  try { ended(); } catch { missed(); }
}
/** @param {number} fn @param {number} site @param {unknown} value @param {Activation} activation */
export function Ly(fn, site, value, activation) {
  if (activation.suspended) goOn(activation, site === 0 ? 1 : 2, UNTOLD);
  Lx(fn, site, value);
}
/** @param {number} fn @param {number} site */
export function Ld(fn, site) {
  if (site !== 0 && depth > 1 && otherDepth === 0 && encoder.left(fn)) depth--;
  else leave(fn, site);
}
/** @param {number} fn @param {number} site */
function leave(fn, site) {
  try {
    if (site === 0) encoder.unwind(fn);
    else encoder.returned(fn);
    ended();
  } catch { missed(); }
}
/** @param {number} fn @param {number} site @param {Activation} activation */
export function LD(fn, site, activation) {
  if (activation.suspended) goOn(activation, site === 0 ? 1 : 2, UNTOLD);
  Ld(fn, site);
}

/** @param {number} site @param {Activation} activation @param {unknown} value */
export function Ls(site, activation, value) {
  activation.suspended = true;
  safely(() => {
    encoder.suspend(site, activation.number, value);
    ended();
  });
  return value;
}
/** @param {Activation} activation @param {0 | 1 | 2} mode @param {unknown} value */
function goOn(activation, mode, value) {
  activation.suspended = false;
  safely(() => {
    begin('microtask');
    // What began in the other version goes on in it.
    if (activation.isOther && otherDepth === 0) otherDepth = depth;
    encoder.resume(activation.number, mode, value);
  });
}
/** @param {Activation} activation @param {unknown} value */
export function Lr(activation, value) {
  const isNew = tellsResults && isObject(value) && !encoder.isKnown(value);
  goOn(activation, 0, value);
  if (isNew) safely(() => tellResult(0, value, 0));
  return value;
}
// In a handler, or behind a loop: it is running again, if it was suspended.
/** @param {Activation} activation */
export function LR(activation) {
  if (activation.suspended) goOn(activation, 1, UNTOLD);
}

/** @param {number} of @param {number} parent */
export function Lo(of, parent) {
  return encoder.scope(of, parent);
}

// Where a call is made.
/** @param {number} site */
export function Ln(site) {
  forgetReturned();
  try { encoder.step(site); } catch { missed(); }
}
/** @param {unknown} value @param {number} site */
export function Lt(value, site) {
  forgetReturned();
  try { encoder.step(site); } catch { missed(); }
  return value;
}
// What was returned before a call is made is not what the call gives.
function forgetReturned() {
  hasReturned = false;
  lastReturned = undefined;
}
// A call has come back. What a function with hooks has just returned is in the log already, with its arguments.
/** @param {number} site @param {unknown} _ @param {unknown} value @param {...unknown} values */
export function LC(site, _, value, ...values) {
  callEnded(site, value, values);
  return value;
}
/** @param {number} site @param {unknown} value @param {unknown[]} values */
function callEnded(site, value, values) {
  try {
    const isTold = hasReturned && is(value, lastReturned);
    forgetReturned();
    const isNew = tellsResults && !isTold && isObject(value) && !encoder.isKnown(value);
    encoder.callEnd(site, isTold ? UNTOLD : value);
    if (!isTold && values.length > 0) encoder.passed(UNTOLD, values);
    if (isNew) tellResult(site, value, 0);
  } catch { missed(); }
}

// What code without hooks gave, with what is inside it: plain objects and collections that the log does not know yet.
const MOST_DEPTH = 6;
/** @param {number} site @param {unknown} value @param {number} around how many objects are around it */
function tellResult(site, value, around) {
  if (!isObject(value) || typeof value === 'function' || ProxyMark.is(value)) return;
  /** @type {unknown[]} */
  const inside = [];
  if (isArray(value) || kindOf(value) !== '') {
    if (isArray(value)) {
      const array = /** @type {unknown[]} */ (value);
      for (let index = 0; index < array.length && index < MOST_ENTRIES; index++) {
        const property = getOwnPropertyDescriptor(array, index);
        if (property !== undefined && 'value' in property) addNew(inside, property.value);
      }
    }
    contents(value);
  } else {
    const prototype = getPrototypeOf(value);
    if (prototype !== null && prototype !== objectPrototype) return;
    const keys = ownKeys(value);
    for (let index = 0; index < keys.length && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(value, keys[index]);
      if (property === undefined || !('value' in property)) continue;
      addNew(inside, property.value);
      encoder.writeKey(site, value, keys[index], property.value);
    }
  }
  if (around === MOST_DEPTH) return;
  for (let index = 0; index < inside.length; index++) tellResult(site, inside[index], around + 1);
}
const objectPrototype = getPrototypeOf({});
/** @param {unknown[]} list @param {unknown} value */
function addNew(list, value) {
  if (isObject(value) && !encoder.isKnown(value)) append(list, value);
}
/** @param {unknown} value */
export const LG = (value) => value;

/** @param {number} site @param {number} scope @param {unknown} value */
export function Lv(site, scope, value) {
  try { encoder.assign(site, scope, value); } catch { missed(); }
  return value;
}
/** @param {number} site @param {number} scope @param {unknown} old @param {unknown} value */
export function LV(site, scope, old, value) {
  return is(old, value) ? value : Lv(site, scope, value);
}
// `x++` gives the old value.
/** @param {number} site @param {number} scope @param {number | bigint} old @param {1 | -1} delta */
export function Lp(site, scope, old, delta) {
  Lv(site, scope, next(old, delta));
  return old;
}
/** @param {number | bigint} old @param {1 | -1} delta */
const next = (old, delta) => (typeof old === 'bigint' ? old + (delta === 1 ? 1n : -1n) : old + delta);

// Whether a value is an object that a record can be about.
/** @type {(owner: unknown) => owner is object} */
const isOwner = isObject;

/** @param {number} site @param {unknown} owner @param {unknown} value @param {1} [isLogical] */
export function Lw(site, owner, value, isLogical) {
  if (isLogical === 1 && !wasAssigned()) return value;
  try { if (isOwner(owner)) encoder.write(site, owner, value); } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} owner @param {unknown} key @param {unknown} value @param {1} [isLogical] */
export function Li(site, owner, key, value, isLogical) {
  if (isLogical === 1 && !wasAssigned()) return value;
  try { if (isOwner(owner)) encoder.writeKey(site, owner, keyOf(key), value); } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} owner @param {number | bigint} old @param {1 | -1} delta */
export function LP(site, owner, old, delta) {
  Lw(site, owner, next(old, delta));
  return old;
}
/** @param {number} site @param {unknown} owner @param {unknown} key @param {number | bigint} old @param {1 | -1} delta */
export function LQ(site, owner, key, old, delta) {
  Li(site, owner, key, next(old, delta));
  return old;
}
// A key as the record has it: a number, a text or a symbol. An object's text is its own affair.
/** @param {unknown} key */
function keyOf(key) {
  switch (typeof key) {
    case 'number': return is(key, -0) ? 0 : key;
    case 'string': case 'symbol': return key;
    case 'object': case 'function': return key === null ? 'null' : UNTOLD;
    default: return `${/** @type {boolean | bigint | undefined} */ (key)}`;
  }
}

// `a.p ||= v`: whether it was assigned.
let assigned = false;
/** @param {unknown} value */
export function Lm(value) {
  assigned = true;
  return value;
}
function wasAssigned() {
  const was = assigned;
  assigned = false;
  return was;
}

/** @param {number} site @param {unknown} owner @param {boolean} done */
export function LX(site, owner, done) {
  if (done) Lw(site, owner, GONE);
  return done;
}
/** @param {number} site @param {unknown} owner @param {unknown} key @param {boolean} done */
export function LY(site, owner, key, done) {
  if (done) Li(site, owner, key, GONE);
  return done;
}

// A field of a class, which is about to be defined.
/** @param {number} site @param {unknown} owner @param {unknown} value */
export const LF = (site, owner, value) => Lw(site, owner, value);

/** @param {number} site @param {unknown} _ @param {object} object @param {...unknown} values */
export function Lg(site, _, object, ...values) {
  try {
    // The site of the call is the one before.
    callEnded(site - 1, object, values);
    encoder.create(site, object);
    contents(object);
  } catch { missed(); }
  return object;
}
/** @param {number} site @param {Table} object @param {...string} keys */
export function Lj(site, object, ...keys) {
  try {
    encoder.create(site, object);
    for (let index = 0; index < keys.length; index++) encoder.write(site + 1 + index, object, object[keys[index]]);
  } catch { missed(); }
  return object;
}
// A literal with names that only the execution knows.
/** @param {number} site @param {object} object */
export function LJ(site, object) {
  try {
    encoder.create(site, object);
    const keys = ownKeys(object);
    for (let index = 0; index < keys.length && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(object, keys[index]);
      if (property === undefined) continue;
      encoder.writeKey(site, object, keys[index], 'value' in property ? property.value : GETTER);
    }
  } catch { missed(); }
  return object;
}
/** @param {number} site @param {unknown[]} array */
export function Ll(site, array) {
  try {
    encoder.create(site, array);
    contents(array);
  } catch { missed(); }
  return array;
}

// What a collection holds.
/** @param {unknown} owner */
function contents(owner) {
  if (!isObject(owner) || ProxyMark.is(owner)) return;
  /** @type {unknown[]} */
  const entries = [];
  let total = 0;
  if (isArray(owner)) {
    const array = /** @type {unknown[]} */ (owner);
    total = array.length;
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(array, index);
      append(entries, index);
      append(entries, property === undefined ? GONE : 'value' in property ? property.value : GETTER);
    }
  } else if (kindOf(owner) === 'map') {
    const map = /** @type {Map<unknown, unknown>} */ (owner);
    total = apply(mapSize, map, []);
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(mapEntries, map, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(mapNext, iterator, []);
      append(entries, /** @type {unknown[]} */ (value)[0]);
      append(entries, /** @type {unknown[]} */ (value)[1]);
    }
  } else if (kindOf(owner) === 'set') {
    const set = /** @type {Set<unknown>} */ (owner);
    total = apply(setSize, set, []);
    const iterator = /** @type {Steps} */ (/** @type {unknown} */ (apply(setValues, set, [])));
    for (let index = 0; index < total && index < MOST_ENTRIES; index++) {
      const { value } = apply(setNext, iterator, []);
      append(entries, value);
      append(entries, true);
    }
  } else {
    return;
  }
  encoder.contents(owner, total, entries);
}

// Which collection it is, by its class: what asks the object itself could throw, which is slow.
/** @param {object} owner */
function kindOf(owner) {
  for (let holder = getPrototypeOf(owner); holder !== null; holder = getPrototypeOf(holder)) {
    if (ProxyMark.is(holder)) return '';
    if (holder === Map.prototype) return 'map';
    if (holder === Set.prototype) return 'set';
  }
  return '';
}

// A method with the name of one that writes was called.
/** @param {number} site @param {unknown} result @param {unknown} owner @param {string} method @param {unknown} extra */
export function LB(site, result, owner, method, extra) {
  try {
    if (isObject(owner) && !ProxyMark.is(owner)) builtIn(site, result, owner, method, extra);
  } catch { missed(); }
  return result;
}
/** @param {number} site @param {unknown} result @param {object} owner @param {string} method @param {unknown} extra */
function builtIn(site, result, owner, method, extra) {
  if (owner === ObjectOf || owner === Reflect) {
    if (isArray(extra)) byLanguage(site, result, method, extra);
    return;
  }
  if (isArray(owner)) {
    const array = /** @type {unknown[]} */ (owner);
    if (method === 'push' && typeof extra === 'number' && extra <= MOST_ENTRIES && result === array.length) {
      for (let index = array.length - extra; index < array.length; index++) {
        encoder.writeKey(site, array, index, array[index]);
      }
    } else if (method === 'pop') {
      if (result !== undefined) encoder.writeKey(site, array, array.length, GONE);
    } else if (method !== 'set' && method !== 'add' && method !== 'delete' && method !== 'clear') {
      contents(array);
    }
    return;
  }
  const kind = kindOf(owner);
  if (kind === 'map' && (method === 'set' || method === 'delete')) {
    const map = /** @type {Map<unknown, unknown>} */ (owner);
    encoder.writeEntry(site, map, extra, apply(mapHas, map, [extra]) ? apply(mapGet, map, [extra]) : GONE);
  } else if (kind === 'set' && (method === 'add' || method === 'delete')) {
    const set = /** @type {Set<unknown>} */ (owner);
    encoder.writeEntry(site, set, extra, apply(setHas, set, [extra]) ? true : GONE);
  } else if (kind !== '' && method === 'clear') {
    contents(owner);
  }
}

// `Object.assign(a, b)`, `Object.defineProperty(a, k, d)`, `Reflect.set(a, k, v)`, with their first arguments.
/** @param {number} site @param {unknown} result @param {string} method @param {unknown[]} given */
function byLanguage(site, result, method, given) {
  const target = given[0];
  if (!isObject(target) || ProxyMark.is(target)) return;
  if (method !== 'assign') {
    if (result !== false) written(site, target, given[1]);
    return;
  }
  let told = 0;
  for (let index = 1; index < given.length; index++) {
    const source = given[index];
    if (!isObject(source) || ProxyMark.is(source)) continue;
    const keys = ownKeys(source);
    for (let at = 0; at < keys.length && told < MOST_ENTRIES; at++) {
      if (getOwnPropertyDescriptor(source, keys[at])?.enumerable !== true) continue;
      told++;
      written(site, target, keys[at]);
    }
  }
}
/** @param {number} site @param {object} owner @param {unknown} name */
function written(site, owner, name) {
  const key = keyOf(name);
  if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'symbol') return;
  const property = getOwnPropertyDescriptor(owner, key);
  if (property === undefined) return;
  encoder.writeKey(site, owner, key, 'value' in property ? property.value : GETTER);
}

/** @param {number} site @param {unknown} test */
export function Lf(site, test) {
  try { encoder.branch(site, !!test); } catch { missed(); }
  return test;
}
/** @param {number} site @param {unknown} value */
export function Lh(site, value) {
  try { encoder.branch(site, !is(value, undefined) && value !== null); } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} value */
export function LT(site, value) {
  try { encoder.threw(site, value); } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} value */
export function Lq(site, value) {
  try { encoder.caught(site, value); } catch { missed(); }
}

// Hands over what there is.
export function LL() {
  safely(() => encoder.flush());
}

// What the driver asks last: the log is handed over before the answer.
beforeAnswers(LL);

// An exception that nothing caught. Where it left the top of a script, the script has ended.
/** @param {object} event */
function uncaught(event) {
  safely(() => {
    const error = apply(errorGetter, event, []);
    const text = /** @type {string} */ (apply(messageGetter, event, []));
    encoder.uncaught(error, text);
    const last = scripts.length > 0 ? scripts[scripts.length - 1] : undefined;
    if (last === undefined || last.depth !== depth) return;
    leaveScript();
    encoder.unwind(last.fn);
    ended();
  });
}
const errorPrototype = typeof ErrorEvent === 'function' ? ErrorEvent.prototype : undefined;
const errorGetter = errorPrototype && getOwnPropertyDescriptor(errorPrototype, 'error')?.get;
const messageGetter = errorPrototype && getOwnPropertyDescriptor(errorPrototype, 'message')?.get;
if (typeof errorGetter === 'function' && typeof messageGetter === 'function') {
  listen(realm, 'error', (event) => {
    if (isObject(event) && getPrototypeOf(event) === errorPrototype) uncaught(event);
  }, true);
}
if (typeof realm.window === 'object') {
  for (const leaving of ['beforeunload', 'pagehide']) listen(realm, leaving, LL, true);
}
