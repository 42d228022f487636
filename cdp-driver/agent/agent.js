// The agent: the half of Querypoint that lives inside the page (or worker, or Node realm).
//
// A classic script that runs before any of the page's. Rewritten scripts call the functions it declares; see
// the module `rewrite` of the crate `js-analysis` for who calls what. It keeps its own references to every
// built-in it uses, calls none of the page's getters or traps, and puts nothing on the global object.
//
// Prefix, configuration and slot numbers are written into it (by `engine/agent.rs`), and the part between the marks
// SLOT is repeated for each watched property: a private
// field of its own for each name is what keeps a hook at some ten nanoseconds.

// Whether hooks run at all. Never assigned after this line: so the engine folds it into the code.
let __QP__A = __CONFIG__.armed;

const {
  W: __QP__W, O: __QP__O, Y: __QP__Y, F: __QP__F, D: __QP__D, M: __QP__M, I: __QP__I,
  X: __QP__X, V: __QP__V, U: __QP__U, G: __QP__G, N: __QP__N, H: __QP__H, J: __QP__J, K: __QP__K,
  R: __QP__R, S: __QP__S, P: __QP__P, Q: __QP__Q, T: __QP__T, E: __QP__E,
} = (() => {
  'use strict';
  const config = __CONFIG__;
  const armed = config.armed;
  const {
    apply, construct, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty, isExtensible,
  } = Reflect;
  const is = Object.is;
  const freeze = Object.freeze;
  const hasOwn = Object.hasOwn;
  const isArray = Array.isArray;
  const StringOf = String;
  const NumberOf = Number;
  const functionText = Function.prototype.toString;
  const startsWith = String.prototype.startsWith;
  const includes = String.prototype.includes;
  const symbolText = Symbol.prototype.toString;
  const { unscopables, toStringTag } = Symbol;
  const slice = String.prototype.slice;
  const stringify = JSON.stringify;
  const WeakMapOf = WeakMap;
  const weakGet = WeakMapOf.prototype.get;
  const weakSet = WeakMapOf.prototype.set;
  const MapOf = Map;
  const mapGet = MapOf.prototype.get;
  const mapSet = MapOf.prototype.set;
  const ErrorOf = Error;
  const realm = globalThis;
  const initialGlobals = { __proto__: null };
  for (const key of ownKeys(realm)) initialGlobals[key] = true;

  // Appends without the page's `push` and past any setter on `Array.prototype`.
  const append = (list, value) => defineProperty(list, list.length, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });

  // A value no page can hold: what a deleted property has become.
  const ABSENT = freeze({ __proto__: null });
  // The new value is not known before the write (`object++`).
  const UNKNOWN = freeze({ __proto__: null });

  // Counts hook calls. Two executions that do the same count the same: the number names an event.
  let sequence = 0;
  // Tells the reports of this document from those of others.
  const token = Math.random();
  let owners = 0;
  let hits = 0;

  // ---- stops -----------------------------------------------------------------------------------------
  const stops = config.stops;
  let nextStop = 0;
  let stopAt = stops.length > 0 ? stops[0] : -1;

  // The driver finds the page stopped here, reads `event`, and lets it go on.
  function stop(event) {
    debugger;
    return event;
  }

  function reached(event) {
    nextStop++;
    stopAt = nextStop < stops.length ? stops[nextStop] : -1;
    stop(event);
  }

  // ---- objects ---------------------------------------------------------------------------------------
  const isObject = (value) =>
    (typeof value === 'object' && value !== null) || typeof value === 'function'
    || (typeof value === 'undefined' && value !== undefined); // document.all

  // Whether there are proxies: where there are none, a fresh object need not be asked whether it is one.
  let proxies = false;
  class Base { constructor(object) { return object; } }

  // A proxy's target and handler, kept on the proxy itself, for proxies made while we look.
  class ProxyMark extends Base {
    #__QP__t; #__QP__h;
    constructor(proxy, target, handler) { super(proxy); this.#__QP__t = target; this.#__QP__h = handler; }
    static is(value) { return #__QP__t in value; }
    static target(value) { return value.#__QP__t; }
    static handler(value) { return value.#__QP__h; }
  }

  const unwrap = (value) => {
    while (isObject(value) && ProxyMark.is(value)) value = ProxyMark.target(value);
    return value;
  };

  const isNative = (fn) => typeof fn === 'function'
    && (() => {
      const text = apply(functionText, fn, []);
      return apply(includes, text, ['[native code]']);
    })();

  // The property as it is, without running anything: `{ holder, own, data, value, native, accessor }`.
  function inspect(object, key) {
    let holder = unwrap(object);
    let own = true;
    for (let depth = 0; isObject(holder) && depth < 1000; depth++) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor !== undefined) {
        if (hasOwn(descriptor, 'value')) {
          return { holder, own, data: true, value: descriptor.value, writable: descriptor.writable };
        }
        const native = (descriptor.get === undefined || isNative(descriptor.get))
          && (descriptor.set === undefined || isNative(descriptor.set));
        return { holder, own, data: false, native, get: descriptor.get, set: descriptor.set };
      }
      own = false;
      holder = unwrap(getPrototypeOf(holder));
    }
    return undefined;
  }

  // Reads `object.key` as far as that runs none of the page's code.
  function read(object, key) {
    if (typeof object === 'string' && key === 'length') return object.length;
    if (!isObject(object)) throw new ErrorOf(`there is no property ${StringOf(key)} on ${primitiveText(object)}`);
    const found = inspect(object, key);
    if (found === undefined) return undefined;
    if (found.data) return found.value;
    if (found.native && found.get !== undefined) return apply(found.get, unwrap(object), []);
    throw new ErrorOf(`${StringOf(key)} is a getter of the page, which is not run`);
  }

  const toKey = (key) => ownKeys({ [key]: 0 })[0];

  // ---- records ---------------------------------------------------------------------------------------
  // One record for each object and watched name, in a private field of the object:
  //   s  sequence number of the last change      t  its site        v  the value it wrote
  //   n  how many changes there were             i  the owner's number, in the order of first writes
  //   k  what hung on it then: query number -> result   c  what was captured   e  exact bookkeeping
  // It dies with the object. (One number, sequence and site packed, was measured to be slower on old objects
  // and no faster on fresh ones, and it cannot tell a change from a write.)
  const slots = config.slots;
  const slotOfKey = { __proto__: null };
  const slotOfVariable = { __proto__: null };
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index];
    slot.tracked = { __proto__: null };
    for (const owner of slot.exact) slot.tracked[owner] = true;
    slot.plain = slot.kids.length === 0 && !slot.isKid && !config.capture;
    if (slot.kind === 'property') slotOfKey[slot.key] = index;
    else slotOfVariable[slot.key] = index;
  }
  const anyProperty = slots.some((slot) => slot.kind === 'property');
  // Whether a number can be a watched key: most writes with computed keys are of elements, and their keys stay numbers.
  const anyNumber = slots.some((slot) => StringOf(NumberOf(slot.key)) === slot.key);
  let unstampable = false;
  const weak = slots.map(() => new WeakMapOf());
  const stamps = [];

  // An object has one number, whichever of its properties are watched.
  function numberOf(index, object) {
    for (let other = 0; other < slots.length; other++) {
      if (other === index || stamps[other] === undefined) continue;
      const known = stamps[other].record(object);
      if (known !== undefined) return known.i;
    }
    return ++owners;
  }

  // The objects that are followed exactly: `{ object, key, record }`.
  const followed = [];

  const makeRecord = (index, s, site, value, object) => {
    const owner = numberOf(index, object);
    const record = {
      s, t: site, v: value, n: 1, i: owner, k: undefined, c: undefined,
      e: slots[index].tracked[owner] === true
        ? { last: 0, site: 0, n: 0, v: ABSENT, blind: 0, unseen: false } : undefined,
    };
    if (record.e !== undefined) append(followed, { object, key: slots[index].key, record });
    return record;
  };

  // The first write of a watched property of an object.
  function firstWrite(index, Stamp, site, object, value, s, how) {
    if (proxies && ProxyMark.is(object)) {
      // A write through a proxy without a trap for it goes to the target; a trap does what it does itself.
      const handler = ProxyMark.handler(object);
      if (isObject(handler) && !ProxyMark.is(handler)) {
        const trap = inspect(handler, how === 'delete' ? 'deleteProperty' : how === 'define' ? 'defineProperty' : 'set');
        if (trap === undefined || (trap.data && trap.value === undefined)) {
          sequence--;
          Stamp.write(site, ProxyMark.target(object), value, undefined, how);
        }
      }
      return undefined;
    }
    const record = makeRecord(index, s, site, value, object);
    if (record.e !== undefined && !exactly(index, record, object, value, s, site, how)) {
      record.n = 0;
    }
    try {
      new Stamp(object, record);
    } catch {
      unstampable = true;
      apply(weakSet, weak[index], [object, record]);
    }
    return record;
  }

  // Bookkeeping for the objects that answers are about: the real old value, whether the write will take
  // effect, whether somebody wrote unseen. Returns whether it is a change.
  function exactly(index, record, object, value, s, site, how) {
    const exact = record.e;
    const key = slots[index].key;
    let old = ABSENT;
    let host = false;
    if (apply(startsWith, key, ['\0'])) {
      old = exact.v;
    } else if (how !== 'literal') {
      const found = inspect(object, key);
      if (found !== undefined) {
        if (found.data) {
          if (found.own) old = found.value;
          if (how === 'assign' && !found.writable) return false;
        } else if (found.native && how === 'assign') {
          host = true;
          old = found.get === undefined ? ABSENT : apply(found.get, object, []);
        } else if (how === 'assign') {
          exact.setter = true;
          return false;
        }
      }
      if (old === ABSENT && how !== 'delete' && !host && !isExtensible(object)) return false;
      if (old === ABSENT && how === 'delete') return false;
      if (!host && exact.v !== ABSENT && !is(exact.v, old)) exact.blind++;
      if (!host && exact.v === ABSENT && exact.n === 0 && old !== ABSENT) exact.blind++;
    }
    const before = host && exact.n > 0 && is(exact.v, value) ? value : old;
    exact.v = value;
    exact.host = host;
    exact.old = old;
    if (is(before, value)) return false;
    exact.last = s;
    exact.unseen = false;
    exact.site = site;
    exact.n++;
    if (s === stopAt) {
      reached({
        kind: 'write', sequence: s, site, owner: object, number: record.i, created: old === ABSENT,
        deleted: value === ABSENT, old: old === ABSENT ? undefined : old,
        value: value === ABSENT ? undefined : value, index: exact.n - 1, host,
      });
    }
    return true;
  }

  // A change of a property that others hang on, or that is captured: a new record, for the old one may be
  // part of an answer.
  function laterChange(index, record, site, object, value, context, s, how) {
    const next = {
      s, t: site, v: value, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: record.e,
    };
    const given = typeof context === 'function' ? context() : undefined;
    hang(next, object, given, index, record.n > 0 ? record.v : ABSENT);
    return next;
  }

  // Resolves what hangs on a change, and captures what is to be captured.
  function hang(record, object, given, index, old) {
    const slot = slots[index ?? given?.n];
    if (slot !== undefined && slot.kids.length > 0) record.k = resolveAll(slot.kids, given, object);
    if (config.capture) record.c = capture(given, old, record.v, object);
  }

  // SLOT{
  class Stamp__SLOT__ extends Base {
    #__QP__r;
    constructor(object, record) { super(object); this.#__QP__r = record; }

    static record(object) {
      return #__QP__r in object ? object.#__QP__r
        : unstampable ? apply(weakGet, weak[__SLOT__], [object]) : undefined;
    }

    static keep(object, record) {
      if (#__QP__r in object) object.#__QP__r = record;
      else apply(weakSet, weak[__SLOT__], [object, record]);
    }

    static write(site, object, value, context, how) {
      const s = ++sequence;
      const record = #__QP__r in object ? object.#__QP__r
        : unstampable ? apply(weakGet, weak[__SLOT__], [object]) : undefined;
      if (record === undefined) {
        const first = firstWrite(__SLOT__, Stamp__SLOT__, site, object, value, s, how);
        if (first !== undefined && !slots[__SLOT__].plain) {
          hang(first, object, typeof context === 'function' ? context() : undefined, __SLOT__, ABSENT);
        }
        return;
      }
      if (record.e !== undefined) {
        if (!exactly(__SLOT__, record, object, value, s, site, how)) return;
      } else if (record.v === value ? value !== 0 || 1 / value === 1 / record.v
        : value !== value && record.v !== record.v) {
        if (value !== UNKNOWN) return;
      }
      if (slots[__SLOT__].plain) {
        record.s = s;
        record.t = site;
        record.v = value;
        record.n++;
      } else {
        Stamp__SLOT__.keep(object, laterChange(__SLOT__, record, site, object, value, context, s, how));
      }
    }
  }
  stamps[__SLOT__] = Stamp__SLOT__;
  // }SLOT

  // ---- hooks on properties -----------------------------------------------------------------------------
  function slotFor(key) {
    if (typeof key === 'string') return slotOfKey[key];
    if (typeof key === 'number') return anyNumber ? slotOfKey[StringOf(key)] : undefined;
    return undefined;
  }

  function write(site, object, key, value, context, how) {
    const index = slotFor(key);
    if (index === undefined || !isObject(object)) return;
    if (object === realm && how !== 'literal' && slotOfVariable[key] !== undefined) {
      writeGlobal(site, key, value, false, context);
    }
    stamps[index].write(site, object, value, context, how);
  }

  const onlyKey = slots.length > 0 && slots[0].kind === 'property' ? slots[0].key : undefined;
  const OnlyStamp = stamps[0];
  const only = config.slots.length === 1 && onlyKey !== undefined;

  // `o.p = v`, just before.
  const W = (site, object, key, value, context) => {
    if (only) {
      if (key === onlyKey) {
        if (isObject(object)) OnlyStamp.write(site, object, value, context, 'assign');
      } else if (anyNumber && typeof key === 'number') write(site, object, key, value, context, 'assign');
      return;
    }
    write(site, object, key, value, context, 'assign');
  };

  // `{ … }`, just after. A spread source comes as `[source]`.
  const O = (first, object, context, ...keys) => {
    if (keys.length === 1 && typeof keys[0] === 'string') {
      defined(first, object, keys[0], context);
      return;
    }
    let site = first;
    for (let index = 0; index < keys.length; index++, site++) {
      const key = keys[index];
      if (isArray(key)) {
        const source = unwrap(key[0]);
        if (!isObject(source)) continue;
        for (let number = 0; number < slots.length; number++) {
          if (slots[number].kind !== 'property') continue;
          const name = slots[number].key;
          if (overwritten(keys, index, name)) continue;
          const descriptor = getOwnPropertyDescriptor(source, name);
          if (descriptor !== undefined && descriptor.enumerable) defined(site, object, name, context);
        }
      } else if (slotFor(key) !== undefined && !overwritten(keys, index, key)) {
        defined(site, object, key, context);
      }
    }
  };

  // Whether a later part of the literal writes the key again.
  function overwritten(keys, index, key) {
    const name = StringOf(key);
    for (let later = index + 1; later < keys.length; later++) {
      const other = keys[later];
      if (isArray(other)) {
        const source = unwrap(other[0]);
        const descriptor = isObject(source) ? getOwnPropertyDescriptor(source, name) : undefined;
        if (descriptor !== undefined && descriptor.enumerable) return true;
      } else if (typeof other !== 'symbol' && StringOf(other) === name) return true;
    }
    return false;
  }

  function defined(site, object, key, context) {
    if (slotFor(key) === undefined) return;
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined || !hasOwn(descriptor, 'value')) return;
    write(site, object, key, descriptor.value, context === 0 ? undefined : context, 'literal');
  }

  // `[ … ]`, just after: `count` sites, or one for all.
  const Y = (first, array, count, context) => {
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index];
      if (slot.kind !== 'property') continue;
      const number = NumberOf(slot.key);
      const site = count > 0 && number < count ? first + number : first;
      const descriptor = getOwnPropertyDescriptor(array, slot.key);
      if (descriptor !== undefined && hasOwn(descriptor, 'value')) {
        write(site, array, slot.key, descriptor.value, context, 'literal');
      }
    }
  };

  // A class field, just before it is defined; gives the value back.
  const F = (site, object, key, value, context) => {
    if (armed) write(site, object, key, value, context, 'define');
    return value;
  };

  // `delete o.p`, just before.
  const D = (site, object, key, context) => write(site, object, key, ABSENT, context, 'delete');

  // Targets in patterns: objects whose property `v` runs hook and write.
  class MemberTarget {
    #site; #object; #key; #set; #context;
    constructor(site, object, key, set, context) {
      this.#site = site; this.#object = object; this.#key = key; this.#set = set; this.#context = context;
    }
    set v(value) {
      if (armed) write(this.#site, this.#object, this.#key, value, this.#context, 'assign');
      const set = this.#set;
      set(this.#object, this.#key, value);
    }
  }
  class VariableTarget {
    #set;
    constructor(set) { this.#set = set; }
    set v(value) {
      const set = this.#set;
      set(value);
    }
  }
  const M = (site, object, key, set, context) => new MemberTarget(site, object, key, set, context);
  const I = (set) => new VariableTarget(set);

  // The key of a compound write, converted once.
  const K = (object, key) => ((typeof key === 'object' && key !== null) || typeof key === 'function'
    ? (object == null ? key : toKey(key)) : key);

  // ---- hooks on variables ------------------------------------------------------------------------------
  const step = (old, delta) => (typeof old === 'number' ? old + delta
    : typeof old === 'bigint' ? old + (delta > 0 ? 1n : -1n)
      : isObject(old) || typeof old === 'symbol' ? UNKNOWN : NumberOf(old) + delta);

  function change(record, site, old, created, value, context, s) {
    const next = {
      s, t: site, v: value, n: record === undefined ? 1 : record.n + 1,
      i: record === undefined ? ++owners : record.i, k: undefined, c: undefined,
      b: record !== undefined && !created && !is(record.v, old) && record.v !== UNKNOWN,
    };
    if (context !== undefined) hang(next, undefined, context(), undefined, created ? ABSENT : old);
    if (s === stopAt) {
      reached({
        kind: 'assign', sequence: s, site, owner: undefined, number: next.i, created, deleted: false,
        old: created ? undefined : old, value: value === UNKNOWN ? undefined : value,
        unknown: value === UNKNOWN, index: next.n - 1, host: false,
      });
    }
    return next;
  }

  // An assignment, just before; gives the new record.
  const X = (site, old, record, value, context) => {
    const s = ++sequence;
    if (is(old, value)) return record;
    return change(record, site, old, false, value, context, s);
  };

  // A binding filled by the language, or for the first time.
  const V = (site, record, value, context) => {
    const s = ++sequence;
    if (record === undefined) return change(undefined, site, undefined, true, value, context, s);
    if (is(record.v, value)) return record;
    return change(record, site, record.v, false, value, context, s);
  };

  // `x++`, just before.
  const U = (site, old, record, delta, context) => {
    const s = ++sequence;
    const value = step(old, delta);
    if (is(old, value)) return record;
    return change(record, site, old, false, value, context, s);
  };

  // Globals: those that are properties of the global object, and script-level `let`, `const` and `class`.
  const globals = { __proto__: null };
  const lexicals = { __proto__: null };

  // `after`: the language has written already.
  function writeGlobal(site, name, value, lexical, context, after) {
    const s = ++sequence;
    const table = lexical || name in lexicals ? lexicals : globals;
    const record = table[name];
    let old = record === undefined ? undefined : record.v;
    let created = record === undefined;
    if (table === globals && !after) {
      const descriptor = getOwnPropertyDescriptor(realm, name);
      if (descriptor !== undefined && hasOwn(descriptor, 'value')) {
        old = descriptor.value;
        created = false;
      } else if (descriptor === undefined) created = true;
    }
    if (!created && is(old, value)) return;
    if (created && record !== undefined && is(record.v, value)) return;
    table[name] = change(record, site, old, created, value, context, s);
  }

  // `how`: 1, a script-level `let`, `const` or `class`; 2, the hook comes just after the write.
  const G = (site, name, value, how, context) =>
    writeGlobal(site, name, value, (how & 1) === 1, context, (how & 2) === 2);

  const N = (site, name, delta, context) => {
    const record = name in lexicals ? lexicals[name] : globals[name];
    let old = record === undefined ? undefined : record.v;
    if (!(name in lexicals)) {
      const descriptor = getOwnPropertyDescriptor(realm, name);
      if (descriptor !== undefined && hasOwn(descriptor, 'value')) old = descriptor.value;
    }
    writeGlobal(site, name, step(old, delta), false, context);
  };

  // `with`: whether the object catches the name, and what `object.name++` will give.
  const H = (object, name) => {
    if (!isObject(object) || ProxyMark.is(object)) return false;
    if (inspect(object, name) === undefined) return false;
    const hidden = inspect(object, unscopables);
    if (hidden !== undefined && hidden.data && isObject(hidden.value)) {
      const entry = inspect(hidden.value, name);
      if (entry !== undefined && entry.data && entry.value) return false;
    }
    return true;
  };
  const J = (object, name, delta) => {
    const found = inspect(object, name);
    return found !== undefined && found.data ? step(found.value, delta) : UNKNOWN;
  };

  // ---- resolving references ----------------------------------------------------------------------------
  // A variable as a reference finds it.
  class VariablePlace {
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
      const thunk = given === undefined || given.d === undefined ? undefined : given.d[query.dependent];
      let base;
      if (query.root === 'event') base = eventObject;
      else if (typeof thunk !== 'function') return { status: 'error', message: 'it is not in scope there' };
      else base = thunk();
      if (query.variable) {
        if (base instanceof VariablePlace) return resolveVariable(base);
        // The object of a `with` that catches the name.
        return isObject(base) ? resolveProperty(query, base) : { status: 'unwatched' };
      }
      for (let index = 0; index < query.path.length; index++) base = read(base, query.path[index]);
      return resolveProperty(query, base);
    } catch (error) {
      let message = 'it cannot be evaluated there';
      try { message = StringOf(error.message); } catch { /* a hostile error */ }
      return { status: 'error', message };
    }
  }

  function resolveVariable(place) {
    const current = place.get();
    const record = place.record;
    if (record === undefined) {
      const known = place.name === undefined || place.name in initialGlobals || current === undefined;
      return { status: known ? 'never' : 'unseen', value: summary(current), raw: current };
    }
    const result = found(record, current);
    result.same = is(record.v, current) || record.v === UNKNOWN;
    return result;
  }

  function resolveProperty(query, base) {
    const owner = unwrap(base);
    if (!isObject(owner)) return { status: 'error', message: `its owner is ${primitiveText(owner)}, which has no properties of its own` };
    const key = query.key;
    const slot = slotOfKey[key];
    const isPrivate = apply(startsWith, key, ['\0']);
    let record = stamps[slot].record(owner);
    if (owner === realm && !isPrivate && globals[key] !== undefined) record = globals[key];
    const property = isPrivate ? undefined : inspect(owner, key);
    if (property !== undefined && !property.own && property.data && (record === undefined || record.v === ABSENT)) {
      const inherited = stamps[slot].record(property.holder);
      if (inherited !== undefined) record = inherited;
    }
    let current;
    let host = false;
    if (property !== undefined) {
      if (property.data) current = property.value;
      else if (property.native) {
        host = true;
        current = property.get === undefined ? undefined : apply(property.get, owner, []);
      } else {
        return { status: 'accessor', message: `${key} is an accessor property: ask for the value that its getter reads` };
      }
    }
    if (record === undefined || record.n === 0) {
      const never = property === undefined || host || isPrivate
        || (owner === realm && key in initialGlobals);
      return { status: never ? 'never' : 'unseen', value: summary(current), raw: current };
    }
    const result = found(record, current);
    const expected = record.v === ABSENT ? undefined : record.v;
    const unseen = record.e !== undefined && record.e.unseen;
    result.same = !unseen && (host || isPrivate || is(expected, current) || record.v === UNKNOWN);
    return result;
  }

  const found = (record, current) => ({
    status: 'found', sequence: record.s, site: record.t, owner: record.i, changes: record.n,
    value: summary(current), raw: current, kids: record.k, captured: record.c,
    exact: record.e === undefined ? undefined
      : { last: record.e.last, changes: record.e.n, blind: record.e.blind, setter: record.e.setter === true },
  });

  // ---- the reproduction point --------------------------------------------------------------------------
  let lastHit;

  function hit(given) {
    lastHit = { hit: hits - 1, sequence, results: resolveAll(config.roots, given, undefined) };
    if (config.capture) lastHit.captured = capture(given, ABSENT, ABSENT, undefined);
    return lastHit;
  }

  // The page came by a requested place.
  const R = (point, context) => {
    const number = hits++;
    if (config.hit === -1 || config.hit === number) hit(context === 0 ? undefined : context());
    if (config.stopAtHit === number) stop({ kind: 'point', hit: number, sequence });
  };

  // Stands where armed code never comes: a breakpoint there keeps the function around it from being optimised.
  const S = () => undefined;

  // JSON of our own data, past any `toJSON` of the page.
  function toJson(value) {
    if (typeof value === 'number') return value - value === 0 ? StringOf(value) : 'null';
    if (typeof value !== 'object' || value === null) return stringify(value);
    const list = isArray(value);
    const keys = ownKeys(value);
    let text = '';
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (typeof key === 'symbol' || (list && key === 'length')) continue;
      const part = toJson(value[key]);
      if (part === undefined && !list) continue;
      text += `${text === '' ? '' : ','}${list ? part ?? 'null' : `${stringify(key)}:${part}`}`;
    }
    return list ? `[${text}]` : `{${text}}`;
  }

  // What the driver calls: at a pause, and when the replay is over.
  const strip = (results) => {
    const out = { __proto__: null };
    for (const query in results) {
      const { raw, kids, ...rest } = results[query];
      out[query] = kids === undefined ? rest : { ...rest, kids: strip(kids) };
    }
    return out;
  };
  const report = () => (lastHit === undefined ? { document: token, hits, sequence }
    : { document: token, hits, sequence, hit: { ...lastHit, results: strip(lastHit.results) } });
  const E = freeze({
    // Resolves the queries at R, which is here and now, and counts it as a hit.
    at(context) {
      hits++;
      hit(context === undefined ? undefined : context());
      return toJson(report());
    },
    // Resolves single queries here and now, in a frame that only a debugger can reach.
    late(queries, context) {
      return toJson(strip(resolveAll(queries, context(), undefined)));
    },
    report: () => toJson(report()),
    // What the page has put on the global object, as far as that is data.
    globals() {
      let count = 0;
      const own = { __proto__: null };
      const keys = ownKeys(realm);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (typeof key === 'symbol' || initialGlobals[key] === true) continue;
        const descriptor = getOwnPropertyDescriptor(realm, key);
        if (descriptor === undefined || !hasOwn(descriptor, 'value')) continue;
        const value = descriptor.value;
        // The browser would send a string whole; of each value only the beginning is shown.
        own[key] = typeof value === 'string' ? apply(slice, value, [0, 1000]) : value;
        if (++count === 200) break;
      }
      return own;
    },
    // The event being dispatched.
    cause: () => cause(),
  });

  // ---- capture inside the page -------------------------------------------------------------------------
  const primitiveText = (value) => {
    switch (typeof value) {
      case 'string': return stringify(value);
      case 'bigint': return `${value}n`;
      case 'number': return is(value, -0) ? '-0' : StringOf(value);
      case 'symbol': return apply(symbolText, value, []);
      case 'undefined': return 'undefined';
      case 'boolean': return value ? 'true' : 'false';
      default: return value === null ? 'null' : typeof value;
    }
  };

  const className = (object) => {
    if (ProxyMark.is(object)) return 'Proxy';
    const found = inspect(object, 'constructor');
    if (found === undefined || !found.data || typeof found.value !== 'function') return 'Object';
    const name = getOwnPropertyDescriptor(found.value, 'name');
    if (name === undefined || typeof name.value !== 'string' || name.value === '') return 'Object';
    if (name.value !== 'Object') return name.value;
    const tag = inspect(object, toStringTag);
    return tag !== undefined && tag.data && typeof tag.value === 'string' && tag.value !== '' ? tag.value : 'Object';
  };

  // A value as text, cut short; never runs anything of the page.
  function summary(value) {
    if (value === ABSENT) return { type: 'undefined', text: 'undefined' };
    if (!isObject(value)) {
      const type = value === null ? 'object' : typeof value;
      return { type, text: apply(slice, primitiveText(value), [0, 300]) };
    }
    if (typeof value === 'function') {
      const name = getOwnPropertyDescriptor(value, 'name');
      return { type: 'function', text: `ƒ ${name !== undefined && typeof name.value === 'string' ? name.value : ''}()` };
    }
    const tag = className(value);
    if (ProxyMark.is(value)) return { type: 'object', text: tag };
    const parts = [];
    const keys = ownKeys(value);
    const array = isArray(value);
    for (let index = 0; index < keys.length && parts.length < 5; index++) {
      const key = keys[index];
      if (typeof key === 'symbol' || (array && key === 'length')) continue;
      const descriptor = getOwnPropertyDescriptor(value, key);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      const text = !hasOwn(descriptor, 'value') ? '(…)'
        : isObject(descriptor.value) ? (typeof descriptor.value === 'function' ? 'ƒ' : className(descriptor.value))
          : primitiveText(descriptor.value);
      append(parts, array ? text : `${key}: ${text}`);
    }
    let text = parts[0] ?? '';
    for (let index = 1; index < parts.length; index++) text += `, ${parts[index]}`;
    if (parts.length === 5) text += ', …';
    text = array ? `(${value.length}) [${text}]` : `${tag === 'Object' ? '' : `${tag} `}{${text}}`;
    return { type: 'object', text: apply(slice, text, [0, 300]) };
  }

  function stack() {
    const prepare = getOwnPropertyDescriptor(ErrorOf, 'prepareStackTrace');
    const limit = getOwnPropertyDescriptor(ErrorOf, 'stackTraceLimit');
    defineProperty(ErrorOf, 'stackTraceLimit', { __proto__: null, value: 60, configurable: true, writable: true, enumerable: true });
    defineProperty(ErrorOf, 'prepareStackTrace', {
      __proto__: null,
      value: (_, sites) => {
        const frames = [];
        for (let index = 0; index < sites.length; index++) {
          const site = sites[index];
          append(frames, {
            function: site.getFunctionName() ?? '', url: site.getScriptNameOrSourceURL() ?? '',
            line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 1,
          });
        }
        return frames;
      },
      configurable: true, writable: true, enumerable: false,
    });
    const frames = new ErrorOf().stack;
    if (prepare === undefined) delete ErrorOf.prepareStackTrace;
    else defineProperty(ErrorOf, 'prepareStackTrace', { __proto__: null, ...prepare });
    if (limit === undefined) delete ErrorOf.stackTraceLimit;
    else defineProperty(ErrorOf, 'stackTraceLimit', { __proto__: null, ...limit });
    return frames;
  }

  const currentEvent = getOwnPropertyDescriptor(realm, 'event')?.get;

  // The event being dispatched: `{ type, target }`; undefined where there is none.
  function cause() {
    try {
      if (typeof currentEvent !== 'function' || typeof Event !== 'function') return undefined;
      const event = apply(currentEvent, realm, []);
      if (!isObject(event)) return undefined;
      const target = read(event, 'target');
      let text;
      if (isObject(target)) {
        const tag = read(target, 'localName');
        const id = read(target, 'id');
        text = typeof id === 'string' && id !== '' ? `#${id}`
          : typeof tag === 'string' ? tag : className(target);
      }
      return { type: StringOf(read(event, 'type')), target: text };
    } catch {
      return undefined;
    }
  }

  function attempt(thunk) {
    try {
      return summary(thunk());
    } catch (error) {
      let message = 'error';
      try { message = StringOf(error.message); } catch { /* a hostile error */ }
      return { type: 'error', text: message };
    }
  }

  function capture(given, old, value, object) {
    const scopes = [];
    const watches = [];
    if (given !== undefined && given.s !== undefined) {
      for (let index = 0; index < given.s.length; index++) {
        const variables = given.s[index][1];
        const list = [];
        for (const name in variables) append(list, { name, ...attempt(variables[name]) });
        append(scopes, { kind: given.s[index][0], variables: list });
      }
      for (let index = 0; index < given.w.length; index++) append(watches, attempt(given.w[index]));
    }
    return {
      stack: stack(), scopes, watches, cause: cause(), created: old === ABSENT,
      old: summary(old), value: summary(value === UNKNOWN ? undefined : value),
      class: object === undefined ? undefined : className(object),
    };
  }

  // ---- what is watched of the realm --------------------------------------------------------------------
  if (armed && anyProperty && typeof Proxy === 'function') {
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
    defineProperty(realm, 'Proxy', { __proto__: null, value: Marked, writable: true, enumerable: false, configurable: true });
  }

  // Where single objects are followed, built-ins that write are watched as well: what they change there is a
  // change that no hook saw, also if the value comes to be the same again.
  if (slots.some((slot) => slot.exact.length > 0) && typeof Proxy === 'function') {
    const ProxyOf = Proxy;
    const valueNow = (entry) => {
      const descriptor = getOwnPropertyDescriptor(entry.object, entry.key);
      return descriptor === undefined ? ABSENT : hasOwn(descriptor, 'value') ? descriptor.value : UNKNOWN;
    };
    const watchWrites = (host, name) => {
      const property = getOwnPropertyDescriptor(host, name);
      if (property === undefined || typeof property.value !== 'function') return;
      property.value = new ProxyOf(property.value, {
        apply(target, self, values) {
          const before = [];
          const sequenceBefore = sequence;
          for (let index = 0; index < followed.length; index++) append(before, valueNow(followed[index]));
          const result = apply(target, self, values);
          for (let index = 0; index < before.length; index++) {
            const exact = followed[index].record.e;
            const now = valueNow(followed[index]);
            if (exact === undefined || is(before[index], now)) continue;
            // A callback of the built-in (a setter, a comparison) may have written by a hook meanwhile.
            const seen = exact.last > sequenceBefore && is(exact.v, now);
            if (!seen) {
              exact.unseen = true;
            }
          }
          return result;
        },
      });
      defineProperty(host, name, property);
    };
    for (const name of ['assign', 'defineProperty', 'defineProperties']) watchWrites(Object, name);
    for (const name of ['set', 'defineProperty', 'deleteProperty']) watchWrites(Reflect, name);
    const isElement = (key) => key === 'length' || StringOf(NumberOf(key)) === key;
    if (slots.some((slot) => slot.kind === 'property' && isElement(slot.key))) {
      for (const name of ['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin']) {
        watchWrites(Array.prototype, name);
      }
    }
  }

  if (config.console !== null && typeof console === 'object') {
    let done = false;
    for (const name of ['log', 'info', 'warn', 'error', 'debug', 'assert', 'dir', 'table', 'trace']) {
      const original = console[name];
      if (typeof original !== 'function') continue;
      console[name] = new Proxy(original, {
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
      });
    }
  }

  if (config.post !== null && typeof realm[config.post] === 'function') {
    // A document that is left reports what it saw. The binding is taken off the page at once.
    const post = realm[config.post];
    delete realm[config.post];
    const leave = () => { if (hits > 0) post(toJson(report())); };
    // What is posted at `pagehide` is lost where the next document has a renderer frame of its own.
    realm.addEventListener('beforeunload', leave, true);
    realm.addEventListener('pagehide', leave, true);
  }

  return {
    W, O, Y, F, D, M, I, X, V, U, G, N, H, J, K, R, S, P, Q, E, T: { __proto__: null },
  };
})();
