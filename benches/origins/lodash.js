// lodash-es: each `out.name = …` is asked; its value is a text that stands once in this file.
import { merge, groupBy, cloneDeep, pick, keyBy, debounce } from 'lodash-es';
globalThis.out = {};
const a = merge({}, { x: { y: 'merged deep' } }); out.merge = a.x.y;
out.clone = cloneDeep({ c: { d: 'cloned deep' } }).c.d; out.pick = pick({ p: 'picked', q: 1 }, ['p']).p;
out.key = keyBy([{ id: 'k1', text: 'keyed' }], 'id').k1.text; out.group = groupBy([{ g: 'g1', t: 'grouped' }], 'g').g1[0].t;
console.log('asked here');
