// Values inside texts: JSON with the way inside, revivers, addresses.
const out = {};
const order = { customer: { name: 'in an object' }, lines: [{ text: 'in a list' }], other: 'in an object, too' };
const copy = JSON.parse(JSON.stringify(order));
out.inside = copy.customer.name;
out.element = copy.lines[0].text;
out.nested = JSON.parse(JSON.parse(JSON.stringify({ text: JSON.stringify({ x: 'in two texts' }) })).text).x;
sessionStorage.setItem('saved', JSON.stringify({ draft: 'saved as text' }));
out.saved = JSON.parse(sessionStorage.getItem('saved')).draft;
const { lines: [{ text }] } = JSON.parse(JSON.stringify(order)); out.taken = text;
for (const line of JSON.parse(JSON.stringify(order)).lines) out.looped = line.text;
out.revived = JSON.parse(JSON.stringify({ deep: { r: 'revived' } }), function (key, value) { return value; }).deep.r;
const listed = JSON.stringify({ list: [{ n: 'first of the list' }, { n: 'revived by an arrow' }] });
out.arrow = JSON.parse(listed, (key, value) => value).list[1].n;
out.changed = JSON.parse('{"a":1}', (key, value) => (key === 'a' ? 'made by a reviver' : value)).a;
// Who changes the text: the way inside does not say where it is from.
out.replaced = JSON.parse(JSON.stringify({ v: 'replaced' }, (key, value) => value)).v;
out.custom = JSON.parse(JSON.stringify({ toJSON() { return { v: 'by toJSON' }; } })).v;
out.primitive = { [Symbol.toPrimitive]() { return 'primitive'; } } + '';
out.query = new URLSearchParams({ q: 'in the query' }).get('q');
const parameters = new URLSearchParams(); parameters.set('p', 'set in it'); out.parameter = parameters.get('p');
out.address = new URL('http://a.example/?q=asked').searchParams.get('q');
history.replaceState({ step: { at: 'in the state' } }, ''); out.state = history.state.step.at;
location.hash = 'there'; out.hash = location.hash;
console.log('asked here');
