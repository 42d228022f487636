'use strict';
// Everything that a page can ask about its own code, said line by line. Writes of `value` stand wherever they can. Of a
// stack: the functions that have a name (for the others the engine makes one up, of what they are assigned to), and
// lines.
const lines = (stack) => stack.split('\n').slice(0, 6)
  .map((line) => line.trim().replace(/https?:\/\/[^/]*/, '').replace(/:(\d+):\d+/, ':$1')
    .replace(/^at (?!new |async |thrower|Array\.map|<).* \((.*)\)$/, 'at $1')).join(' | ');

// ---- texts of functions
const texts = {
  plain: function (a, b = 1) { this.value = a; return b; },
  arrow: (o) => o.value = 1,
  arrowWithBlock: (o) => { o.value += 1; },
  async asynchronous(o) { o.value = await 1; },
  *generator(o) { o.value = yield 1; },
  get accessor() { return (this.hidden = { value: 3 }).value; },
  set accessor(v) { this.hidden.value = v; },
  ['computed' + 1](o) { delete o.value; delete /* kept */ o.value; o.value++; --o.value; o.value **= 2; },
  Class: class Named extends Object { value = 1; #own = 2; static { this.value = 3; } method() { this.#own = 4; [this.value] = [5]; } },
};
for (const name of Reflect.ownKeys(texts)) {
  const { value: own, get, set } = Object.getOwnPropertyDescriptor(texts, name);
  for (const part of [own, get, set]) if (part) say('text', name, Function.prototype.toString.call(part), `${part}`.length);
}
function hoisted(x) { let y = x; y += 1; return () => { x = y; y = { value: x }; return y; }; }
say('text', hoisted, hoisted(1), class { static value = 1 }.toString());
say('text of natives', Function.prototype.toString, Object.assign, Map.prototype.set, Array.prototype.push, console.log);
say('text of natives', Proxy, Proxy.revocable, Worker);
say('text of natives', Function.prototype.toString.toString.toString(), Object.getOwnPropertyNames(Function.prototype.toString));
for (const wrong of [{}, Object.create(hoisted), undefined]) {
  try { Function.prototype.toString.call(wrong); } catch (error) { say('not a function', error.constructor === TypeError, error.message); }
}
try { new Function.prototype.toString(); } catch (error) { say('not a constructor', error.constructor === TypeError, error.message); }
say('bound', hoisted.bind(null), new Proxy(hoisted, {}));

// ---- names and lengths
const named = {};
named.value = function () {};
let callable = () => {};
callable ||= 1; let later; later ??= class {}; const { a: fromDefault = function () {} } = {};
const [alsoFromDefault = () => {}] = [];
say('names', named.value.name, callable.name, later.name, fromDefault.name, alsoFromDefault.name, texts.plain.name, texts.computed1.name,
  ((f = () => {}) => f.name)(), (({ value = () => {} }) => value.name)({}), [() => {}][0].name, (0, () => {}).name, new (class { value = () => {} })().value.name,
  { value: class { static name = 'own' } }.value.name, ({ ['va' + 'lue']: () => {} }).value.name);
say('lengths', texts.plain.length, hoisted.length, ((a, { value }, ...rest) => 1).length, ((a, b = (a.value = 1), c) => 1).length);
say('own keys of functions', ...[texts.plain, texts.arrow, texts.Class, hoisted, texts.generator].map((f) => Reflect.ownKeys(f).map(String).join()));

// ---- stacks
function thrower(o) { o.value = 1; throw new Error('deep'); }
class Thrower { value = thrower(this); }
for (const attempt of [() => thrower({}), () => new Thrower(), () => { null.value = 1; },
  () => [1].map(() => thrower({})), () => { const o = Object.freeze({ value: 1 }); o.value = 2; }, () => { undefined.value++; },
  ]) {
  try { attempt(); } catch (error) { say('stack', error.message, lines(error.stack)); }
}
(async () => { try { await 0; thrower({}); } catch (error) { say('stack', lines(error.stack)); } })();

// ---- order of evaluation
const order = [];
const log = (name, result) => { order.push(name); return result; };
const object = { get value() { order.push('get'); return 1; }, set value(v) { order.push(`set ${v}`); } };
const key = (name) => ({ toString() { order.push(`key ${name}`); return 'value'; } });
log('object', object)[log('key', 'value')] = log('right', 2);
log('object', object)[key(1)] = log('right', 3);
log('object', object)[key(2)] += log('right', 4);
log('object', object)[key(3)]++;
log('object', object).value ??= log('never', 5);
[log('target', object).value = log('default', 6)] = [];
({ [log('pattern key', 'a')]: log('target', object).value = log('default', 7) } = log('source', {}));
try { log('nothing', null)[log('key', 'value')] = log('right', 8); } catch { order.push('threw'); }
try { log('nothing', undefined).value = log('right', 9); } catch { order.push('threw'); }
delete log('object', object)[key(4)];
say('order', order.join(', '));

// ---- temporal dead zones, constants, strict mode
for (const attempt of [() => { early = 1; let early; }, () => early2++, () => typeof early3, () => { constant = 2; }, () => { constant++; },
  () => { [constant] = [1]; }, () => { undeclared = 1; }, () => { delete Object.freeze([1])[0]; }, () => { 'text'.value = 1; },
  () => { Object.preventExtensions({}).value = 1; }, () => { ({ get value() { return 1; } }).value = 2; }, () => { for (const i = 0; i < 2; i++); }]) {
  try { attempt(); say('no error'); } catch (error) { say('error', error.constructor.name, error.message); }
}
let early2; let early3; const constant = 1;
for (const attempt of [() => { constant = 2; }, () => { constant++; }, () => { [constant] = [1]; }, () => { ({ constant } = {}); }]) {
  try { attempt(); say('no error'); } catch (error) { say('error', error.constructor.name, error.message, constant); }
}

// ---- generators, new.target, super, templates, fields
function* steps(o) { try { o.value = yield 1; return yield (o.value = 2); } finally { o.value = 3; yield 4; } }
for (const drive of [(g) => [g.next(), g.next('x'), g.return('r'), g.next()], (g) => [g.next(), g.throw(new Error('t'))], (g) => [g.return(1)]]) {
  try { say('generator', JSON.stringify(drive(steps({})))); } catch (error) { say('generator', error.message); }
}
function Target() { this.value = new.target === Target; }
say('new.target', new Target().value, Reflect.construct(Target, [], Object).value, (() => { try { Target(); } catch (error) { return error.message; } })());
const tag = (strings, ...values) => { tag.seen ??= new Set(); tag.seen.add(strings); return Object.isFrozen(strings) + strings.raw.join('|') + values; };
for (let i = 0; i < 3; i++) say('template', tag`a\n${(object.value = i)}b`, tag.seen.size);
class Parent { set value(v) { say('inherited setter', v); } }
class Child extends Parent { value = 1; static value = 2; constructor() { super(); super.value = 3; } }
say('fields', JSON.stringify(new Child()), JSON.stringify(Object.getOwnPropertyDescriptor(new Child(), 'value')));
const closures = []; for (let i = 0; i < 3; i++) { closures.push(() => i++); } say('per iteration', closures.map((c) => [c(), c()]).join());

// ---- what eval gives back
const indirect = eval;
for (const text of ['1; var value = 2;', 'let value = 3; value', 'if (1) { ({}).value = 5; } else 6', 'do { 7; break; } while (0)', 'for (var i of [1]) { i; }',
  'try { 8 } finally { 9 }', 'switch (1) { case 1: 10 }', '"use strict"; var o = {}; o.value = 11', 'o = { value: 1 }; o.value++', '{ function f() {} }', 'label: { 12; break label; }']) {
  say('completion', text, indirect(text), eval(text));
}

// ---- what there is
say('script', document.currentScript.src.replace(/.*\//, ''), document.scripts.length, [...document.scripts].map((script) => script.outerHTML).join(' '));
say('globals', Object.getOwnPropertyNames(globalThis).length, Reflect.ownKeys(globalThis).length, Object.getOwnPropertySymbols(globalThis).length);
const template = document.getElementById('template');
say('template', template.innerHTML, template.content.querySelector('script').text, template.content.firstElementChild.nextSibling.getAttribute('onclick'));
say('digests', ...[...document.querySelectorAll('[integrity]')].map((element) => [element.localName, element.integrity, element.getAttribute('integrity'), element.outerHTML].join(' ')));
const created = Object.assign(Object.create(null), { value: 1 }); created.value = 2;
say('own keys', Reflect.ownKeys(created).map(String).join(), Reflect.ownKeys(probe).length, JSON.stringify(Object.getOwnPropertyDescriptors(created)),
  Reflect.ownKeys(document).length, Reflect.ownKeys(document.documentElement).length, Reflect.ownKeys(new Child()).join(), structuredClone(created).value);
for (const builtin of [Object, Array.prototype, Function.prototype, Map.prototype, Reflect, Promise.prototype, Node.prototype, Element.prototype, console]) {
  const described = Reflect.ownKeys(builtin).map((name) => {
    const property = Object.getOwnPropertyDescriptor(builtin, name);
    const parts = [property.value, property.get, property.set].filter((part) => typeof part === 'function')
      .map((part) => [part.name, part.length, Reflect.ownKeys(part).map(String).join('+'), Object.getPrototypeOf(part) === Function.prototype, 'prototype' in part, Function.prototype.toString.call(part)].join(';'));
    return [String(name), property.writable, property.enumerable, property.configurable, ...parts].join(' ');
  });
  say('built-in', described.join('\n'));
}
