// Entries that the methods of maps and sets write. Only built-ins do, so no script is hooked for them.

import { apply, is, weakGet, WeakMapOf, weakSet } from './captured.js';
import { ABSENT } from './basics.js';
import { nextEvent, sequence } from './counters.js';
import { slots } from './slots.js';
import { Entries, entriesOf, entrySlots, mapGet, MapOf, unstampableEntries } from './entry-records.js';
import { LATE, numberOf, writers } from './records.js';
import { isStop } from './stops.js';
import { reached } from './events.js';
import { entriesBeingTold, entriesBeingToldFrom, tellEntriesFrom } from './entries.js';
import { resolveDependents } from './changes.js';

const mapSet = /** @type {SetIn} */ (MapOf.prototype.set);

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
  const outer = entriesBeingTold;
  const outerFrom = entriesBeingToldFrom;
  for (let number = 0; number < changes.length; number++) {
    tellEntriesFrom(changes, number);
    const { object, key, before, after } = changes[number];
    if (!is(before, after)) tellEntry(of, object, key, before, after, by);
  }
  tellEntriesFrom(outer, outerFrom);
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
  if (!slots[index].plain) resolveDependents(record, object, LATE, index, before);
  apply(entries.set, entries.records, [key, record]);
}
