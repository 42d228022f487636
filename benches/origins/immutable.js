// Immutable's maps, lists and records: tries whose places are bits of a number; each text stands once in this file.
const out = {};
import { fromJS, List, Map, Record } from 'immutable';
const map = Map({ word: 'in a map', list: List(['in a list', 'behind it']) });
out.map = map.get('word'); out.list = map.getIn(['list', 0]);
const next = map.set('word', 'set anew').update('list', (list) => list.push('pushed'));
out.set = next.get('word'); out.pushed = next.getIn(['list', 2]);
const deep = fromJS({ row: { cells: [{ text: 'deep inside' }] } });
out.deep = deep.getIn(['row', 'cells', 0, 'text']);
const Row = Record({ word: '' });
out.record = new Row({ word: 'of a record' }).word;
out.mapped = List(['mapped']).map((it) => it).first();
console.log('asked here');
