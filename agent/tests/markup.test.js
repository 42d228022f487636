// Markup that a page makes elements of, and copies: the event handlers in them run rewritten, and are read as written.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith, rewritten } from './realm.js';

const TEXT = 'globalThis.done = this.id';
const HTML = '<!doctype html><body><div id=box><b id=old></b></div><i id=after></i></body>';

// The DOM here has not what only newer browsers have.
function prepare(window) {
  const setHTMLUnsafe = function setHTMLUnsafe(markup) { this.innerHTML = markup; };
  for (const name of ['Element', 'ShadowRoot']) window[name].prototype.setHTMLUnsafe = setHTMLUnsafe;
  window.Document.parseHTMLUnsafe = function parseHTMLUnsafe(markup) {
    return new window.DOMParser().parseFromString(markup, 'text/html');
  };
}

function page(html = HTML) {
  const handed = [];
  const made = pageWith({ driven: true }, {
    html, prepare,
    rewrite(request) {
      handed.push(request);
      return rewritten(request.text);
    },
  });
  const clicked = (expression = "document.getElementById('b')") => {
    made.window.hooks = 0;
    const [done, attribute] = made.run(`(() => { const element = ${expression}; globalThis.done = undefined;
      element.click(); return [globalThis.done, element.getAttribute('onclick')]; })()`);
    return { done, attribute, hooks: made.window.hooks };
  };
  return { ...made, handed, clicked };
}
const ran = { done: 'b', attribute: TEXT, hooks: 1 };
const markup = `'<u id=b onclick="${TEXT}"></u>'`;

const WAYS = [
  `box.innerHTML = ${markup}`,
  `box.outerHTML = ${markup}`,
  ...['beforebegin', 'afterbegin', 'beforeend', 'afterend', 'BeforeEnd'].map(
    (place) => `box.insertAdjacentHTML('${place}', ${markup})`),
  `box.setHTMLUnsafe(${markup})`,
  `document.body.append(Document.parseHTMLUnsafe(${markup}).getElementById('b'))`,
  `const parsed = new DOMParser().parseFromString(${markup}, 'text/html');
    document.body.append(document.adoptNode(parsed.getElementById('b')))`,
  `const other = document.implementation.createHTMLDocument(''); other.body.innerHTML = ${markup};
    document.body.append(other.body.firstChild)`,
  `const template = document.createElement('template'); template.innerHTML = ${markup};
    document.body.append(document.importNode(template.content, true))`,
  `const template = document.createElement('template'); template.innerHTML = ${markup};
    const range = document.createRange(); range.selectNodeContents(template.content);
    document.body.append(range.cloneContents())`,
  `box.innerHTML = ${markup}; const copy = box.cloneNode(true); box.replaceWith(copy)`,
];
for (const way of WAYS) {
  test(`a handler runs rewritten: ${way.replace(/\s+/g, ' ')}`, () => {
    const made = page();
    made.run(`{ const box = document.getElementById('box'); ${way}; }`);
    assert.deepEqual(made.clicked(), ran);
    assert.ok(made.handed.every(({ kind, text }) => kind === 'handler' && text === TEXT));
  });
}

test('in a shadow tree, and in those below it, handlers run rewritten', () => {
  for (const way of [`root.innerHTML = ${markup}`, `root.setHTMLUnsafe(${markup})`]) {
    const made = page();
    made.run(`globalThis.root = document.getElementById('box').attachShadow({ mode: 'closed' }); ${way}`);
    assert.deepEqual(made.clicked('root.firstChild'), ran, way);
  }
});

test('each way to give an attribute compiles it rewritten', () => {
  const ways = [
    'element.setAttributeNode(node)', 'element.setAttributeNodeNS(node)', 'element.attributes.setNamedItem(node)',
    'element.attributes.setNamedItemNS(node)',
    `element.setAttribute('onclick', '0'); element.getAttributeNode('onclick').nodeValue = '${TEXT}'`,
    `element.setAttribute('onclick', '0'); element.getAttributeNode('onclick').textContent = '${TEXT}'`,
  ];
  for (const way of ways) {
    const made = page('<!doctype html><body><u id=b></u></body>');
    made.run(`{ const element = document.getElementById('b'); const node = document.createAttribute('onclick');
      node.value = '${TEXT}'; ${way}; }`);
    assert.deepEqual(made.clicked(), ran, way);
  }
});

test('what is around new markup is not compiled again', () => {
  const made = page(`<!doctype html><body><u id=b onclick="${rewritten(TEXT)}"></u></body>`);
  made.run("document.getElementById('b').insertAdjacentHTML('afterend', '<i onclick=\"other()\"></i>')");
  assert.deepEqual(made.handed.map(({ text }) => text), ['other()']);
});

test('markup without handlers costs nothing, and answers as the original does', () => {
  const made = page();
  const returned = made.run(`(() => { const box = document.getElementById('box');
    return [box.insertAdjacentHTML('beforeend', '<i>x</i>'), box.innerHTML, box.cloneNode(true).innerHTML]; })()`);
  assert.deepEqual([...returned], [undefined, '<b id="old"></b><i>x</i>', '<b id="old"></b><i>x</i>']);
  assert.deepEqual(made.handed, []);
  assert.throws(() => made.run("document.getElementById('box').insertAdjacentHTML('nowhere', '<i onclick=\"f()\">')"),
    { name: 'SyntaxError' });
});

test('a request for a document may bring handlers', () => {
  const made = page();
  made.run(`{ const request = new XMLHttpRequest(); request.responseType = 'document';
    globalThis.kind = request.responseType; }`);
  assert.equal(made.window.kind, 'document');
});

// ---- addresses that are code ----

const soon = () => new Promise((resolve) => { setTimeout(resolve, 5); });

test('a form\'s address is replaced while it is submitted, and put back', async () => {
  const made = page('<!doctype html><body><form id=f action="javascript:globalThis.ran = 1"><button id=b></button>'
    + '<button id=c formaction="javascript:globalThis.ran = 2"></button></form></body>');
  const during = [];
  const form = made.document.getElementById('f');
  form.addEventListener('submit', (event) => {
    const holder = event.submitter?.hasAttribute('formaction') ? event.submitter : form;
    during.push(holder.getAttribute(holder === form ? 'action' : 'formaction'));
    event.preventDefault();
  });
  made.document.getElementById('b').click();
  made.document.getElementById('c').click();
  assert.deepEqual(during, [1, 2].map((number) => rewritten(`javascript:globalThis.ran = ${number}`)));
  await soon();
  assert.equal(form.getAttribute('action'), 'javascript:globalThis.ran = 1');
  assert.equal(made.document.getElementById('c').getAttribute('formaction'), 'javascript:globalThis.ran = 2');
  made.run("document.getElementById('f').submit()");
  assert.equal(form.getAttribute('action'), 'javascript:globalThis.ran = 1', 'at once, where a script submits it');
});

test('an address that a page opens is replaced, and others stay', () => {
  const opened = [];
  const handed = [];
  const made = pageWith({ driven: true }, {
    prepare(window) { window.open = function open(address) { opened.push(address); }; },
    rewrite(request) {
      handed.push(request.kind);
      return rewritten(request.text);
    },
  });
  made.run("open(' java\\nscript:f()'); open('/other.html'); open()");
  assert.deepEqual(opened, [rewritten(' java\nscript:f()'), '/other.html', undefined]);
  assert.deepEqual(handed, ['url']);
});

test('a link that a page has given another address meanwhile keeps that', async () => {
  const made = page('<!doctype html><body><a id=a href="javascript:f()">x</a></body>');
  const link = made.document.getElementById('a');
  link.addEventListener('click', (event) => {
    link.setAttribute('href', '/other');
    event.preventDefault();
  });
  link.click();
  await soon();
  assert.equal(link.getAttribute('href'), '/other');
});
