// A page that is recorded, for the unit tests of the recorder: the user does something, and time goes on when the test
// says so.

import { JSDOM } from 'jsdom';
import { dist } from './realm.js';

const RECORDER = dist('recorder.js');

// `prepare` puts into the window what the DOM here has not.
export function recorded(html, { showsSecrets = false, prepare } = {}) {
  const { window } = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true });
  return recordedIn(window, { showsSecrets, prepare });
}

export function recordedIn(window, { showsSecrets = false, prepare } = {}) {
  const { document } = window;
  const clock = clockOf(window);
  window.CSS = { escape: (text) => text };
  window.getComputedStyle = () => ({ display: 'inline', visibility: 'visible', webkitTextSecurity: 'none' });
  const isEditable = (element) => element?.closest('[contenteditable]') !== null;
  Object.defineProperties(window.HTMLElement.prototype, {
    isContentEditable: { get() { return isEditable(this); } },
    innerText: { get() { return this.textContent; } },
  });
  window.Element.prototype.checkVisibility = function checkVisibility() { return this.closest('[hidden]') === null; };
  const listeners = new Map();
  const messages = [];
  window.addEventListener = (type, listener) => listeners.set(type, [...listeners.get(type) ?? [], listener]);
  window.tellDriver = (message) => messages.push(JSON.parse(message));
  prepare?.(window);
  window.eval(`(${RECORDER})(tellDriver, ${showsSecrets})`);
  // An event of the user's: what a script does is none.
  const user = (type, target, more) => {
    const event = {
      isTrusted: true, isPrimary: true, target, type, timeStamp: clock.now(), button: 0, detail: 1, clientX: 0,
      clientY: 0, pointerType: 'mouse', composedPath: () => [target], ...more,
    };
    for (const listener of listeners.get(type) ?? []) listener(event);
    return event;
  };
  const press = (target, more) => {
    user('pointerdown', target, more);
    user('pointerup', target, more);
    user('click', target, more);
  };
  const find = (selector) => document.querySelector(selector);
  return { window, document, messages, user, press, find, clock, take: () => messages.splice(0) };
}

// Time that goes on when the test says so: timers, frames and what waits until the page is idle.
function clockOf(window) {
  let now = 0;
  let waiting = [];
  const later = (callback, ms = 0) => waiting.push({ at: now + ms, callback });
  window.setTimeout = later;
  window.requestAnimationFrame = (callback) => later(() => callback(now), 16);
  window.requestIdleCallback = (callback) => later(callback, 1);
  Object.defineProperty(window.performance, 'now', { value: () => now });
  return {
    now: () => now,
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
        if (next === undefined) break;
        waiting = waiting.filter((it) => it !== next);
        now = next.at;
        next.callback();
      }
      now = end;
    },
  };
}
