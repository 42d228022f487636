// Stacks: held where something happens, formatted when somebody asks.

import { apply, defineProperty, ErrorOf, getOwnPropertyDescriptor, includes, isArray } from './captured.js';
import { append } from './basics.js';
import { beginningOf } from './beginnings.js';

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
