// A MobX store: each `out.name = …` is asked; its value is a text that stands once in this file.
import { makeAutoObservable, autorun } from 'mobx';
globalThis.out = {};
class Cart { coupon = 'mobx initial'; constructor() { makeAutoObservable(this); } get label() { return this.coupon; } use(c) { this.coupon = c; } }
const cart = new Cart(); out.first = cart.coupon;
autorun(() => { out.run = cart.label; });
cart.use('mobx used');
console.log('asked here');
