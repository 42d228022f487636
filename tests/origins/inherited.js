// Values that objects inherit: of prototypes that the page made, of classes, of several of them one behind the other.
const out = {};
const defaults = { size: 'of the defaults', deep: { inner: 'behind what is inherited' } };
const options = Object.create(defaults); out.created = options.size; out.behind = options.deep.inner;
const { size } = options; out.taken = size;
out.further = Object.create(Object.create(options)).size;
defaults.late = 'written to it later'; out.late = options.late;
class Shape {} Shape.prototype.kind = 'of the class'; out.kind = new Shape().kind;
class Circle extends Shape { area() { return this.kind; } } out.derived = new Circle().kind; out.method = new Circle().area();
function Model() {} Model.prototype = { state: 'of a prototype that was replaced' }; out.replaced = new Model().state;
function Old() {} Object.assign(Old.prototype, { tone: 'assigned to a prototype' }); out.assigned = new Old().tone;
const own = Object.create(defaults); own.size = 'own and not inherited'; out.own = own.size;
const changed = Object.create(defaults); changed.size = 'gone'; delete changed.size; out.deleted = changed.late;
const literal = { __proto__: { said: 'said in a literal' } }; out.literal = literal.said;
const row = {}; Object.setPrototypeOf(row, { place: 'set as a prototype' }); out.set = row.place;
const near = { word: 'the nearer one' }; const far = { word: 'the farther one' };
Object.setPrototypeOf(near, far); out.near = Object.create(near).word;
console.log('asked here');
