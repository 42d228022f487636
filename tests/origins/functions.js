// Values that functions without names, methods of what a call gave, traps and accessors brought.
const out = {};
const handlers = { save: () => 'saved', pick: [(text) => text] };
out.arrow = handlers.save(); out.inList = handlers.pick[0]('in a list');
const compose = (f, g) => (x) => g(f(x));
out.composed = compose((x) => x, (y) => y)('composed');
class Cart {
  #kept = 'private';
  constructor() { this.items = []; }
  add(item) { this.items.push(item); return this; }
  total() { return this.items[0]; }
  get first() { return this.items[0]; }
  set last(item) { this.items.push(item); }
  secret() { return this.#kept; }
}
out.chained = new Cart().add('chained').add('x2').total();
out.getter = new Cart().add('of a getter').first;
out.private = new Cart().secret();
const cart = new Cart(); cart.last = 'of a setter'; out.setter = cart.items[0];
class Sale extends Cart { constructor(name) { super(); this.name = name; } total() { return super.total(); } }
const sale = new Sale('derived'); sale.add('of super'); out.derived = sale.name; out.super = sale.total();
function second(a, b) { return b; }
out.bound = second.bind(null, 1)('bound'); out.boundFirst = second.bind(null, 1, 'bound before')();
out.called = second.call(null, 0, 'called'); out.applied = second.apply(null, [0, 'applied']);
out.spread = second(...['unused', 'spread']);
function all() { return arguments[1]; } out.arguments = all('z', 'of arguments');
function rest(a, ...others) { return others[1]; } out.rest = rest(0, 1, 'of a rest');
out.default = ((x = 'by default') => x)();
const tag = (texts, hole) => hole; out.tagged = tag`a${'in a hole'}b`;
const proxy = new Proxy({ inner: 'of the target' }, { get: (target, key) => target[key] }); out.proxy = proxy.inner;
const reflected = new Proxy({ inner: 'reflected' }, { get(t, k, r) { return Reflect.get(t, k, r); } });
out.reflected = reflected.inner;
const state = new Proxy({}, { set(target, key, value) { target[key] = value; return true; } });
state.value = 'of a trap'; out.trap = state.value;
const valtio = new Proxy({ v: 'old' }, { set(t, k, v, r) { return Reflect.set(t, k, v); } });
valtio.v = 'by Reflect'; out.reflectTrap = valtio.v;
function pair(a) { return [a, `${a}`]; }
const twice = [pair('first call'), pair('second call')]; out.calls = twice[0][0];
const pick = (flag) => (flag ? 'held' : 'not held'); out.branch = pick(true); out.other = pick(false);
const either = '' || 'behind or'; out.either = either ?? 'unused';
function deep(n, v) { return n === 0 ? v : deep(n - 1, v); } out.deep = deep(3, 'of a recursion');
out.finally = (() => { try { return 'before finally'; } finally { out.passed = 1; } })();
out.label = `${out.arrow}`;
const costs = [20, 0.5]; const fee = (x) => x * 2;
out.formatted = (costs[0] + fee(costs[1])).toFixed(2); out.formattedAlone = costs[1].toFixed(1);
function handOn(a) { return withDefault(a); } function withDefault(a = null) { return a; }
out.given = handOn('given, and no default');
const lib = {}; Object.defineProperty(lib, ['def', 'ault'].join(''), { get: () => wrapped, enumerable: true });
function wrapped() { return second.apply(this, arguments); } out.bundled = (0, lib.default)(0, 'by a bundled import');
function last(...others) { let found; for (const it of others) found = it; return found; }
out.looped = last(1, 'of a loop');
let sum = ''; sum += 'added'; out.sum = sum;
class Speaker { constructor() { for (const key of ['say']) this[key] = this[key].bind(this); } say(x) { return x; } }
out.boundAll = new Speaker().say('bound to itself');
out.chosen = (out.sum ? lib.default : lib.other)(0, 'by a chosen import');
function flattened(...parts) { return parts.flat(Infinity)[1]; } out.flat = flattened(0, 'of a flat rest');
console.log('asked here');
