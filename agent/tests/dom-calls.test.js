// The platform's methods and setters, one after the other: each is named for what it changes, with what that was before
// it, and a call that changes nothing is none.

import assert from 'node:assert/strict';
import test from 'node:test';
import { pageWith } from './realm.js';

const BOX = '<div id=box class=a><p id=p>old</p><p id=q>next</p></div>';
const HTML = `<!doctype html><head><title>Shop</title></head><body>${BOX}
  <form id=f><input id=i value=v maxlength=9><textarea id=t>text</textarea><output id=o>1</output></form>
  <select id=s><option id=o1>1<option id=o2>2</select><table id=table><tr><td>1</table><details id=d></details>
  <dialog id=dialog></dialog><template id=template></template></body>`;
const IDS = ['box', 'p', 'q', 'f', 'i', 't', 'o', 's', 'o1', 'o2', 'table', 'd', 'dialog', 'template'];

function after(code, key, object, given = {}) {
  const page = pageWith({ watch: [{ key, ...given.watch }], ask: [{ key, ...given.ask }] }, { html: HTML });
  page.run(`var ${IDS.map((id) => `${id} = document.getElementById('${id}')`).join(', ')}; var text = p.firstChild;`);
  page.run(code);
  const { status, by, changes, value, same } = page.at(object)[0];
  return { status, by, changes, text: value?.text, same };
}
const whole = (by, text, changes = 1) => ({ status: 'found', by, changes, text: JSON.stringify(text), same: true });

// What each call makes of the text or the markup around it.
const TREES = [
  ['box', 'textContent', "box.prepend('x')", 'Element.prototype.prepend', 'xoldnext'],
  ['box', 'textContent', "p.after('x', document.createElement('i'))", 'Element.prototype.after', 'oldxnext'],
  ['box', 'textContent', "p.before(document.createTextNode('x'))", 'Element.prototype.before', 'xoldnext'],
  ['box', 'textContent', "p.replaceWith('x')", 'Element.prototype.replaceWith', 'xnext'],
  ['box', 'textContent', "box.replaceChildren('x', q)", 'Element.prototype.replaceChildren', 'xnext'],
  ['box', 'textContent', 'box.removeChild(q)', 'Node.prototype.removeChild', 'old'],
  ['box', 'textContent', "box.replaceChild(document.createTextNode('x'), p)", 'Node.prototype.replaceChild', 'xnext'],
  ['box', 'textContent', 'box.insertBefore(q, p)', 'Node.prototype.insertBefore', 'nextold'],
  ['box', 'textContent', "p.insertAdjacentText('afterend', 'x')", 'Element.prototype.insertAdjacentText', 'oldxnext'],
  ['box', 'textContent', "p.insertAdjacentElement('beforebegin', q)", 'Element.prototype.insertAdjacentElement',
    'nextold'],
  ['box', 'textContent', "text.appendData('er')", 'CharacterData.prototype.appendData', 'oldernext'],
  ['box', 'textContent', "text.replaceData(0, 1, 'x')", 'CharacterData.prototype.replaceData', 'xldnext'],
  ['box', 'textContent', "text.insertData(0, 'x')", 'CharacterData.prototype.insertData', 'xoldnext'],
  ['box', 'textContent', 'text.deleteData(0, 1)', 'CharacterData.prototype.deleteData', 'ldnext'],
  ['box', 'textContent', 'text.remove()', 'CharacterData.prototype.remove', 'next'],
  ['box', 'textContent', "text.after('x')", 'CharacterData.prototype.after', 'oldxnext'],
  ['box', 'textContent', "text.nodeValue = 'x'", 'Node.prototype.nodeValue', 'xnext'],
  ['box', 'textContent', "document.body.append(q)", 'Element.prototype.append', 'old'],
  ['box', 'textContent', 'document.adoptNode(q)', 'Document.prototype.adoptNode', 'old'],
  ['box', 'textContent', "const range = document.createRange(); range.selectNode(q); range.extractContents()",
    'Range.prototype.extractContents', 'old'],
  ['box', 'textContent', "const range = document.createRange(); range.setStart(box, 0);"
    + "range.insertNode(document.createTextNode('x'))", 'Range.prototype.insertNode', 'xoldnext'],
  ['box', 'textContent', "const range = document.createRange(); range.selectNodeContents(p); getSelection()"
    + '.addRange(range); getSelection().deleteFromDocument()', 'Selection.prototype.deleteFromDocument', 'next'],
  ['box', 'innerHTML', "p.outerHTML = '<b>x</b>'", 'Element.prototype.outerHTML', '<b>x</b><p id="q">next</p>'],
  ['box', 'innerHTML', "p.insertAdjacentHTML('beforebegin', '<hr>')", 'Element.prototype.insertAdjacentHTML',
    '<hr><p id="p">old</p><p id="q">next</p>'],
  ['box', 'innerHTML', "p.insertAdjacentHTML('afterbegin', '<hr>')", 'Element.prototype.insertAdjacentHTML',
    '<p id="p"><hr>old</p><p id="q">next</p>'],
  ['box', 'innerHTML', "p.id = 'other'", 'Element.prototype.id', '<p id="other">old</p><p id="q">next</p>'],
  ['box', 'innerHTML', "p.attributes.removeNamedItem('id')", 'NamedNodeMap.prototype.removeNamedItem',
    '<p>old</p><p id="q">next</p>'],
  ['box', 'innerHTML', "const node = document.createAttribute('x'); node.value = '1'; p.setAttributeNode(node)",
    'Element.prototype.setAttributeNode', '<p id="p" x="1">old</p><p id="q">next</p>'],
  ['p', 'outerHTML', "p.title = 't'", 'HTMLElement.prototype.title', '<p id="p" title="t">old</p>'],
  ['table', 'textContent', "table.insertRow().textContent = ''; table.deleteRow(0)",
    'HTMLTableElement.prototype.deleteRow', ''],
  ['s', 'textContent', 's.remove(0)', 'HTMLSelectElement.prototype.remove', '2'],
  ['s', 'textContent', 's.length = 1', 'HTMLSelectElement.prototype.length', '1'],
  ['document.documentElement', 'textContent', "document.body.replaceChildren(); document.head.replaceChildren()",
    'Element.prototype.replaceChildren', '', 2],
];
for (const [object, key, code, by, text, changes] of TREES) {
  test(`${code}: ${by} is named for ${object}.${key}`, () => {
    const answer = after(code, key, object);
    if (changes === undefined) delete answer.changes;
    const { changes: expected, ...rest } = whole(by, text, changes);
    assert.deepEqual(answer, changes === undefined ? rest : { ...rest, changes: expected });
  });
}

const SAME = [
  ['box', 'textContent', 'box.appendChild(q)'],
  ['box', 'textContent', 'box.insertBefore(p, q)'],
  ['box', 'textContent', "p.textContent = 'old'"],
  ['box', 'textContent', "p.append('')"],
  ['box', 'textContent', "p.append(document.createElement('i'))"],
  ['box', 'textContent', 'document.body.normalize()'],
  ['box', 'innerHTML', "document.createElement('i').append('x')"],
];
for (const [object, key, code] of SAME) {
  test(`${code} changes nothing of ${object}.${key}`, () => assert.equal(after(code, key, object).status, 'never'));
}

test('what throws has changed nothing, and throws what it does without an agent', () => {
  const code = 'var name; try { box.insertBefore(q, document) } catch (error) { name = error.name }';
  assert.equal(after(code, 'textContent', 'box').status, 'never');
  assert.equal(after("var name = ''; try { p.append(box) } catch (error) { name = error.name }", 'textContent', 'box')
    .status, 'never');
});

// What elements and their parts keep.
const STATES = [
  ['document', 'title', "document.title = 'new'", 'Document.prototype.title', 'new'],
  ['document', 'title', "document.querySelector('title').textContent = 'new'", 'Node.prototype.textContent', 'new'],
  ['i', 'value', "i.setAttribute('value', 'w')", 'Element.prototype.setAttribute', 'w'],
  ['i', 'value', "i.setRangeText('x', 0, 1)", 'HTMLInputElement.prototype.setRangeText', 'x'],
  ['i', 'value', "i.value = 'w'; f.reset()", 'HTMLFormElement.prototype.reset', 'v'],
  ['t', 'value', "t.textContent = 'new'", 'Node.prototype.textContent', 'new'],
  ['t', 'value', "t.defaultValue = 'new'", 'HTMLTextAreaElement.prototype.defaultValue', 'new'],
  ['o', 'value', "o.value = 'new'", 'HTMLOutputElement.prototype.value', 'new'],
  ['s', 'value', "o2.selected = true", 'HTMLOptionElement.prototype.selected', '2'],
  ['s', 'value', "s.options.selectedIndex = 1", 'HTMLOptionsCollection.prototype.selectedIndex', '2'],
  ['p', 'className', "p.setAttributeNS(null, 'class', 'b')", 'Element.prototype.setAttributeNS', 'b'],
  ['box', 'className', "box.classList.replace('a', 'b')", 'DOMTokenList.prototype.replace', 'b'],
  ['box', 'className', "box.classList.value = 'b c'", 'DOMTokenList.prototype.value', 'b c'],
  ['box', 'className', "box.getAttributeNode('class').nodeValue = 'n'", 'Node.prototype.nodeValue', 'n'],
  ['text', 'data', "text.data = 'x'", 'CharacterData.prototype.data', 'x'],
];
for (const [object, key, code, by, text] of STATES) {
  test(`${code}: ${by} is named for ${object}.${key}`, () => {
    const { status, by: who, text: now } = after(code, key, object);
    assert.deepEqual([status, who, now], ['found', by, JSON.stringify(text)]);
  });
}

test('a list of children counts those that come and go', () => {
  const parts = { watch: { through: ['children'] }, ask: { path: ['children'] } };
  assert.deepEqual(after('q.remove()', 'length', 'box', parts),
    { status: 'found', by: 'Element.prototype.remove', changes: 1, text: '1', same: true });
  const first = after('p.remove()', 'childElementCount', 'box');
  assert.deepEqual([first.by, first.text], ['Element.prototype.remove', '1']);
});

test('the nodes of attributes are followed where they are asked about', () => {
  const nodes = { watch: { through: ['@'] }, ask: { path: [] } };
  const attribute = "box.getAttributeNode('class')";
  assert.deepEqual(after("box.setAttribute('class', 'b')", 'value', attribute, nodes),
    whole('Element.prototype.setAttribute', 'b'));
  assert.deepEqual(after("box.setAttribute('new', '1')", 'value', "box.getAttributeNode('new')", nodes),
    whole('Element.prototype.setAttribute', '1'));
  assert.equal(after('', 'value', attribute, nodes).status, 'never');
  // Where they are not, it is said what would have to be watched.
  const page = pageWith({ watch: ['value'], ask: [{ key: 'value' }] }, { html: HTML });
  assert.deepEqual(page.at("document.getElementById('box').getAttributeNode('class')")[0].parts, ['@']);
});

test('elements that are made of markup, copied or imported begin there', () => {
  const made = (code, object) => {
    const { status, by, text } = after(code, 'className', object);
    return [status, by, text];
  };
  const markup = "'<i id=n class=k><b class=m></b></i>'";
  const n = "document.getElementById('n')";
  assert.deepEqual(made(`box.innerHTML = ${markup}`, n), ['found', 'Element.prototype.innerHTML', '"k"']);
  assert.deepEqual(made(`p.outerHTML = ${markup}`, n), ['found', 'Element.prototype.outerHTML', '"k"']);
  for (const place of ['beforebegin', 'afterbegin', 'beforeend', 'afterend']) {
    assert.deepEqual(made(`p.insertAdjacentHTML('${place}', ${markup})`, `${n}.firstChild`),
      ['found', 'Element.prototype.insertAdjacentHTML', '"m"'], place);
  }
  assert.deepEqual(made(`template.innerHTML = ${markup}; var copy = document.importNode(template.content, true)`,
    'copy.firstChild'), ['found', 'Document.prototype.importNode', '"k"']);
  assert.deepEqual(made(`var made = document.createRange().createContextualFragment(${markup})`, 'made.firstChild'),
    ['found', 'Range.prototype.createContextualFragment', '"k"']);
  assert.deepEqual(made(`var parsed = new DOMParser().parseFromString(${markup}, 'text/html')`,
    "parsed.getElementById('n')"), ['found', 'DOMParser.prototype.parseFromString', '"k"']);
});

test('a name that no list has can be watched of any element, and a computed one is said to be that', () => {
  assert.deepEqual(after('', 'clientWidth', 'box').status, 'accessor');
  const any = { watch: { through: ['*'] } };
  assert.deepEqual(after("i.maxLength = 5", 'maxLength', 'i', any).by, 'HTMLInputElement.prototype.maxLength');
});

test('who captures inside the page has one state for all that a call changes', () => {
  const page = pageWith({
    capture: true, watch: ['textContent'], ask: [{ key: 'textContent' }],
  }, { html: HTML });
  page.run("document.getElementById('p').textContent = 'new'");
  const { captured, value } = page.at("document.getElementById('box')")[0];
  assert.deepEqual([value.text, captured.value.text, captured.old.text], ['"newnext"', '"newnext"', '"oldnext"']);
});

test('owners that are followed have the value from before', () => {
  const watch = [{ key: 'textContent', exact: [1, 2, 3] }];
  const page = pageWith({ watch, ask: [{ key: 'textContent' }], stops: [1] }, { html: HTML });
  page.run("document.getElementById('p').textContent = 'new'");
  const { exact, value } = page.at("document.getElementById('p')")[0];
  assert.deepEqual([exact.changes, exact.blind, value.text], [1, 0, '"new"']);
});

test('a hooked write of a data set has what that keeps of it: a text', () => {
  const page = pageWith({ watch: [{ key: 'n', through: ['dataset'] }], ask: [{ key: 'n', path: ['dataset'] }] },
    { html: HTML });
  page.run(`var data = document.getElementById('box').dataset;
    $QpW(7, data, 'n', 5); data.n = 5; $QpW(8, data, 'n', '5')`);
  const { site, status, value, changes } = page.at("document.getElementById('box')")[0];
  assert.deepEqual([status, site, value.text, changes], ['found', 7, '"5"', 1]);
});

test('a data set that a script writes by name without a hook is not observed', () => {
  const parts = { watch: { through: ['dataset'] }, ask: { path: ['dataset'] } };
  const page = pageWith({ watch: [{ key: 'n', ...parts.watch }], ask: [{ key: 'n', ...parts.ask }] }, { html: HTML });
  page.run("var data = document.getElementById('box').dataset; data.n = '5'");
  assert.equal(page.at("document.getElementById('box')")[0].status, 'unseen');
});
