// Underscore's templates, which run in a `with`; each text stands once in this file.
const out = {};
import _ from 'underscore';
const template = _.template('<%= title %>'), escaped = _.template('<%- items[1].label %>');
out.template = template({ title: 'the title' });
out.escaped = escaped({ items: [{ label: 'the first label' }, { label: 'the second label' }] });
out.extended = _.extend({}, { word: 'extended' }).word;
out.plucked = _.pluck([{ name: 'plucked' }], 'name')[0];
out.chained = _.chain([{ name: 'chained' }]).map((it) => it).first().value().name;
console.log('asked here');
