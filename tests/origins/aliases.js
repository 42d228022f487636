// Functions of the language that a page calls by names of its own, and keys that bits of a number are.
const out = {};
const extend = Object.assign; const { assign, defineProperty: define } = Object; const put = Reflect.set;
out.extended = extend({}, { word: 'extended' }).word;
out.taken = assign({}, { word: 'left behind' }, { word: 'taken from the last' }).word;
function _extends() { return _extends = Object.assign ? Object.assign.bind() : function () {}, _extends.apply(null, arguments); }
out.first = _extends({}, { word: 'extended at first' }).word;
out.again = _extends({}, { word: 'extended again' }, null).word;
const described = {}; define(described, 'word', { value: 'defined by another name' }); out.described = described.word;
const cell = {}; const word = ['put by another name'][0]; put(cell, 'word', word); out.put = cell.word;
const late = {}; [['word', 'put in a loop']].forEach(([key, value]) => put(late, key, value)); out.late = late.word;
const nodes = ['of one', 'of two', 'of three', 'of four']; const MASK = 3;
const at = (index) => nodes[index & MASK]; out.masked = at(6);
const node = { array: [null, ['in a trie']] }; const deep = (index, level) => node.array[(index >>> level) & MASK][index & 0]; out.trie = deep(32, 5);
function passed() { const list = Array.from(arguments); return list[1]; } out.from = passed(0, 'from arguments');
function applied() { const list = Array.prototype.slice.call(arguments); return out.keep.apply(this, list); }
out.keep = (a, b) => b; out.applied = applied(0, 'applied to a copy');
const describe = Object.getOwnPropertyDescriptor, describeAll = Object.getOwnPropertyDescriptors || function () {};
out.one = describe({ word: 'of one description' }, 'word').value;
const all = describeAll({ word: 'of all descriptions' }); const take = (description) => description.value; out.all = take(all['word']);
class Labelled { constructor(text) { this.text = text; } get label() { return this.text; } say(word) { return word; } }
const own = Labelled.prototype;
const derive = (f, object) => { let result; result = f.call(object); return result; };
out.got = derive(describe(own, 'label').get, new Labelled('by a getter that is called'));
const speak = (f, object, text) => f.call(object, text); out.said = speak(describe(own, 'say').value, {}, 'by a method that is called');
console.log('asked here');
