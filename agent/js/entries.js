// Entries of maps and members of sets, as a reference asks for them: what they are, and the record of each.

import { apply, ErrorOf, is, Map, setHas, SetOf, weakGet, WeakMapOf, WeakSet } from './captured.js';
import { ABSENT, isObject } from './basics.js';
import { unwrap } from './objects.js';
import { summary } from './summaries.js';
import { entryRecord, mapGet, MapOf } from './entry-records.js';
import { found } from './results.js';
import { lookUpIn, lookups } from './lookups.js';

export const setForEach = SetOf.prototype.forEach;
export const mapForEach = Map.prototype.forEach;
const mapHas = /** @type {AnyHas} */ (MapOf.prototype.has);
const weakHas = /** @type {AnyHas} */ (WeakMapOf.prototype.has);
const weakSetHas = /** @type {AnyHas} */ (WeakSet.prototype.has);

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
export let entriesBeingTold;
export let entriesBeingToldFrom = 0;

/** @param {EntryChange[] | undefined} changes @param {number} from */
export function tellEntriesFrom(changes, from) {
  entriesBeingTold = changes;
  entriesBeingToldFrom = from;
}

// An entry as it is at the change that is being told.
/** @param {CollectionKind} of @param {PageObject} object @param {PageValue} key */
function entryThen(of, object, key) {
  if (entriesBeingTold !== undefined) {
    for (let number = entriesBeingToldFrom; number < entriesBeingTold.length; number++) {
      const change = entriesBeingTold[number];
      if (change.object === object && sameKey(change.key, key)) return change.before;
    }
  }
  return of.now(object, key);
}
/** @param {PageValue} one @param {PageValue} another */
const sameKey = (one, another) => one === another || is(one, another);

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
