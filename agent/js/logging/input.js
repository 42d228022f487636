// What a person changes in a control, whether a listener of the page follows it or not: the log has it as the task of
// an event.

import { apply, Event, getOwnPropertyDescriptor, realm } from '../captured.js';
import { listen } from '../listeners.js';
import { settings } from './settings.js';
import { depth, safely, tellEvent } from './running.js';

const trusted = typeof Event === 'function' ? getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get : undefined;
const targetOf = typeof Event === 'function' ? getOwnPropertyDescriptor(Event.prototype, 'target')?.get : undefined;
// Only an origin asks for it.
if (settings.tellsResults && !settings.tellsNew && typeof realm.window === 'object') {
  for (const kind of ['input', 'change']) {
    listen(realm, kind, (event) => {
      // What a script dispatches changes nothing by itself.
      if (depth !== 0 || apply(trusted, event, []) !== true) return;
      safely(() => tellEvent(kind, apply(targetOf, event, [])));
    }, true);
  }
}
