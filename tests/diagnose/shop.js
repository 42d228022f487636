// What two versions can be compared in, and what not. `tests/tests/diagnose.rs` makes it wrong, one line at a time.
const seen = new Map();
let factor = 3;
const scale = (x) => x * factor;
function total(items) {
  let sum = 0;
  for (const item of items) sum += scale(item);
  return sum;
}
function remember(name, items) {
  seen.set(name, total(items));
  return seen.size;
}
function check(value) {
  if (value > 5) throw new RangeError('too large');
  return value;
}
function checked(values) {
  const found = [];
  for (const value of values) {
    try { found.push(check(value)); } catch (error) { found.push(null); }
  }
  return found;
}
class Counter {
  #count = 0;
  get count() { return this.#count; }
  step(by) { this.#count += by; return { count: this.#count, by }; }
}
function counted() {
  const counter = new Counter();
  for (let i = 0; i < 3; i++) counter.step(i);
  return counter.count;
}
const dice = () => Math.floor(Math.random() * 6);
function paint(element) { element.classList.add('done'); return 1; }
function tail(list) { return list.slice(1).map((item) => ({ item })); }
async function later(x) { await null; return x + 1; }
remember('a', [1, 2]);
factor = 2;
remember('b', [1, 2]);
checked([1, 5, 6]);
counted();
tail([1, 2, 3]);
later(1);
paint(document.querySelector('script'));
// What is behind it is not the same twice.
dice();
