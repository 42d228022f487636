// Hooks on properties: what rewritten scripts call before they write one, or after they made an object.

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

// `{ p: … }`, just after, where `p` is its only watched key.
const L = (site, object, key, value, context) => {
  if (only && key === onlyKey) OnlyStamp.write(site, object, value, context, 'literal');
  else write(site, object, key, value, context, 'literal');
};

// `{ … }`, just after. A spread source comes as `[source]`.
const O = (first, object, context, ...keys) => {
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
