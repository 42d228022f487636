// Jotai atoms: each `out.name = …` is asked; its value is a text that stands once in this file.
import { atom, createStore } from 'jotai/vanilla';
globalThis.out = {};
const store = createStore(); const name = atom('atom initial'); const derived = atom((get) => get(name));
out.initial = store.get(name); store.set(name, 'atom set'); out.set = store.get(name); out.derived = store.get(derived);
console.log('asked here');
