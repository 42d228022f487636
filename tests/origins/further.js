// Values of code in texts, of built-ins with several arguments, of objects with `then`, of subclasses of collections.
const out = {};
out.evaluated = eval('"of a text" + 1');
out.raw = String.raw({ raw: ['a', 'c'] }, 'b');
const counted = { n: 1, empty: '', kept: 'kept by or' };
with (counted) { n++; ++n; empty ||= 'where nothing was'; kept ||= 'not this'; n--; }
out.counted = counted.n; out.empty = counted.empty; out.kept = counted.kept;
const memo = {}; const lazily = () => memo.value ??= 'made when needed'; out.memo = lazily(); out.again = lazily();
let sum = 'added'; out.sum = (sum += ' up');
class Store extends Map { get(key) { return super.get(key); } put(key, value) { super.set(key, value); return this; } }
out.super = new Store().put('k', 'put by super').get('k'); out.entries = new Store([['k', 'of its entries']]).get('k');
out.length = ['a', 'b'].map((it) => it + it).length; const mapped = ['a', 'b', 'c'].map((it) => it); out.mapped = mapped.length;
function box(id) { const made = document.createElement('p'); made.id = id; document.documentElement.append(made); return made; }
const first = box('first'), second = box('second'); first.textContent = 'shown first'; second.textContent = 'shown second';
out.each = document.querySelectorAll('p')[1].textContent;
const third = box('third'); third.append('put into it'); out.put = third.textContent;
const inner = document.createElement('b'); inner.append(document.createTextNode('deep in it')); third.replaceChildren(inner);
out.deep = third.textContent;
const all = document.getElementsByTagName('p'); out.live = all[0].textContent;
for (const it of document.querySelectorAll('p')) out.looped = it.textContent;
const marked = 'marked'; first.classList.add(marked); out.marked = first.className;
const tone = 'red'; second.style.setProperty('color', tone); out.tone = second.style.color;
second.style.setProperty('background-color', 'blue'); out.back = second.style.backgroundColor;
async function main() {
  out.then = await { then(done) { done('by then'); } };
  out.arrow = await { then: (done) => setTimeout(done, 1, 'by an arrow') };
  class Lazy { constructor(value) { this.value = value; } then(done) { done(this.value); } }
  out.lazy = await new Lazy('held by it');
  const database = await new Promise((ok) => {
    const opening = indexedDB.open('further', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('s');
    opening.onsuccess = () => ok(opening.result);
  });
  const promised = (request) => new Promise((ok) => { request.onsuccess = () => ok(request.result); });
  const told = (request) => new Promise((ok) => { request.onsuccess = (event) => ok(event.target.result); });
  const store = () => database.transaction('s', 'readwrite').objectStore('s');
  await promised(store().put({ v: { deep: 'in a database' } }, 'k'));
  out.database = (await promised(store().get('k'))).v.deep;
  out.target = (await told(store().get('k'))).v.deep;
  console.log('asked here');
}
main();
