import d, { a } from 'other'; import * as ns from 'other'; import * as self from 'self';
export let x = 1; export const c = { p: 1 }; export default class { static p = [1]; } export function f() { x++; return x; } export class K { q = 1; } x = a; x.p = 2; print(d, a, ns, Reflect.ownKeys(self), self.x, this === undefined, typeof import.meta.url); attempt('import', () => { d = 1; }); attempt('import.p', () => { a.p++; return a.p; }); attempt('namespace', () => { ns.a = 1; }); attempt('namespace new', () => { ns.zz = 1; }); attempt('delete', () => delete ns.a); export { x as y, x as 'string name' }; x = 5; f(); print(self.x, self.y, self['string name'], self.default.name); attempt('strict', () => { undeclared = 1; }); var local = { p: await 1 }; local.p = await 2; print(local, (() => local)()); for await (const v of [1]) (() => v)(); let t; [t] = [await 3]; (() => t)(); print(t); import.meta.own = 1; import.meta.own++; print(import.meta.own); const imported = import('self'); print(typeof imported.then); attempt('tdz', () => later); export let later = 3; export { later as l2 }; later += 1; export const fn = function () {}, ar = () => {}; print(fn.name, ar.name); ({ x } = { x: 7 }); [x] = [8]; x ??= 1; print(self.x); for (x of [9, 10]); print(self.x); { function block() { return x; } print(block()); } export var v1 = 1, v2; v2 = v1++; export const { e1, ...e2 } = { e1: 1, e3: 2 }; export let [e4 = { p: 1 }] = []; e4 = 3;
//---
export default function () { return { p: 1 }; } import me from 'self'; print(me.name, me());
//---
export default (function () {}); import me from 'self'; print(me.name);
//---
export default () => ({ p: 1 }); import me from 'self'; print(me.name, me());
//---
export default { p: 1, q: [1] }; import me from 'self'; print(me);
//---
export default [1, 2]; import me from 'self'; print(me);
//---
export default class extends Array { p = 1; } import me from 'self'; print(me.name, new me().p);
//---
let x = 1; export default x; export { x }; x = 2; import me, { x as y } from 'self'; print(me, y);
//---
export default x = 1; var x;
//---
export * from 'other'; export * as all from 'other'; import { all } from 'self'; print(all.a);
//---
import 'other' with { type: 'json' }
print(1)
//---
export { a } from 'other' with { type: 'x' }; export * from 'other' with {}; const y = await import('self', { with: {} }); print(typeof y);
//---
'use strict'
export let q
[q] = [1]
print(q)
//---
let o = { p: 1 }; throw o.p = { name: 'Own', message: 'thrown by the module' };
//---
await null; let o = { p: 1 }; o.p = 2; print(o); await Promise.reject({ name: 'Own', message: String(o.p) });
//---
export let a = () => {}
(() => a)()
export var b = () => {}
[1]
export default () => { a = 1 }
(() => b)
print(a.name, b.name)
