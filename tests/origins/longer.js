// Texts of more than 256 code units: JSON with the way inside, storages, parts that are cut out, lists of them.
const out = {};
const filler = (count) => Array.from({ length: count }, (_, index) => ({ id: index, label: `number ${index} of them` }));
const order = { rows: filler(70), customer: { name: 'behind three thousand units' }, note: 'after them all' };
const json = JSON.stringify(order);
out.units = json.length > 2500 && json.length < 4096 ? 'as long as it should be' : json.length;
out.parsed = JSON.parse(json).customer.name;
localStorage.setItem('order', json); out.stored = JSON.parse(localStorage.getItem('order')).note;
const large = JSON.stringify({ rows: filler(300), last: 'behind twelve thousand units' });
sessionStorage.setItem('large', large); out.session = JSON.parse(sessionStorage.getItem('large')).last;
const twin = JSON.stringify({ rows: filler(300), last: 'behind twelve thousand units, or so' }); const both = { large, twin };
out.twin = JSON.parse(both.twin).last;
out.large = JSON.parse(large).last;
const passed = (text) => text; const kept = { text: passed(large) }; out.passed = JSON.parse(kept.text).last;
const words = 'w'.repeat(400); const list = [words, words + 'x', 'a short one']; out.found = list.find((it) => it.length < 20);
const long = [`${words}one`, `${words}two`]; const box = { first: long[0], second: long[1] }; out.same = box.second === long[1] && 'told apart';
const other = { kept: long[1] }; out.copy = other.kept.slice(-3);
out.trimmed = JSON.parse(json.trim()).note;
const grown = []; let text = words; for (let index = 0; index < 80; index++) { text += '.'; grown.push(text); }
out.grown = JSON.parse(JSON.stringify({ grown, after: 'behind texts that grew' })).after;
console.log('asked here');
