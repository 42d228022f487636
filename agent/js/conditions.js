// Conditions: what rewritten scripts call when the outcome of one is known; its record lives in a variable of the
// function.

import { config } from './config.js';
import { ABSENT, append } from './basics.js';
import { sequence } from './counters.js';
import { countOutcome, stopsAt } from './event-numbers.js';
import { summary } from './summaries.js';
import { slots } from './slots.js';
import { stop } from './stops.js';
import { resolveDependents } from './changes.js';

// The outcome of a condition, just after; gives the new record. `how`: 0, whether `value` is true; 1, whether it is
// neither undefined nor null; 2, it is the outcome.
/**
 * @param {Site} site @param {number} index @param {ChangeRecord | undefined} record @param {PageValue} value
 * @param {0 | 1 | 2} how @param {PageValue[]} operands @param {Context} context
 */
export const B = (site, index, record, value, how, operands, context) => {
  const slot = slots[index];
  const s = countOutcome(slot, sequence);
  const outcome = how === 0 ? !!value : how === 1 ? value !== null && value !== undefined : value;
  /** @type {ChangeRecord} */
  const next = {
    s, t: site, v: outcome, n: record === undefined ? 1 : record.n + 1, i: 0, k: undefined, c: undefined, e: undefined,
    p: undefined,
  };
  if (!slot.plain) {
    resolveDependents(next, undefined, typeof context === 'function' ? context() : undefined, index, ABSENT);
    if (config.capture) next.p = summaries(operands);
  }
  if (stopsAt(slot, s)) {
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
