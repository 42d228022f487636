// What has come of the user's input: while a page is paused the browser drops what the user does, so the driver must
// know whether what it sent had come before the page was paused.

import { apply, Event, getOwnPropertyDescriptor, realm } from './captured.js';
import { readsAhead } from './read-ahead.js';

// In the order in which the driver reads them.
const KINDS = ['pointermove', 'pointerdown', 'pointerup', 'keydown', 'keyup', 'wheel', 'beforeinput'];
/** @type {[number, number, number, number, number, number, number]} */
const seen = [0, 0, 0, 0, 0, 0, 0];
export const inputsSeen = () => seen;

if (readsAhead && typeof realm.window === 'object') {
  const trusted = getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get;
  for (let index = 0; index < KINDS.length; index++) {
    /** @param {Event} event */
    const count = (event) => {
      if (typeof trusted === 'function' && apply(trusted, event, [])) seen[index]++;
    };
    // Before the page's own listeners. (A page that opens its document anew takes them off: then nothing is seen.)
    apply(realm.addEventListener, realm, [KINDS[index], count, { __proto__: null, capture: true, passive: true }]);
  }
}
