// What a step of a recording does in a page: where it clicks, what it types, what it waits for, and what it says where
// it cannot.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { layOut } from './layout.js';
import { dist } from './realm.js';

const SELECTORS = dist('selectors.js');

// A page whose elements are at places.
function page(html, ...rects) {
  const { window } = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true });
  const { document } = window;
  const { layout, add, move, scrolled } = layOut(window, rects);
  const ask = async (task, request) => {
    const answer = await window.eval(`(${SELECTORS})(${JSON.stringify({ task, limitMs: 1000, ...request })})`);
    // As the driver gets it.
    return JSON.parse(JSON.stringify(answer));
  };
  return { window, document, layout, add, move, scrolled, ask, find: (selector) => document.querySelector(selector) };
}

// ---- where to click ----

test('a click goes where it was recorded in the element, else to its middle', async () => {
  const { ask } = page('<button id=b>Buy</button>', ['#b', 100, 50, 80, 20]);
  const at = (request) => ask('point', { selectors: [['#b']], ...request });
  const exact = await at({ offsetX: 3, offsetY: 4 });
  assert.deepEqual([exact.done, exact.x, exact.y, exact.selector, exact.notes], [true, 103, 54, '#b', []]);
  const middle = await at({});
  assert.deepEqual([middle.x, middle.y, middle.notes], [140, 60, []]);
  const smaller = await at({ offsetX: 90, offsetY: 4 });
  assert.deepEqual([smaller.x, smaller.y], [140, 60]);
  assert.match(smaller.notes[0], /smaller than where the recording acted/);
});

test('of several selectors the first counts that finds something visible and usable', async () => {
  const { ask } = page('<button id=a>a</button><button id=b disabled>b</button><button id=c>c</button>',
    ['#b', 0, 0, 9, 9], ['#c', 0, 0, 9, 9]);
  const at = (selectors, enabled) => ask('point', { selectors, enabled, limitMs: 0 });
  const { selector, done } = await at([['#none'], ['#a'], ['#b'], ['#c']], true);
  assert.deepEqual([done, selector], [true, '#c']);
  const { done: isDone, why } = await at([['#none'], ['#a'], ['#b'], ['b[']], true);
  assert.equal(isDone, false);
  assert.match(why, /^#none: no such element; #a: found, but not visible; #b: found, but disabled; b\[: not a valid/);
  assert.equal((await at([['#b']], false)).done, true);
});

test('what is covered is said to be, unless what covers it belongs to it', async () => {
  const html = '<button id=b><i id=icon>x</i></button><label id=l><input id=i></label>'
    + '<div id=over class="dim big"></div>';
  const { ask, move } = page(html, ['#b', 0, 0, 40, 40], ['#icon', 0, 0, 40, 40], ['#i', 100, 0, 20, 20],
    ['#l', 90, 0, 40, 40]);
  const notes = async (selector) => (await ask('point', { selectors: [[selector]] })).notes;
  assert.deepEqual(await notes('#b'), []);
  assert.deepEqual(await notes('#icon'), []);
  assert.deepEqual(await notes('#i'), []);
  move('#over', 0, 0, 500, 500);
  assert.deepEqual(await notes('#b'), ['it is covered by div#over.dim.big']);
});

test('what covers it for a while is waited for', async () => {
  const { ask, move, window } = page('<button id=b>x</button><div id=over></div>', ['#b', 0, 0, 40, 40],
    ['#over', 0, 0, 500, 500]);
  let frames = 0;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = (then) => frame(() => {
    if (++frames === 4) move('#over', 0, 0, 0, 0);
    then();
  });
  const { notes } = await ask('point', { selectors: [['#b']], coverMs: 1000 });
  assert.deepEqual(notes, []);
  assert.ok(frames >= 4, `${frames} frames`);
});

test('in a shadow tree the innermost element is hit', async () => {
  const made = page('<div id=host></div>', ['#host', 0, 0, 40, 40]);
  const root = made.find('#host').attachShadow({ mode: 'open' });
  root.innerHTML = '<button>x</button>';
  const button = root.querySelector('button');
  made.add(button, 0, 0, 40, 40);
  root.elementFromPoint = () => button;
  const { notes, x } = await made.ask('point', { selectors: [['#host', 'button']] });
  assert.deepEqual([notes, x], [[], 20]);
});

test('what is outside of the window is scrolled into it first', async () => {
  const { ask, move, layout, scrolled } = page('<p id=b>x</p>', ['#b', 10, 5000, 20, 20]);
  layout.onScroll = () => move('#b', 10, 300, 20, 20);
  const { x, y } = await ask('point', { selectors: [['#b']] });
  assert.deepEqual([x, y, scrolled], [20, 310, [['b', 'center']]]);
  move('#b', 10, 9000, 20, 20);
  layout.onScroll = () => undefined;
  await ask('point', { selectors: [['#b']] });
  assert.equal(scrolled.at(-1)[0], 'by', 'what cannot be scrolled to is gone to by the window');
});

test('an element that goes on moving is said to, and one that comes to rest is waited for', async () => {
  const { ask, move, layout, window } = page('<p id=b>x</p>', ['#b', 0, 0, 20, 20]);
  let left = 0;
  let most = Infinity;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = (then) => frame(() => {
    if (left < most) move('#b', ++left, 0, 20, 20);
    then();
  });
  const moving = await ask('point', { selectors: [['#b']], limitMs: 60 });
  assert.deepEqual(moving.notes, ['it did not stop moving']);
  most = left + 3;
  const rest = await ask('point', { selectors: [['#b']] });
  assert.deepEqual([rest.x, rest.notes], [most + 10, []]);
  // At the beginning of a transition, or while no time goes by, being in one place says less.
  let frames = 0;
  window.requestAnimationFrame = (then) => frame(() => {
    frames++;
    then();
  });
  layout.animations = [{ playState: 'running', pending: false, currentTime: 10 }];
  await ask('point', { selectors: [['#b']] });
  assert.ok(frames > 10, `${frames} frames`);
  frames = 0;
  layout.animations[0].currentTime = 500;
  await ask('point', { selectors: [['#b']] });
  assert.ok(frames < 10, `${frames} frames`);
});

// ---- what is typed ----

async function edited(html, value, prepare) {
  const made = page(html, ['[data-it]', 0, 0, 9, 9]);
  const element = made.find('[data-it]');
  const events = [];
  for (const type of ['input', 'change']) element.addEventListener(type, () => events.push(type));
  prepare?.(element, made);
  const { done, why, how, text, clear, notes } = await made.ask('edit', { selectors: [['[data-it]']], value });
  const said = Object.entries({ how, text, clear }).filter(([, it]) => it !== undefined);
  const told = done ? Object.fromEntries(said) : why;
  return { told, events, element, notes, ...made };
}

const TYPED = [
  ['<input data-it>', 'abc', { how: 'type', text: 'abc', clear: false }],
  ['<input data-it value=ab>', 'abc', { how: 'type', text: 'c', clear: false }],
  ['<input data-it value=x>', 'abc', { how: 'type', text: 'abc', clear: true }],
  ['<input data-it value=abc>', 'abc', { how: 'already' }],
  ['<textarea data-it>old</textarea>', '', { how: 'type', text: '', clear: true }],
  ['<input data-it type=number value=1>', '12', { how: 'type', text: '2', clear: false }],
  ['<div data-it contenteditable>old</div>', 'new', { how: 'type', text: 'new', clear: true }],
  ['<div data-it contenteditable></div>', 'new', { how: 'type', text: 'new', clear: false }],
  ['<input data-it type=checkbox>', 'on', { how: 'click' }],
  ['<input data-it type=checkbox>', 'off', { how: 'already' }],
  ['<input data-it type=radio checked>', 'true', { how: 'already' }],
];
for (const [html, value, expected] of TYPED) {
  test(`${html} is to have ${JSON.stringify(value)}: ${JSON.stringify(expected)}`, async () => {
    const moved = [];
    const { told, events, document, element } = await edited(html, value, (_, { window }) => {
      window.Selection.prototype.modify = (...how) => moved.push(how.join(' '));
    });
    assert.deepEqual(told, expected);
    assert.deepEqual(events, [], 'what is typed tells itself');
    if (expected.how === 'type' && element.localName !== 'div') assert.equal(document.activeElement, element);
    if (element.type === 'number') assert.deepEqual(moved, ['move forward lineboundary']);
    else if (expected.text === 'c') assert.deepEqual([element.selectionStart, element.selectionEnd], [2, 2]);
    else if (expected.clear && element.select) assert.equal(element.selectionEnd, element.value.length);
  });
}

const SET = [
  ['<select data-it><option>a<option>b</select>', 'b', 'b', []],
  ['<input data-it type=date>', '2026-11-28', '2026-11-28', []],
  ['<input data-it type=range max=10 value=3>', '50', '10', ['the field made "10" of "50"']],
  ['<input data-it type=color>', 'red', '#000000', ['the field made "#000000" of "red"']],
];
for (const [html, value, after, notes] of SET) {
  test(`${html} is given ${value}, and its page is told`, async () => {
    const result = await edited(html, value);
    assert.deepEqual([result.told, result.element.value, result.notes], [{ how: 'set' }, after, notes]);
    assert.deepEqual(result.events, ['input', 'change']);
    const again = await result.ask('edit', { selectors: [['[data-it]']], value: after });
    assert.equal(again.how, 'already');
    assert.equal(result.events.length, 2, 'what is there already is not set again');
  });
}

test('of a list all options are chosen that are named', async () => {
  const html = '<select data-it multiple><option>a<option selected>b<option>c</select>';
  const { told, element, events } = await edited(html, 'a,c');
  assert.deepEqual(told, { how: 'set' });
  assert.deepEqual([...element.selectedOptions].map(({ value }) => value), ['a', 'c']);
  assert.deepEqual(events, ['input', 'change']);
});

const REFUSED = [
  ['<select data-it><option>a</select>', 'z', /no option has the value "z"/],
  ['<p data-it>x</p>', 'z', /a <p> has no value to change/],
  ['<input data-it type=file>', 'z', /a file cannot be chosen by a recording/],
  ['<input data-it type=submit>', 'z', /an <input type=submit> has no value to type/],
  ['<input data-it disabled>', 'z', /found, but disabled/],
];
for (const [html, value, why] of REFUSED) {
  test(`${html} cannot have ${value}`, async () => {
    const made = page(html, ['[data-it]', 0, 0, 9, 9]);
    const answer = await made.ask('edit', { selectors: [['[data-it]']], value, limitMs: 0 });
    assert.equal(answer.done, false);
    assert.match(answer.why, why);
  });
}

// ---- scrolling, waiting ----

test('the page is scrolled, or an element', async () => {
  const { ask, scrolled } = page('<div id=list>x</div>', ['#list', 0, 0, 9, 9]);
  assert.equal((await ask('scroll', { x: 1, y: 2 })).done, true);
  assert.equal((await ask('scroll', { selectors: [['#list']], x: 3, y: 4 })).selector, '#list');
  assert.deepEqual(scrolled, [['page', 1, 2], ['list', 3, 4]]);
  const { done, why } = await ask('scroll', { selectors: [['#none']], limitMs: 0 });
  assert.deepEqual([done, why], [false, '#none: no such element']);
});

test('elements are counted as they are described', async () => {
  const { ask } = page('<i class=a data-n=1 title=t>x</i><i class=a>y</i><i class=a>z</i>', ['[data-n]', 0, 0, 9, 9]);
  const holds = async (operator, count, more) => {
    const answer = await ask('element', { selectors: [['.a']], operator, count, visible: null, limitMs: 0, ...more });
    return answer.done || answer.why;
  };
  assert.equal(await holds('==', 3), true);
  assert.equal(await holds('>=', 2), true);
  assert.equal(await holds('<=', 3), true);
  assert.equal(await holds('<=', 2), '.a: 3 found, 3 of them as described; wanted <= 2');
  assert.equal(await holds('==', 1, { visible: true }), true);
  assert.equal(await holds('==', 1, { visible: false }),
    '.a: 3 found, 1 of them visible and as described; wanted not == 1');
  assert.equal(await holds('==', 2, { visible: false }), true);
  assert.equal(await holds('==', 1, { attributes: { title: 't' } }), true);
  assert.equal(await holds('==', 1, { properties: { dataset: { n: '1' } } }), true);
  assert.equal(await holds('==', 0, { properties: { dataset: { n: 1 } } }), true);
  assert.equal(await holds('>', 1), 'unknown operator >');
  // A selector that is none is passed over where another is one.
  assert.equal(await holds('==', 3, { selectors: [['i['], ['.a']] }), true);
});

test('an element is waited for until it is there', async () => {
  const { ask, document, window } = page('<p>x</p>');
  let frames = 0;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = (then) => frame(() => {
    if (++frames === 3) document.body.append(document.createElement('i'));
    then();
  });
  const answer = await ask('element', { selectors: [['i']], operator: '==', count: 1, visible: null });
  assert.deepEqual([answer.done, frames], [true, 3]);
});

test('an element says what it is once it is as it was recorded', async () => {
  const html = `<input id=c type=checkbox checked aria-invalid=true><select id=s><option>a<option selected>b</select>
    <p id=p>some <b>text</b><script>0</script></p><input id=secret value=x7>`;
  const { ask, find, window } = page(html, ...['#c', '#s', '#p', '#secret'].map((each) => [each, 0, 0, 9, 9]));
  const state = async (selector, recorded, waitMs = 0) =>
    (await ask('state', { selectors: [[selector]], recorded, waitMs })).state;
  assert.deepEqual(await state('#c', {}), { tag: 'input', checked: true, aria: { invalid: 'true' } });
  assert.deepEqual(await state('#s', { value: 'b' }), { tag: 'select', value: 'b' });
  assert.deepEqual(await state('#p', {}), { tag: 'p', text: 'some text', children: 2 });
  assert.deepEqual(await state('#secret', {}), { tag: 'input' }, 'what was not recorded is not told');
  assert.equal(await state('#none', {}), null);
  let frames = 0;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = (then) => frame(() => {
    if (++frames === 2) find('b').textContent = 'words';
    then();
  });
  const recorded = { tag: 'p', text: 'some words', children: 2 };
  assert.deepEqual(await state('#p', recorded, 1000), recorded);
  assert.equal(frames, 2);
});

// ---- files, frames ----

test('a field for files is left for the driver, and told what was chosen', async () => {
  const { ask, find, window } = page('<label id=l>File <input id=f type=file hidden></label><p id=p>x</p>');
  const { done, selector } = await ask('file', { selectors: [['#none'], ['#l']], limitMs: 0 });
  assert.deepEqual([done, selector, window.querypointField], [true, '#l', find('#f')]);
  const refused = await ask('file', { selectors: [['#none'], ['#p'], ['p[']], limitMs: 0 });
  assert.match(refused.why, /^#none: no such element; #p: not a field for files; p\[: not a valid selector/);
  Object.defineProperty(window.querypointTrial, 'files', { value: [{ size: 3 }, { size: 0 }] });
  assert.deepEqual((await ask('sizes')).sizes, [3, 0]);
});

test('files of a recording are given to the field', async () => {
  const { ask, find, window } = page('<input id=f type=file>');
  window.DataTransfer = class {
    files = [];
    items = { add: (file) => this.files.push(file) };
  };
  let given;
  Object.defineProperty(find('#f'), 'files', { set(files) { given = files; } });
  const events = [];
  for (const type of ['input', 'change']) find('#f').addEventListener(type, () => events.push(type));
  await ask('file', { selectors: [['#f']] });
  const base64 = Buffer.from('aé').toString('base64');
  await ask('fill', { files: [{ name: 'a.txt', type: 'text/plain', modified: 5, base64 }] });
  assert.deepEqual(events, ['input', 'change']);
  const [{ name, type, lastModified, size }] = given;
  assert.deepEqual([name, type, lastModified, size], ['a.txt', 'text/plain', 5, 3]);
});

test('whether a text is being edited is seen also where nobody can look', async () => {
  const { ask, find, document } = page(`<textarea id=t></textarea><button id=b>x</button>
    <x-closed id=x tabindex=0></x-closed><div id=host></div>`);
  const root = find('#host').attachShadow({ mode: 'open' });
  root.innerHTML = '<input id=inner>';
  const editing = async (element) => {
    element.focus();
    return (await ask('editing')).editing;
  };
  assert.equal(await editing(find('#t')), true);
  assert.equal(await editing(find('#b')), false);
  assert.equal(await editing(find('#x')), true);
  assert.equal(await editing(root.querySelector('input')), true);
  find('#b').focus();
  document.designMode = 'on';
  assert.equal((await ask('editing')).editing, true);
});

test('a child frame is found by its number', async () => {
  const html = '<iframe id=first></iframe><iframe id=second></iframe>';
  const { ask, scrolled } = page(html, ['#second', 30, 40, 100, 100]);
  const { done, x, y } = await ask('frameOffset', { index: 1 });
  assert.deepEqual([done, x, y, scrolled], [true, 30, 40, [['second', 'nearest']]]);
  const none = await ask('frameOffset', { index: 2 });
  assert.deepEqual([none.done, none.why], [false, 'there is no frame number 2']);
  assert.equal((await ask('frame')).done, true);
});
