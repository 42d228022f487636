// Writes of watched properties that a built-in has made, told once they have happened.

import { is, realm } from './captured.js';
import { UNKNOWN } from './basics.js';
import { nextEvent, sequence } from './counters.js';
import { anyTraced, slotOfVariable, slots } from './slots.js';
import { LATE, stamps, tellFrom, beingTold, beingToldFrom } from './records.js';
import { isStop } from './stops.js';
import { countWrite } from './events.js';
import { changed, keepFirst, makeRecord, resolveDependents } from './changes.js';
import { wroteGlobal } from './variables.js';

// A write by a built-in, which has happened already: a property of slot `index` was `before` and is `after`.
/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {number} by
 */
export function wrote(index, object, before, after, by) {
  if (slots[index].plain && object !== realm && !isStop(sequence + 1)) {
    // Nobody looks while it is told.
    if (!is(before, after)) wroteOne(index, object, before, after, -by);
    return;
  }
  wroteAll([{ __proto__: null, index, object, before, after }], by);
}

// The changes that one call of a built-in made, in the order in which it made them.
/** @param {Change[]} changes @param {number} by */
export function wroteAll(changes, by) {
  const outer = beingTold;
  const outerFrom = beingToldFrom;
  for (let number = 0; number < changes.length; number++) {
    tellFrom(changes, number);
    const { index, object, before, after } = changes[number];
    if (is(before, after)) continue;
    const { key } = slots[index];
    if (object === realm && slotOfVariable[key] !== undefined)
      wroteGlobal(/** @type {string} */ (key), before, after, -by);
    wroteOne(index, object, before, after, -by);
  }
  tellFrom(outer, outerFrom);
}

/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {Site} site
 */
function wroteOne(index, object, before, after, site) {
  if (anyTraced) countWrite(index, site, object, before, after);
  const s = nextEvent();
  const Stamp = stamps[index];
  const known = Stamp.record(object);
  const record = known ?? makeRecord(index, s, site, after, object);
  const exact = record.e;
  if (exact !== undefined) {
    if (exact.v !== UNKNOWN && !is(exact.v, before)) exact.blind++;
    exact.v = after;
    exact.host = false;
    exact.old = before;
    changed(exact, record, site, object, after, before, s);
  }
  if (known === undefined) {
    keepFirst(index, Stamp, object, record);
    if (!slots[index].plain) resolveDependents(record, object, LATE, index, before);
  } else if (slots[index].plain) {
    record.s = s;
    record.t = site;
    record.v = after;
    record.n++;
  } else {
    const next = {
      s, t: site, v: after, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: exact,
      q: record.q, l: undefined,
    };
    resolveDependents(next, object, LATE, index, before);
    Stamp.keep(object, next);
  }
}
