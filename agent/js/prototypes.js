// Prototypes that are exchanged: what an object inherits then changes, and the exchange is the change.

// Object -> its records by slot, `{ s, t, v, n, i, k, c }` as in `records.js`.
const exchanges = new WeakMapOf();
// Whether there are any.
let exchanged = false;

// The last exchange of a prototype between `object` and `holder` (undefined: the end of the chain).
function latestExchange(object, slot, holder) {
  let latest;
  let at = object;
  for (let depth = 0; isObject(at) && at !== holder && depth < 1000; depth++) {
    const record = apply(weakGet, exchanges, [at])?.[slot];
    if (record !== undefined && (latest === undefined || record.s > latest.s)) latest = record;
    at = unwrap(getPrototypeOf(at));
  }
  return latest;
}

const visible = (property) => (property === undefined ? ABSENT : property.data ? property.value : UNKNOWN);

function callExchanging(original, self, values, object, by) {
  const owner = unwrap(object);
  if (!isObject(owner)) return apply(original, self, values);
  const before = [];
  for (let number = 0; number < publicSlots.length; number++) {
    append(before, inspect(owner, slots[publicSlots[number]].key));
  }
  const result = apply(original, self, values);
  for (let number = 0; number < publicSlots.length; number++) {
    const property = before[number];
    // Its own value stays what it is.
    if (property !== undefined && property.own) continue;
    tellExchange(publicSlots[number], owner, property, by);
  }
  return result;
}

function tellExchange(index, object, property, by) {
  const before = visible(property);
  const after = visible(inspect(object, slots[index].key));
  if (is(before, after) || before === UNKNOWN || after === UNKNOWN) return;
  const s = ++sequence;
  let records = apply(weakGet, exchanges, [object]);
  if (records === undefined) {
    records = { __proto__: null };
    apply(weakSet, exchanges, [object, records]);
    exchanged = true;
  }
  const known = records[index];
  const record = {
    s, t: -by, v: after, n: known === undefined ? 1 : known.n + 1,
    i: known === undefined ? stamps[index].record(object)?.i ?? numberOf(index, object) : known.i,
    k: undefined, c: undefined, e: undefined,
  };
  const outer = underway;
  const outerFrom = underwayFrom;
  underway = [{ __proto__: null, index, object, before, after, inherited: { __proto__: null, property } }];
  underwayFrom = 0;
  if (isStop(s)) {
    reached({
      kind: 'write', sequence: s, site: -by, by: makers[by], owner: object, number: record.i,
      created: before === ABSENT, deleted: after === ABSENT, old: before === ABSENT ? undefined : before,
      value: after === ABSENT ? undefined : after, index: record.n - 1, host: false,
    });
  }
  hang(record, object, LATE, index, before);
  underway = outer;
  underwayFrom = outerFrom;
  records[index] = record;
}

if (armed && publicSlots.length > 0) {
  const exchanging = (original, by) => ({
    method(target) { return callExchanging(original, this, arguments, target, by); },
  }).method;
  replaceMethod(ObjectOf, 'setPrototypeOf', 'Object.setPrototypeOf', exchanging);
  replaceMethod(Reflect, 'setPrototypeOf', 'Reflect.setPrototypeOf', exchanging);
  const accessor = getOwnPropertyDescriptor(ObjectOf.prototype, '__proto__');
  if (accessor !== undefined && typeof accessor.set === 'function') {
    const by = maker('Object.prototype.__proto__');
    const set = disguise(({
      method(value) { return callExchanging(accessor.set, this, arguments, this, by); },
    }).method, accessor.set);
    install(ObjectOf.prototype, '__proto__', { __proto__: null, ...accessor, set });
  }
}
