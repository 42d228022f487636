// Live hooks: tasks, by which writes are told apart, and the event that each dispatches.

import { apply, getOwnPropertyDescriptor, realm } from './captured.js';
import { append } from './basics.js';
import { SITE_BITS } from './constants.js';
import { cause } from './causes.js';
import { watchOthers } from './live-doubts.js';

export const SITE = (1 << SITE_BITS) - 1;
// Numbers of tasks are not used again: a later task than this one is not told from others.
export const LAST_TASK = (1 << (30 - SITE_BITS)) - 1;

// The event that each task dispatches.
/** @type {(Cause | undefined)[]} */
export const causes = [undefined];
const currentEvent = getOwnPropertyDescriptor(realm, 'event')?.get;
/** @type {PageValue} */
let lastEvent;
let task = 0;
// How often a task was seen to begin, also where it has no number of its own.
export let begun = 0;

// Until the stack is empty, and then no longer.
async function endTask() {
  await undefined;
  __QP__Now = 0;
}

// A function begins, and no task has a number: it is called by the browser. Where no event is being dispatched, tasks
// are not told from each other.
export const Be = () => {
  begun++;
  const event = typeof currentEvent === 'function' ? apply(currentEvent, realm, []) : undefined;
  if (task === 0 || event !== lastEvent) {
    lastEvent = event;
    if (task < LAST_TASK) task++;
    append(causes, task < LAST_TASK ? cause() : undefined);
  }
  watchOthers();
  __QP__Now = task << SITE_BITS;
  endTask();
};

// The current task as a shadow's number has it, and what made the browser run it.
export function taskNumber() {
  if (__QP__Now === 0) Be();
  return __QP__Now;
}
/** @param {number} number */
export const causeOfTask = (number) => causes[number >> SITE_BITS];

// The current task; the next one, where none has a number yet.
export function taskNow() {
  if (__QP__Now !== 0) return __QP__Now >> SITE_BITS;
  const event = typeof currentEvent === 'function' ? apply(currentEvent, realm, []) : undefined;
  return task > 0 && event === lastEvent ? task : task + 1;
}
