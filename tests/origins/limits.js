// Long ways, ways in a ring, functions that were not finished, and values that several ways could have brought.
const out = {};
function pass(value, left) { return left === 0 ? value : pass(value, left - 1); }
let deep = 'from the bottom'; for (let time = 0; time < 8; time++) deep = pass(deep, 650);
out.deep = deep;
const ring = { a: 'in a ring', b: '' };
for (let round = 0; round < 100; round++) { ring.b = ring.a; ring.a = ring.b; }
out.ring = ring.a;
const self = {}; self.self = self; out.self = self.self.self.self;
function* unfinished() { const got = yield 'given out'; return got; }
const generator = unfinished(); out.open = generator.next().value;
function* closed() { try { yield 'before it was closed'; } finally { out.closing = 'closed'; } }
for (const value of closed()) { out.closed = value; break; }
const early = (value) => new Promise((ok) => setTimeout(() => ok(value), 1));
function either(value) { out.either = value; }
Promise.all([early('one of two').then(either), early('one of two').then(either)]).then(() => console.log('asked here'));
const nothing = {}; out.missing = nothing.of?.it;
out.absent = nothing.property;
