// What React shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const Row = ({ item }) => h('li', { className: 'row' }, h('b', null, item.label), ' ', h('i', null, 'in stock'));
const root = document.createElement('div'); document.body.append(root);
createRoot(root).render(h('main', null, h('h1', null, show(user.name)), h('p', { id: 'city' }, user.city),
  h('ul', null, items.map((item) => h(Row, { item, key: item.label }))),
  h('a', { id: 'link', title: user.title }, 'more')));
setTimeout(() => console.log('asked here'), 50);
