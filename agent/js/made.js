// Objects that built-ins make: their properties are written by the call that made them.

const keysOf = ObjectOf.keys;
const setForEach = SetOf.prototype.forEach;
const mapForEach = Map.prototype.forEach;
const mapPrototype = Map.prototype;
const setPrototype = SetOf.prototype;

// Adds to `changes` what of `watched` an object has that was just made.
function addMade(changes, object, watched) {
  for (let number = 0; number < watched.length; number++) {
    const index = watched[number];
    const after = ownValue(object, slots[index].key);
    if (after === ABSENT || after === UNKNOWN) continue;
    const seen = stamps[index].record(object);
    if (seen !== undefined && is(seen.v, after)) continue;
    append(changes, {
      __proto__: null, index, object, before: seen === undefined ? ABSENT : seen.v, after,
    });
  }
}

// What a built-in gave back is new: an object, or an array.
function tellMade(object, watched, by) {
  if (!isObject(object) || ProxyMark.is(object)) return;
  const changes = [];
  addMade(changes, object, watched);
  if (changes.length > 0) wroteAll(changes, by);
}

// So is everything that can be reached from it, all of it without getters.
function tellMadeGraph(root, by) {
  const changes = [];
  forEachInGraph(root, (object) => addMade(changes, object, publicSlots));
  if (changes.length > 0) wroteAll(changes, by);
}

// Calls `visit` for each object of a graph that a built-in has just made.
function forEachInGraph(root, visit) {
  const reached = new SetOf();
  const waiting = [];
  const reach = (value) => {
    if (!isObject(value) || apply(setHas, reached, [value])) return;
    apply(setAdd, reached, [value]);
    append(waiting, value);
  };
  reach(root);
  for (let next = 0; next < waiting.length; next++) {
    const object = waiting[next];
    visit(object);
    if (apply(typedName, object, []) !== undefined) continue;
    const keys = keysOf(object);
    for (let number = 0; number < keys.length; number++) {
      // All of it is new, so nothing of the page can run here.
      reach(object[keys[number]]);
    }
    const prototype = getPrototypeOf(object);
    if (prototype === mapPrototype) {
      apply(mapForEach, object, [(value, key) => { reach(value); reach(key); }]);
    } else if (prototype === setPrototype) {
      apply(setForEach, object, [(value) => reach(value)]);
    }
  }
}

if (armed && publicSlots.length > 0) {
  const graph = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      tellMadeGraph(result, by);
      return result;
    },
  }).method;
  const one = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      tellMade(result, publicSlots, by);
      return result;
    },
  }).method;
  replaceMethod(realm, 'structuredClone', 'structuredClone', graph);
  replaceMethod(JSON, 'parse', 'JSON.parse', (original, by) => ({
    parse(text, reviver) {
      if (typeof reviver !== 'function') {
        const result = apply(original, this, arguments);
        tellMadeGraph(result, by);
        return result;
      }
      // What a reviver gives may be the page's own: new is what it was called for.
      const holders = new SetOf();
      const result = apply(original, this, [text, ({
        reviver() {
          apply(setAdd, holders, [unwrap(this)]);
          return apply(reviver, this, arguments);
        },
      }).reviver]);
      const changes = [];
      apply(setForEach, holders, [(holder) => addMade(changes, holder, publicSlots)]);
      if (changes.length > 0) wroteAll(changes, by);
      return result;
    },
  }).parse);
  replaceMethod(ObjectOf, 'fromEntries', 'Object.fromEntries', one);
  replaceMethod(ObjectOf, 'create', 'Object.create', one);
  // The groups are arrays; what is in them is the page's.
  const groups = (original, by) => ({
    method() {
      const result = apply(original, this, arguments);
      const changes = [];
      addMade(changes, result, publicSlots);
      if (elementSlots.length > 0) {
        const keys = keysOf(result);
        for (let number = 0; number < keys.length; number++) {
          addMade(changes, result[keys[number]], elementSlots);
        }
      }
      if (changes.length > 0) wroteAll(changes, by);
      return result;
    },
  }).method;
  replaceMethod(ObjectOf, 'groupBy', 'Object.groupBy', groups);
  if (elementSlots.length > 0) {
    replaceMethod(Map, 'groupBy', 'Map.groupBy', (original, by) => ({
      method() {
        const result = apply(original, this, arguments);
        const changes = [];
        apply(mapForEach, result, [(group) => addMade(changes, group, elementSlots)]);
        if (changes.length > 0) wroteAll(changes, by);
        return result;
      },
    }).method);
  }
}
