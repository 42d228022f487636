// References: from a root that a hook hands over to the record of the value that is asked.

// A variable as a reference finds it.
class VariablePlace {
  // Fields of its own: an assignment alone would run a setter that the page has put on `Object.prototype`.
  record; get; name;
  constructor(record, get, name) { this.record = record; this.get = get; this.name = name; }
}
const P = (record, get) => new VariablePlace(record, get, undefined);
const Q = (name, get) => new VariablePlace(name in lexicals ? lexicals[name] : globals[name], get, name);

// Results by query number: `{ status, sequence, site, owner, changes, value, …, kids }`.
function resolveAll(queries, given, eventObject) {
  const results = { __proto__: null };
  for (let index = 0; index < queries.length; index++) {
    results[queries[index].query] = resolve(queries[index], given, eventObject);
  }
  return results;
}

function resolve(query, given, eventObject) {
  try {
    if (query.late) return { status: 'late' };
    const thunk = part(part(given, 'd'), query.dependent);
    let base;
    if (query.needsFrame && part(given, 'late') === true) return { status: 'late' };
    if (query.events) return countedSoFar(query);
    if (query.condition) return resolveCondition(typeof thunk === 'function' ? thunk() : undefined);
    if (query.root === 'event') base = eventObject;
    else if (typeof thunk !== 'function') return { status: 'error', message: 'it is not in scope there' };
    else base = thunk();
    if (query.variable) {
      if (base instanceof VariablePlace || base instanceof NeededVariable) return resolveImported(base);
      // The object of a `with` that catches the name.
      return isObject(base) ? resolveProperty(query, base) : { status: 'unwatched' };
    }
    for (let index = 0; index < query.path.length; index++) base = follow(base, query.path[index], given);
    if (query.keyed === null) return resolveProperty(query, base);
    const key = keyOf(query.keyed, given);
    return query.keyed.kind === 'element' ? resolveElement(query, base, propertyKey(key))
      : resolveEntry(query.keyed, base, key);
  } catch (error) {
    let message = 'it cannot be evaluated there';
    try { message = StringOf(error.message); } catch { /* a hostile error */ }
    return { status: 'error', message };
  }
}

// A property whose name is known only here: where it is not watched, this execution has found what must be.
function resolveElement(query, base, key) {
  if (slotOfKey[key] === undefined) return { status: 'unwatched', reads: [{ kind: 'property', key }] };
  return resolveProperty({ ...query, key }, base);
}

// One step of a reference.
function follow(base, step, given) {
  if (typeof step === 'string') return read(base, step);
  const key = keyOf(step, given);
  return step.kind === 'element' ? read(base, propertyKey(key)) : readEntry(step, base, key);
}

// A key as the query names it, or as the variable has it.
function keyOf(keyed, given) {
  if (keyed.keyDependent === null) return keyed.literal;
  const thunk = part(part(given, 'd'), keyed.keyDependent);
  if (typeof thunk !== 'function') throw new ErrorOf('its key is not in scope there');
  return thunk();
}

// The name of a property, from a value.
function propertyKey(value) {
  if (isObject(value)) throw new ErrorOf('its key is an object, and only the page can say which property that names');
  if (typeof value === 'symbol') throw new ErrorOf('its key is a symbol');
  return StringOf(value);
}

function resolveVariable(place) {
  const told = place.name === undefined ? undefined : untold(realm, place.name);
  const current = told === undefined ? place.get() : told.before === ABSENT ? undefined : told.before;
  const record = place.record;
  if (record === undefined) {
    const known = place.name === undefined || place.name in initialGlobals || current === undefined;
    return { status: known ? 'never' : 'unseen', value: summary(current), raw: current };
  }
  const result = found(record, current);
  result.same = is(record.v, current) || record.v === UNKNOWN;
  return result;
}

// The strings of a tagged template: the language makes them, and nobody can write them.
function isTemplate(object) {
  if (!isArray(object) || isExtensible(object)) return false;
  const raw = getOwnPropertyDescriptor(object, 'raw');
  return raw !== undefined && hasOwn(raw, 'value') && !raw.writable && !raw.enumerable
    && isArray(raw.value) && !isExtensible(raw.value);
}

function resolveProperty(query, base, depth = 0) {
  const owner = unwrap(base);
  if (!isObject(owner)) return { status: 'error', message: `its owner is ${primitiveText(owner)}, which has no properties of its own` };
  const key = query.key;
  const imported = resolveInNamespace(owner, key);
  if (imported !== undefined) return imported;
  const slot = slotOfKey[key];
  const isPrivate = apply(startsWith, key, ['\0']);
  let record = stamps[slot].record(owner);
  if (owner === realm && !isPrivate && globals[key] !== undefined) record = globals[key];
  const property = isPrivate ? undefined : inspectThen(owner, key);
  if (property !== undefined && !property.own && property.data && (record === undefined || record.v === ABSENT)) {
    const inherited = stamps[slot].record(property.holder);
    if (inherited !== undefined) record = inherited;
  }
  if (exchanged && !isPrivate && (property === undefined || !property.own)) {
    const exchange = latestExchange(owner, slot, property?.holder);
    if (exchange !== undefined && (record === undefined || record.s < exchange.s)) record = exchange;
  }
  let current;
  let host = false;
  if (property !== undefined) {
    if (property.data) current = property.value;
    else if (property.native) {
      host = true;
      current = property.get === undefined ? undefined : apply(property.get, owner, []);
    } else {
      return resolveAccessor(key, owner, property, depth);
    }
  }
  const dom = domWatched || host || (property !== undefined && !property.own) || isPlatform(owner)
    ? unchanged(slot, owner, property) : undefined;
  if (dom !== undefined && !isPrivate && owner !== realm && (record === undefined || record.n === 0)) {
    const value = summary(current);
    if (dom.never) return { status: 'never', value, raw: current };
    if (dom.unseen) return { status: 'unseen', value, raw: current };
    if (dom.parts !== undefined) return { status: 'unseen', value, raw: current, parts: dom.parts };
    return { status: 'accessor', value, raw: current, message: `${key} is made up by the browser, and what changes it is not watched` };
  }
  if (record === undefined || record.n === 0) {
    const never = property === undefined || host || isPrivate || isTemplate(owner)
      || (owner === realm && key in initialGlobals);
    return { status: never ? 'never' : 'unseen', value: summary(current), raw: current };
  }
  const result = found(record, current);
  const expected = record.v === ABSENT ? undefined : record.v;
  const unseen = record.e !== undefined && record.e.unseen;
  // What the platform gave after the last change it must still give.
  const platform = record.e !== undefined && record.e.platform === true && record.e.v !== UNKNOWN;
  if (platform) result.same = is(record.e.v === ABSENT ? undefined : record.e.v, current);
  else result.same = !unseen && (host || isPrivate || is(expected, current) || record.v === UNKNOWN);
  if (!result.same && dom !== undefined) result.parts = dom.parts;
  return result;
}

// A property as it is at the change that is being told.
function inspectThen(owner, key) {
  const change = untold(owner, key);
  if (change === undefined) return inspect(owner, key);
  if (change.inherited !== undefined) return change.inherited.property;
  if (change.before === ABSENT) {
    const holder = getPrototypeOf(owner);
    const inherited = holder === null ? undefined : inspect(holder, key);
    return inherited === undefined ? undefined : { ...inherited, own: false };
  }
  return { holder: owner, own: true, data: true, value: change.before, writable: true };
}

const found = (record, current) => ({
  __proto__: null, status: 'found', sequence: record.s, site: record.t > 0 ? record.t : undefined, by: makerAt(record.t), owner: record.i, changes: record.n,
  value: summary(current), raw: current, kids: record.k, captured: record.c,
  exact: record.e === undefined ? undefined
    : { last: record.e.last, changes: record.e.n, blind: record.e.blind, setter: record.e.setter === true },
});
