// Events that trace queries count.

import { apply, freeze, getPrototypeOf, setDelete } from './captured.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { sequence, token } from './counters.js';
import { countEvent, countOf, stopsAt } from './event-numbers.js';
import { mayStop, readsAhead } from './read-ahead.js';
import { inspect, ProxyMark } from './objects.js';
import { slots } from './slots.js';
import { writerAt } from './records.js';
import { log } from './log.js';
import { pauseAtEvent, pausedEvent, stop, stopsToCome } from './stops.js';

// A function is entered or left, a line is reached, an object is created: just then; a value with it, where there is
// one.
/** @param {Site} site @param {PageValue} value @param {...number} indices */
export const Tr = (site, value, ...indices) => count(indices, site, value, undefined, value, false);

// Writes of a watched property or variable, before they happen, whether they change it or not.
/**
 * @param {number} index @param {Site} site @param {PageObject | undefined} owner @param {PageValue} old
 * @param {PageValue} value
 */
export function countWrite(index, site, owner, old, value) {
  const { traced, key } = slots[index];
  writtenSlots = traced;
  writtenAfter = sequence;
  if (traced.length > 0) count(traced, site, owner,
    old === UNTOLD ? oldOf(/** @type {PageObject} */ (owner), key) : old, value, true);
}

// All are counted before the page stops for any of them: it is one event.
/**
 * @param {number[]} indices @param {Site} site @param {PageValue} owner @param {PageValue} old
 * @param {PageValue} value @param {boolean} written
 */
function count(indices, site, owner, old, value, written) {
  for (let number = 0; number < indices.length; number++) {
    const slot = slots[indices[number]];
    countEvent(slot);
    if (slot.logged) log(site, owner, old, value);
  }
  for (let number = 0; number < indices.length; number++) {
    const slot = slots[indices[number]];
    if (!stopsAt(slot, slot.counted)) continue;
    stop({
      kind: 'event', sequence: slot.counted, site, owner, written, created: old === ABSENT,
      old: old === ABSENT ? undefined : old, value: value === ABSENT || value === UNKNOWN ? undefined : value,
      by: writerAt(site), counted: indices,
    });
  }
}

// The slots that counted the current write; it has the next sequence number.
/** @type {number[] | undefined} */
let writtenSlots;
let writtenAfter = -1;
export const countedWrite = () => (writtenAfter === sequence - 1 ? writtenSlots : undefined);

// The slots of which the point at which questions are resolved is itself an event.
/** @type {number[] | undefined} */
let countedHere;
/** @param {number[] | undefined} counted */
export function countHere(counted) {
  countedHere = counted;
}

/** @type {number[]} */
let thrownSlots;

// No hook sees an exception: the debugger, which pauses at each, tells it. `asked` are the queries that count
// exceptions, each with its slot and the class that it asks for, if any; `own` is the class of `thrown` as the debugger
// names it.
/** @param {AskedThrow[]} asked @param {PageValue} own @param {PageValue} thrown */
export function threw(asked, own, thrown) {
  /** @type {Table<number>} */
  const numbers = /** @type {Bare} */ ({ __proto__: null });
  /** @type {Table<boolean> | undefined} */
  let classes;
  thrownSlots = [];
  for (let index = 0; index < asked.length; index++) {
    const { query, slot, named } = asked[index];
    if (named !== null && named !== own) {
      classes ??= classesOf(thrown);
      if (classes[named] !== true) continue;
    }
    countEvent(slots[slot]);
    numbers[query] = countOf(slots[slot]);
    append(thrownSlots, slot);
  }
  return { document: token, numbers };
}

// The names of an object's class and of those that it extends, as far as that runs none of the page's code.
/** @param {PageValue} object */
function classesOf(object) {
  /** @type {Table<boolean>} */
  const names = /** @type {Bare} */ ({ __proto__: null });
  let holder = object;
  for (let depth = 0; isObject(holder) && !ProxyMark.is(holder) && depth < 1000; depth++) {
    const made = inspect(holder, 'constructor');
    const creator = made !== undefined && made.own && made.data ? made.value : undefined;
    const name = typeof creator === 'function' && !ProxyMark.is(creator) ? inspect(creator, 'name') : undefined;
    if (name !== undefined && name.own && name.data && typeof name.value === 'string') names[name.value] = true;
    holder = getPrototypeOf(holder);
  }
  return names;
}

// The debugger looks at an exception as at any event: `thrown` is the object of the event, and its value. Without it,
// it goes on.
/** @param {PageValue} thrown @param {boolean} isPaused */
export function pauseAt(thrown, isPaused) {
  pauseAtEvent(isPaused
    ? {
      __proto__: null, kind: 'throw', owner: isObject(thrown) ? thrown : undefined, value: thrown, counted: thrownSlots,
    }
    : undefined);
}

// The old value is looked up only where somebody looks.
export const UNTOLD = freeze({ __proto__: null });

/** @param {PageObject} owner @param {Key} key */
function oldOf(owner, key) {
  const found = inspect(owner, key);
  return found === undefined || !found.own ? ABSENT : found.data ? found.value : undefined;
}

// How many there were, up to here and now, and whether this is one itself, and the last of them.
/** @type {(query: Query) => Result} */
export const countedSoFar = (query) => {
  const slot = slots[query.slot];
  const here = pausedEvent?.counted ?? countedHere;
  let own = false;
  if (here !== undefined) for (let index = 0; index < here.length; index++) own ||= here[index] === query.slot;
  return { __proto__: null, status: 'counted', changes: countOf(slot), own };
};

// The same of each query that counts.
export const countsByQuery = () => {
  /** @type {Table<number>} */
  const counts = /** @type {Bare} */ ({ __proto__: null });
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index];
    if (slot.kind === 'events') counts[slot.query] = countOf(slot);
  }
  return counts;
};

// Whether a change may be asked for, as far as that can be said while it happens: see `asked-now.js`.
/** @type {(event: PausedEvent) => boolean} */
let mayBeAsked = () => true;
/** @param {(event: PausedEvent) => boolean} judge */
export function judgeChanges(judge) {
  mayBeAsked = judge;
}

// A change at which the page may stop has happened.
/** @param {PausedEvent & { sequence: number }} event */
export function reached(event) {
  if (readsAhead && !(mayStop() && mayBeAsked(event))) return;
  apply(setDelete, stopsToCome, [event.sequence]);
  stop({ ...event, counted: countedWrite() });
}
