// Capture inside the page, for executions that differ: values, stack, scopes and cause as plain data.

import { apply, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, now, setAdd, setHas, SetOf } from './captured.js';
import { config } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { part } from './objects.js';
import { className, summary } from './summaries.js';
import { stack } from './stacks.js';
import { cause } from './causes.js';

/** @param {Thunk} thunk @returns {ValueText} */
function attempt(thunk) {
  try {
    return summary(thunk());
  } catch (error) {
    try {
      return { type: 'error', text: messageOf(error) };
    } catch {
      return { type: 'error', text: 'error' };
    }
  }
}

// The message of what was thrown. Whatever was thrown may be the page's: no getter is run, and nothing is asked to be a
// string.
/** @param {PageValue} error */
function messageOf(error) {
  if (!isObject(error)) return summary(error).text;
  /** @type {PageObject | null} */
  let holder = error;
  for (let depth = 0; depth < 16 && holder !== null; depth++) {
    const property = getOwnPropertyDescriptor(holder, 'message');
    if (property !== undefined) {
      return hasOwn(property, 'value') && typeof property.value === 'string' ? property.value : 'error';
    }
    holder = getPrototypeOf(holder);
  }
  return 'error';
}

// For how long variables and watches are read: any change may be the one that is asked for, and there may be millions.
// Most of it is for the owners at which the executions before found what is asked for. Of the rest a place has a share
// of what is left, so that those at which a library writes often leave something to the others.
const CAPTURE_AT_FOUND_MS = 10_000;
const CAPTURE_ELSEWHERE_MS = 2000;
const SHARE_OF_A_SITE = 0.1;
// Those of the agent among them.
const FRAMES_AFTER_IT = 25;
const foundOwners = new SetOf();
for (let index = 0; index < config.foundOwners.length; index++) {
  apply(setAdd, foundOwners, [config.foundOwners[index]]);
}
let capturedAtFound = 0;
let capturedElsewhere = 0;
/** @type {Table<number>} */
const capturedAt = /** @type {Bare} */ ({ __proto__: null });
// The state at the changes that one call makes, which is the same for all of them.
/** @type {{ __proto__: null, state: CapturedState | undefined } | undefined} */
let shared;
/** @param {{ __proto__: null, state: CapturedState | undefined } | undefined} share */
export function shareState(share) {
  shared = share;
}

/**
 * @param {Required<Given>} given @param {ChangeRecord | undefined} record Of the change; none: it is a point.
 * @returns {CapturedState}
 */
function stateOf(given, record) {
  const isPoint = record === undefined;
  if (config.live) {
    // Where a built-in wrote, the stack says at which line it was called.
    const isCalled = isPoint || part(given, 'late') === true;
    return { stack: isCalled ? stack() : [], scopes: [], watches: [], cause: cause(), short: false };
  }
  if (shared !== undefined && shared.state !== undefined) return shared.state;
  const began = now();
  const isFound = !isPoint && apply(setHas, foundOwners, [record.i]);
  const before = isPoint ? 0 : capturedAt[record.t] ?? 0;
  const isShort = !isPoint && (isFound ? capturedAtFound >= CAPTURE_AT_FOUND_MS
    : before >= (CAPTURE_ELSEWHERE_MS - capturedElsewhere) * SHARE_OF_A_SITE);
  /** @type {CapturedScope[]} */
  const scopes = [];
  /** @type {ValueText[]} */
  const watches = [];
  if (!isShort && part(given, 's') !== undefined) {
    for (let index = 0; index < given.s.length; index++) {
      const variables = given.s[index][1];
      /** @type {import('./reports').CapturedVariable[]} */
      const list = [];
      for (const name in variables) append(list, { name, ...attempt(variables[name]) });
      append(scopes, { kind: given.s[index][0], variables: list });
    }
    for (let index = 0; index < given.w.length; index++) append(watches, attempt(given.w[index]));
  }
  const state = { stack: isShort ? stack(FRAMES_AFTER_IT) : stack(), scopes, watches, cause: cause(), short: isShort };
  const took = now() - began;
  if (isFound) capturedAtFound += took;
  else if (!isPoint) {
    capturedElsewhere += took;
    capturedAt[record.t] = before + took;
  }
  if (shared !== undefined) shared.state = state;
  return state;
}

/**
 * @param {Handed} given @param {PageValue} old @param {PageValue} value @param {PageObject | undefined} object
 * @param {ChangeRecord} [record] Of the change; none: it is a point.
 * @returns {Captured}
 */
export function capture(given, old, value, object, record) {
  const { stack: frames, scopes, watches, cause: event, short }
    = stateOf(/** @type {Required<Given>} */ (given), record);
  return {
    stack: frames, scopes, watches, cause: event, short, created: old === ABSENT,
    deleted: value === ABSENT,
    old: old === UNKNOWN ? undefined : summary(old), value: value === UNKNOWN ? undefined : summary(value),
    oldUnknown: old === UNKNOWN,
    class: object === undefined ? undefined : className(object),
  };
}
