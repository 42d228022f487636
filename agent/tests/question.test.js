// One more question in a realm that has an agent: it takes the names over, and what was put in the place of built-ins
// for the question before is taken away.

import assert from 'node:assert/strict';
import test from 'node:test';
import { configOf, pageWith, textOf } from './realm.js';

function pageOfTwo() {
  const page = pageWith({ standby: true, watch: ['className'], ask: [{ key: 'className' }] },
    { html: '<!doctype html><body><p id=p class=a title=t></p></body>' });
  const ask = (given) => {
    const config = configOf({ ...given, rearmed: true });
    page.run(textOf('rearmed', config))(config);
  };
  return { ...page, ask };
}
const p = "document.getElementById('p')";

test('the names answer the question that was asked last', () => {
  const page = pageOfTwo();
  page.run(`${p}.className = 'b'`);
  assert.equal(page.at(p)[0].by, 'Element.prototype.className');
  page.ask({ watch: ['title'], ask: [{ key: 'title' }] });
  page.run(`${p}.className = 'c'; $QpW(3, ${p}, 'title', 'u'); ${p}.title = 'u'`);
  const answer = page.at(p)[0];
  assert.equal(answer.site, 3);
  assert.equal(answer.value.text, '"u"');
  assert.equal(answer.changes, 1);
});

test('what the question before put in the place of built-ins is taken away', () => {
  const page = pageOfTwo();
  page.run(`globalThis.setter = () => Object.getOwnPropertyDescriptor(Element.prototype, 'className').set;
    globalThis.first = setter()`);
  page.ask({ watch: ['total'] });
  assert.equal(page.run('setter() === first'), false);
  const plain = page.run('setter()');
  page.ask({ watch: ['className'] });
  assert.equal(page.run('setter()') === plain, false);
  page.ask({ watch: ['total'] });
  assert.equal(page.run('setter()') === plain, true);
});

test('what the page has put there since stays', () => {
  const page = pageOfTwo();
  page.run('globalThis.own = function append() {}; Element.prototype.append = own');
  page.ask({ watch: ['total'] });
  assert.equal(page.run('Element.prototype.append === own'), true);
});

test('an agent says which built-in it relies on was replaced', () => {
  const page = pageOfTwo();
  assert.equal(page.run('$QpE.isReplaced()'), '{"replaced":null}');
  page.run('Array.isArray = () => true');
  assert.equal(page.run('$QpE.isReplaced()'), '{"replaced":"Array.isArray"}');
});

test('proxies of the first agent are known to the next', () => {
  const page = pageOfTwo();
  page.run('globalThis.target = { total: 1 }; globalThis.proxy = new Proxy(target, {})');
  page.ask({ watch: ['total'], ask: [{ key: 'total' }] });
  page.run("$QpW(9, proxy, 'total', 2); proxy.total = 2");
  assert.equal(page.at('target')[0].site, 9);
  assert.equal(page.at('proxy')[0].site, 9);
});
