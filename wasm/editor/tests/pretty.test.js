import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { HTML, JAVASCRIPT } from '../js/languages.js';
import { prettyPrinted } from '../js/pretty.js';

const printed = (text, language = JAVASCRIPT) => prettyPrinted(text, language.parser.parse(text));

test('a minified line becomes lines', () => {
  const { text } = printed(
    'const s={total:0};function a(s,t){if(s>1&&!t)for(let i=0,j;i<3;i++)o(-i);else{return t?s*2:[1,2]}debugger}'
    + 'class C{#x=1;get y(){return this.#x}}try{a(1)}catch(e){throw e}a=>a+ +b,x=y;switch(a){case"b":c();break;default:d`e${f}g`}',
  );
  assert.equal(text, `const s = {total: 0};
function a(s, t) {
  if (s > 1 && !t) for (let i = 0, j; i < 3; i++) o(-i);
  else {
    return t ? s * 2 : [1, 2]
  }
  debugger
}
class C {
  #x = 1;
  get y() {
    return this.#x
  }
}
try {
  a(1)
} catch (e) {
  throw e
}
a => a + +b,
  x = y;
switch (a) {
  case "b":
    c();
    break;
  default:
    d\`e\${f}g\`
}
`);
});

/** Each character that is no white space is the same one here and there. */
function isSame(original, { text, toOriginal, fromOriginal }) {
  const solid = (it) => it.replace(/\s+/g, '');
  assert.equal(solid(text), solid(original));
  for (let at = 0; at < original.length; at += 1) {
    if (/\s/.test(original[at])) continue;
    assert.equal(text[fromOriginal(at)], original[at], `at ${at}`);
    assert.equal(toOriginal(fromOriginal(at)), at);
  }
}

test('each place of the original is found again', async () => {
  const page = '<!doctype html><p>a  b\n<script>const a={b:1};a.b++</script><p>c<script>f(/[}]/,`${{}}`)</script>';
  isSame(page, printed(page, HTML));
  const odd = 'a\n++b;`\n`;/*\n*/c//d\ne;\\ } } ) {"unfinished';
  isSame(odd, printed(odd));
  const bundle = await readFile(new URL('../dist/editor.js', import.meta.url), 'utf8');
  const part = bundle.slice(bundle.indexOf('*/') + 2).slice(0, 60_000);
  isSame(part, printed(part));
});

test('what is printed means the same: printing it again changes nothing', async () => {
  const bundle = await readFile(new URL('../dist/editor.js', import.meta.url), 'utf8');
  const code = bundle.slice(bundle.indexOf('*/') + 2);
  const start = performance.now();
  const once = printed(code).text;
  assert.ok(performance.now() - start < 5000);
  // The grammar does not know all of the language: where it does not, there is an error, a little more here or there.
  const tokens = (text) => {
    const names = [];
    JAVASCRIPT.parser.parse(text).iterate({ enter: ({ name }) => void (name === '⚠' || names.push(name)) });
    return names.join();
  };
  assert.ok(tokens(once) === tokens(code));
  assert.ok(Math.max(...once.split('\n').map((line) => line.length)) < 30_000);
});
