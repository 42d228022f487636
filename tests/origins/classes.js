// What classes hand on: fields of a class that is extended, getters by `super`, accessors that one function makes for
// several names, generators that are methods; lists with one element exchanged.
const out = (globalThis.out = {});
class Base {
  static settings = { mode: 'static field' };
  #own = 'behind super';
  get own() { return this.#own; }
  *walk(node) { yield node.name; yield* this.walk(node.inner); }
}
class Middle extends Base {}
class Last extends Middle { get own() { return super.own; } }
out.mode = Last.settings.mode;
out.own = new Last().own;

// As libraries of elements do: one function makes the accessors of all properties.
class Element {
  static accessor(name) {
    const key = Symbol(name);
    const { get, set } = { get() { return this[key]; }, set(value) { this[key] = value; } };
    return { get, set(value) { get.call(this); set.call(this, value); } };
  }
  static create(...names) { for (const name of names) Object.defineProperty(this.prototype, name, this.accessor(name)); }
}
Element.create('head', 'foot');
const element = new Element(); element.head = 'text of the head'; element.foot = 'text of the foot';
const parts = [element.head, element.foot]; out.head = parts[0]; out.foot = parts[1];

class Output { *render(value) { const part = yield value; return part; } }
class Part { *render(value) { yield new Output().render(value); } }
function run(generator) { let it = generator; let next; do { next = it.next(); if (next.value?.next) it = next.value; } while (next.value?.next); return next.value; }
out.run = run(new Part().render('handed to a method'));

const list = ['first before', 'second before', 'third before'];
out.put = list.with(1, 'put in')[1]; out.kept = list.with(1, 'another')[2];
const end = list.with(-1, 'put at the end'); out.end = end[2]; out.begin = end[0];

// A generator that hands over to what is written by hand: what it gave before is known.
const wrapped = (inner) => ({ [Symbol.iterator]() { return this; }, next: (value) => inner.next(value) });
function* outer() { yield 'before the others'; yield* wrapped([][Symbol.iterator]()); }
out.before = [...outer()][0];
console.log('asked here');
