// What Alpine shows: its expressions run in a `with`, on proxies. Each text stands once in this file.
// shown: title document.querySelector('h1').textContent
// shown: second document.querySelector('li:nth-of-type(2)').textContent
// shown: renamed document.querySelector('#name').textContent
import Alpine from 'alpinejs';
document.body.insertAdjacentHTML('beforeend', `<div x-data="cart"><h1 x-text="title"></h1>
<ul><template x-for="item in items"><li x-text="item.label"></li></template></ul>
<b id="name" x-text="name"></b><button x-on:click="rename(next)">x</button></div>`);
Alpine.data('cart', () => ({
  title: 'the title', items: [{ label: 'the first label' }, { label: 'the second label' }], name: 'the name',
  next: 'the next name', rename(to) { this.name = to; },
}));
Alpine.start();
setTimeout(() => { document.querySelector('button').click(); setTimeout(() => console.log('asked here'), 50); }, 50);
