async ({ agent, before: scripts, text, module }) => {
  const lines = [];
  const frame = document.body.appendChild(document.createElement('iframe'));
  const realm = frame.contentWindow;
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'function') return `[function ${value.name}]`;
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : realm.String(value);
    const keys = realm.Reflect.ownKeys(value).filter((key) => !(key === 'length' && realm.Array.isArray(value)));
    return `${realm.Array.isArray(value) ? 'array' : 'object'} {${keys.map((key) => {
      const property = realm.Reflect.getOwnPropertyDescriptor(value, key);
      return `${String(key)}: ${'value' in property ? (property.value === value ? 'itself' : show(property.value)) : 'accessor'}`;
    }).join(', ')}}`;
  };
  const shown = (error) => (error?.name === 'SyntaxError' ? 'SyntaxError'
    : typeof error === 'object' && error !== null && 'message' in error ? `${error.name}: ${error.message}`
    : show(error));
  realm.print = (...values) => lines.push(values.map(show).join(' '));
  realm.later = (callback) => setTimeout(callback, 0);
  const insert = (content, type) => {
    const script = realm.document.createElement('script');
    if (type !== undefined) script.type = type;
    script.textContent = content;
    const done = new Promise((resolve) => { script.onload = resolve; script.onerror = resolve; });
    realm.document.body.append(script);
    return done;
  };
  realm.runScript = (script) => { insert(script); };
  realm.addEventListener('error', (event) => { lines.push(`threw ${shown(event.error)}`); event.preventDefault(); });
  realm.addEventListener('unhandledrejection', (event) => event.preventDefault());
  realm.attempt = (label, work) => {
    try { realm.print(label, work()); } catch (error) { realm.print(label, 'threw', error?.name, error?.message); }
  };
  const before = new Set(realm.Reflect.ownKeys(realm));
  if (agent !== null) insert(agent);
  for (const script of scripts) insert(script);
  if (module) {
    const file = (content) => URL.createObjectURL(new Blob([content], { type: 'text/javascript' }));
    const self = file(text);
    const imports = { self, other: file('export default 1; export const a = { p: 1 };') };
    insert(JSON.stringify({ imports }), 'importmap');
    insert('globalThis.load = (url) => import(url);');
    const { load } = realm;
    delete realm.load;
    const ended = load(self).then((namespace) => {
      for (const key of realm.Reflect.ownKeys(namespace)) {
        try {
          lines.push(`export ${String(key)} ${show(namespace[key])}`);
        } catch (error) {
          lines.push(`export ${String(key)} ${shown(error)}`);
        }
      }
    }, (error) => { lines.push(`threw ${shown(error).replaceAll(/blob:\S+/g, 'a file')}`); });
    // A module that waits for ever must not stop the rest.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500))]);
  } else {
    insert(text);
  }
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  const left = realm.Reflect.ownKeys(realm).filter((key) => !before.has(key));
  lines.push(`globals ${left.map(String).join()}`);
  frame.remove();
  return { lines };
}
