'use strict';
const pages = {
  '/1': { items: [4, 8], next: '/2' },
  '/2': { items: [15], next: '/3' },
  '/3': { items: [16, 23, 42], next: null },
};
const log = [];
const failures = new Map([['/2', 1], ['/3', 2]]);
async function request(path) {
  await null;
  const left = failures.get(path) ?? 0;
  if (left > 0) {
    failures.set(path, left - 1);
    throw new Error(`${path} failed`);
  }
  return JSON.parse(JSON.stringify(pages[path]));
}
const delay = (attempt) => Math.min(2 ** attempt * 10, 25);
const isLast = (attempt, most) => attempt + 1 >= most;
function noted(path, attempt) {
  log.push(`${path} again in ${delay(attempt)}`);
}
async function retried(path, most) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await request(path);
    } catch (error) {
      if (isLast(attempt, most)) throw error;
      noted(path, attempt);
    }
  }
}
const cache = new Map();
function remembered(path, load) {
  if (!cache.has(path)) cache.set(path, load(path));
  return cache.get(path);
}
const merged = (known, more) => [...new Set([...known, ...more])];
const sum = (items) => items.reduce((total, item) => total + item, 0);
const summary = (items) => ({ count: items.length, sum: sum(items), largest: Math.max(...items) });
async function all(first, most) {
  let items = [];
  let path = first;
  while (path !== null) {
    const page = await remembered(path, (it) => retried(it, most));
    items = merged(items, page.items);
    path = page.next;
  }
  return summary(items);
}
const report = { log };
(async () => {
  report.first = await all('/1', 3);
  report.again = await all('/2', 3);
})();
