// Valtio proxies and snapshots: each `out.name = …` is asked; its value is a text that stands once in this file.
import { proxy, snapshot } from 'valtio/vanilla';
globalThis.out = {};
const state = proxy({ name: 'proxy initial', inner: { deep: 'deep initial' } });
out.initial = state.name; state.name = 'proxy set'; out.set = state.name; out.snap = snapshot(state).name; out.deep = state.inner.deep;
console.log('asked here');
