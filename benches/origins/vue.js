// Vue refs, reactive objects, computed values and props: each `out.name = …` is asked; its value is here once.
import { ref, reactive, computed, watchEffect, createApp, h, nextTick } from 'vue';
globalThis.out = {};
const count = ref('ref initial'); const state = reactive({ name: 'reactive initial', nested: { deep: 'deep reactive' } });
const both = computed(() => count.value);
out.ref0 = count.value; count.value = 'ref set'; out.ref = count.value; out.computed = both.value;
state.name = 'reactive set'; out.reactive = state.name; out.nested = state.nested.deep;
const Child = { props: ['label'], setup(props) { return () => { out.prop = props.label; return h('p', props.label); }; } };
const app = createApp({ setup() { return () => h(Child, { label: state.name }); } });
const root = document.createElement('div'); document.body.append(root); app.mount(root);
nextTick(() => console.log('asked here'));
