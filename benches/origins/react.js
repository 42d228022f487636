// React state, reducers, context, memo, refs and props: each `out.name = …` is asked; its value is here once.
import { createElement as h, useState, useReducer, useContext, createContext, useEffect, useMemo, useRef } from 'react';
import { createRoot } from 'react-dom/client';
globalThis.out = {};
const Theme = createContext('no theme');
function Child({ label, onDone }) { out.prop = label; const theme = useContext(Theme); out.context = theme; return h('p', null, label); }
function App() {
  const [name, setName] = useState('state initial');
  const [red, dispatch] = useReducer((s, a) => ({ ...s, v: a.value }), { v: 'reducer initial' });
  const memo = useMemo(() => name, [name]); const kept = useRef('ref value');
  out.state = name; out.reduced = red.v; out.memo = memo; out.ref = kept.current;
  useEffect(() => { setName('state set'); dispatch({ value: 'dispatched' }); setTimeout(() => console.log('asked here'), 50); }, []);
  return h(Theme.Provider, { value: 'theme given' }, h(Child, { label: name }));
}
const root = document.createElement('div'); document.body.append(root); createRoot(root).render(h(App));
