// A document that is left says what it has: what it posts at `pagehide` is lost where the next document has a renderer
// frame of its own, and without a body it has no `beforeunload`.

import { apply, getOwnPropertyDescriptor, realm } from './captured.js';
import { append } from './basics.js';
import { listen } from './listeners.js';

const { navigation, NavigateEvent, NavigationDestination, queueMicrotask } = realm;
/** @param {unknown} of @param {string} name */
const getterOf = (of, name) =>
  (typeof of === 'function' ? getOwnPropertyDescriptor(of.prototype, name)?.get : undefined);
const destination = getterOf(NavigateEvent, 'destination');
const sameDocument = getterOf(NavigationDestination, 'sameDocument');

/** @type {(() => void)[]} */
const acts = [];
// Whether another document was asked for: what happens from here on is said at the end of each task.
export let isLeaving = false;

function sayAll() {
  for (let index = 0; index < acts.length; index++) acts[index]();
}

/** @param {Event} event */
function navigates(event) {
  try {
    const to = apply(/** @type {() => unknown} */ (destination), event, []);
    if (apply(/** @type {() => unknown} */ (sameDocument), to, []) === true) return;
  } catch { return; /* not an event of the platform */ }
  isLeaving = true;
  sayAll();
  // What the page does until the stack is empty, too.
  if (typeof queueMicrotask === 'function') queueMicrotask(sayAll);
}

/** @param {() => void} act what says it; it throws nothing */
export function whenLeaving(act) {
  append(acts, act);
  if (acts.length > 1 || typeof realm.window !== 'object') return;
  listen(realm, 'beforeunload', sayAll, true);
  listen(realm, 'pagehide', sayAll, true);
  if (typeof navigation === 'object' && destination !== undefined && sameDocument !== undefined) {
    listen(/** @type {EventTarget} */ (navigation), 'navigate', navigates, true);
  }
}
