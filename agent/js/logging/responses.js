// Responses to `fetch`: the log has each where it meets it first, for the promise of a request is the page's own.

import { apply } from '../captured.js';
import { append } from '../basics.js';
import { getterOf } from '../dom-platform.js';
import { encoder } from './running.js';

const addressOf = getterOf('Response', 'url');
const statusOf = getterOf('Response', 'status');
const isRedirected = getterOf('Response', 'redirected');

// What was sent, and has no response that the log has met.
/** @type {{ __proto__: null, number: number, address: string }[]} */
let waiting = [];
// More are not kept: the log does not know which response is whose.
const MOST_WAITING = 1000;

/** @param {number} number @param {string} address */
export function awaitResponse(number, address) {
  if (waiting.length < MOST_WAITING) append(waiting, { __proto__: null, number, address });
}

// Which request a response answers is said where no other can be meant.
/** @param {object} response */
export function tellResponse(response) {
  const address = apply(addressOf, response, []);
  let number = 0;
  let alike = 0;
  /** @type {typeof waiting} */
  const left = [];
  if (apply(isRedirected, response, []) !== true) {
    for (let index = 0; index < waiting.length; index++) {
      const request = waiting[index];
      if (request.address !== address) {
        append(left, request);
        continue;
      }
      alike++;
      number = request.number;
    }
  }
  if (alike === 1) waiting = left;
  encoder.response(alike === 1 ? number : 0, /** @type {number} */ (apply(statusOf, response, [])), response);
}
