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
