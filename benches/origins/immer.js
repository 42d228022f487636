// Immer drafts: each `out.name = …` is asked; its value is a text that stands once in this file.
import { produce } from 'immer';
globalThis.out = {};
const base = { list: [{ name: 'base name' }], other: 'kept' };
const next = produce(base, (draft) => { draft.list[0].name = 'drafted'; draft.added = 'added'; });
out.drafted = next.list[0].name; out.added = next.added; out.kept = next.other;
console.log('asked here');
