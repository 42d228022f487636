// What the user does without any script: typing, clicking and choosing are told as the user's, and what a page makes of
// an event as the page's.

import assert from 'node:assert/strict';
import test from 'node:test';
import { behind, byUser, pageWith } from './realm.js';

const HTML = `<!doctype html><body><input id=i value=v><input type=checkbox id=c><input type=radio name=r id=r1 checked>
  <input type=radio name=r id=r2><label id=l for=c>Label</label><details id=d><summary id=s>x</summary></details>
  <div id=e contenteditable><p id=p>old</p></div><form id=f><input id=fi value=v></form></body>`;

// The DOM here has no elements that can be edited, and says of no event where it edits.
function prepare(window) {
  Object.defineProperty(window.HTMLElement.prototype, 'isContentEditable', {
    configurable: true, get: function isContentEditable() { return this.closest('[contenteditable]') !== null; },
  });
  window.InputEvent.prototype.getTargetRanges = function getTargetRanges() { return window.ranges ?? []; };
}

function pageOf(key, given = {}) {
  const page = pageWith({ watch: [{ key }], ask: [{ key }], ...given }, { html: HTML, prepare });
  const { document, window } = page;
  const of = (id) => document.getElementById(id);
  const events = {
    KeyboardEvent: ['keydown'], MouseEvent: ['mousedown', 'click'], InputEvent: ['beforeinput', 'input'],
  };
  const does = (id, type) => {
    const name = Object.keys(events).find((it) => events[it].includes(type)) ?? 'Event';
    byUser(of(id), new window[name](type, { bubbles: true, cancelable: true, composed: true }));
  };
  const answer = (id) => {
    const { status, by, value, changes } = page.at(`document.getElementById('${id}')`)[0];
    return { status, by, text: value?.text, changes };
  };
  return { ...page, of, does, answer };
}
const USER = 'the user';

test('what is typed into a field is the user\'s', () => {
  const { of, does, answer } = pageOf('value');
  assert.equal(answer('i').status, 'never');
  does('i', 'keydown');
  behind(of('i')).value = 'w';
  does('i', 'input');
  behind(of('i')).value = 'wx';
  does('i', 'input');
  assert.deepEqual(answer('i'), { status: 'found', by: USER, text: '"wx"', changes: 2 });
});

test('what a page writes after that is the page\'s, and an event without a change is none', () => {
  const { of, does, answer, run } = pageOf('value');
  does('i', 'keydown');
  behind(of('i')).value = 'w';
  does('i', 'input');
  does('i', 'input');
  run("document.getElementById('i').value = 'page'");
  assert.deepEqual(answer('i'),
    { status: 'found', by: 'HTMLInputElement.prototype.value', text: '"page"', changes: 2 });
});

test('a click turns a box over, also where nobody has looked before', () => {
  const { does, answer } = pageOf('checked');
  does('c', 'click');
  assert.deepEqual(answer('c'), { status: 'found', by: USER, text: 'true', changes: 1 });
  does('c', 'mousedown');
  does('c', 'click');
  assert.deepEqual(answer('c'), { status: 'found', by: USER, text: 'false', changes: 2 });
});

test('of the buttons of one name the one that is turned off is the user\'s as well', () => {
  const { does, answer } = pageOf('checked');
  does('r2', 'mousedown');
  does('r2', 'click');
  assert.deepEqual(answer('r2'), { status: 'found', by: USER, text: 'true', changes: 1 });
  assert.deepEqual(answer('r1'), { status: 'found', by: USER, text: 'false', changes: 1 });
});

test('a page that prevents a click turns the box back', () => {
  const { does, answer, run } = pageOf('checked');
  run("document.getElementById('c').addEventListener('click', (event) => event.preventDefault())");
  does('c', 'mousedown');
  does('c', 'click');
  const { by, text } = answer('c');
  assert.deepEqual([by, text], ['Event.prototype.preventDefault', 'false']);
});

test('details that a click opens are the user\'s', () => {
  const { of, does, answer } = pageOf('open');
  does('s', 'mousedown');
  behind(of('d')).setAttributeNS(null, 'open', '');
  does('d', 'toggle');
  assert.deepEqual(answer('d'), { status: 'found', by: USER, text: 'true', changes: 1 });
});

test('a text that is edited between two places is the user\'s', () => {
  const { of, does, answer, window } = pageOf('textContent');
  const text = of('p').firstChild;
  window.ranges = [{ startContainer: text, endContainer: text }];
  const range = window.document.createRange();
  range.selectNodeContents(text);
  window.ranges = [range];
  does('p', 'beforeinput');
  behind(text).data = 'new';
  does('p', 'input');
  const { status, by, text: now } = answer('p');
  assert.deepEqual([status, by, now], ['found', USER, '"new"']);
});

test('an undo, of which no place is known, is what texts it has changed, moved and made', () => {
  for (const change of [
    ({ of }) => { behind(of('p').firstChild).data = 'new'; },
    ({ of, document }) => { behind(of('p')).appendChild(behind(document.createTextNode('er'))); },
    ({ of }) => { behind(of('p')).removeChild(behind(of('p').firstChild)); },
  ]) {
    const page = pageOf('textContent');
    page.does('p', 'beforeinput');
    change(page);
    page.does('p', 'input');
    const { status, by } = page.answer('p');
    assert.deepEqual([status, by], ['found', USER], `${change}`);
  }
});

test('live hooks name the event in which the user did it', () => {
  const page = pageOf('value', { armed: true, shadows: true, watch: [] });
  page.does('i', 'keydown');
  behind(page.of('i')).value = 'w';
  page.does('i', 'input');
  const { status, value, captured } = page.at("document.getElementById('i')")[0];
  assert.deepEqual([status, value.text, captured.cause], ['found', '"w"', { type: 'input', target: '#i' }]);
});

test('live hooks name it of texts that are edited, too', () => {
  const page = pageOf('textContent', { armed: true, shadows: true, watch: [] });
  page.does('p', 'beforeinput');
  behind(page.of('p').firstChild).data = 'new';
  page.does('p', 'input');
  const { status, value, captured } = page.at("document.getElementById('p')")[0];
  assert.deepEqual([status, value.text, captured?.cause?.type], ['found', '"new"', 'input']);
});

// ---- marks of what the user did, and how much of it has come ----

test('what the user did is marked among the events that are logged, once where nothing came of it', () => {
  const watch = [{ key: 'p', traced: [1] }, { kind: 'events', query: 0, logged: true }];
  const page = pageWith({ watch }, { html: HTML });
  const { document, window } = page;
  const key = () => byUser(document.getElementById('i'), new window.KeyboardEvent('keydown', { bubbles: true }));
  page.run("var o = {}; var write = (value) => { $QpW(3, o, 'p', value); o.p = value; }; write(1)");
  key();
  key();
  page.run('write(2)');
  byUser(document.body, new window.Event('paste', { bubbles: true }));
  page.run("document.body.dispatchEvent(new Event('drop', { bubbles: true })); $QpE.report()");
  const { log: { marks, sequences } } = page.messages.find((message) => message.log !== undefined);
  assert.deepEqual([marks, sequences], [[[1, 'keydown on #i'], [2, 'paste on body']], '1,2']);
});

test('the driver is told how many of the user\'s events have come, by kind', () => {
  const page = pageWith({ readAhead: true, watch: ['p'] }, { html: HTML });
  const { document, window } = page;
  const press = (target) => byUser(target, new window.Event('pointerdown', { bubbles: true }));
  press(document.body);
  press(document.getElementById('i'));
  byUser(document.body, new window.KeyboardEvent('keyup', { bubbles: true }));
  page.run("document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }))");
  assert.deepEqual(JSON.parse(page.run('$QpE.inputs()')).inputs, [0, 2, 0, 0, 1, 0, 0]);
});
