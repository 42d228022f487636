'use strict';
const filters = { all: () => true, open: (task) => !task.done, done: (task) => task.done };
function tasks(state = [], action) {
  switch (action.type) {
    case 'add':
      return [...state, { id: action.id, text: action.text, done: false }];
    case 'toggle':
      return state.map((task) => (task.id === action.id ? { ...task, done: !task.done } : task));
    case 'clear':
      return state.filter((task) => !task.done);
    default:
      return state;
  }
}
function filter(state = 'all', action) {
  return action.type === 'show' ? action.filter : state;
}
function combined(state, action) {
  return { tasks: tasks(state.tasks, action), filter: filter(state.filter, action) };
}
class Store extends EventTarget {
  constructor(reducer) {
    super();
    this.reducer = reducer;
    this.state = reducer({}, { type: 'start' });
    this.changes = 0;
  }
  dispatch(action) {
    const before = this.state;
    this.state = this.reducer(before, action);
    if (isOther(before, this.state)) this.changed(action);
  }
  changed(action) {
    this.changes++;
    this.dispatchEvent(new CustomEvent('change', { detail: action.type }));
  }
}
function isOther(before, after) {
  return Object.keys(after).some((key) => before[key] !== after[key]);
}
const visible = (state) => state.tasks.filter(filters[state.filter]);
const counted = (state) => ({
  open: state.tasks.filter(filters.open).length,
  all: state.tasks.length,
});
function line(state) {
  const { open, all } = counted(state);
  return `${visible(state).map((task) => task.text).join(', ')} (${open} of ${all})`;
}
const store = new Store(combined);
const lines = [];
store.addEventListener('change', () => lines.push(line(store.state)));
let next = 1;
for (const text of ['read', 'write', 'sleep']) store.dispatch({ type: 'add', id: next++, text });
store.dispatch({ type: 'toggle', id: 2 });
store.dispatch({ type: 'show', filter: 'open' });
store.dispatch({ type: 'show', filter: 'open' });
store.dispatch({ type: 'toggle', id: 3 });
store.dispatch({ type: 'show', filter: 'done' });
store.dispatch({ type: 'clear' });
store.dispatch({ type: 'show', filter: 'all' });
const report = { lines, changes: store.changes };
