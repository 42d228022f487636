// Object and array literals in every place an expression can stand.
var r = [], o = { p: 1 }, k = 'p'; function f(x) { return x; } function* gen() { const a = { p: yield { p: 1 }, [yield 2]: yield [3] }; return a; }
print({}.p, { p: 1 }.p, [1, 2][1], typeof { p: 1 }, typeof [1], void { p: 1 }, !{ p: 1 }, { p: 1 } + '', [1] + [2], -[3], { p: 1 } instanceof Object, 'p' in { p: 1 }, [1] in { 1: 1 });
print([...[1, , 2]].length, [, 1].length, 0 in [, 1], [1, , 3, ,].length, [...'ab', ...[1], { ...o, p: 2, ...null, ...undefined, ...5, ...'xy' }]);
print(new (class { constructor(x) { this.x = x; } })({ p: [1] }).x.p[0], new [Date][0](0).getTime(), (() => ({ p: 1 }))().p, (x => [x])(1), ((x) => ({ [x]: x }))('q').q, { f() { return this.z; }, z: 7 }.f(), [function () { return this.length; }][0]());
for (var x of [1, 2]) r.push(x); for (x in { a: 1, b: 2 }) r.push(x); for (var i = [0, 1][0], j = { p: 'k' in {} }; i < [2].length; i++) r.push(i); for (x of[9]) r.push(x); print(r);
var it = gen(); print(it.next().value.p, it.next('v').value, it.next('key').value[0], it.next('last').value);
var { p, ...rest } = { p: 1, q: 2, ...{ z: 3 } }, [h, ...t] = [1, 2, 3]; print(p, rest, h, t); switch ({ p: 1 }.p) { case [1][0]: print('case'); } if ([0].length) print([1] ? { a: 1 }.a : 0);
label: { print({ label: 1 }.label); break label; } print(((a, b = { p: 1 }, [c, d = [2]] = [1], { e = { f: 1 } } = {}) => [a, b.p, c, d[0], e.f])(0)); print((function (a = [1], b = a.concat([arguments.length])) { return b; })(), (function () { return { p: arguments[0] }; })(5).p);
print(`${{ p: 1 }.p}${[1, 2]}`, ((s, ...v) => s.raw.join('|') + v.map((x) => x.p))`a${{ p: 1 }}\n${{ p: 2 }}`, [[[1]]][0][0][0], { a: { b: { c: 1 } } }.a.b.c, [{ p: [{ p: 1 }] }][0].p[0].p);
print({ get p() { return 1; }, set p(v) {} }.p, { p: 1, get p() { return 2; } }.p, { get p() { return 2; }, p: 1 }.p, Object.keys({ b: 1, a: 2, 1: 3, [Symbol.iterator]: 4, p: 1, p: 2 }), { __proto__: null } instanceof Object, Object.getPrototypeOf({ __proto__: o }) === o, { '__proto__': o }.p, { ['__proto__']: 1 }.__proto__, { __proto__() {} }.__proto__.name, Object.keys({ __proto__: 1 }));
var __proto__ = 3; print(Object.getOwnPropertyNames({ __proto__ })); print([1, 2, 3].map((x) => ({ x })), [{ async: 1, get: 2, set: 3, static: 4, await: 5, of: 6, let: 7, yield: 8 }][0].yield, { 'a b': 1 }['a b'], { async *[k]() {} }.p.name, { get [k]() { return 3; } }.p, { 0: 1, 1.5: 2, 0x10: 3 }[16]);
throwing: try { throw { p: 1, toString() { return 'own'; } }; } catch ({ p, ...e }) { print(p, Object.keys(e)); } do { var q = [1]; } while ([0][0]); print(q); var fn = async () => [await { p: 1 }, await [2]]; fn().then((v) => print(v)); print(delete { p: 1 }.p, delete [1][0], ++{ p: 1 }.p, { p: 1 }.p++, ({ p: 1 }).p = 5, [1][0] += 2, [...{ *[Symbol.iterator]() { yield [1]; } }]);
//---
class Base { constructor() { this.made = new.target.name; } set p(v) { print('base set', v); } get p() { return 'base get'; } m() { return 'm'; } static s = { p: 1 }; }
class D extends Base {
  a = 1; b = this.a + 1; ['c' + 1] = { p: this.b }; #x = [this.b]; static t = super.s; static #y = { p: 2 }; static { this.u = D.#y.p; D.v = { p: [this.u] }; var local = 1; let lexical = () => local; this.w = lexical(); }
  'quoted' = () => this.a; 5 = 'five'; p; get; set; static; async; static async; static get; static static = 1; x = super.m(); y = new.target; z = (() => this)();
  constructor() { const before = () => this; attempt('before super', () => before()); attempt('write before super', () => { this.q = 1; }); attempt('pattern before super', () => { [this.q] = [1]; }); print(super() === this); super.p = 3; super.r = 4; print(super.p, this.r, before() === this); super['p'] = 5; super[('r')] = 6; super.p += 'x'; super.r++; attempt('twice', () => super()); this.#x.push(3); this.#x[0]++; [this.#x] = [[9]]; ({ v: this.#z } = { v: 8 }); this.#x.p ??= 1; }
  #z = 0; get zz() { return [this.#x, this.#z, #x in this, #z in {}]; } set w(v) { this.#w = v; } #w; static has(o) { return #w in o; }
  #m() { return 1; } get #g() { return 2; } set #s(v) { print('private set', v); } priv() { attempt('private method', () => { this.#m = 1; }); attempt('private getter', () => { this.#g = 1; }); attempt('private getter ++', () => { this.#g++; }); attempt('private setter', () => this.#s); this.#s = 4; [this.#s] = [5]; attempt('setter +=', () => { this.#s += 1; }); attempt('method pattern', () => { [this.#m] = [1]; }); attempt('not there', () => { D.prototype.zz; }); attempt('write not there', () => { const o = {}; o.#x = 1; }); attempt('write not there, order', () => { const o = {}; o.#x = (() => { throw new RangeError('value'); })(); }); attempt('update not there', () => { const o = {}; o.#x++; }); return this.#m() + this.#g; }
}
var d = new D; print(Reflect.ownKeys(d), d.made, d.zz, d.priv(), d.c1, d.quoted(), d[5], d.x, d.y, d.z === d, D.t, D.u, D.v, D.w, Reflect.ownKeys(D)); d.w = 3; print(D.has(d), D.has({}), d.length, D.length, D.name, Object.getOwnPropertyNames(D.prototype));
print((class { static x = 1; static y = this.x; static z = (() => this.y)(); }).z, new (class { x = arguments_ => 1; })().x(), new class { constructor(x = { p: 1 }) { this.x = x; } }().x.p, (class extends null { static p = 1; }).p, typeof class { 'constructor'() {} });
class F { static m() { return new.target; } static async *g() { for await (const x of [Promise.resolve({ p: 1 })]) yield x; } get a() { return { p: 1 }; } static #c = 0; static next() { return ++F.#c + F.#c++; } } print(F.m(), F.next(), F.next()); (async () => { for await (const x of F.g()) print(x); })();
class O { x = { p: 1 } ; y = [1]
  z
  *g() { yield this.x }
  get
  h() { return 1 }
  static
  i = 3
  'j'
  k
  ['l'] = 1
} print(Reflect.ownKeys(new O), Reflect.ownKeys(O.prototype), O.i, typeof new O().h);
class P extends Base { p = 1; #q = 1; static of() { return Reflect.construct(P, [], Array); } } print(Object.getOwnPropertyDescriptor(new P, 'p'), P.of().made, Array.isArray(P.of())); class Q extends (class { constructor() { return Object.freeze({}); } }) { f = 1; } attempt('frozen field', () => new Q); class R { static f = (print('f'), 1); static { print('block'); } static g = (print('g'), 2); [print('key')] = print('never'); } 
