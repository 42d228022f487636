// What is watched of the realm itself, and only where a question needs it.

if ((config.standby || (armed && anyProperty)) && earlier === undefined && typeof Proxy === 'function') {
  // Proxies made from here on are known by their mark: a hook must not run their traps.
  const ProxyOf = Proxy;
  const mark = (proxy, target, handler) => {
    proxies = true;
    new ProxyMark(proxy, target, handler);
    return proxy;
  };
  const Marked = new ProxyOf(ProxyOf, {
    construct(target, values, newTarget) {
      const made = construct(target, values, newTarget === Marked ? target : newTarget);
      return mark(made, values[0], values[1]);
    },
    get(target, key) {
      return key === 'revocable' ? revocable : target[key];
    },
  });
  const revocable = new ProxyOf(ProxyOf.revocable, {
    apply(target, self, values) {
      const made = apply(target, ProxyOf, values);
      mark(made.proxy, values[0], values[1]);
      return made;
    },
  });
  markDisguised(Marked, ProxyOf);
  markDisguised(revocable, ProxyOf.revocable);
  defineProperty(realm, 'Proxy', { __proto__: null, value: Marked, writable: true, enumerable: false, configurable: true });
}

if (config.console !== null && typeof console === 'object') {
  let done = false;
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'assert', 'dir', 'table', 'trace']) {
    const original = console[name];
    if (typeof original !== 'function') continue;
    install(console, name, { __proto__: null, ...getOwnPropertyDescriptor(console, name), value: disguise(new Proxy(original, {
      apply(target, self, values) {
        if (!done) {
          let text = '';
          for (let index = 0; index < values.length; index++) {
            const value = values[index];
            text += (index > 0 ? ' ' : '') + (typeof value === 'string' ? value : summary(value).text);
          }
          if (apply(includes, text, [config.console])) {
            done = true;
            stop({ kind: 'console', sequence });
          }
        }
        return apply(target, self, values);
      },
    }), original) });
  }
}

// Reports are posted by a binding, which is taken off the realm at once.
const post = config.post !== null ? realm[config.post] : undefined;
let posting = false;

// A worker may be ended at any moment and is told nothing: it reports at the end of each task that passed by the
// reproduction point. `await` of a value that is no promise looks nothing up that the page could have changed.
async function postAfterTask() {
  if (typeof post !== 'function') return;
  posting = true;
  await undefined;
  posting = false;
  post(toJson(report()));
}

if (typeof post === 'function') {
  delete realm[config.post];
  const isFrame = typeof realm.window === 'object';
  post(toJson({
    document: token,
    realm: { url: typeof realm.location === 'object' ? StringOf(realm.location.href) : '', top: isFrame && realm.top === realm },
  }));
  if (isFrame) {
    // A document that is left reports what it saw.
    const leave = () => { if (hits > 0) post(toJson(report())); };
    // What is posted at `pagehide` is lost where the next document has a renderer frame of its own.
    listen(realm, 'beforeunload', leave, true);
    listen(realm, 'pagehide', leave, true);
  }
}
