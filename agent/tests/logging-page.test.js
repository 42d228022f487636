// What the log has of the page: what changes in its document, what the user does, what it sends and gets.

import assert from 'node:assert/strict';
import test from 'node:test';
import { recordsReader, unpacked } from './log-records.js';
import { byUser, pageWith } from './realm.js';

const LOG = {
  binding: '$QpLog', switchName: null, otherCall: 0, tellsResults: true, tellsNew: true, tellsPage: true,
  tellsDocument: true, longestText: 0,
};
const KINDS = ['dom', 'request', 'response', 'action'];

// `log` runs code as a task and gives the records that are about the page.
function pageOf(html, options = {}, log = {}) {
  const page = pageWith({ log: { ...LOG, ...log } }, { bundle: 'logging', html, ...options });
  const read = recordsReader();
  const records = () => {
    page.run('$QpLL()');
    const all = page.batches.splice(0).flatMap((text) => read(unpacked(text)));
    return all.filter(([kind]) => KINDS.includes(kind)).map((record) => record.map((part) =>
      (typeof part === 'object' ? part.name ?? part.class.split('\u001f')[0].split('\u001e')[0] : part)).join(' '));
  };
  const loaded = new Promise((resolve) => page.window.addEventListener('load', resolve));
  return {
    ...page, records, loaded,
    log(code) {
      page.run(`(() => { $QpLc(2); try { ${code} } finally { $QpLd(2, 1); } })()`);
      return records();
    },
  };
}

test('a change of the document is told at the call or assignment that made it', async () => {
  const page = pageOf('<ul></ul><p>old</p>');
  await page.loaded;
  page.run(`var list = document.querySelector('ul'), text = document.querySelector('p');
    var li = document.createElement('li')`);
  page.records();
  const at = (code) => page.log(`$QpLW(9, $QpLz(), ${code})`);
  assert.deepEqual(at('list.append(li)'), ['dom 9 added node HTMLUListElement HTMLLIElement']);
  assert.deepEqual(at("text.classList.add('on')"), ['dom 9 class HTMLParagraphElement "on"']);
  assert.deepEqual(at("text.removeAttribute('class')"), ['dom 9 class HTMLParagraphElement absent']);
  assert.deepEqual(at("text.firstChild.data = 'new'"), ['dom 9 changed text Text "new"']);
  assert.deepEqual(at("text.textContent = 'newer'"), [
    'dom 9 removed text HTMLParagraphElement "new"', 'dom 9 added text HTMLParagraphElement "newer"',
  ]);
  assert.deepEqual(at('li.remove()'), ['dom 9 removed node HTMLUListElement HTMLLIElement']);
  assert.deepEqual(at("document.createElement('b').append('x')"), [], 'it is in no document');
});

test('what code without hooks changed is told without a place, at the next call or the end of the task', async () => {
  const page = pageOf('<p></p>');
  await page.loaded;
  page.run("var text = document.querySelector('p')");
  page.records();
  assert.deepEqual(page.log("text.id = 'a'; text.id = 'b'; $QpLW(9, $QpLz(), text.setAttribute('title', 't'));"), [
    'dom 0 id HTMLParagraphElement "b"', 'dom 9 title HTMLParagraphElement "t"',
  ]);
  assert.deepEqual(page.log("text.id = 'c'"), ['dom 0 id HTMLParagraphElement "c"']);
  page.run("text.id = 'd'");
  await null;
  assert.deepEqual(page.records(), ['dom 0 id HTMLParagraphElement "d"'], 'no task of its own');
});

test('an assignment to what is no node is looked at no further, and runs nothing of the page', async () => {
  const page = pageOf('<p></p>');
  await page.loaded;
  page.run(`var text = document.querySelector('p'), ran = 0, traps = { getPrototypeOf() { ran++; return null; } };
    var heir = Object.create(new Proxy({}, traps)); text.id = 'a'`);
  await null;
  page.records();
  for (const owner of ['{}', 'Object.create(null)', 'new Proxy({}, traps)', 'heir', '5', 'null', "'text'"]) {
    assert.equal(page.run(`$QpLz(${owner === '{}' ? '({})' : owner})`), false, owner);
  }
  assert.equal(page.run('ran'), 0);
  assert.equal(page.run('$QpLz(text)'), true);
  assert.equal(page.run('$QpLz()'), true);
});

// The order of what the browser tells is tested in one (`tests/tests/event_log/page.rs`): the DOM here has another.
test('a page that observes its document is not observed any more', async () => {
  const page = pageOf('<p></p>');
  await page.loaded;
  page.run("var text = document.querySelector('p'), told = []; text.id = 'before'");
  await null;
  page.run("new MutationObserver((records) => told.push(records.length)).observe(text, { attributes: true })");
  assert.deepEqual(page.records(), ['dom 0 id HTMLParagraphElement "before"', 'dom 0 not observed Document absent']);
  assert.deepEqual(page.log("$QpLW(9, $QpLz(), text.setAttribute('id', 'after'))"), []);
  await null;
  assert.deepEqual([...page.run('told')], [1]);
  assert.equal(page.run('MutationObserver.prototype.observe.name'), 'observe');
});

test('a shadow tree is observed from its beginning', async () => {
  const page = pageOf('<div></div>');
  await page.loaded;
  page.run("var shadow = document.querySelector('div').attachShadow({ mode: 'closed' })");
  assert.equal(page.run('Element.prototype.attachShadow.name'), 'attachShadow');
  page.records();
  assert.deepEqual(page.log("$QpLW(9, $QpLz(), shadow.append('x'))"), ['dom 9 added text ShadowRoot "x"']);
});

test('what the user does is told with what was put in, a password without', async () => {
  const page = pageOf(`<input id=name value=ann><input type=password name=pin value=1><input type=checkbox class="a b">
    <select><option>S</select><textarea>long</textarea><button>Go</button>`);
  await page.loaded;
  page.records();
  const { document, window } = page;
  const did = (selector, kind, Class = 'Event', more = {}) => {
    byUser(document.querySelector(selector), new window[Class](kind, { bubbles: true, ...more }));
    return page.records();
  };
  assert.deepEqual(did('button', 'click'), ['action 0 click button absent']);
  assert.deepEqual(did('#name', 'input'), ['action 0 input #name "ann"']);
  assert.deepEqual(did('#name', 'keydown', 'KeyboardEvent', { key: 'x' }), ['action 0 keydown #name "x"']);
  assert.deepEqual(did('[name=pin]', 'keydown', 'KeyboardEvent', { key: '1' }),
    ['action 0 keydown input[name="pin"] unknown']);
  assert.deepEqual(did('[name=pin]', 'input'), ['action 0 input input[name="pin"] unknown']);
  assert.deepEqual(did('[type=checkbox]', 'click'), ['action 0 click input[class="a b"] absent']);
  assert.deepEqual(did('[type=checkbox]', 'input'), [], 'the click is told');
  assert.deepEqual(did('select', 'input'), [], 'the change is told');
  assert.deepEqual(did('select', 'change'), ['action 0 change select "S"']);
  assert.deepEqual(did('textarea', 'input'), ['action 0 input textarea "long"']);
  page.run("document.querySelector('button').click()");
  assert.deepEqual(page.records(), [], 'a script did it');
});

// A page with a network that answers by the address.
const withNetwork = (window) => {
  window.Response = class Response {
    #url;
    #redirected;
    constructor(url, redirected) { this.#url = url; this.#redirected = redirected; }
    get url() { return this.#url; }
    get status() { return 200; }
    get redirected() { return this.#redirected; }
  };
  window.fetch = async (target) =>
    new window.Response(new window.URL(target, window.location.href).href, `${target}`.includes('moved'));
};

test('a request is told with its address and body, and the response that can be no other\'s', async () => {
  const page = pageOf('<p></p>', { prepare: withNetwork });
  await page.loaded;
  page.records();
  page.run('var told = async (promise) => { $QpLv(9, 3, await promise); }');
  page.run("$QpLn(7); told(fetch('a.json', { method: 'post', body: 'x=1' }))");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(page.records(), ['request 7 1 "POST http://shop.test/a.json" "x=1"', 'response 0 1 200 Response']);
  page.run("$QpLn(7); told(fetch('b')); told(fetch('b')); told(fetch('moved'))");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(page.records().slice(3), Array(3).fill('response 0 0 200 Response'), 'which of them is not known');
});

test('what an exception left is not where the next request comes from', async () => {
  const page = pageOf('<p></p>', { prepare: withNetwork });
  await page.loaded;
  page.records();
  page.log("try { $QpLn(7); throw new Error(); } catch {}");
  page.run("fetch('a')");
  assert.deepEqual(page.records(), ['request 0 1 "GET http://shop.test/a" absent'], 'code without hooks did it');
  assert.deepEqual(page.log("$QpLn(8); fetch('a')"), ['request 8 2 "GET http://shop.test/a" absent']);
});

test('options with code in them are not asked', async () => {
  const page = pageOf('<p></p>', { prepare: withNetwork });
  await page.loaded;
  page.records();
  page.run(`var ran = []; var options = { get method() { ran.push('method'); return 'POST'; } };
    var trapped = new Proxy({}, { getOwnPropertyDescriptor() { ran.push('trap'); } });
    fetch('a', options); fetch({ toString() { ran.push('text'); return 'b'; } }, trapped)`);
  assert.deepEqual([...page.run('ran')].filter((each) => each !== 'text'), []);
  assert.deepEqual(page.records(), ['request 0 1 "GET http://shop.test/a" absent', 'request 0 2 "GET " absent']);
});

test('nothing is told of the page where only its calls are asked for', async () => {
  const page = pageOf('<button></button>', {}, { tellsPage: false, tellsDocument: false });
  await page.loaded;
  page.records();
  byUser(page.document.querySelector('button'), new page.window.Event('click', { bubbles: true }));
  assert.deepEqual(page.log("$QpLW(9, $QpLz(), document.body.append('x'))"), []);
});
