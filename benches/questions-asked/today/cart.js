'use strict';
class Money {
  #cents;
  constructor(cents) {
    this.#cents = cents;
  }
  get cents() {
    return this.#cents;
  }
  plus(other) {
    return new Money(this.#cents + other.cents);
  }
  times(factor) {
    return new Money(Math.round(this.#cents * factor));
  }
}
class Item {
  constructor(name, price, count = 1) {
    Object.assign(this, { name, price, count });
  }
  get total() {
    return this.price.times(this.count);
  }
}
class Sale extends Item {
  constructor(name, price, count, percent) {
    super(name, price, count);
    this.percent = percent;
  }
  get total() {
    return super.total.times(1 - this.percent / 100);
  }
}
class Cart {
  items = new Map();
  add(item) {
    const known = this.items.get(item.name);
    if (known) known.count += item.count;
    else this.items.set(item.name, item);
  }
  remove(name, count) {
    const item = this.items.get(name);
    item.count -= count;
    if (item.count <= 0) this.items.delete(name);
  }
  total() {
    return [...this.items.values()].reduce((sum, item) => sum.plus(item.total), new Money(0));
  }
  shipping() {
    return this.total().cents >= 5000 ? new Money(0) : new Money(490);
  }
  due() {
    return this.total().plus(this.shipping()).cents;
  }
}
const cart = new Cart();
const dues = [];
for (const [name, cents, count] of [['cup', 890, 2], ['tea', 450, 3], ['cup', 890, 1]]) {
  cart.add(new Item(name, new Money(cents), count));
  dues.push(cart.due());
}
cart.add(new Sale('pot', new Money(3200), 1, 25));
dues.push(cart.due());
cart.remove('tea', 2);
dues.push(cart.due());
cart.remove('tea', 1);
dues.push(cart.due());
const report = { dues, names: [...cart.items.keys()] };
