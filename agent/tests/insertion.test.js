// Scripts and handlers that a page makes of elements: the rewritten text runs, and the author's is what the page reads.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith, rewritten } from './realm.js';

function page(html = '<!doctype html><body></body>', url) {
  const handed = [];
  const made = pageWith({ driven: true }, {
    html, url,
    rewrite(request) {
      handed.push(request);
      // Markup as the rewriter of HTML gives it: here, handlers alone.
      if (request.kind === 'markup') {
        return request.text.replace(/onclick="([^"]*)"/g, (_, text) => `onclick="${rewritten(text)}"`);
      }
      return rewritten(request.text);
    },
  });
  return { ...made, handed };
}
const loaded = ({ window, document }) => new Promise((resolve) => {
  if (document.readyState === 'complete') resolve();
  else window.addEventListener('load', resolve);
});
const kinds = ({ handed }) => handed.map(({ kind }) => kind);

test('each way to insert a script runs the rewritten text once', () => {
  const ways = [
    'document.body.append(script)', 'document.body.appendChild(script)', 'document.body.prepend(script)',
    'document.body.insertBefore(script, null)', 'document.body.replaceChildren(script)',
    'document.body.insertAdjacentElement("beforeend", script)',
    'document.body.append(document.createElement("i")); document.body.lastChild.before(script)',
    'document.body.append(document.createElement("i")); document.body.lastChild.replaceWith(script)',
    'const all = document.createDocumentFragment(); all.append(script); document.body.append(all)',
    'const div = document.createElement("div"); div.append(script); document.body.append(div)',
    'const range = document.createRange(); range.selectNodeContents(document.body); range.insertNode(script)',
  ];
  for (const way of ways) {
    const made = page();
    made.run(`{ const script = document.createElement('script');
      script.text = 'globalThis.ran = (globalThis.ran ?? 0) + 1';
      ${way}; globalThis.text = script.text; document.body.append(script); }`);
    assert.equal(made.window.ran, 1, way);
    assert.equal(made.window.hooks, 1, way);
    assert.equal(made.window.text, 'globalThis.ran = (globalThis.ran ?? 0) + 1', way);
    assert.deepEqual(kinds(made), ['script'], way);
  }
});

test('what is no script of ours is left alone', () => {
  const made = page();
  made.run(`for (const [name, value] of [['type', 'application/json'], ['type', 'importmap'], ['nomodule', '']]) {
    const script = document.createElement('script');
    script.setAttribute(name, value);
    script.text = '{ "a": 1 }';
    document.body.append(script);
  }
  document.body.append('globalThis.ran = 1')`);
  assert.deepEqual(made.handed, []);
  assert.equal(made.window.ran, undefined);
});

test('a module says that it is one', () => {
  const made = page();
  made.run(`{ const script = document.createElement('script'); script.type = 'module'; script.text = 'export {}';
    document.body.append(script); }`);
  assert.deepEqual(made.handed.map(({ kind, module }) => [kind, module]), [['script', true]]);
});

// Clicks `#b`, and says what its handler did, what ran before it, and what its attribute holds.
function clicked(made) {
  const element = made.document.getElementById('b');
  element.click();
  return [made.window.done, made.window.hooks, element.getAttribute('onclick')];
}

test('each way to set a handler compiles the rewritten text', () => {
  const text = 'globalThis.done = this.id';
  const ways = [
    `document.getElementById('b').setAttribute('onclick', '${text}')`,
    `document.getElementById('b').setAttribute('ONCLICK', '${text}')`,
    `document.getElementById('b').setAttributeNS(null, 'onclick', '${text}')`,
    `const node = document.createAttribute('onclick'); node.value = '${text}';
      document.getElementById('b').setAttributeNode(node)`,
    `document.getElementById('b').setAttribute('onclick', '0');
      document.getElementById('b').attributes.onclick.value = '${text}'`,
    `document.body.innerHTML = '<i id=b onclick="${text}"></i>'`,
    `document.getElementById('b').outerHTML = '<i id=b onclick="${text}"></i>'`,
    `document.getElementById('b').remove();
      document.body.insertAdjacentHTML('afterbegin', '<i id=b onclick="${text}"></i>')`,
    `document.getElementById('b').remove();
      document.body.append(document.createRange().createContextualFragment('<i id=b onclick="${text}"></i>'))`,
    `{ const copied = document.createElement('i'); copied.id = 'b'; copied.setAttribute('onclick', '${text}');
      document.getElementById('b').replaceWith(copied.cloneNode(true)); }`,
  ];
  for (const way of ways) {
    const made = page('<!doctype html><body><b id=b></b></body>');
    made.run(way);
    const [done, hooks, attribute] = clicked(made);
    assert.equal(done, 'b', way);
    assert.equal(hooks, 1, way);
    assert.equal(attribute, text, way);
    assert.ok(made.handed.every(({ kind, name }) => kind === 'handler' && name === 'onclick'), way);
  }
});

test('a handler of a document where nothing runs is compiled when it arrives', () => {
  const made = page();
  made.run(`{ const other = new DOMParser().parseFromString('<i id=b onclick="globalThis.done = 1"></i>', 'text/html');
    document.body.append(other.getElementById('b')); }`);
  assert.deepEqual(clicked(made), [1, 1, 'globalThis.done = 1']);
});

test('a script in a shadow tree is replaced when its host is inserted', () => {
  // The DOM of these tests runs no script there: what is handed over says that it was met.
  const made = page();
  made.run(`{ const host = document.createElement('div'); const root = host.attachShadow({ mode: 'closed' });
    const script = document.createElement('script'); script.text = 'globalThis.ran = 1'; root.append(script);
    globalThis.inside = script; globalThis.host = host; }`);
  assert.deepEqual(made.handed, []);
  made.run('document.body.append(host); globalThis.text = inside.text');
  assert.deepEqual(made.handed.map(({ kind, text }) => [kind, text]), [['script', 'globalThis.ran = 1']]);
  assert.equal(made.window.text, 'globalThis.ran = 1');
});

test('a template shows what was written, and gives what was rewritten', async () => {
  const script = rewritten('globalThis.ran = 1');
  const handler = rewritten('globalThis.done = 1');
  const made = page(`<!doctype html><body><template id=t><script>${script}</script>`
    + `<i id=b onclick="${handler}"></i></template>`);
  await loaded(made);
  made.run(`$QpC(); globalThis.shown = document.getElementById('t').innerHTML;
    document.body.append(document.getElementById('t').content.cloneNode(true))`);
  assert.equal(made.window.shown, '<script>globalThis.ran = 1</script><i id="b" onclick="globalThis.done = 1"></i>');
  assert.equal(made.window.ran, 1);
  assert.equal(made.window.hooks, 1);
  assert.deepEqual(clicked(made), [1, 2, 'globalThis.done = 1']);
  assert.deepEqual(made.handed, [], 'the text of the document says what each became');
});

test('the text of a document is put back before a script can read it', async () => {
  const made = page(`<!doctype html><body><script id=s>${rewritten('globalThis.ran = 1')}</script>
    <b id=b onclick="${rewritten('globalThis.done = 1')}"></b></body>`);
  await loaded(made);
  assert.equal(made.window.ran, 1);
  made.run('$QpC()');
  assert.equal(made.document.getElementById('s').text, 'globalThis.ran = 1');
  const [done, , attribute] = clicked(made);
  assert.deepEqual([done, attribute], [1, 'globalThis.done = 1']);
});

test('what is written into the document is replaced as markup', () => {
  const made = page();
  made.run(`document.open(); document.write('<body><b id="b" onclick="globalThis.done = 1"></b>'); document.close()`);
  assert.equal(made.handed[0].kind, 'markup');
  made.document.getElementById('b').click();
  assert.deepEqual([made.window.done, made.window.hooks], [1, 1]);
});

test('a script that is written is part of the markup', () => {
  const made = page();
  made.run(`document.open(); document.write('<body><script>globalThis.ran = 1<' + '/script>'); document.close()`);
  assert.deepEqual(made.handed.map(({ kind, text }) => [kind, text]),
    [['markup', '<body><script>globalThis.ran = 1</script>']]);
  assert.equal(made.window.ran, 1);
});

test('a javascript: address is replaced while a click follows it, and put back', async () => {
  const made = page('<!doctype html><body><a id=a href="javascript:globalThis.ran = 1">x</a></body>');
  let during;
  const link = made.document.getElementById('a');
  link.addEventListener('click', (event) => {
    during = link.getAttribute('href');
    event.preventDefault();
  });
  link.click();
  assert.equal(during, rewritten('javascript:globalThis.ran = 1'));
  await new Promise((resolve) => { setTimeout(resolve, 5); });
  assert.equal(link.getAttribute('href'), 'javascript:globalThis.ran = 1');
  assert.deepEqual(made.handed.map(({ kind, text }) => [kind, text]), [['url', 'javascript:globalThis.ran = 1']]);
});

test('a document that came in no response is replaced in the page', async () => {
  const html = '<!doctype html><body><b id=b onclick="globalThis.done = this.id"></b></body>';
  const made = page(html, 'about:blank');
  await loaded(made);
  assert.deepEqual(clicked(made), ['b', 1, 'globalThis.done = this.id']);
  assert.deepEqual(kinds(made), ['handler']);
  // What comes in a response comes rewritten.
  const response = page(html);
  await loaded(response);
  assert.deepEqual(response.handed, []);
});

test('replaced methods keep their names, their lengths and their errors', () => {
  const made = page();
  for (const name of ['appendChild', 'insertBefore', 'cloneNode']) {
    const plain = pageWith({});
    assert.equal(made.run(`Node.prototype.${name}.length`), plain.run(`Node.prototype.${name}.length`), name);
    assert.equal(made.run(`Node.prototype.${name}.name`), name);
  }
  assert.throws(() => made.run('document.body.appendChild({})'), { name: 'TypeError' });
  assert.throws(() => made.run('Node.prototype.appendChild.call({}, document.body)'), { name: 'TypeError' });
});
