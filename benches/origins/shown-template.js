// What Vue shows of a template that it compiles in the browser: that runs in a `with`, on a proxy that has every name.
// shown: title document.querySelector('h1').textContent
// shown: second document.querySelector('li:nth-of-type(2)').textContent
// shown: renamed document.querySelector('#name').textContent
import { createApp } from 'vue/dist/vue.esm-bundler.js';
const root = document.createElement('div'); document.body.append(root);
createApp({
  template: `<h1>{{ title }}</h1><ul><li v-for="item in items">{{ item.label }}</li></ul><b id="name">{{ name }}</b>
<button @click="rename(next)">x</button>`,
  data: () => ({
    title: 'the title', items: [{ label: 'the first label' }, { label: 'the second label' }], name: 'the name',
    next: 'the next name',
  }),
  methods: { rename(to) { this.name = to; } },
}).mount(root);
setTimeout(() => { document.querySelector('button').click(); setTimeout(() => console.log('asked here'), 50); }, 50);
