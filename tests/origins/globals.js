// The global object by its names, by those that scripts give it, and its properties as variables.
const out = {};
window.first = 'by the name of the window'; out.bare = first;
globalThis.second = ['put on the global object'][0]; out.window = window.second; out.self = self.second;
var third = 'a variable of the script'; out.property = window.third;
(function (root, factory) { root.App = factory(); })(this, function () { return { word: 'of a library for all' }; });
out.app = App.word; out.inWindow = window.App.word;
fourth = 'declared by nobody'; out.fourth = globalThis['fourth'];
let fifth = 'no property of the window'; window.fifth = 'beside it'; out.fifth = fifth; out.beside = window.fifth;
function sloppy() { this.sixth = 'by this of a function'; } sloppy(); out.sixth = sixth;
window.seventh = 'written twice, first'; seventh = 'written twice, then'; out.seventh = seventh;
out.spelt = String(window.second).trim();
console.log('asked here');
