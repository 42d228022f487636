// A TanStack query cache: each `out.name = …` is asked; its value is a text that stands once in this file.
import { QueryClient } from '@tanstack/query-core';
globalThis.out = {};
const client = new QueryClient();
const data = await client.fetchQuery({ queryKey: ['a'], queryFn: async () => ({ name: 'queried' }) });
out.direct = data.name; out.cached = client.getQueryData(['a']).name;
client.setQueryData(['b'], { name: 'set by hand' }); out.set = client.getQueryData(['b']).name;
console.log('asked here');
