// What Vue shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import { createApp, h, reactive } from 'vue/dist/vue.runtime.esm-bundler.js';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const state = reactive({ user, items });
const root = document.createElement('div'); document.body.append(root);
createApp({
  render: () => [h('h1', show(state.user.name)), h('p', { id: 'city' }, state.user.city),
    h('ul', state.items.map((item) => h('li', { class: 'row' }, [h('b', item.label), ' ', h('i', 'in stock')]))),
    h('a', { id: 'link', title: state.user.title }, 'more')],
}).mount(root);
setTimeout(() => console.log('asked here'), 50);
