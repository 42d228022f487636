// Functions, scripts and tasks: where they begin, are suspended and end.

import { apply, defineProperty, getOwnPropertyDescriptor, now, realm } from '../captured.js';
import { append, isObject } from '../basics.js';
import { isLeaving } from '../leaving.js';
import { ProxyMark } from '../objects.js';
import { logEncoder } from '../log-encoder.js';
import { MOST_VALUES, settings } from './settings.js';
import { post } from './transport.js';
import { classOf, functionOf, nameOf, UNTOLD } from './values.js';

const { queueMicrotask, Event } = realm;
const eventGetter = getOwnPropertyDescriptor(realm, 'event')?.get;
const eventPrototype = typeof Event === 'function' ? Event.prototype : undefined;
const typeGetter = eventPrototype && getOwnPropertyDescriptor(eventPrototype, 'type')?.get;
const targetGetter = eventPrototype && getOwnPropertyDescriptor(eventPrototype, 'target')?.get;

export const encoder = logEncoder({
  stream: 1, send: post, classOf, functionOf, nameOf,
  keepsNew: settings.tellsResults, longestText: settings.longestText,
});
const began = now();
// The global object is the first that the log knows: who reads it finds `window.x` by that.
encoder.known(realm);

// How many functions are running, and the scripts among them.
export let depth = 0;
/** @typedef {{ __proto__: null, depth: number, fn: number }} RunningScript */
/** @type {RunningScript[]} */
export let scripts = [];
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
const { otherCall, switchName } = settings;
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

// An event at an object, where nothing runs.
/** @param {string} kind @param {unknown} target */
export function tellEvent(kind, target) {
  encoder.task(kind, 0, target, now() - began);
  encoder.taskEnd();
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

// What other modules do before a task ends.
let doBeforeEnd = () => {};
/** @param {() => void} act */
export function beforeTaskEnd(act) {
  const before = doBeforeEnd;
  doBeforeEnd = () => {
    before();
    act();
  };
}

export function ended() {
  if (depth === 0) return;
  depth--;
  if (depth < otherDepth) otherDepth = 0;
  if (depth > 0) return;
  encoder.open(false);
  safely(doBeforeEnd);
  encoder.taskEnd();
  if (isLeaving) safely(encoder.flush);
}

// A record could not be written.
export function missed() {
  encoder.recover();
  isMissing = true;
  encoder.open(false);
}

// Runs what writes records; nothing that goes wrong in it reaches the page.
/** @param {() => void} write */
export function safely(write) {
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

// Tells what is in new objects, which another module does.
/** @type {(site: number) => void} */
let tellInside = () => {};
/** @param {(site: number) => void} tell */
export function tellInsideBy(tell) {
  tellInside = tell;
}

/**
 * @param {number} fn @param {number} of @param {number} parent @param {unknown} self
 * @param {ArrayLike<unknown>} values
 */
export function Le(fn, of, parent, self, values) {
  if (encoder.entered(fn)) depth++;
  else enter(fn);
  if (otherCall !== 0) countCall();
  try {
    encoder.passed(self, firstOf(values));
    const scope = encoder.scope(of, parent);
    if (encoder.hasNew()) safely(tellPassed);
    return scope;
  } catch (error) {
    notBegun();
    throw error;
  }
}
const tellPassed = () => tellInside(0);
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
export function leaveScript() {
  /** @type {RunningScript[]} */
  const rest = [];
  for (let index = 0; index + 1 < scripts.length; index++) append(rest, scripts[index]);
  scripts = rest;
}

// An activation that can be suspended.
/** @typedef {{ __proto__: null, number: number, suspended: boolean, isOther: boolean, site: number }} Activation */
/** @param {number} _fn @returns {Activation} */
export function Lb(_fn) {
  const number = ++activations;
  safely(() => encoder.activation(number));
  return { __proto__: null, number, suspended: false, isOther: otherDepth !== 0, site: 0 };
}

// What a function with hooks returned, until something else is written.
export let hasReturned = false;
/** @type {unknown} */
export let lastReturned;
// What was returned before a call is made is not what the call gives.
export function dropReturned() {
  hasReturned = false;
  lastReturned = undefined;
}

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
  activation.site = site;
  safely(() => {
    encoder.suspend(site, activation.number, value);
    ended();
  });
  return value;
}
/** @param {Activation} activation @param {0 | 1 | 2} mode @param {unknown} value */
export function goOn(activation, mode, value) {
  activation.suspended = false;
  safely(() => {
    begin('microtask');
    // What began in the other version goes on in it.
    if (activation.isOther && otherDepth === 0) otherDepth = depth;
    encoder.resume(activation.number, mode, value);
  });
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
