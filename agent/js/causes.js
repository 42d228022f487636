// What made the browser run the page's code: the event being dispatched.

import { apply, Event, getOwnPropertyDescriptor, realm, StringOf } from './captured.js';
import { isObject } from './basics.js';
import { beginningOf } from './beginnings.js';
import { className } from './summaries.js';
import { read } from './following.js';

const currentEvent = getOwnPropertyDescriptor(realm, 'event')?.get;

// The event being dispatched: `{ type, target }`; undefined where there is none.
export function cause() {
  if (typeof currentEvent !== 'function' || typeof Event !== 'function') return undefined;
  return causeOf(apply(currentEvent, realm, []));
}

/** @param {PageValue} event @returns {Cause | undefined} */
export function causeOf(event) {
  try {
    if (!isObject(event)) return undefined;
    const target = read(event, 'target');
    let text;
    if (isObject(target)) {
      const tag = read(target, 'localName');
      const id = read(target, 'id');
      text = typeof id === 'string' && id !== '' ? `#${beginningOf(id)}`
        : typeof tag === 'string' ? tag : className(target);
    }
    return { type: beginningOf(StringOf(read(event, 'type'))), target: text };
  } catch {
    return undefined;
  }
}
