// What Solid shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import html from 'solid-js/html';
import { createSignal } from 'solid-js';
import { render } from 'solid-js/web';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const [state] = createSignal({ user, items });
const row = (item) => html`<li class="row"><b>${() => item.label}</b> <i>in stock</i></li>`;
render(() => html`<main><h1>${() => show(state().user.name)}</h1><p id="city">${() => state().user.city}</p>
  <ul>${() => state().items.map(row)}</ul><a id="link" title=${() => state().user.title}>more</a></main>`,
document.body);
setTimeout(() => console.log('asked here'), 50);
