// What is said where a document is left: at once, and from there on at the end of each task.

import assert from 'node:assert/strict';
import test from 'node:test';
import { recordsReader, unpacked } from './log-records.js';
import { pageWith } from './realm.js';

const LOG = {
  binding: '$QpLog', switchName: null, otherCall: 0, tellsResults: false, tellsNew: false, tellsPage: false,
  tellsDocument: false, longestText: 0,
};

// The navigation of a browser, as far as it is asked: jsdom has none.
const withNavigation = (window) => {
  window.NavigationDestination = class NavigationDestination {
    #isSame;
    constructor(isSame) { this.#isSame = isSame; }
    get sameDocument() { return this.#isSame; }
  };
  window.NavigateEvent = class NavigateEvent extends window.Event {
    #destination;
    constructor(isSame) {
      super('navigate');
      this.#destination = new window.NavigationDestination(isSame);
    }
    get destination() { return this.#destination; }
  };
  window.navigation = new window.EventTarget();
};

function page() {
  const page = pageWith({ log: LOG }, { bundle: 'logging', html: '<p></p>', prepare: withNavigation });
  const read = recordsReader();
  const called = () => page.batches.splice(0).flatMap((text) => read(unpacked(text)))
    .filter(([kind]) => kind === 'enter').map(([, fn]) => fn);
  const navigates = (event) => `navigation.dispatchEvent(${event})`;
  const inTask = (code) => page.run(`(() => { $QpLc(2); try { ${code} } finally { $QpLd(2, 1); } })()`);
  const call = (fn) => `$QpLc(${fn}); $QpLd(${fn}, 1);`;
  return { ...page, called, navigates, inTask, call };
}

test('what happened before another document is asked for is handed over, and what the task does then', async () => {
  const { called, navigates, inTask, call } = page();
  inTask(call(3));
  assert.deepEqual(called(), [], 'it waits for more');
  inTask(`${call(4)} ${navigates('new NavigateEvent(false)')}; ${call(5)}`);
  assert.deepEqual(called(), [2, 3, 2, 4, 5]);
  inTask(call(6));
  assert.deepEqual(called(), [2, 6], 'what follows is not kept back');
});

test('a part of the same document is none that is left, and what only looks like a navigation is no matter', () => {
  const { called, navigates, inTask, call } = page();
  for (const event of ['new NavigateEvent(true)', "new Event('navigate')"]) {
    inTask(`${call(4)} ${navigates(event)}`);
    inTask(call(5));
    assert.deepEqual(called(), [], event);
  }
});
