// Live hooks: who calls a built-in that writes what the browser keeps: entries of maps, storage, the DOM.
//
// No script is hooked for these: the methods and setters are replaced, and the stack says which line called one.

import { summary } from './summaries.js';
import { callerOf, heldStack } from './stacks.js';
import { writers } from './records.js';
import { notObserved } from './results.js';
import { begun, causeOfTask, SITE, taskNumber } from './live-tasks.js';

// Frames that are looked at: those of the agent are among them.
const FRAMES = 16;
// The line of a call that nobody may know.
export const UNSURE = -1;

let moment = 0;
// The number of a moment: later ones are larger.
export const nextMoment = () => ++moment;
export const momentNow = () => moment;

// So often the stack is asked in one task: to ask takes longer than to write.
const MOST_ASKED = 5000;
let asked = 0;
let askedIn = 0;

// The innermost frame of the page; none where it was asked too often, and none where it is of code that has no address:
// then another one would be wrong.
function frameNow() {
  if (askedIn !== begun) {
    askedIn = begun;
    asked = 0;
  }
  if (asked++ >= MOST_ASKED) return undefined;
  // By its place: an iterator of arrays may be the page's.
  const frame = callerOf(heldStack(FRAMES))[0];
  return frame === undefined || frame.url === '' ? undefined : frame;
}

// A write of now. `site`: of a hook, with its task; 0: the stack says it; UNSURE: nobody knows. `by`: the built-in.
/** @param {number} by @param {number} site @param {Cause | undefined} user @returns {LiveWrite} */
export function writtenNow(by, site, user) {
  const number = site > 0 ? site : taskNumber();
  const frame = site === 0 && user === undefined ? frameNow() : undefined;
  const isKnown = site !== UNSURE && (site > 0 || frame !== undefined || user !== undefined);
  return { __proto__: null, s: moment, number: isKnown ? number : UNSURE, by, frame, user, open: undefined };
}
/** @returns {LiveWrite} */
export const unsureWrite = () => (
  { __proto__: null, s: moment, number: UNSURE, by: 0, frame: undefined, user: undefined, open: undefined });

// What a write is as the answer to a question.
/** @param {LiveWrite | undefined} write @param {PageValue} value @param {boolean} deleted @returns {Result} */
export function resultOf(write, value, deleted) {
  if (write === undefined || write.number === UNSURE) return notObserved(value);
  const { number, frame, user, by } = write;
  const isCall = frame !== undefined || user !== undefined;
  return {
    status: 'found', sequence: 0, owner: 0, site: isCall ? undefined : number & SITE,
    by: isCall ? writers[by] : undefined,
    value: summary(value), raw: value, same: true, write,
    captured: {
      stack: frame === undefined ? [] : [frame], scopes: [], watches: [], cause: user ?? causeOfTask(number),
      short: false, created: false, deleted, old: undefined, value: deleted ? undefined : summary(value),
      oldUnknown: false, class: undefined,
    },
  };
}
