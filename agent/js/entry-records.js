// Records of the entries of maps and of the members of sets, and the slots that ask for them.
//
// The records of one map are in a map of its own, by key, kept in a private field of it. A record is as in
// `records.js`; of a member of a set, `v` says whether it is there.

import { apply, Map, weakGet, WeakMapOf } from './captured.js';
import { Base } from './basics.js';
import { slots } from './slots.js';

export const MapOf = Map;
export const mapGet = /** @type {GetIn} */ (MapOf.prototype.get);
/** @type {Table<number>} */
export const entrySlots = /** @type {Bare} */ ({ __proto__: null });
for (let index = 0; index < slots.length; index++) {
  if (slots[index].kind === 'map' || slots[index].kind === 'set') entrySlots[slots[index].kind] = index;
}
export const anyEntry = entrySlots.map !== undefined || entrySlots.set !== undefined;

export class Entries extends Base {
  #__QP__m;
  /** @param {PageObject} object @param {EntryRecords} entries */
  constructor(object, entries) { super(object); this.#__QP__m = entries; }
  /** @param {PageObject} object */
  static of(object) { return #__QP__m in object ? object.#__QP__m : undefined; }
}
/** @type {WeakMap<PageObject, EntryRecords>} */
export const unstampableEntries = new WeakMapOf();
/** @type {(object: PageObject) => EntryRecords | undefined} */
export const entriesOf = (object) => Entries.of(object) ?? apply(weakGet, unstampableEntries, [object]);

/** @param {PageObject} object @param {PageValue} key @returns {ChangeRecord | undefined} */
export function entryRecord(object, key) {
  const entries = entriesOf(object);
  return entries === undefined ? undefined : apply(entries.get, entries.records, [key]);
}
