'use strict';
const escaped = (text) => text.replace(/[.+?^$()|[\]\\]/g, '\\$&');
function compiled(pattern) {
  const names = [];
  const parts = pattern.split('/').map((part) => {
    if (part.startsWith(':')) {
      names.push(part.slice(1));
      return '([^/]+)';
    }
    return part === '*' ? '.*' : escaped(part);
  });
  return { expression: `^${parts.join('/')}$`, names };
}
function score(pattern) {
  const parts = pattern.split('/');
  return parts.reduce((sum, part) => sum + (part === '*' ? 0 : part.startsWith(':') ? 2 : 3), 0);
}
function* pairs(query) {
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [name, value = ''] = part.split('=');
    yield [decodeURIComponent(name), decodeURIComponent(value)];
  }
}
function parsedQuery(query) {
  const found = {};
  for (const [name, value] of pairs(query)) {
    found[name] = name in found ? [found[name], value].flat() : value;
  }
  return found;
}
class Router {
  routes = [];
  add(pattern, name) {
    this.routes.push({ ...compiled(pattern), name, score: score(pattern) });
    this.routes.sort((one, two) => two.score - one.score);
    return this;
  }
  match(url) {
    const [path, query = ''] = url.split('?');
    for (const route of this.routes) {
      const found = path.match(new RegExp(route.expression));
      if (found) return { name: route.name, ...this.values(route, found), query: parsedQuery(query) };
    }
    return { name: 'none' };
  }
  values(route, found) {
    return Object.fromEntries(route.names.map((name, index) => [name, found[index + 1]]));
  }
}
const router = new Router()
  .add('/*', 'missing')
  .add('/shop/:id', 'item')
  .add('/shop/new', 'new item')
  .add('/a.b/:x/:y', 'point')
  .add('/', 'start');
const urls = ['/', '/shop/new', '/shop/7?tag=a&tag=b&tag=c', '/a.b/1/2?x=%20', '/aXb/1/2', '/help?', '/shop/7/8'];
const report = { found: urls.map((url) => router.match(url)) };
