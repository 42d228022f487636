// Numbers of events, as the type `Sequence` of the crate `querypoint` has them. Writes are counted from 1 over all
// hooks. The events that one query counts have a range of numbers of their own: hooks that a further question needs do
// not change the number of any other event.

import { apply, setAdd, setHas, SetOf } from './captured.js';
import { NUMBERS_OF_A_QUERY } from './constants.js';

// Whether the number is that of a write.
/** @param {number} number */
export const isOfWrite = (number) => number < NUMBERS_OF_A_QUERY;

// Within its range, the number of a condition's outcome holds the number of the last write, and how many outcomes there
// were since. So an outcome has the same number where the browser dispatches an event more, long before, to the same
// functions.
const SINCE = 2 ** 14;
const MOST_WRITES = NUMBERS_OF_A_QUERY / SINCE - 1;

// The events that one query counts are kept in its slot: an object of their own was measured to make the hook of a
// condition a third slower.

// Counting begins. `stops`: the numbers of events at which the page is to stop.
/** @param {CountedEvents} events @param {number} query @param {number[]} stops */
export function beginCounting(events, query, stops) {
  events.first = (query + 1) * NUMBERS_OF_A_QUERY;
  events.counted = events.first;
  events.stops = new SetOf();
  for (let index = 0; index < stops.length; index++) {
    if (stops[index] > events.first && stops[index] < events.first + NUMBERS_OF_A_QUERY) {
      apply(setAdd, events.stops, [stops[index]]);
    }
  }
}

// Counts one that is no outcome of a condition, and gives its number.
/** @param {CountedEvents} events */
export const countEvent = (events) => ++events.counted;

// Counts the outcome of a condition, and gives its number. `writes`: how many there were before it.
/** @param {CountedEvents} events @param {number} writes */
export function countOutcome(events, writes) {
  const since = writes < MOST_WRITES ? events.first + writes * SINCE : 0;
  events.counted = (events.counted < since ? since : events.counted) + 1;
  return events.counted;
}

// How many there were.
/** @param {CountedEvents} events */
export const countOf = (events) => events.counted - events.first;

// Whether the page is to stop at the event with this number.
/** @param {CountedEvents} events @param {number} number */
export const stopsAt = (events, number) => apply(setHas, events.stops, [number]);
