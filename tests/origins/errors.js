// What errors hold, what a `catch` takes apart, and what a text of JSON has instead of objects.
const out = {};
const thrown = (make) => { try { throw make(); } catch (error) { return error; } };
class Issues extends Error { constructor(issues) { super(issues[0].text); this.name = 'Issues'; } }
out.subclass = thrown(() => new Issues([{ text: 'in a subclass' }])).message;
class Base extends Error { constructor(text) { super(text); } }
class Derived extends Base { constructor(code, text) { super(text); this.code = code; } }
out.derived = new Derived(1, 'through two classes').message;
class Plain extends Error {} out.plain = new Plain('without a constructor').message;
class Spread extends Error { constructor(...all) { super(...all); } } out.spread = new Spread('spread').message;
class Sum extends Error { constructor(code, text) { super(`${code}: ${text}`); } }
out.sum = new Sum(7, 'seven').message;
class Own extends Error { constructor(text) { super(); this.message = text; } }
out.own = new Own('set by hand').message;
function Old(text) { const error = Error.call(this, text); this.message = error.message; }
Old.prototype = Object.create(Error.prototype); out.old = new Old('without a class').message;
out.called = Error('called without new').message; out.number = new Error(404).message;
class Caused extends Error { constructor(text, options) { super(text, options); } }
out.cause = new Caused('x', { cause: 'a cause' }).cause;
out.inner = new Error('x', { cause: new Error('the message of a cause') }).cause.message;
out.aggregate = new AggregateError([1], 'of several').message;
const written = new Error('as it was'); written.message = 'written later'; out.written = written.message;
try { throw new Error('taken apart'); } catch ({ message }) { out.message = message; }
try { throw { a: { b: 'deep inside' } }; } catch ({ a: { b, c = 'a default' } }) { out.deep = b; out.default = c; }
class Entries extends Map { constructor(entries) { super(entries); } }
out.entry = new Entries([['k', 'of a class of maps']]).get('k');
const model = { inner: 'inside', toJSON() { return { outer: this.inner, more: { deep: 'made for the text' } }; } };
const parsed = JSON.parse(JSON.stringify({ model, list: [model] }));
out.outer = parsed.model.outer; out.made = parsed.model.more.deep;
const money = { amount: 5, toJSON() { return 'stands for it'; } };
out.stands = JSON.parse(JSON.stringify({ money })).money;
const replacer = (key, value) => (key === 'secret' ? 'instead of it' : value);
const replaced = JSON.parse(JSON.stringify({ open: 'as it is', secret: 'hidden', in: { open: 'twice' } }, replacer));
out.secret = replaced.secret; out.open = replaced.open;
out.picked = JSON.parse(JSON.stringify({ a: 'picked' }, ['a'])).a;
(async () => {
  try { await (async () => { throw new Issues([{ text: 'rejected' }]); })(); }
  catch (error) { out.rejected = error.message; }
  try { await Promise.reject(new Issues([{ text: 'a part of it' }])); } catch ({ message }) { out.reason = message; }
  console.log('asked here');
})();
