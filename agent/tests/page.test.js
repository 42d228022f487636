// What looks at a page in an isolated world: which elements selectors find.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { dist } from './realm.js';

const [SELECTORS, FRAMES] = ['selectors.js', 'frames.js'].map(dist);

function pageOf(html) {
  const { window } = new JSDOM(html, { runScripts: 'outside-only', pretendToBeVisual: true });
  return window;
}

const ask = async (window, request) => window.eval(`(${SELECTORS})(${JSON.stringify({ limitMs: 0, ...request })})`);

// Whether exactly `count` elements are found, visible or not: nothing has a place in jsdom.
async function finds(window, parts, count, more = {}) {
  const request = { task: 'element', selectors: [parts], operator: '==', count, visible: null, ...more };
  const { done, why } = await ask(window, request);
  return done ? 'found' : why;
}

const FORM = `<title>Shop</title>
  <form><label>Name <input name=who value=Ann></label><button>Buy <b>now</b></button><button aria-label="Buy now"></button>
  <input type=submit value=Send><a href=/>Home</a><a>no link</a><p>Buy now</p></form><div id=host></div>`;

test('elements are found by role and name, text, path and style', async () => {
  const page = pageOf(FORM);
  const shadow = page.document.getElementById('host').attachShadow({ mode: 'open' });
  shadow.innerHTML = '<button class=inner>Inside</button>';
  for (const [parts, count] of [
    [['aria/Buy now'], 2], [['aria/Buy now[role="button"]'], 2], [['aria/Send'], 1], [['aria/Home[role="link"]'], 1],
    [['aria/no link[role="link"]'], 0], [['aria/Inside'], 1], [['text/Home'], 1], [['text/Inside'], 1],
    [['xpath///form/p'], 1], [['#host', '.inner'], 1], [['.inner'], 0], [['pierce/.inner'], 1],
  ]) {
    assert.equal(await finds(page, parts, count), 'found', parts.join(' >> '));
  }
  assert.match(await finds(page, ['aria/Send'], 2), /1 found, 1 of them as described; wanted == 2/);
  assert.match(await finds(page, ['p['], 1), /not a valid selector/);
  assert.equal(await finds(page, ['form input'], 1, { properties: { value: 'Ann' } }), 'found');
});

test('a page says its title, and what an element is', async () => {
  const page = pageOf(FORM);
  const { title } = await ask(page, { task: 'title' });
  assert.equal(title, 'Shop');
  const recorded = { tag: 'p', text: 'Buy now', children: 0 };
  const { state } = await ask(page, { task: 'state', selectors: [['p']], recorded, waitMs: 0 });
  // Nothing is visible without a layout.
  assert.equal(state, null);
  const { editing } = await ask(page, { task: 'editing' });
  assert.equal(editing, false);
  page.document.querySelector('input').focus();
  assert.equal((await ask(page, { task: 'editing' })).editing, true);
});

test('the element of a child frame is found, also in a shadow root', () => {
  const page = pageOf('<iframe id=first></iframe><div id=host></div>');
  const holder = (index) => page.eval(`(${FRAMES})(${index})`);
  assert.equal(holder(0), page.document.getElementById('first'));
  assert.equal(holder(1), undefined);
});
