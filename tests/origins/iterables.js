// Values that sets, maps, generators and built-ins of lists and objects gave; names of properties.
const out = {};
function* pair() { yield 'yielded first'; yield 'yielded second'; }
function joined(first, ...rest) { out.spread = rest[0]; return first; }
out.generator = [...pair()][1];
const [, second] = pair(); out.taken = second;
out.from = Array.from(pair())[0];
out.inSet = [...new Set(['in a set'])][0];
const set = new Set(); set.add('added to it'); for (const member of set) out.member = member;
const again = new Set(['first of its kind']); again.add('first of its ' + 'kind'); for (const member of again) out.again = member;
set.forEach((member) => { out.each = member; });
out.mapped = [...set].map((member) => member)[0];
const map = new Map([['key of an entry', 'value of it']]);
for (const [key, value] of map) { out.key = key; out.value = value; }
for (const value of map.values()) out.values = value;
for (const key of map.keys()) out.keys = key;
for (const [index, item] of ['of entries'].entries()) { out.item = item; out.position = index; }
map.forEach((value, key) => { out.mapEach = value; out.mapKey = key; });
out.pair = [...map][0][1];
out.ofMap = Array.from(map, ([key]) => key)[0];
const weak = new WeakMap(), weakly = {}; weak.set(weakly, 'held weakly'); out.weak = weak.get(weakly);
for (const name in { 'a name': 1 }) out.name = name;
const computed = {}; computed['made ' + 'up'] = 1; const chosen = 'chosen name'; computed[chosen] = 2;
out.chosen = Object.keys(computed)[1];
out.entryName = Object.entries({ 'named entry': 3 })[0][0];
out.entryValue = Object.entries({ a: 'x', b: 'second entry' })[1][1];
out.fromEntries = Object.fromEntries([['k', 'of a pair']]).k;
out.inBrackets = { [chosen]: 'in brackets', other: 1 }[chosen];
out.grouped = Object.groupBy(['in a group'], () => 'g').g[0];
out.flat = ['mapped flat'].flatMap((item) => [item])[0];
out.split = 'cut,apart'.split(',')[1];
joined('x', ...['of a spread']);
function given() { return pass(arguments); }
function pass(list) { return list[0]; }
out.passed = given('among arguments');
// Which of two equal elements it is, nothing says.
out.equal = new Map([['a', 'same'], ['b', 'same']]).values().next().value;
['at a place'].forEach((item, index) => { out.index = index; });
console.log('asked here');
