// Events that trace queries count.

// A function is entered or left, a line is come to, an object is created: just then; a value with it, where there is one.
const Tr = (site, index, value) => count(index, site, value, undefined, undefined, false);

// Writes of a watched property or variable, before they happen, whether they change it or not.
function countWrite(index, site, owner, old, value) {
  const { traced } = slots[index];
  for (let number = 0; number < traced.length; number++) count(traced[number], site, owner, old, value, true);
}

function count(index, site, owner, old, value, written) {
  const slot = slots[index];
  const s = ++slot.counted;
  if (apply(setHas, slot.stops, [s])) {
    const shown = old === UNTOLD ? oldOf(owner, slot.key) : old;
    stop({
      kind: 'event', sequence: s, site, owner, written, created: shown === ABSENT,
      old: shown === ABSENT ? undefined : shown, value: value === ABSENT || value === UNKNOWN ? undefined : value,
      by: makerAt(site),
    });
  }
}

// No hook sees an exception: the debugger, which stands at each, tells it. `asked` are the queries that count exceptions, each
// with its slot and the class that it asks for, if any; `own` is the class of `thrown` as the debugger names it.
function threw(asked, own, thrown) {
  const numbers = { __proto__: null };
  let classes;
  for (let index = 0; index < asked.length; index++) {
    const { query, slot, named } = asked[index];
    if (named !== null && named !== own) {
      classes ??= classesOf(thrown);
      if (classes[named] !== true) continue;
    }
    numbers[query] = ++slots[slot].counted - slots[slot].first;
  }
  return toJson({ __proto__: null, document: token, numbers });
}

// The names of an object's class and of those that it extends, as far as that runs none of the page's code.
function classesOf(object) {
  const names = { __proto__: null };
  let holder = object;
  for (let depth = 0; isObject(holder) && !ProxyMark.is(holder) && depth < 1000; depth++) {
    const made = inspect(holder, 'constructor');
    const maker = made !== undefined && made.own && made.data ? made.value : undefined;
    const name = typeof maker === 'function' && !ProxyMark.is(maker) ? inspect(maker, 'name') : undefined;
    if (name !== undefined && name.own && name.data && typeof name.value === 'string') names[name.value] = true;
    holder = getPrototypeOf(holder);
  }
  return names;
}

// The debugger looks at an exception as at any event: `thrown` is the object of the event, and its value. Without it, it goes on.
function standAt(thrown, stands) {
  standing = stands
    ? { __proto__: null, kind: 'throw', owner: isObject(thrown) ? thrown : undefined, old: undefined, value: thrown } : undefined;
}

// The old value is looked up only where somebody looks.
const UNTOLD = freeze({ __proto__: null });

function oldOf(owner, key) {
  const found = inspect(owner, key);
  return found === undefined || !found.own ? ABSENT : found.data ? found.value : undefined;
}

// How many there were, up to here and now.
const countedSoFar = (query) => {
  const slot = slots[query.slot];
  return { __proto__: null, status: 'counted', changes: slot.counted - slot.first };
};

// Numbers for objects that are compared with each other.
const identities = new WeakMapOf();
let identified = 0;
const identity = (value) => {
  if (!isObject(value)) return `${typeof value}:${primitiveText(value)}`;
  const object = unwrap(value);
  let number = apply(weakGet, identities, [object]);
  if (number === undefined) {
    number = ++identified;
    apply(weakSet, identities, [object, number]);
  }
  return `object:${number}`;
};
