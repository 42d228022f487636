// The reproduction point, and what the driver calls.

import { freeze, getOwnPropertyDescriptor, hasOwn, now, ownKeys, realm } from './captured.js';
import { config } from './config.js';
import { ABSENT } from './basics.js';
import { initialGlobals, sequence, token } from './counters.js';
import { beginLast, followsAll, stopsAtHit } from './read-ahead.js';
import { post } from './post.js';
import { tell, textOf } from './telling.js';
import { markDisguised, undisguised } from './source_text.js';
import { ProxyMark } from './objects.js';
import { markTask, task } from './tries.js';
import { handOverFirst } from './before-answers.js';
import { beginning, beginningOf, beginnings, MOST_READ } from './beginnings.js';
import { summary } from './summaries.js';
import { framesOf } from './stacks.js';
import { identity } from './identities.js';
import { isReplaced, relied, takeAway } from './installed.js';
import { isHanding, wasPaused } from '#persistent';
import { handOverLog, isLogging } from './log.js';
import { pausedEvent, releasePage, stop } from './stops.js';
import { countHere, countsByQuery, pauseAt, threw } from './events.js';
import { domFollowed } from './dom-slots.js';
import { settle } from './unsettled.js';
import { lookUp } from './lookups.js';
import { cause } from './causes.js';
import { lastWriters } from './last-writers.js';
import { linkModule } from './modules.js';
import { namesOn, resolveAll } from './references.js';
import { agreesWithPage, comparison, isComparable, readAsPage, runByRead } from './page-reads.js';
import { capture } from './capture.js';
import { inputsSeen } from './inputs-seen.js';

export let hits = 0;
/** @type {LastHit | undefined} */
let lastHit;
// How often the reproduction point was passed before the current task.
let hitsBefore = 0;

/** @param {Handed} given */
function hit(given) {
  if (domFollowed) settle();
  lastHit = {
    __proto__: null, hit: hits - 1, sequence, time: now(), results: resolveAll(config.roots, given, undefined),
  };
  if (config.capture) lastHit.captured = capture(given, ABSENT, ABSENT, undefined);
  return lastHit;
}

let posting = false;

// A worker may be ended at any moment and is told nothing: it reports at the end of each task that passed by the
// reproduction point. `await` of a value that is no promise looks nothing up that the page could have changed.
async function postAfterTask() {
  if (typeof post !== 'function') return;
  posting = true;
  await undefined;
  posting = false;
  tell({ report: report() });
}

// The page reached a requested place, which is an event of the slots `counted`.
/** @param {unknown} point @param {(() => Given) | 0} context @param {number[] | undefined} counted */
export const R = (point, context, counted) => {
  const number = hits++;
  if (config.standby && task === 0) {
    markTask();
    hitsBefore = number;
  }
  countHere(counted);
  if (config.hit === -1 || config.hit === number) hit(context === 0 ? undefined : context());
  if (config.postEachTask && !posting) postAfterTask();
  const isAhead = (config.hit === -1 || config.hit === number) && stopsAtHit(config.hit === number);
  if (config.stopAtHit === number || isAhead) stop({ kind: 'point', hit: number, sequence, index: number - hitsBefore });
  countHere(undefined);
};

// Is where armed code never goes: a breakpoint there keeps the function around it from being optimised.
export const S = () => undefined;

// What the driver calls: at a pause, and when the replay is over.
/** @param {Asked | undefined} results */
const strip = (results) => {
  /** @type {Table<QueryResult>} */
  const out = /** @type {Bare} */ ({ __proto__: null });
  for (let asked = results; asked !== undefined; asked = asked.next) {
    const result = /** @type {Result & TellableResult} */ ({ __proto__: null, ...asked.result });
    if (result.value === undefined && hasOwn(result, 'raw')) result.value = summary(result.raw);
    if (hasOwn(result, 'stack')) /** @type {Table} */ (/** @type {unknown} */ (result)).stack = framesOf(result.stack);
    if (hasOwn(result, 'lacks') && result.lacks !== undefined) {
      result.absent = { __proto__: null, name: result.lacked, among: namesOn(result.lacks) };
    }
    const askedThere = result.askedThere === undefined ? undefined : strip(result.askedThere);
    out[asked.query] = /** @type {QueryResult} */ (/** @type {unknown} */ ({
      ...result, raw: undefined, lacks: undefined, write: undefined, sure: undefined, askedThere,
    }));
  }
  return out;
};
/** @returns {Told<import('./reports').Report, 'document' | 'hits'>} */
export const report = () => {
  handOverFirst();
  if (isLogging) handOverLog();
  return reported();
};
/** @returns {Told<import('./reports').Report, 'document' | 'hits'>} */
const reported = () => (lastHit === undefined ? { document: token, hits, sequence }
  : { document: token, hits, sequence, ahead: followsAll(), hit: /** @type {import('./reports').Hit} */ (
    /** @type {unknown} */ ({ ...lastHit, results: strip(lastHit.results) })), counts: countsByQuery() });
export const E = freeze({
  // Resolves the queries at R, which is here and now, and counts it as a hit.
  /** @param {() => Given} [context] */
  at(context) {
    handOverFirst();
    hits++;
    hit(context === undefined ? undefined : context());
    return textOf({ report: report() });
  },
  // Resolves single queries here and now, in a frame that only a debugger can reach.
  /** @param {Query[]} queries @param {() => Given} context */
  late(queries, context) {
    return textOf({ results: strip(resolveAll(queries, context(), pausedEvent?.owner)) });
  },
  // How the page itself reads what a query names, where a trap or getter of its own decides.
  /** @param {Query} query @param {() => Given} context */
  runByRead: (query, context) => runByRead(query, context()),
  /** @param {Query} query @param {() => Given} context */
  readAsPage: (query, context) => readAsPage(query, context()),
  isOfGetter: () => comparison?.ofGetter === true,
  isDoubtful: () => comparison?.doubtful === true,
  isComparable,
  /** @param {Query} query @param {() => Given} context */
  agreesWithPage: (query, context) => agreesWithPage(query, context()),
  report: () => textOf({ report: report() }),
  // What the page has put on the global object, as far as that is data.
  globals() {
    let count = 0;
    let room = MOST_READ;
    /** @type {Table} */
    const own = { __proto__: null };
    const keys = ownKeys(realm);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (typeof key === 'symbol' || initialGlobals[key] === true) continue;
      const descriptor = getOwnPropertyDescriptor(realm, key);
      if (descriptor === undefined || !hasOwn(descriptor, 'value')) continue;
      const { value } = descriptor;
      const sent = beginning(value, room);
      if (typeof sent === 'string' && sent !== value) room -= /** @type {string} */ (value).length;
      own[beginningOf(key)] = sent;
      if (++count === 200) break;
    }
    return own;
  },
  // Variables of scopes that the debugger has, and single values, as they are to be sent.
  /** @param {string[][]} first @param {...PageObject} scopes */
  scopes: (first, ...scopes) => beginnings(first, scopes),
  /** @param {PageValue} value */
  beginning: (value) => beginning(value, MOST_READ),
  // Who wrote last what is in scopes, of which the kinds are given, or in objects, of which the names are.
  /** @param {(string | number | (string | [string])[])[]} kinds @param {...PageObject} objects */
  lastWriters: (kinds, ...objects) => textOf({ lastWriters: lastWriters(kinds, objects) }),
  // What a rewritten module begins with.
  module: linkModule,
  // The event at which the page is paused, and numbers by which objects are compared.
  event: () => pausedEvent,
  // What of that event is data.
  told() {
    const { kind, sequence: s, site, number, created, deleted, index, hit: passed, unknown, host }
      = /** @type {PausedEvent} */ (pausedEvent);
    const { by, written, oldUnknown, cause: from, operands } = /** @type {PausedEvent} */ (pausedEvent);
    return textOf({ event: /** @type {AgentEvent} */ ({
      kind, sequence: s, site, number, created, deleted, index, hit: passed, unknown, host, by, written, oldUnknown,
      cause: from, document: token, operands: operands === undefined ? 0 : operands.length,
    }) });
  },
  // That of a call and of a line is the `this` there, which only the debugger can hand over.
  /** @param {PageObject} object */
  receives(object) {
    if (pausedEvent !== undefined && pausedEvent.owner === undefined) pausedEvent.owner = object;
  },
  /** @param {PageValue} value */
  identity: (value) => textOf({ identity: identity(value) }),
  element: lookUp,
  // An exception, at which the debugger pauses: how many there were, and that it is looked at.
  /** @param {AskedThrow[]} asked @param {PageValue} own @param {PageValue} thrown */
  threw: (asked, own, thrown) => textOf({ thrown: threw(asked, own, thrown) }),
  pauseAt,
  // Nothing stops the page any more.
  release() {
    releasePage();
  },
  // What the agent of another question in this realm builds on; what must be as it was for that; and the end of this
  // one.
  shared: { __proto__: null, initialGlobals, undisguised, markDisguised, ProxyMark, relied,
    isHanding: () => isHanding(),
    /** @param {number} milliseconds */
    wasPaused: (milliseconds) => wasPaused(milliseconds) },
  isReplaced: () => textOf({ replaced: isReplaced() ?? null }),
  isPaused: () => textOf({ paused: pausedEvent !== undefined || isHanding() }),
  disarm() {
    releasePage();
    takeAway();
  },
  // How many events of the user's have come, by kind: see `inputs-seen.js`.
  /** @param {boolean} [isLast] Whether what the user does next is the last. */
  inputs(isLast) {
    if (isLast === true) beginLast();
    return textOf({ inputs: inputsSeen() });
  },
  // The event being dispatched.
  cause: () => textOf({ cause: cause() ?? null }),
  // Gives the current task a number, if it has none.
  beginTask() {
    if (task === 0) markTask();
    return textOf({ task });
  },
  // The number of the current task; 0: it has none.
  task: () => textOf({ task }),
});
