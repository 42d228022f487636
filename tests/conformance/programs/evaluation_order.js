// Base, key, value, conversion of the key, write: in this order.
var log = []; function note(x, v) { log.push(x); return v; } function flush() { print(log.join(' ')); log = []; }
var target = { set p(v) { note('set ' + v); }, get p() { note('get'); return 1; } };
var key = { toString() { note('key'); return 'p'; } };
note('base', target).p = note('value', 2); flush();
note('base', target)[note('k', key)] = note('value', 2); flush();
note('base', target).p += note('value', 2); flush();
note('base', target)[note('k', 'p')] += note('value', 2); flush();
note('base', target).p ??= note('value', 2); flush(); note('base', target).p &&= note('value', 2); flush(); note('base', target).p ||= note('value', 2); flush();
note('base', target).p++; flush(); ++note('base', target).p; flush(); print(note('base', target).p++, --note('base', target)['p']); flush();
[note('a', target).p, note('b', target).p] = note('value', [1, 2]); flush();
({ [note('k', 'x')]: note('a', target).p = note('default', 5), ...note('rest', target).p } = note('value', { y: 1 })); flush();
[note('a', target)[note('k', key)]] = [note('v', 1)]; flush();
for (note('head', target).p of note('list', [1, 2])) note('body'); flush();
for (note('head', target)[note('k', 'p')] in note('list', { a: 1 })) note('body'); flush();
delete note('base', target)[note('k', { toString() { note('conv'); return 'q'; } })]; flush();
print(note('f', (x) => x)(note('arg', 1))); flush();
//---
// An operator behind comments that begin as it does.
var a = 12, o = { p: 12 };
a /* / */ /= 2; o.p // /=
  /= 3; (a) /* - */
--> -=
  -= 1; a /* * // */ **= 2;
print(a, o.p);
//---
// What `super` is changes while a key is converted: the engine says what is written then.
var log = [];
var low = { set p(v) { log.push('low ' + v); }, get p() { return 1; } }, high = { set p(v) { log.push('high ' + v); }, get p() { return 2; } };
var key = { toString() { log.push('key'); Object.setPrototypeOf(o, high); return 'p'; } };
var o = {
  __proto__: low,
  plain() { return super[key] = 10; }, compound() { return super[key] += 10; }, logical() { return super[key] &&= 10; },
  update() { return super[key]++; }, pattern() { [super[key]] = [10]; },
};
for (const name of ['plain', 'compound', 'logical', 'update', 'pattern']) { Object.setPrototypeOf(o, low); print(name, o[name](), log.join()); log = []; }
//---
// A null or undefined base throws after the value, before the key is converted.
var log = []; function note(x, v) { log.push(x); return v; }
var key = { toString() { log.push('conv'); return 'p'; } };
for (const base of [null, undefined]) {
  attempt('plain', () => { note('b', base).p = note('v', 1); });
  attempt('computed', () => { note('b', base)[note('k', key)] = note('v', 1); });
  attempt('compound', () => { note('b', base).p += note('v', 1); });
  attempt('compound computed', () => { note('b', base)[note('k', key)] += note('v', 1); });
  attempt('logical', () => { note('b', base)[note('k', key)] ??= note('v', 1); });
  attempt('update', () => { note('b', base).p++; }); attempt('update computed', () => { ++note('b', base)[note('k', key)]; });
  attempt('delete', () => delete note('b', base).p); attempt('delete computed', () => delete note('b', base)[note('k', key)]);
  attempt('pattern', () => { [note('b', base).p] = [note('v', 1)]; });
  attempt('pattern computed', () => { [note('b', base)[note('k', key)]] = [note('v', 1)]; });
  attempt('pattern in object', () => { ({ x: note('b', base).p = note('d', 1) } = {}); });
  attempt('loop', () => { for (note('b', base).p of [1]); });
  attempt('value throws', () => { note('b', base).p = (() => { throw new RangeError('value'); })(); });
  attempt('value throws, compound', () => { note('b', base).p += (() => { throw new RangeError('value'); })(); });
  attempt('key throws', () => { note('b', base)[(() => { throw new RangeError('key'); })()] = note('v', 1); });
  attempt('unresolvable value', () => { note('b', base).p = nowhere; });
  attempt('of a call', () => { (() => base)().x.y = 1; });
}
print(log.join(' '));
//---
// How often keys are converted.
var n = 0; var key = { toString() { n++; return 'p'; } }; var o = { p: 1 };
o[key] = 1; print(n); n = 0; o[key] += 1; print(n); n = 0; o[key]++; print(n); n = 0; print(o[key]--, n); n = 0; ++o[key]; print(n);
n = 0; o[key] ??= 1; print(n); n = 0; o[key] &&= 1; print(n); n = 0; o.q = null; o[key] ||= 1; print(n); n = 0; delete o[key]; print(n); n = 0; o[key] ??= 1; print(n);
n = 0; ({ [key]: 1 }); print(n); n = 0; [o[key]] = [1]; print(n); n = 0; ({ [key]: o[key] } = o); print(n); n = 0; ({ [key]: o.r, ...o.s } = o); print(n);
n = 0; class A { [key] = 1; static [key] = 2; [key]() {} } print(n); n = 0; new A; print(n); n = 0; for (o[key] of [1, 2]); print(n);
var sym = Symbol('s'); o[sym] = 1; o[sym]++; o[sym] += 1; print(o[sym]); o[{ [Symbol.toPrimitive]: (hint) => (print(hint), 'z') }] = 1; print(Object.keys(o));
o[-0] = 1; o[1e21] = 2; o[0.1] = 3; o[NaN] = 4; o[1e-7] = 5; o[null] = 6; o[undefined] = 7; o[true] = 8; o[10n] = 9; print(Reflect.ownKeys(o));
print(Reflect.ownKeys({ 1e21: 1, .1: 1, 1e-7: 1, 0x1F: 1, 0b11: 1, 1_000: 1, 10n: 1, 0.0: 1, 1e3: 1, 123456789012345680000: 1 }));
//---
// Values are converted when they always were.
var log = []; var num = (name, v) => ({ valueOf() { log.push(name); return v; } });
var x = num('x', 1), o = { p: num('p', 2) }; function cl() { return x; }
x += num('y', 3); print(x); x = num('x', 1); x++; print(x); x = num('x', 5); print(x--, x); o.p += num('q', 1); print(o.p);
o.p = num('p', 2); print(o.p++, o.p); o.p = num('p', 2); print(++o.p); o.p = 'a'; o.p += num('q', 1); print(o.p); o.p = '5'; print(o.p++, o.p); o.p = undefined; print(o.p--, o.p);
o.p = 5n; print(o.p++, o.p, --o.p); o.p **= 2n; print(o.p); attempt('mixed', () => o.p += 1); attempt('symbol', () => { o.p = Symbol(); o.p++; }); attempt('bigint shift', () => { o.p = 1n; o.p >>>= 1n; });
o.p = null; o.p++; print(o.p); x = 1n; x++; print(x); x = '3'; x -= 1; print(x); x = '3'; x += 1; print(x); x = [1]; x += {}; print(x);
x = 2; x **= 3; x <<= 1; x |= 1; x %= 5; x >>>= 0; x ^= 7; x &= 6; x /= 4; x >>= 0; print(x, log.join(' '));
x = 1; x += (x = 10, 5); print(x); x = 1; x = x++ + ++x; print(x); o = { p: 1 }; o.p += (o.p = 10, 5); print(o.p); o.p = o.p++ + ++o.p; print(o.p);
var y = o; o.p = (o = { p: 'new' }, 'old'); print(y.p, o.p); y = o; o.q = o = 3; print(y.q === 3, o); o = [0, 0]; var i = 0; o[i++] = i++; print(o, i); o[i] = (i = 0, 9); print(o.length);
o = { a: { b: 1 } }; var w = o.a; o.a.b = (o.a = { b: 2 }, 3); print(w.b, o.a.b); o.a.b += (o.a = { b: 5 }, 4); print(o.a.b);
