// Stops: where the page is paused until the driver has read what there is to read.

import { apply, now, setAdd, setHas, SetOf } from './captured.js';
import { config } from './config.js';
import { append } from './basics.js';
import { sequence } from './counters.js';
import { isOfWrite } from './event-numbers.js';
import { hasStopped, readsAhead } from './read-ahead.js';
import { wasPaused } from '#persistent';
import { handOverLog, isLogging } from './log.js';

// Those that a query counts are kept with it. One that turns out to be no change is passed by; those after it
// count nevertheless.
/** @type {number[]} */
const stops = [];
export const stopsToCome = new SetOf();
for (let index = 0; index < config.stops.length; index++) {
  if (!isOfWrite(config.stops[index])) continue;
  append(stops, config.stops[index]);
  apply(setAdd, stopsToCome, [config.stops[index]]);
}
export const anyStop = stops.length > 0;
/** @param {number} s */
export const isStop = (s) => (anyStop ? apply(setHas, stopsToCome, [s]) : readsAhead);

// The next one from here on, as events are numbered.
let nextStop = 0;
export function stopAhead() {
  while (nextStop < stops.length && stops[nextStop] <= sequence) nextStop++;
  return nextStop < stops.length ? stops[nextStop] : Infinity;
}

// The event at which the page is paused.
/** @type {PausedEvent | undefined} */
export let pausedEvent;
// Whether the page is a person's now: then nothing stops it any more.
let released = false;

// Nothing stops the page any more.
export function releasePage() {
  released = true;
}

// The page is paused at `event`, or at none any more.
/** @param {PausedEvent | undefined} event */
export function pauseAtEvent(event) {
  pausedEvent = event;
}

// The driver finds the page stopped here, reads `event`, and lets it go on.
/** @param {PausedEvent} given */
export function stop(given) {
  // Without a prototype, for the driver also asks for what is not there.
  const event = { __proto__: null, ...given };
  if (released) return event;
  // An execution may be over with what is read here.
  if (isLogging) handOverLog();
  pausedEvent = event;
  const since = now();
  debugger;
  const took = now() - since;
  wasPaused(took);
  if (readsAhead) hasStopped(took);
  pausedEvent = undefined;
  return event;
}
