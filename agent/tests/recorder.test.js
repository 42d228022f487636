// What the recorder tells of what the user does: what, on which element, and by which selectors it is found again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { recorded, recordedIn } from './recorded-page.js';

const FORM = `<title>Shop</title>
  <form><label>Name <input name=who value=Ann></label><button>Buy <b>now</b></button>
  <button aria-label="Buy now"></button><input type=submit value=Send><a href=/>Home</a><a>no link</a><p>Buy now</p>
  <textarea name=note></textarea></form>`;
const kinds = (messages) => messages.map(({ kind }) => kind);

test('a press is told with selectors that find the element first', () => {
  const { messages, user, find } = recorded(FORM);
  const link = find('a');
  const at = { clientX: 3, clientY: 4 };
  user('pointerdown', link, at);
  user('pointerup', link, at);
  user('click', link, { ...at, isTrusted: false });
  assert.deepEqual(messages, []);
  user('click', link, at);
  const [{ kind, selectors, x, y, frame, device, clicks, button }] = messages;
  assert.deepEqual([messages.length, kind, x, y, frame, device, clicks, button], [1, 'press', 3, 4, [], 'mouse', 1, 0]);
  assert.deepEqual(selectors[0], ['aria/Home']);
  assert.ok(selectors.some(([part]) => part === 'text/Home'), JSON.stringify(selectors));
});

test('a press says how long it was held, and what the element was', () => {
  const { messages, user, find, clock } = recorded('<button aria-expanded=false>Menu</button>');
  user('pointerdown', find('button'));
  clock.advance(120);
  user('pointerup', find('button'));
  clock.advance(30);
  user('click', find('button'));
  assert.equal(messages[0].duration, 120);
  assert.deepEqual(messages[0].state, { tag: 'button', text: 'Menu', children: 0, aria: { expanded: 'false' } });
});

test('what the keyboard or a label makes of a press is not told once more', () => {
  const { messages, press, user, find } = recorded(FORM);
  user('click', find('button'));
  assert.deepEqual(messages, []);
  press(find('button'));
  user('click', find('input'));
  assert.deepEqual(kinds(messages), ['press']);
});

test('the menu of the other button is a press of that, and two clicks are a double', () => {
  const { take, user, find } = recorded(FORM);
  const other = { button: 2, clientX: 9 };
  user('pointerdown', find('p'), other);
  user('pointermove', find('p'), { ...other, clientX: 40 });
  user('pointerup', find('p'), { ...other, clientX: 40 });
  user('contextmenu', find('p'), other);
  assert.deepEqual(take().map(({ kind, button }) => [kind, button]), [['press', 2]]);
  user('dblclick', find('p'), { clientX: 5, clientY: 6 });
  assert.deepEqual(take().map(({ kind, x, y }) => [kind, x, y]), [['double', 5, 6]]);
});

test('what is held while it moves is a drag, with its way, and no press', () => {
  const { messages, user, find, clock } = recorded(FORM);
  user('pointerdown', find('p'), { clientX: 10, clientY: 10 });
  clock.advance(50);
  user('pointermove', find('p'), { clientX: 12, clientY: 10 });
  clock.advance(50);
  user('pointermove', find('p'), { clientX: 40, clientY: 15 });
  user('pointermove', find('p'), { clientX: 90, clientY: 90, isPrimary: false });
  user('pointerup', find('p'), { clientX: 40, clientY: 15 });
  user('click', find('p'));
  assert.deepEqual(kinds(messages), ['drag']);
  assert.deepEqual(messages[0].path, [[2, 0, 50], [30, 5, 100]]);
  assert.equal(messages[0].onto, undefined);
});

test('what is moved a little is still a press', () => {
  const { messages, user, find } = recorded(FORM);
  user('pointerdown', find('p'), { clientX: 10 });
  user('pointermove', find('p'), { clientX: 14 });
  user('pointerup', find('p'), { clientX: 14 });
  user('click', find('p'), { clientX: 14 });
  assert.deepEqual(kinds(messages), ['press']);
});

test('what can be dragged as such says where it is dropped', () => {
  const { take, user, find } = recorded('<i id=from draggable=true>x</i><b id=onto>here</b>');
  const begin = () => {
    user('pointerdown', find('#from'), { clientX: 5, clientY: 5 });
    user('dragstart', find('#from'));
    user('pointercancel', find('#from'));
    user('dragover', find('#onto'), { clientX: 60, clientY: 5, isPrimary: undefined });
  };
  begin();
  user('drop', find('#onto'), { clientX: 60, clientY: 5, isPrimary: undefined });
  user('dragend', find('#from'), { isPrimary: undefined });
  const [drag, ...others] = take();
  assert.deepEqual([drag.kind, drag.path, others.length], ['drag', [[55, 0, 0]], 0]);
  assert.deepEqual(drag.onto.selectors[0], ['#onto']);
  begin();
  user('dragend', find('#from'), { clientX: 60, clientY: 5, isPrimary: undefined });
  assert.deepEqual(take().map(({ kind, onto }) => [kind, onto]), [['drag', undefined]], 'it was dropped nowhere');
});

test('a pointer that the browser takes away leaves nothing to tell', () => {
  const { messages, user, find } = recorded(FORM);
  user('pointerdown', find('p'));
  user('pointercancel', find('p'));
  user('click', find('p'));
  assert.deepEqual(messages, []);
});

// ---- fields and keys ----

test('what is typed is told, and of a password only whose it is', () => {
  const { document, messages, user } = recorded(`<input name=who><input name=pass type=password>
    <input name=cvc><input name=token autocomplete="one-time-code"><input id=cardNumber>`);
  for (const field of document.querySelectorAll('input')) {
    field.value = 'x7';
    user('input', field);
  }
  const told = messages.map(({ kind, value, secret }) => [kind, value, secret]);
  assert.deepEqual(told, [
    ['value', 'x7', undefined], ['value', undefined, 'pass'], ['value', undefined, 'cvc'],
    ['value', undefined, 'token'], ['value', undefined, 'cardNumber'],
  ]);
  assert.ok(!JSON.stringify(messages.slice(1)).includes('x7'));
});

test('a password that the page shows stays one, and so does a field that hides its text', async () => {
  const { messages, user, find, window } = recorded('<input name=shown type=password><input name=dots>');
  find('input').type = 'text';
  await new Promise((resolve) => { queueMicrotask(resolve); });
  find('input').value = 'x7';
  user('input', find('input'));
  window.getComputedStyle = () => ({ webkitTextSecurity: 'disc' });
  user('input', find('[name=dots]'));
  assert.deepEqual(messages.map(({ secret }) => secret), ['shown', 'dots']);
});

test('secrets are told to whoever asks for them', () => {
  const { messages, user, find } = recorded('<input type=password value=x7>', { showsSecrets: true });
  user('input', find('input'));
  assert.deepEqual(messages.map(({ value, secret }) => [value, secret]), [['x7', undefined]]);
});

test('lists and texts that can be edited have values; boxes and buttons come of a click', () => {
  const { take, user, find } = recorded(`<select id=one><option>a<option selected>b</select>
    <select id=more multiple><option selected>a<option>b<option selected>c</select>
    <div contenteditable><p id=inner>some <b>text</b></p></div><input type=checkbox><input type=range><p>no field</p>`);
  user('change', find('#one'));
  user('change', find('#more'));
  user('input', find('b'));
  assert.deepEqual(take().map(({ value }) => value), ['b', 'a,c', 'some text']);
  user('input', find('[type=checkbox]'));
  user('input', find('body > p'));
  assert.deepEqual(take(), []);
  // The thumb of a slider is dragged: that is told.
  user('pointerdown', find('[type=range]'));
  user('input', find('[type=range]'));
  assert.deepEqual(take(), []);
  user('pointerup', find('[type=range]'));
  user('input', find('[type=range]'));
  assert.deepEqual(kinds(take()), ['value']);
});

test('files are told with what is in them, but for large ones', async () => {
  const { messages, user, find, window } = recorded('<input type=file>');
  const small = new window.File(['abc'], 'a.txt', { type: 'text/plain', lastModified: 5 });
  const large = { name: 'b.bin', type: '', lastModified: 6, size: 2 ** 24 };
  Object.defineProperty(find('input'), 'files', { value: [large, small] });
  const { FileReader } = window;
  const read = new Promise((resolve) => {
    window.FileReader = class extends FileReader {
      constructor() {
        super();
        super.addEventListener('loadend', resolve);
      }
    };
  });
  user('change', find('input'));
  await read;
  const [chosen, contents] = messages;
  assert.deepEqual(chosen.files, [
    { name: 'b.bin', type: '', modified: 6, size: 2 ** 24 },
    { name: 'a.txt', type: 'text/plain', modified: 5, size: 3 },
  ]);
  const { kind, index, choice } = contents;
  assert.deepEqual([messages.length, kind, index, choice], [2, 'contents', 1, chosen.choice]);
  assert.equal(Buffer.from(contents.base64, 'base64').toString(), 'abc');
});

test('keys are told that do more than type', () => {
  const { take, user, find } = recorded(FORM);
  const [field, note, button] = [find('input'), find('textarea'), find('button')];
  const key = (target, name, more) => {
    user('keydown', target, { key: name, code: name, ...more });
    user('keyup', target, { key: name, code: name });
  };
  key(field, 'a');
  key(field, 'Backspace');
  key(note, 'Enter');
  key(field, 'Process', { isComposing: true });
  assert.deepEqual(take(), []);
  key(field, 'Enter');
  key(button, 'a');
  key(field, 'z', { ctrlKey: true });
  assert.deepEqual(take().map(({ down, key: name }) => [name, down]), [
    ['Enter', true], ['Enter', false], ['a', true], ['a', false], ['z', true], ['z', false],
  ]);
  // The letter that control and alt make is typed.
  key(field, '@', { ctrlKey: true, altKey: true });
  assert.deepEqual(take(), []);
});

test('a key for capital letters is told where it does more', () => {
  const { take, user, find } = recorded(FORM);
  user('keydown', find('input'), { key: 'Shift', code: 'ShiftLeft', shiftKey: true });
  user('keydown', find('input'), { key: 'A', code: 'KeyA', shiftKey: true });
  assert.deepEqual(take(), []);
  user('keydown', find('input'), { key: 'Tab', code: 'Tab', shiftKey: true });
  user('keyup', find('input'), { key: 'Tab', code: 'Tab', shiftKey: true });
  user('keyup', find('input'), { key: 'Shift', code: 'ShiftLeft' });
  assert.deepEqual(take().map(({ down, key }) => [key, down]), [
    ['Shift', true], ['Tab', true], ['Tab', false], ['Shift', false],
  ]);
});

// ---- scrolling, the window, the browser ----

test('scrolling is told that comes soon after what the user did', () => {
  const { take, user, find, document, clock, window } = recorded('<div id=list>x</div>');
  clock.advance(10_000);
  user('scroll', document);
  assert.deepEqual(take(), [], 'a script scrolled');
  user('touchmove', find('#list'));
  clock.advance(100);
  Object.assign(window, { scrollX: 0, scrollY: 240.4 });
  user('scroll', document);
  find('#list').scrollTop = 12;
  user('scroll', find('#list'));
  assert.deepEqual(take().map(({ kind, selectors, y }) => [kind, selectors[0], y]), [
    ['scroll', undefined, 240], ['scroll', ['#list'], 12],
  ]);
});

test('a turn of the wheel is told that the page took for itself', () => {
  const { take, user, find, clock } = recorded('<div id=map>x</div>');
  const event = user('wheel', find('#map'), { deltaX: 0, deltaY: 53, clientX: 7, clientY: 8 });
  event.defaultPrevented = true;
  user('wheel', find('#map'), { deltaX: 1, deltaY: 1 });
  clock.advance(1);
  assert.deepEqual(take().map(({ kind, x, y, dx, dy }) => [kind, x, y, dx, dy]), [['wheel', 7, 8, 0, 53]]);
});

test('another size of the window is told', () => {
  const { take, user, window } = recorded('<p>x</p>');
  Object.assign(window, { innerWidth: 300, innerHeight: 200, devicePixelRatio: 2 });
  user('resize', window);
  const [{ kind, width, height, scale }] = take();
  assert.deepEqual([kind, width, height, scale], ['viewport', 300, 200, 2]);
});

test('a script that goes back is told, and where the user is once a page has asked', async () => {
  const status = { state: 'prompt' };
  let navigated;
  const { take, window } = recorded('<p>x</p>', {
    prepare(window) {
      window.navigation = { addEventListener: (_, listener) => { navigated = listener; } };
      const query = () => Promise.resolve(status);
      Object.defineProperty(window.navigator, 'permissions', { value: { query } });
      const coords = { latitude: 1, longitude: 2, accuracy: 3, speed: 4 };
      const getCurrentPosition = (then) => then({ coords });
      Object.defineProperty(window.navigator, 'geolocation', { value: { getCurrentPosition } });
    },
  });
  navigated({ navigationType: 'traverse', userInitiated: true });
  navigated({ navigationType: 'push', userInitiated: false });
  assert.deepEqual(take(), []);
  navigated({ navigationType: 'traverse', userInitiated: false });
  assert.deepEqual(kinds(take()), ['traverse']);
  await window.Promise.resolve();
  assert.deepEqual(take(), [], 'nobody has asked');
  status.state = 'granted';
  status.onchange();
  status.state = 'denied';
  status.onchange();
  assert.deepEqual(take().map(({ geolocation }) => geolocation), [
    { at: { latitude: 1, longitude: 2, accuracy: 3 } }, 'denied',
  ]);
});

test('a child frame says which it is', () => {
  const { window: outer } = new JSDOM('<iframe></iframe><iframe></iframe>', { runScripts: 'outside-only' });
  const inner = outer.frames[1];
  inner.document.body.innerHTML = '<button>x</button>';
  const { messages, press, find } = recordedIn(inner);
  press(find('button'));
  assert.deepEqual(messages[0].frame, [1]);
});

// ---- what the pointer has to come over ----

const MENU = `<button id=menu>Menu</button><ul hidden><li id=item>Item<ul hidden><li id=deep>Deep</ul></ul>
  <p id=far>Far</p>`;
function hovering() {
  const page = recorded(MENU);
  const { user, find, clock } = page;
  user('load', page.document);
  clock.advance(1000);
  const over = (selector, shows) => {
    user('pointerover', find(selector));
    if (shows !== undefined) find(shows).parentElement.hidden = false;
    clock.advance(1000);
  };
  return { ...page, over };
}

test('an element that was shown by coming over others is told with these', () => {
  const { take, press, find, over } = hovering();
  over('#menu', '#item');
  over('#item', '#deep');
  press(find('#deep'));
  const told = take();
  assert.deepEqual(kinds(told), ['hover', 'hover', 'press']);
  assert.deepEqual(told.map(({ selectors }) => selectors.find(([part]) => part.startsWith('#'))),
    [['#menu'], ['#item'], ['#deep']]);
});

test('what was there before needs no hover, nor what a click has shown', () => {
  const { take, press, find, over, clock } = hovering();
  over('#menu', '#item');
  press(find('#far'));
  assert.deepEqual(kinds(take()), ['press']);
  press(find('#menu'));
  find('#deep').parentElement.hidden = false;
  clock.advance(1000);
  press(find('#deep'));
  assert.deepEqual(kinds(take()), ['press', 'press']);
});

test('a finger comes over nothing', () => {
  const { take, press, user, find, clock } = hovering();
  user('pointerover', find('#menu'), { pointerType: 'touch' });
  find('#item').parentElement.hidden = false;
  clock.advance(1000);
  press(find('#item'));
  assert.deepEqual(kinds(take()), ['press']);
});

// ---- selectors ----

function selectorsOf(html, selector = '[data-here]') {
  const { messages, press, find } = recorded(html);
  press(find(selector));
  return messages[0].selectors;
}
const styles = (html) => selectorsOf(html).filter(([part]) => !/^(aria|text|xpath|pierce)\//.test(part));

test('the best path is that which stays the same', () => {
  for (const [html, expected] of [
    ['<i data-here data-testid="buy">x</i><i>y</i>', '[data-testid="buy"]'],
    ['<i data-here data-testid="buy">x</i><i data-testid="buy" id=b>y</i>', 'i:nth-of-type(1)'],
    ['<i data-here id=buy>x</i>', '#buy'],
    ['<i data-here id=item-48213>x</i><i>y</i>', 'i:nth-of-type(1)'],
    ['<i data-here class="css-1a2b3c big">x</i><i>y</i>', 'i.big'],
    ['<input data-here name=who><input name=other>', 'input[name="who"]'],
    ['<p id=box><i>x</i><i data-here>y</i></p><p><i>z</i><i>z</i></p>', '#box > i:nth-of-type(2)'],
  ]) {
    assert.deepEqual(styles(html), [[expected]], html);
  }
});

test('an element in a shadow tree is found by way of its host', () => {
  const { messages, press, find } = recorded('<div id=host></div><button>Other</button>');
  const root = find('#host').attachShadow({ mode: 'open' });
  root.innerHTML = '<button>Inside</button>';
  const button = root.querySelector('button');
  press(find('#host'), { composedPath: () => [button] });
  const { selectors } = messages[0];
  assert.deepEqual(selectors[0], ['aria/Inside']);
  assert.ok(selectors.some((parts) => parts.join() === '#host,button'), JSON.stringify(selectors));
  assert.ok(!selectors.some(([part]) => part.startsWith('xpath/')), 'no path leads into it');
  assert.ok(!selectors.some(([part]) => part === 'pierce/button'), 'another button is found first');
});

test('a path of the tree begins at an id, and leaves out what finds another first', () => {
  const xpath = (html) => selectorsOf(html).find(([part]) => part.startsWith('xpath/'));
  assert.deepEqual(xpath('<p id=box><i>x</i><i data-here>y</i></p>'), ['xpath///*[@id="box"]/i[2]']);
  assert.deepEqual(xpath('<p><i data-here>y</i></p>'), ['xpath//html/body/p/i']);
  const texts = selectorsOf('<i>same</i><i data-here>same</i>').filter(([part]) => part.startsWith('text/'));
  assert.deepEqual(texts, []);
});

test('a field that is typed into keeps its selectors while they find it', () => {
  const { take, user, find } = recorded('<label>Name <input></label><label>Town <input id=town></label>');
  user('input', find('input'));
  const [{ selectors }] = take();
  find('input').value = 'x';
  user('input', find('input'));
  assert.deepEqual(take()[0].selectors, selectors);
  find('label').remove();
  user('input', find('#town'));
  assert.deepEqual(take()[0].selectors[0], ['aria/Town']);
});
