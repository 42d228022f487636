// What the agent listens to. A page that opens its document anew (`document.open`, or a write after the end) takes
// every listener off its window and its document; so they are put on again.

import { apply } from './captured.js';
import { append } from './basics.js';

export const { listen, listenAgain } = (() => {
  /** @type {(() => void)[]} */
  const listening = [];
  return {
    /**
     * @param {EventTarget} target @param {string} type @param {(event: Event) => void} listener
     * @param {boolean | { __proto__: null, capture: boolean, once?: boolean }} options
     */
    listen: (target, type, listener, options) => {
      const add = target.addEventListener;
      const listens = () => apply(add, target, [type, listener, options]);
      append(listening, listens);
      listens();
    },
    // One that is still there is not added twice.
    listenAgain: () => {
      for (let index = 0; index < listening.length; index++) listening[index]();
    },
  };
})();
