'use strict';
// The few lines of a framework that the components need.
let current = null;
let at = 0;
function h(type, props, ...children) {
  return { type, props: props ?? {}, children: children.flat() };
}
function useState(first) {
  const { states } = current;
  const own = at++;
  if (!(own in states)) states[own] = first;
  return [states[own], (value) => (states[own] = value)];
}
function isSame(one, two) {
  return one !== undefined && one.every((it, index) => Object.is(it, two[index]));
}
function useMemo(make, uses) {
  const { states } = current;
  const own = at++;
  if (!isSame(states[own]?.uses, uses)) states[own] = { uses, value: make() };
  return states[own].value;
}
const instances = new Map();
function instance(key) {
  if (!instances.has(key)) instances.set(key, { states: {} });
  return instances.get(key);
}
function rendered(node, path) {
  if (typeof node !== 'object') return String(node);
  if (typeof node.type === 'string') {
    const inner = node.children.map((child, index) => rendered(child, `${path}/${index}`));
    return `<${node.type}>${inner.join('')}</${node.type}>`;
  }
  const key = `${path}:${node.type.name}${node.props.key ?? ''}`;
  const outer = [current, at];
  [current, at] = [instance(key), 0];
  const result = node.type({ ...node.props, children: node.children });
  [current, at] = outer;
  return rendered(result, key);
}
// The components.
const handles = {};
const price = (cents) => `${(cents / 100).toFixed(2)} EUR`;
function Row({ name, cents, onBuy }) {
  const [count, setCount] = useState(0);
  handles[name] = () => {
    setCount(count + 1);
    onBuy(cents);
  };
  return h('li', null, name, ' ', price(cents), count > 0 ? ` x${count}` : '');
}
const sorted = (rows, by) => [...rows].sort((one, two) => (one[by] < two[by] ? -1 : 1));
function Shop({ rows }) {
  const [by, setBy] = useState('name');
  const [spent, setSpent] = useState(0);
  handles.sort = setBy;
  const shown = useMemo(() => sorted(rows, by), [rows, by]);
  const list = shown.map((row) => h(Row, { ...row, key: row.name, onBuy: (cents) => setSpent(spent + cents) }));
  return h('ul', null, list, h('li', null, 'spent ', price(spent)));
}
const rows = [{ name: 'tea', cents: 450 }, { name: 'cup', cents: 890 }, { name: 'pan', cents: 210 }];
const pages = [];
const render = () => pages.push(rendered(h(Shop, { rows }), 'shop'));
render();
for (const press of [() => handles.tea(), () => handles.sort('cents'), () => handles.tea(), () => handles.pan()]) {
  press();
  render();
}
const report = { pages };
