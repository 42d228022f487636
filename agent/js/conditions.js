// Conditions: what rewritten scripts call when the outcome of one is known; its record lives in a variable of the
// function.

import { apply, setAdd, setHas, SetOf } from './captured.js';
import { config } from './config.js';
import { ABSENT, append } from './basics.js';
import { sequence } from './counters.js';
import { summary } from './summaries.js';
import { slots } from './slots.js';
import { stop } from './stops.js';
import { hang } from './changes.js';

// Each question counts the outcomes of its own conditions, in a range of numbers of its own: hooks that a further
// question needs do not change the number of any other event.
const CONDITIONS = 2 ** 40;
for (let index = 0; index < slots.length; index++) {
  const slot = slots[index];
  if (slot.kind !== 'condition' && slot.kind !== 'events') continue;
  slot.first = (slot.query + 1) * CONDITIONS;
  slot.counted = slot.first;
  slot.stops = new SetOf();
  for (let number = 0; number < config.stops.length; number++) {
    const stop = config.stops[number];
    if (stop > slot.counted && stop < slot.counted + CONDITIONS) apply(setAdd, slot.stops, [stop]);
  }
}

// Within its range a number holds the number of the last write, and how many outcomes there were since. So an outcome
// has the same number where the browser dispatches an event more, long before, to the same functions.
const SINCE = 2 ** 14;
const MOST_WRITES = CONDITIONS / SINCE - 1;
/** @param {Slot} slot */
function nextOutcome(slot) {
  const since = sequence < MOST_WRITES ? slot.first + sequence * SINCE : 0;
  slot.counted = (slot.counted < since ? since : slot.counted) + 1;
  return slot.counted;
}

// The outcome of a condition, just after; gives the new record. `how`: 0, whether `value` is true; 1, whether it is
// neither undefined nor null; 2, it is the outcome.
/**
 * @param {Site} site @param {number} index @param {ChangeRecord | undefined} record @param {PageValue} value
 * @param {0 | 1 | 2} how @param {PageValue[]} operands @param {Context} context
 */
export const B = (site, index, record, value, how, operands, context) => {
  const slot = slots[index];
  const s = nextOutcome(slot);
  const outcome = how === 0 ? !!value : how === 1 ? value !== null && value !== undefined : value;
  /** @type {ChangeRecord} */
  const next = {
    s, t: site, v: outcome, n: record === undefined ? 1 : record.n + 1, i: 0, k: undefined, c: undefined, e: undefined,
    p: undefined,
  };
  if (!slot.plain) {
    hang(next, undefined, typeof context === 'function' ? context() : undefined, index, ABSENT);
    if (config.capture) next.p = summaries(operands);
  }
  if (apply(setHas, slot.stops, [s])) {
    stop({ kind: 'condition', sequence: s, site, value: outcome, operands, index: next.n - 1 });
  }
  return next;
};

// The values of operands as text; null for one that was not evaluated.
/** @param {PageValue[]} operands */
function summaries(operands) {
  /** @type {(ValueText | null)[]} */
  const list = [];
  for (let index = 0; index < operands.length; index++) {
    append(list, operands[index] === B ? null : summary(operands[index]));
  }
  return list;
}
