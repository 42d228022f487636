// Links: where just one plain question is asked at a change, its answer is not worked out there. The record that has it
// is kept, and becomes a result when somebody is told: that is what lets a chain of questions cost little at each
// write.
//
// `C = lastChange(B:box.c)` at each change of `box.b` that `B = lastChange(R:box.b)` may be about:
//     box.c = 1    the record of `c`: { s: 1, v: 1, … }
//     box.b = 2    the record of `b`: { s: 2, v: 2, …, l: the record of `c` }
//
// A record is linked once the whole look at it (`resolveProperty`) has found that it is what the object has: a property
// of its own, with the value written, nothing of the browser's. Whether that is still so at the change the answer names
// is seen in the execution that captures it, which follows these objects exactly.

import { hasOwn } from './captured.js';
import { config } from './config.js';
import { ABSENT, isObject } from './basics.js';
import { slotOfKey, slots } from './slots.js';
import { stamps, beingTold } from './records.js';
import { domWatched } from './dom-slots.js';
import { Asked, askedBy, found } from './results.js';

for (let index = 0; index < slots.length; index++) {
  const slot = slots[index];
  // What others are asked at, and nothing is asked at itself.
  slot.isLast = slot.askedThere.length === 0 && !config.capture;
  const only = slot.askedThere[0];
  slot.link = slot.askedThere.length === 1 && !config.capture && only.root === 'name' && only.keyed === null
    && only.path.length === 0 && !only.variable && !only.condition && !only.events && !only.late
    && slotOfKey[only.key] !== undefined && slot.kind === 'property' ? only : undefined;
  if (slot.link !== undefined) only.index = slotOfKey[only.key];
}
// Records that lead back to their own name would keep all changes there ever were.
for (let index = 0; index < slots.length; index++) {
  let at = index;
  let steps = 0;
  while (slots[at].link !== undefined && steps <= slots.length) {
    at = slotOfKey[/** @type {string} */ (slots[at].link?.key)];
    steps++;
  }
  if (steps > slots.length) slots[index].link = undefined;
}

// Links the record that answers `query`, if there is such a one, at the change `record`; false: it takes the whole
// look.
/** @param {Query | undefined} query @param {ChangeRecord} record @param {Context} context */
export function link(query, record, context) {
  if (query === undefined || domWatched || beingTold !== undefined || typeof context !== 'function') return false;
  const thunk = /** @type {Required<Given>} */ (context()).d[query.dependent];
  if (typeof thunk !== 'function') return false;
  let base;
  try {
    base = thunk();
  } catch {
    return false;
  }
  if (!isObject(base)) return false;
  const there = stamps[/** @type {number} */ (query.index)].record(base);
  if (there === undefined || there.q !== true || there.e !== undefined || there.v === ABSENT || isObject(there.v)) {
    return false;
  }
  record.l = there;
  return true;
}

// The property is an accessor now: what is asked about it takes the whole look.
/** @param {number} index @param {PageObject} object */
export function unsettle(index, object) {
  const record = stamps[index].record(object);
  if (record !== undefined && hasOwn(record, 'q')) record.q = false;
}

// What `resolveAll` gives for the only question at a change whose record is linked.
/** @type {(query: Query, record: ChangeRecord) => Asked} */
export function linked(query, record) {
  const result = found(record, record.v);
  result.same = true;
  if (record.l !== undefined) {
    const { link: next } = slots[slotOfKey[query.key]];
    result.askedThere = linked(/** @type {Query} */ (next), record.l);
  }
  if (result.askedThere !== undefined) result.askedThere = askedBy(query, result.askedThere);
  return new Asked(query.query, result, undefined);
}
