// What Mithril shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import m from 'mithril';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const row = (item) => m('li.row', [m('b', item.label), ' ', m('i', 'in stock')]);
const view = () => [m('h1', show(user.name)), m('p#city', user.city), m('ul', items.map(row)),
  m('a#link', { title: user.title }, 'more')];
m.mount(document.body, { view });
setTimeout(() => console.log('asked here'), 50);
