// Patterns that take an argument apart which other functions have handed on.
const out = {};
const around = (f) => (...args) => f(...args);
out.ofObject = around(({ word }) => word)({ word: 'of an object' });
out.ofList = around(([word]) => word)(['of a list']);
out.deep = around(([, { deep: [, word] }]) => word)([0, { deep: [1, 'deep in it'] }]);
out.second = around((a, { word }) => word)({ word: 'not it' }, { word: 'the second' });
out.byDefault = around(({ word = 'a default value' }) => word)({});
out.whole = around(({ word } = { word: 'in a default value' }) => word)();
out.before = around((a, { word } = a) => word)({ word: 'the one before' });
out.others = around(({ ...rest }) => rest.word)({ word: 'one of the others' });
out.behind = around(([, ...rest]) => rest[0])([0, 'an element behind']);
const between = (f) => (...args) => f(0, ...args, 1);
out.shifted = between((a, { word }) => word)({ word: 'one further' });
out.third = between((a, b, c, { word }) => word)({ word: 'no' }, { word: 'nor this' }, { word: 'three further' });
const spread = (f, list) => f(...list);
out.ofSpread = spread(({ word }) => word, [{ word: 'of a list that is spread' }]);
function applied() { return (({ word }) => word).apply(this, arguments); }
out.applied = applied({ word: 'of arguments' });
out.literally = ((f) => f.apply(null, [{ word: 'of a literal' }]))(({ word }) => word);
out.reflected = Reflect.apply(({ word }) => word, null, [{ word: 'by Reflect' }]);
const restIn = (...[{ word }]) => word;
out.restIn = restIn({ word: 'a pattern behind dots' });
const restLater = (a, ...[b, { word }]) => word;
out.restLater = restLater(1, 2, { word: 'the third argument' });
const restNamed = (a, ...{ length, 1: word }) => word;
out.restNamed = restNamed(1, 2, 'by its number');
const partial = (f, ...first) => (...more) => f(...first, ...more);
out.more = partial((a, { word }) => word, 'a')({ word: 'of those later' });
out.first = partial(({ word }) => word, { word: 'of those before' })('b');
class Base { constructor({ word }) { this.word = word; } }
class Derived extends Base { constructor(...args) { super(...args); } }
out.derived = new Derived({ word: 'to a constructor' }).word;
const changing = (f) => (...args) => { args[0] = { word: 'put there instead' }; return f(...args); };
out.instead = changing(({ word }) => word)({ word: 'what was passed' });
const writing = (f) => (...args) => { args[0].word = 'written on the way'; return f(...args); };
out.written = writing(({ word }) => word)({ word: 'before it' });
const curried = (f) => function next(...a) { return a.length >= f.length ? f(...a) : (...b) => next(...a, ...b); };
out.curried = curried((a, { word }) => word)(1)({ word: 'behind its own name' });
console.log('asked here');
