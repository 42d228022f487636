// Records: the last change of each watched property, kept on the object it belongs to.
//
// One record for each object and watched name, in a private field of the object:
//   s  sequence number of the last change      t  its site; minus the writer's number, where no hook saw it
//   v  the value it wrote
//   n  how many changes there were             i  the owner's number, in the order of first writes
//   k  what was asked there: the results             c  what was captured   e  exact bookkeeping
//   q  whether it was found to be what the object has  l  the record that answers there, instead of its result
//      (both only where others depend on it: see `linked.js`)
// It dies with the object. (One number, sequence and site packed, was measured to be slower on old objects
// and no faster on fresh ones, and it cannot tell a change from a write.)

import { apply, freeze, getPrototypeOf, weakGet, WeakMapOf, weakSet } from './captured.js';
import { ABSENT, append, isObject } from './basics.js';
import { nextOwner } from './counters.js';
import { inspect, unwrap } from './objects.js';
import { forSlots, slots } from './slots.js';
import { anyEntry, entriesOf } from './entry-records.js';

// The class of each slot, which puts the records on their objects: see `changes.js`. Own elements throughout: what is
// read where there is none would come from the page's prototypes.
export const stamps = forSlots(() => /** @type {StampClass} */ (/** @type {unknown} */ (undefined)));

// An object has one number, whichever of its properties are watched.
/** @param {number} index @param {PageObject} object */
export function numberOf(index, object) {
  for (let other = 0; other < slots.length; other++) {
    if (other === index || stamps[other] === undefined) continue;
    const known = stamps[other].record(object);
    if (known !== undefined) return known.i;
  }
  const entries = anyEntry ? entriesOf(object) : undefined;
  return entries === undefined ? nextOwner() : entries.i;
}

// Those that write without a hook at the place: built-ins, by the names that answers give them.
export const writers = [''];
/** @param {string} name */
export const writerNumber = (name) => {
  append(writers, name);
  return writers.length - 1;
};
/** @param {Site} site */
export const writerAt = (site) => (site < 0 ? writers[-site] : undefined);

// What a hook would hand over where there is none: who is asked there is resolved by the debugger, in the caller.
/** @type {Given} */
export const LATE = freeze({ __proto__: null, late: true });

// Changes that have happened and are being told, one after the other: those still to come, at a stop, are not yet.
/** @type {Change[] | undefined} */
export let beingTold;
export let beingToldFrom = 0;

/** @param {Change[] | undefined} changes @param {number} from */
export function tellFrom(changes, from) {
  beingTold = changes;
  beingToldFrom = from;
}

// The change of `object[key]` that is not told yet; undefined: there is none.
/** @param {PageObject} object @param {Key} key */
export function untold(object, key) {
  if (beingTold === undefined) return undefined;
  for (let index = beingToldFrom; index < beingTold.length; index++) {
    const change = beingTold[index];
    if (change.object === object && slots[change.index].key === key) return change;
  }
  return undefined;
}

// Globals: those that are properties of the global object, and script-level `let`, `const` and `class`.
/** @type {Table<ChangeRecord>} */
export const globals = /** @type {Bare} */ ({ __proto__: null });
/** @type {Table<ChangeRecord>} */
export const lexicals = /** @type {Bare} */ ({ __proto__: null });

// Prototypes that were replaced. Object -> its records by slot.
/** @type {WeakMap<PageObject, Table<ChangeRecord>>} */
const replacements = new WeakMapOf();
// Whether there are any.
export let anyReplacement = false;

// The last replacement of a prototype between `object` and `holder` (undefined: the end of the chain).
/** @param {PageObject} object @param {number} slot @param {PageObject | undefined} holder */
export function latestReplacement(object, slot, holder) {
  /** @type {ChangeRecord | undefined} */
  let latest;
  /** @type {PageValue} */
  let at = object;
  for (let depth = 0; isObject(at) && at !== holder && depth < 1000; depth++) {
    const record = apply(weakGet, replacements, [at])?.[slot];
    if (record !== undefined && (latest === undefined || record.s > latest.s)) latest = record;
    at = unwrap(getPrototypeOf(at));
  }
  return latest;
}

// The records of one object, which are kept from then on.
/** @param {PageObject} object */
export function replacementsOf(object) {
  let records = apply(weakGet, replacements, [object]);
  if (records === undefined) {
    records = /** @type {Bare} */ ({ __proto__: null });
    apply(weakSet, replacements, [object, records]);
    anyReplacement = true;
  }
  return records;
}

// A property as it is at the change that is being told.
/** @param {PageObject} owner @param {Key} key @returns {Inspected | undefined} */
export function inspectThen(owner, key) {
  const change = untold(owner, key);
  if (change === undefined) return inspect(owner, key);
  if (change.inherited !== undefined) return change.inherited.property;
  if (change.before === ABSENT) {
    const holder = getPrototypeOf(owner);
    const inherited = holder === null ? undefined : inspect(holder, key);
    return inherited === undefined ? undefined : { ...inherited, own: false };
  }
  return { holder: owner, own: true, data: true, value: change.before, writable: true };
}
