// A zustand store: each `out.name = …` is asked; its value is a text that stands once in this file.
import { createStore } from 'zustand/vanilla';
const store = createStore((set) => ({ total: 'initial', setTotal: (value) => set({ total: value }), merge: (v) => set((s) => ({ ...s, total: v })) }));
globalThis.out = {};
out.initial = store.getState().total;
store.getState().setTotal('given to set');
out.set = store.getState().total;
store.subscribe((state) => { out.sub = state.total; });
store.getState().merge('merged in');
console.log('asked here');
