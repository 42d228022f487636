// Getters and setters that descriptions give, arrow functions among them; a global object that other code has a
// variable of the same name for; attributes that properties show; controls that markup made.
globalThis.out = {};
function other() { const out = {}; out.name = 'of another object'; return out; }
other();
function expose(target, source) {
  for (const key of ['text', 'note']) Object.defineProperty(target, key, { enumerable: true, get: () => source[key] });
  return target;
}
const one = expose({}, { text: 'twice', note: 'note of one' }); const two = expose({}, { text: 'twice', note: 'note of two' });
function pair(a, b) { return { a, b }; }
const both = pair(one.note, two.note); out.name = both.a; out.second = both.b;
const twice = pair(one.text, two.text); out.twice = twice.a;
function define(target, all) { for (let i = 0; i < all.length; i++) { const it = all[i]; it.configurable = true; Object.defineProperty(target, it.key, it); } }
function create(type, all) { define(type.prototype, all); return type; }
const First = create(function First() {}, [{ key: 'label', get: function () { return this.kept; }, set: function (text) { this.kept = text; } }]);
const Second = create(function Second() {}, [{ key: 'label', get: function () { return 'of a getter'; } }]);
const first = new First(); first.label = 'by a setter'; out.label = first.label; out.getter = new Second().label;
const plural = {}; const all = { deep: { get: function () { return 'of several descriptions'; } } };
Object.defineProperties(plural, all); out.plural = plural.deep;
const pattern = /:(\w+)/; const values = { id: 'seven' }; out.replaced = '/of/:id'.replace(pattern, (all, key) => values[key]);
const field = document.createElement('input'); field.placeholder = 'shown while it is empty';
out.hint = field.getAttribute('placeholder');
const box = document.createElement('p'); box.dataset.firstName = 'in the data set'; out.data = box.getAttribute('data-first-name');
box.title = 'assigned first'; box.setAttribute('title', 'set afterwards'); out.set = box.getAttribute('title');
const form = document.createElement('form'); form.innerHTML = '<input name=city value="city in markup">';
out.city = new FormData(form).get('city'); const fields = Object.fromEntries(new FormData(form)); out.fields = fields.city;
const list = document.createElement('div'); list.innerHTML = '<b data-kind="kind in markup">x</b>'; out.kind = list.children[0].dataset.kind;
console.log('asked here');
