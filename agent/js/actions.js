// What the user does, marked in the log: `[how many events there were before, what]`.

import { apply, Event, getOwnPropertyDescriptor, realm } from './captured.js';
import { append } from './basics.js';
import { isLogging, logged, logMarks } from './log.js';
import { causeOf } from './causes.js';
import { listen } from './listeners.js';

if (isLogging && typeof realm.window === 'object') {
  const MOST_MARKS = 2000;
  let marked = 0;
  /** @type {number | undefined} */
  let lastMark;
  // Before the page's own listeners: what these write comes after the mark.
  const trusted = getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get;
  /** @param {Event} event */
  const mark = (event) => {
    if (typeof trusted !== 'function' || !apply(trusted, event, []) || marked === MOST_MARKS) return;
    const { type, target } = causeOf(event) ?? {};
    const text = target === undefined ? `${type}` : `${type} on ${target}`;
    // What follows from one action is one action, as long as nothing was written in between.
    if (lastMark === logged) return;
    lastMark = logged;
    marked++;
    append(logMarks, [logged, text]);
  };
  const actions = ['mousedown', 'touchstart', 'keydown', 'wheel', 'change', 'submit', 'drop', 'paste', 'hashchange',
    'popstate'];
  for (let index = 0; index < actions.length; index++) listen(realm, actions[index], mark, true);
}
