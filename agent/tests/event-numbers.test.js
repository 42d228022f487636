// Numbers of events: as `Sequence` of the crate `querypoint` makes them.

import assert from 'node:assert/strict';
import test from 'node:test';
import { NUMBERS_OF_A_QUERY } from '../js/constants.js';
import { beginCounting, countEvent, countOf, countOutcome, isOfWrite, stopsAt } from '../js/event-numbers.js';

function eventsOf(query, stops = []) {
  const events = {};
  beginCounting(events, query, stops);
  return events;
}

test('a write and an event of a query are told apart by their numbers', () => {
  assert.deepEqual([1, NUMBERS_OF_A_QUERY - 1, NUMBERS_OF_A_QUERY, 2 * NUMBERS_OF_A_QUERY + 7].map(isOfWrite),
    [true, true, false, false]);
});

test('each query counts in a range of its own', () => {
  const events = [0, 3].map((query) => eventsOf(query));
  const numbers = [events[0], events[1], events[1]].map(countEvent);
  assert.deepEqual(numbers, [NUMBERS_OF_A_QUERY + 1, 4 * NUMBERS_OF_A_QUERY + 1, 4 * NUMBERS_OF_A_QUERY + 2]);
  assert.deepEqual(events.map(countOf), [1, 2]);
});

test('the number of an outcome says how many writes there were before it', () => {
  const events = eventsOf(0);
  const first = NUMBERS_OF_A_QUERY;
  assert.deepEqual([0, 0, 5, 5, 6].map((writes) => countOutcome(events, writes) - first),
    [1, 2, 5 * 2 ** 14 + 1, 5 * 2 ** 14 + 2, 6 * 2 ** 14 + 1]);
  // It stays in the range, and ascends, after more writes than there are numbers for.
  assert.equal(countOutcome(events, 2 ** 26 - 2) - first, (2 ** 26 - 2) * 2 ** 14 + 1);
  assert.equal(countOutcome(events, 2 ** 40) - first, (2 ** 26 - 2) * 2 ** 14 + 2);
});

test('a query stops at the events of its own', () => {
  const own = NUMBERS_OF_A_QUERY + 2;
  const stops = [7, own, 2 * NUMBERS_OF_A_QUERY + 2];
  const [first, second] = [0, 1].map((query) => eventsOf(query, stops));
  assert.deepEqual(stops.map((stop) => stopsAt(first, stop)), [false, true, false]);
  assert.deepEqual(stops.map((stop) => stopsAt(second, stop)), [false, false, true]);
});
