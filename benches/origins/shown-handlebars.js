// What Handlebars shows when it renders first: each text stands once in this file.
// shown: heading document.querySelector('h1').textContent
// shown: city document.querySelector('#city').textContent
// shown: second document.querySelector('.row:nth-child(2) b').textContent
// shown: third document.querySelector('.row:nth-child(3) b').textContent
// shown: title document.querySelector('#link').title
import Handlebars from 'handlebars/dist/handlebars.js';
const user = { name: 'the heading', city: 'the city', title: 'the title' };
const items = [{ label: 'the first label' }, { label: 'the second label' }, { label: 'the third label' }];
const show = (text) => text;
const template = Handlebars.compile(`<h1>{{heading}}</h1><p id=city>{{user.city}}</p>
  <ul>{{#each items}}<li class=row><b>{{label}}</b> <i>in stock</i></li>{{/each}}</ul>
  <a id=link title="{{user.title}}">more</a>`);
document.body.insertAdjacentHTML('beforeend', template({ user, items, heading: show(user.name) }));
setTimeout(() => console.log('asked here'), 50);
