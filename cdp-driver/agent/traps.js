// Proxies: the page reads what a `get` trap gives, and no hook sees that. A rewritten trap says what it reads, as a
// getter does. Of
// any other the target's own property is looked up, and the driver compares that with what the page reads.

// Whether a trap that could not be followed was met on the way to what is being resolved.
let metTrap = false;

// The `get` trap that a read of `object[key]` runs: `{ get, self, target, receiver }`; undefined: there is none.
function trapOf(object, key) {
  let holder = object;
  for (let depth = 0; proxies && isObject(holder) && depth < 1000; depth++) {
    if (ProxyMark.is(holder)) {
      const self = ProxyMark.handler(holder);
      const target = ProxyMark.target(holder);
      const trap = isObject(self) ? inspect(self, 'get') : undefined;
      if (trap !== undefined) {
        const get = trap.data ? trap.value : trap.get;
        if (get !== undefined && get !== null) return { __proto__: null, get, self, target, receiver: object };
      }
      holder = target;
    } else if (getOwnPropertyDescriptor(holder, key) !== undefined) return undefined;
    else holder = getPrototypeOf(holder);
  }
  return undefined;
}

// What the trap reads for `key`, resolved; undefined: it cannot be followed.
function resolveTrap(key, trap, depth) {
  if (depth > MOST_ACCESSORS_IN_A_ROW) return undefined;
  const into = { names: [], shown: [], results: [] };
  try {
    const reads = readsOf(trap.get, trap.self, [trap.target, key, trap.receiver]);
    if (reads === undefined || !followReads(reads, into, depth)) return undefined;
  } catch {
    return undefined;
  }
  const refused = { status: 'accessor', message: `${key} is computed by a proxy's get trap that could not be followed` };
  const result = lastOfReads(into, refused, `${key} is read by a proxy's get trap, which reads`);
  return result === refused ? undefined : result;
}

// The object in which a query begins.
function rootOf(query, given) {
  const thunk = part(part(given, 'd'), query.dependent);
  if (query.root === 'event') return standing?.owner;
  if (query.root === 'element') return lookUp(query.lookup);
  return typeof thunk === 'function' ? thunk() : undefined;
}
const isEntry = (step) => step !== null && typeof step === 'object' && step.kind !== 'element';
const keyOfStep = (step, given) => (typeof step === 'string' ? step : propertyKey(keyOf(step, given)));
const lastKey = (query, given) => (query.keyed === null ? query.key : propertyKey(keyOf(query.keyed, given)));

// The trap that the page's own read of what `query` names runs, where it is not followed; undefined: there is none.
function trapAt(query, given) {
  if (!proxies || query.variable || isEntry(query.keyed)) return undefined;
  try {
    let base = rootOf(query, given);
    for (let index = 0; index < query.path.length; index++) {
      const step = query.path[index];
      const trap = isEntry(step) ? undefined : trapOf(base, keyOfStep(step, given));
      if (trap !== undefined) return trap.get;
      base = follow(base, step, given);
    }
    const key = lastKey(query, given);
    const trap = trapOf(base, key);
    return trap === undefined || resolveTrap(key, trap, 0) !== undefined ? undefined : trap.get;
  } catch {
    return undefined;
  }
}

// What the page reads there. This runs the page's code: the debugger lets it, as far as that has no side effects.
function readAsPage(query, given) {
  let base = rootOf(query, given);
  for (let index = 0; index < query.path.length; index++) {
    const step = query.path[index];
    base = isEntry(step) ? readEntry(step, base, keyOf(step, given)) : base[keyOfStep(step, given)];
  }
  return base[lastKey(query, given)];
}

// Whether that is what we read without running anything of the page.
function agreesWithPage(query, given) {
  const value = readAsPage(query, given);
  try {
    let base = rootOf(query, given);
    for (let index = 0; index < query.path.length; index++) base = follow(base, query.path[index], given);
    const key = lastKey(query, given);
    const property = inspect(base, key);
    // A getter of the page is said to be one.
    if (property !== undefined && !property.data && !property.native) return true;
    return is(unwrap(value), unwrap(read(base, key)));
  } catch {
    return false;
  }
}
