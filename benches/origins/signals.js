// Preact signals: each `out.name = …` is asked; its value is a text that stands once in this file.
import { signal, computed, effect } from '@preact/signals-core';
globalThis.out = {};
const name = signal('first name'); const label = computed(() => name.value);
effect(() => { out.effect = label.value; });
name.value = 'signalled';
out.label = label.value; out.peek = name.peek();
console.log('asked here');
