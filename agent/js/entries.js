// Entries of maps and members of sets: what of them is asked, and what the methods of both write.
//
// Only built-ins write them, so no script is hooked for them. The records of one map are in a map of its own, by key,
// kept in a private field of it. A record is as in `records.js`; of a member of a set, `v` says whether it is there.

import './linked.js';
import { apply, ErrorOf, is, Map, setHas, weakGet, WeakMapOf, WeakSet, weakSet } from './captured.js';
import { ABSENT, Base, isObject } from './basics.js';
import { nextEvent, sequence } from './counters.js';
import { isStop, reached } from './stops.js';
import { unwrap } from './objects.js';
import { hang, LATE, numberOf, slots, writers } from './records.js';
import { found, lookUpIn, lookups } from './references.js';
import { summary } from './capture.js';

export const MapOf = Map;
const mapHas = /** @type {AnyHas} */ (MapOf.prototype.has);
export const mapGet = /** @type {GetIn} */ (MapOf.prototype.get);
const mapSet = /** @type {SetIn} */ (MapOf.prototype.set);
const weakHas = /** @type {AnyHas} */ (WeakMapOf.prototype.has);
const weakSetHas = /** @type {AnyHas} */ (WeakSet.prototype.has);
/** @type {Table<number>} */
export const entrySlots = /** @type {Bare} */ ({ __proto__: null });
for (let index = 0; index < slots.length; index++) {
  if (slots[index].kind === 'map' || slots[index].kind === 'set') entrySlots[slots[index].kind] = index;
}
export const anyEntry = entrySlots.map !== undefined || entrySlots.set !== undefined;

class Entries extends Base {
  #__QP__m;
  /** @param {PageObject} object @param {EntryRecords} entries */
  constructor(object, entries) { super(object); this.#__QP__m = entries; }
  /** @param {PageObject} object */
  static of(object) { return #__QP__m in object ? object.#__QP__m : undefined; }
}
/** @type {WeakMap<PageObject, EntryRecords>} */
const unstampableEntries = new WeakMapOf();
/** @type {(object: PageObject) => EntryRecords | undefined} */
export const entriesOf = (object) => Entries.of(object) ?? apply(weakGet, unstampableEntries, [object]);

/** @param {PageObject} object @param {boolean} weakly */
function keepEntries(object, weakly) {
  const owner = numberOf(-1, object);
  const records = weakly ? new WeakMapOf() : new MapOf();
  /** @type {EntryRecords} */
  const entries = {
    __proto__: null, i: owner, records, get: weakly ? weakGet : mapGet, set: weakly ? weakSet : mapSet,
  };
  try {
    new Entries(object, entries);
  } catch {
    apply(weakSet, unstampableEntries, [object, entries]);
  }
  return entries;
}

/** @param {PageObject} object @param {PageValue} key @returns {ChangeRecord | undefined} */
export function entryRecord(object, key) {
  const entries = entriesOf(object);
  return entries === undefined ? undefined : apply(entries.get, entries.records, [key]);
}

// The kinds of collections: how an entry is looked up, without anything of the page.
/** @type {CollectionKind[]} */
export const collectionKinds = [
  {
    __proto__: null, kind: 'map', weakly: false,
    now: (map, key) => (apply(mapHas, map, [key]) ? apply(mapGet, map, [key]) : ABSENT),
  },
  {
    __proto__: null, kind: 'map', weakly: true,
    now: (map, key) => (apply(weakHas, map, [key]) ? apply(weakGet, map, [key]) : ABSENT),
  },
  { __proto__: null, kind: 'set', weakly: false, now: (set, key) => apply(setHas, set, [key]) },
  { __proto__: null, kind: 'set', weakly: true, now: (set, key) => apply(weakSetHas, set, [key]) },
];

// The kind of collection that an object is; undefined: none.
/** @param {PageObject} object */
export function collectionKind(object) {
  for (let number = 0; number < collectionKinds.length; number++) {
    try {
      collectionKinds[number].now(object, 0);
      return collectionKinds[number];
    } catch { /* another */ }
  }
  return undefined;
}

// Changes that are being told: those still to come, at a stop, have not happened yet.
/** @type {EntryChange[] | undefined} */
let entriesUnderway;
let entriesUnderwayFrom = 0;

// An entry as it is at the change that is being told.
/** @param {CollectionKind} of @param {PageObject} object @param {PageValue} key */
function entryThen(of, object, key) {
  if (entriesUnderway !== undefined) {
    for (let number = entriesUnderwayFrom; number < entriesUnderway.length; number++) {
      const change = entriesUnderway[number];
      if (change.object === object && sameKey(change.key, key)) return change.before;
    }
  }
  return of.now(object, key);
}
/** @param {PageValue} one @param {PageValue} another */
const sameKey = (one, another) => one === another || is(one, another);

/**
 * @param {CollectionKind} of @param {PageObject} object @param {PageValue} key @param {PageValue} before
 * @param {PageValue} after
 * @param {number} by
 */
export function tellEntryOf(of, object, key, before, after, by) {
  if (slots[entrySlots[of.kind]].plain && !isStop(sequence + 1)) {
    // Nobody looks while it is told.
    tellEntry(of, object, key, before, after, by);
  } else {
    tellEntries(of, [{ __proto__: null, object, key, before, after }], by);
  }
}

/** @param {CollectionKind} of @param {EntryChange[]} changes @param {number} by */
export function tellEntries(of, changes, by) {
  const outer = entriesUnderway;
  const outerFrom = entriesUnderwayFrom;
  entriesUnderway = changes;
  for (let number = 0; number < changes.length; number++) {
    entriesUnderwayFrom = number;
    const { object, key, before, after } = changes[number];
    if (!is(before, after)) tellEntry(of, object, key, before, after, by);
  }
  entriesUnderway = outer;
  entriesUnderwayFrom = outerFrom;
}

/**
 * @param {CollectionKind} of @param {PageObject} object @param {PageValue} key @param {PageValue} before
 * @param {PageValue} after
 * @param {number} by
 */
function tellEntry(of, object, key, before, after, by) {
  const index = entrySlots[of.kind];
  const s = nextEvent();
  const entries = entriesOf(object) ?? keepEntries(object, of.weakly);
  const known = apply(entries.get, entries.records, [key]);
  if (known !== undefined && slots[index].plain && !isStop(s)) {
    known.s = s;
    known.t = -by;
    known.v = after;
    known.n++;
    return;
  }
  /** @type {ChangeRecord} */
  const record = {
    s, t: -by, v: after, n: known === undefined ? 1 : known.n + 1, i: entries.i, k: undefined, c: undefined,
    e: undefined,
  };
  if (isStop(s)) {
    reached({
      kind: 'write', sequence: s, site: -by, by: writers[by], owner: object, number: record.i,
      created: before === ABSENT, deleted: after === ABSENT, old: before === ABSENT ? undefined : before,
      value: after === ABSENT ? undefined : after, index: record.n - 1, host: false,
    });
  }
  if (!slots[index].plain) hang(record, object, LATE, index, before);
  apply(entries.set, entries.records, [key, record]);
}

// What a reference ends in: `map.get(key)`, `set.has(key)`.
/** @param {Keyed} keyed @param {PageValue} base @param {PageValue} key @returns {Result} */
export function resolveEntry(keyed, base, key) {
  const owner = unwrap(base);
  const of = isObject(owner) ? collectionKind(owner) : undefined;
  if (of === undefined || of.kind !== keyed.kind) {
    const wanted = keyed.kind === 'map' ? 'no Map, whose entries get gives' : 'no Set, whose members has finds';
    return { status: 'error', message: `its owner is ${wanted}` };
  }
  const now = entryThen(of, /** @type {PageObject} */ (owner), key);
  const current = now === ABSENT ? undefined : now;
  const record = entryRecord(/** @type {PageObject} */ (owner), key);
  if (record === undefined) {
    const isThere = of.kind === 'map' ? now !== ABSENT : now;
    return { status: isThere ? 'unseen' : 'never', value: summary(current), raw: current };
  }
  const result = found(record, current);
  result.same = is(record.v, now);
  return result;
}

// `map.get(key)` or `set.has(key)` on the way of a reference.
/** @param {Keyed} keyed @param {PageValue} base @param {PageValue} key */
export function readEntry(keyed, base, key) {
  if (keyed.kind in lookups) return lookUpIn(base, keyed.kind, key);
  const owner = unwrap(base);
  const of = isObject(owner) ? collectionKind(owner) : undefined;
  if (of === undefined || of.kind !== keyed.kind) {
    throw new ErrorOf(`it goes through ${keyed.kind === 'map' ? 'get of what is no Map' : 'has of what is no Set'}`);
  }
  const now = entryThen(of, /** @type {PageObject} */ (owner), key);
  return now === ABSENT ? undefined : now;
}
