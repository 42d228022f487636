// Capture inside the page, for executions that differ: values, stack, scopes and cause as plain data.

import './reproduction.js';
import {
  apply, defineProperty, ErrorOf, Event, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, includes, is, isArray, now,
  ownKeys, realm, setAdd, setHas, SetOf, slice, stringify, StringOf, symbolText, toStringTag,
} from './captured.js';
import { config } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { inspect, part, ProxyMark, read } from './objects.js';
import { beginningOf, isLarge, LARGE, lengthOf, MOST_READ } from './beginnings.js';

/** @param {PageValue} value */
export const primitiveText = (value) => {
  switch (typeof value) {
    case 'string': return value.length > MOST_READ ? lengthOf(value) : stringify(beginningOf(value));
    case 'bigint': return isLarge(value) ? LARGE : `${value}n`;
    case 'number': return is(value, -0) ? '-0' : StringOf(value);
    case 'symbol': return beginningOf(apply(symbolText, value, []));
    case 'undefined': return 'undefined';
    case 'boolean': return value ? 'true' : 'false';
    default: return value === null ? 'null' : typeof value;
  }
};

/** @param {PageObject} object */
export const className = (object) => {
  if (ProxyMark.is(object)) return 'Proxy';
  const found = inspect(object, 'constructor');
  if (found === undefined || !found.data || typeof found.value !== 'function') return 'Object';
  const name = getOwnPropertyDescriptor(found.value, 'name');
  if (name === undefined || typeof name.value !== 'string' || name.value === '') return 'Object';
  if (name.value !== 'Object') return beginningOf(name.value);
  const tag = inspect(object, toStringTag);
  return tag !== undefined && tag.data && typeof tag.value === 'string' && tag.value !== '' ? beginningOf(tag.value)
    : 'Object';
};

// A value as text, cut short; never runs anything of the page.
/** @param {PageValue} value @returns {ValueText} */
export function summary(value) {
  if (value === ABSENT) return { type: 'undefined', text: 'undefined' };
  if (!isObject(value)) {
    const type = value === null ? 'object' : typeof value;
    return { type, text: apply(slice, primitiveText(value), [0, 300]) };
  }
  if (typeof value === 'function') {
    const name = getOwnPropertyDescriptor(value, 'name');
    const text = name !== undefined && typeof name.value === 'string' ? beginningOf(name.value) : '';
    return { type: 'function', text: `ƒ ${text}()` };
  }
  const tag = className(value);
  if (ProxyMark.is(value)) return { type: 'object', text: tag };
  /** @type {string[]} */
  const parts = [];
  const keys = ownKeys(value);
  const array = isArray(value);
  for (let index = 0; index < keys.length && parts.length < 5; index++) {
    const key = keys[index];
    if (typeof key === 'symbol' || (array && key === 'length')) continue;
    const descriptor = getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    const text = !hasOwn(descriptor, 'value') ? '(…)'
      : isObject(descriptor.value) ? (typeof descriptor.value === 'function' ? 'ƒ' : className(descriptor.value))
        : primitiveText(descriptor.value);
    append(parts, array ? text : `${beginningOf(key)}: ${text}`);
  }
  let text = parts[0] ?? '';
  for (let index = 1; index < parts.length; index++) text += `, ${parts[index]}`;
  if (parts.length === 5) text += ', …';
  text = array ? `(${value.length}) [${text}]` : `${tag === 'Object' ? '' : `${tag} `}{${text}}`;
  return { type: 'object', text: apply(slice, text, [0, 300]) };
}

/** @param {string} key @param {Descriptor | undefined} property */
const restore = (key, property) => {
  if (property === undefined) delete /** @type {Table} */ (/** @type {unknown} */ (ErrorOf))[key];
  else defineProperty(ErrorOf, key, { __proto__: null, ...property });
};

// Throws where the stack has no room left for what `stack` calls while the formatter is ours.
const CALLS_OF_STACK = 200;
/** @type {(calls: number) => number} */
const findRoom = (calls) => (calls === 0 ? 0 : findRoom(calls - 1) + 1);
const hasRoom = () => {
  try {
    return findRoom(CALLS_OF_STACK) === CALLS_OF_STACK;
  } catch {
    return false;
  }
};

// What holds the stack as it is here; its frames are made when they are asked for. None where the stack is all but
// exhausted: what throws there would leave our limit to the page. To assign to a field calls nothing, so it needs no
// room, and it is fast; that is how it is where the page has not made an accessor of the limit.
export function heldStack(most = 60) {
  /** @type {Descriptor | undefined} */
  let limit;
  try {
    limit = getOwnPropertyDescriptor(ErrorOf, 'stackTraceLimit');
    if (limit !== undefined && limit.writable === true) return heldByField(most, limit.value);
  } catch {
    return undefined;
  }
  if (!hasRoom()) return undefined;
  const limited = defineProperty(ErrorOf, 'stackTraceLimit', {
    __proto__: null, value: most, configurable: true, writable: true, enumerable: true,
  });
  try {
    return new ErrorOf();
  } finally {
    if (limited) restore('stackTraceLimit', limit);
  }
}

/** @param {number} most @param {PageValue} before @returns {HeldStack} */
function heldByField(most, before) {
  const Limited = /** @type {{ stackTraceLimit: PageValue }} */ (/** @type {unknown} */ (ErrorOf));
  try {
    Limited.stackTraceLimit = most;
    return new ErrorOf();
  } finally {
    Limited.stackTraceLimit = before;
  }
}

/** @param {CallSite} site @returns {CapturedFrame} */
const frameOf = (site) => ({
  function: beginningOf(site.getFunctionName() ?? ''), url: site.getScriptNameOrSourceURL() ?? '',
  line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 1,
});
// A built-in is not a frame to a debugger.
/** @param {CallSite} site */
const isOfScript = (site) => !site.isNative() && site.getLineNumber() !== null;

// The frames of the page; none where the page keeps us from formatting them, for its own formatter must not run.
/** @param {HeldStack} held @returns {CapturedFrame[]} */
export const framesOf = (held) => (!hasRoom() ? [] : formatted(held, (sites) => {
  /** @type {CapturedFrame[]} */
  const frames = [];
  for (let index = 0; index < sites.length; index++) {
    if (isOfScript(sites[index])) append(frames, frameOf(sites[index]));
  }
  return frames;
}));

// The innermost frame that is not the agent's, as a list, where the stack was held just now: there is room, and of the
// agent's own frames no line is worked out.
/** @param {HeldStack} held @returns {CapturedFrame[]} */
export const callerOf = (held) => formatted(held, (sites) => {
  for (let index = 0; index < sites.length; index++) {
    const url = sites[index].getScriptNameOrSourceURL() ?? '';
    if (!apply(includes, url, ['querypoint-agent-']) && isOfScript(sites[index])) return [frameOf(sites[index])];
  }
  return [];
});

/** @param {HeldStack} held @param {(sites: CallSite[]) => CapturedFrame[]} format @returns {CapturedFrame[]} */
function formatted(held, format) {
  if (held === undefined) return [];
  const prepare = getOwnPropertyDescriptor(ErrorOf, 'prepareStackTrace');
  const ours = defineProperty(ErrorOf, 'prepareStackTrace', {
    __proto__: null,
    /** @param {unknown} _ @param {CallSite[]} sites */
    value: (_, sites) => format(sites),
    configurable: true, writable: true, enumerable: false,
  });
  let frames;
  try {
    frames = ours ? held.stack : undefined;
  } finally {
    if (ours) restore('prepareStackTrace', prepare);
  }
  return isArray(frames) ? /** @type {CapturedFrame[]} */ (/** @type {unknown} */ (frames)) : [];
}

/** @param {number} [most] */
export const stack = (most) => framesOf(heldStack(most));

const currentEvent = getOwnPropertyDescriptor(realm, 'event')?.get;

// The event being dispatched: `{ type, target }`; undefined where there is none.
export function cause() {
  if (typeof currentEvent !== 'function' || typeof Event !== 'function') return undefined;
  return causeOf(apply(currentEvent, realm, []));
}

/** @param {PageValue} event @returns {Cause | undefined} */
export function causeOf(event) {
  try {
    if (!isObject(event)) return undefined;
    const target = read(event, 'target');
    let text;
    if (isObject(target)) {
      const tag = read(target, 'localName');
      const id = read(target, 'id');
      text = typeof id === 'string' && id !== '' ? `#${beginningOf(id)}`
        : typeof tag === 'string' ? tag : className(target);
    }
    return { type: beginningOf(StringOf(read(event, 'type'))), target: text };
  } catch {
    return undefined;
  }
}

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
