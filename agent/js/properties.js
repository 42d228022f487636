// Hooks on properties: what rewritten scripts call before they write one, or after they made an object.

import {
  apply, Array, freeze, getOwnPropertyDescriptor, hasOwn, isArray, NumberOf, realm, StringOf, toPrimitive,
} from './captured.js';
import { armed, config, shadowing } from './config.js';
import { ABSENT, isObject, UNKNOWN } from './basics.js';
import { proxies, ProxyMark, toKey, typedName, unwrap } from './objects.js';
import {
  anyElement, anyNumber, anySymbol, anyTraced, isElementKey, meetSymbols, slotFor, slotOfKey, slotOfVariable, slots,
} from './slots.js';
import { stamps } from './records.js';
import { countWrite, UNTOLD } from './events.js';
import { domWatched } from './dom-slots.js';
import { shade } from './live-shadows.js';
import { writeGlobal } from './variables.js';
import { writeDom } from './dom-hooks.js';

/**
 * @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {Context} context
 * @param {How} how
 */
function write(site, object, key, value, context, how) {
  if (typeof key === 'object' && !shadowing) {
    // Where there is no object to write to, the key is never converted.
    if (key === null || !isObject(object) || !LateKey.is(key)) return;
    const late = key;
    if (LateKey.waits(late, () => write(site, object, LateKey.name(late), value, context, how))) return;
    key = LateKey.name(late);
  }
  if (shadowing) return shade(site, object, key, value, how);
  const index = slotFor(key);
  if (anyElement && how !== 'literal' && isObject(object)) {
    const written = writeElement(site, object, /** @type {Key} */ (key), value, context, how);
    if (written === NOTHING) return;
    value = written;
  }
  if (index === undefined || !isObject(object)) return;
  if (object === realm && how !== 'literal' && slotOfVariable[/** @type {Key} */ (key)] !== undefined) {
    writeGlobal(site, /** @type {string} */ (key), value, false, context);
  }
  // A literal is written already.
  if (anyTraced) countWrite(index, site, object, how === 'literal' ? ABSENT : UNTOLD, value);
  if (domWatched && how === 'assign') writeDom(index, site, object, /** @type {Key} */ (key), value, context);
  else stamps[index].write(site, object, value, context, how);
}

// The constructors of arrays and typed arrays, by name.
/** @type {Table<ArrayConstructorOf>} */
const arrayConstructors = /** @type {Bare} */ ({ __proto__: null });

// Whether the constructor of that name is still the one it was, and made `array`.
/** @param {PageValue} array @param {string} name */
function isCreatedBy(array, name) {
  const property = getOwnPropertyDescriptor(realm, name);
  return property !== undefined && property.value === arrayConstructors[name] && isObject(array)
    && !ProxyMark.is(array) && (isArray(array) || apply(typedName, array, []) !== undefined);
}

// Whether it is a real array, not a proxy of one: then `length` is its own, and no getter.
/** @param {PageValue} value @returns {value is PageValue[]} */
export const isPlainArray = (value) => isArray(value) && !(proxies && ProxyMark.is(value));
// One typed array of each kind, by which values are converted.
/** @type {Table<PageValue[]>} */
const scratches = /** @type {Bare} */ ({ __proto__: null });
if (anyElement) {
  arrayConstructors.Array = Array;
  const kinds = [
    'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'Float32Array', 'Float64Array',
  ];
  for (let number = 0; number < kinds.length; number++) {
    const Kind = /** @type {ArrayConstructorOf} */ (realm[kinds[number]]);
    if (typeof Kind !== 'function') continue;
    arrayConstructors[kinds[number]] = Kind;
    scratches[kinds[number]] = new Kind(1);
  }
}

const NOTHING = freeze({ __proto__: null });

// Arrays, just before a write: an element that is new makes `length` grow, a shorter `length` deletes elements, and
// typed arrays convert. Gives the value that will be there; NOTHING: nothing will be written.
/**
 * @param {Site} site @param {PageObject} object @param {Key} key @param {PageValue} value @param {Context} context
 * @param {How} how
 */
function writeElement(site, object, key, value, context, how) {
  if (isPlainArray(object)) {
    if (how === 'delete') return value;
    if (key === 'length') return writeLength(site, object, value, context);
    const lengthSlot = slotOfKey.length;
    if (lengthSlot === undefined) return value;
    const number = typeof key === 'number' ? key : NumberOf(typeof key === 'string' ? key : NaN);
    if (number >= object.length && number < 4294967295 && number % 1 === 0 && StringOf(number) === StringOf(key)) {
      if (anyTraced) countWrite(lengthSlot, site, object, object.length, number + 1);
      stamps[lengthSlot].write(site, object, number + 1, context, how);
    }
    return value;
  }
  if (slotFor(key) === undefined || (typeof key === 'string' && !isElementKey(key))) return value;
  const kind = apply(typedName, object, []);
  if (kind === undefined || key === 'length') return value;
  if (how === 'delete' || getOwnPropertyDescriptor(object, key) === undefined) return NOTHING;
  if (isObject(value) || value === UNKNOWN) return UNKNOWN;
  const scratch = scratches[kind];
  try {
    scratch[0] = value;
    return scratch[0];
  } catch {
    return NOTHING; // so will the page's write
  }
}

/** @param {Site} site @param {PageValue[]} array @param {PageValue} value @param {Context} context */
function writeLength(site, array, value, context) {
  // An object is converted by the page's code.
  if (isObject(value) || typeof value === 'symbol' || typeof value === 'bigint') return value;
  if (!getOwnPropertyDescriptor(array, 'length')?.writable) return NOTHING;
  const length = NumberOf(value);
  for (let index = 0; index < slots.length; index++) {
    if (slots[index].kind !== 'property' || !isElementKey(slots[index].key)) continue;
    const number = +/** @type {string} */ (slots[index].key);
    if (number >= length && number < array.length && hasOwn(array, slots[index].key)) {
      if (anyTraced) countWrite(index, site, array, UNTOLD, ABSENT);
      stamps[index].write(site, array, ABSENT, context, 'delete');
    }
  }
  return length;
}

const onlyKey = slots.length > 0 && slots[0].kind === 'property' ? slots[0].key : undefined;
// It is there: `changes.js`, which puts it there, is evaluated before this.
const OnlyStamp = stamps[0];
const onlyIndex = 0;
const only = config.slots.length === 1 && onlyKey !== undefined && !anyElement && !anySymbol;

// `o.p = v`, just before.
/**
 * @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {Context} context
 */
export const W = (site, object, key, value, context) => {
  if (only) {
    if (key === onlyKey) {
      if (!isObject(object)) return;
      if (domWatched) writeDom(onlyIndex, site, object, /** @type {Key} */ (key), value, context);
      else OnlyStamp.write(site, object, value, context, 'assign');
    } else if (typeof key === 'number' ? anyNumber : typeof key === 'object') {
      write(site, object, key, value, context, 'assign');
    }
    return;
  }
  write(site, object, key, value, context, 'assign');
};

// `{ p: … }`, just after, where `p` is its only watched key.
/**
 * @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {Context} context
 */
export const L = (site, object, key, value, context) => {
  if (only && key === onlyKey) OnlyStamp.write(site, /** @type {PageObject} */ (object), value, context, 'literal');
  else write(site, object, key, value, context, 'literal');
};

// `{ … }`, just after. A spread source comes as `[source]`.
/** @param {Site} first @param {PageObject} object @param {Context} context @param {...unknown} keys */
export const O = (first, object, context, ...keys) => {
  if (shadowing) return;
  let site = first;
  for (let index = 0; index < keys.length; index++, site++) {
    const key = keys[index];
    if (isArray(key)) {
      const source = unwrap(key[0]);
      if (!isObject(source)) continue;
      meetSymbols(source);
      for (let number = 0; number < slots.length; number++) {
        if (slots[number].kind !== 'property') continue;
        const name = slots[number].key;
        if (overwritten(keys, index, name)) continue;
        const descriptor = getOwnPropertyDescriptor(source, name);
        if (descriptor !== undefined && descriptor.enumerable) defined(site, object, name, context);
      }
    } else if (slotFor(key) !== undefined && !overwritten(keys, index, key)) {
      defined(site, object, /** @type {Key} */ (key), context);
    }
  }
};

// Whether a later part of the literal writes the key again.
/** @param {PageValue[]} keys @param {number} index @param {PageValue} key */
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

/** @param {Site} site @param {PageObject} object @param {Key} key @param {Context} context */
function defined(site, object, key, context) {
  if (slotFor(key) === undefined) return;
  const descriptor = getOwnPropertyDescriptor(object, key);
  if (descriptor === undefined || !hasOwn(descriptor, 'value')) return;
  write(site, object, key, descriptor.value, context === 0 ? undefined : context, 'literal');
}

// `[ … ]`, just after: `count` sites, or one for all. An array from a constructor has its name for `count`.
/** @param {Site} first @param {PageObject} array @param {number | string} count @param {Context} context */
export const Y = (first, array, count, context) => {
  if (typeof count === 'string' && !isCreatedBy(array, count)) return;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index];
    if (slot.kind !== 'property' || typeof slot.key === 'symbol') continue;
    const number = NumberOf(slot.key);
    const site = /** @type {number} */ (count) > 0 && number < /** @type {number} */ (count) ? first + number : first;
    const descriptor = getOwnPropertyDescriptor(array, slot.key);
    if (descriptor !== undefined && hasOwn(descriptor, 'value')) {
      write(site, array, slot.key, descriptor.value, context, 'literal');
    }
  }
};

// A class field, just before it is defined; gives the value back.
/**
 * @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {Context} context
 */
export const F = (site, object, key, value, context) => {
  if (armed) write(site, object, key, value, context, 'define');
  return value;
};

// `delete o.p`, just before.
/** @param {Site} site @param {PageValue} object @param {PageValue} key @param {Context} context */
export const D = (site, object, key, context) => write(site, object, key, ABSENT, context, 'delete');

// Targets in patterns: objects whose property `v` runs hook and write.
class MemberTarget {
  #site; #object; #key; #set; #context;
  /**
   * @param {Site} site @param {PageValue} object @param {PageValue} key @param {MemberSetter} set
   * @param {Context} context
   */
  constructor(site, object, key, set, context) {
    this.#site = site; this.#object = object; this.#key = key; this.#set = set; this.#context = context;
  }
  /** @param {PageValue} value */
  set v(value) {
    const key = K(3, this.#key, this.#object);
    if (armed) write(this.#site, this.#object, key, value, this.#context, 'assign');
    const set = this.#set;
    set(this.#object, key, value);
  }
}
class VariableTarget {
  #set;
  /** @param {(value: PageValue) => void} set */
  constructor(set) { this.#set = set; }
  /** @param {PageValue} value */
  set v(value) {
    const set = this.#set;
    set(value);
  }
}
/**
 * @param {Site} site @param {PageValue} object @param {PageValue} key @param {MemberSetter} set
 * @param {Context} context
 */
export const M = (site, object, key, set, context) => new MemberTarget(site, object, key, set, context);
/** @param {(value: PageValue) => void} set */
export const I = (set) => new VariableTarget(set);

// How often a compound write converts a key that is an object: the language says once, V8 does it twice.
let conversions = 0;
/** @type {Table<number>} */ ({ x: 0 })[
  /** @type {string} */ (/** @type {unknown} */ ({ toString() { conversions++; return 'x'; } }))] += 1;

// The substitute for a key that is an object. The write converts it when it always did, and the hook has just done so:
// once.
class LateKey {
  #key; #reads; #waits; #converted = false;
  /** @type {Key | undefined} */
  #name;
  /** @type {(() => void) | undefined} */
  #hook;
  /** @param {PageValue} key @param {number} reads @param {boolean} waits */
  constructor(key, reads, waits) { this.#key = key; this.#reads = reads; this.#waits = waits; }
  /** @param {PageObject} key @returns {key is LateKey} */
  static is(key) { return #key in key; }
  // Whether the hook is to run only when the write converts the key.
  /** @param {LateKey} late @param {() => void} hook */
  static waits(late, hook) {
    if (late.#waits) late.#hook = hook;
    return late.#waits;
  }
  /** @param {LateKey} late @returns {Key} */
  static name(late) {
    if (!late.#converted) {
      late.#name = toKey(late.#key);
      late.#converted = true;
    }
    return /** @type {Key} */ (late.#name);
  }
  [toPrimitive]() {
    if (this.#reads === 0) {
      const name = LateKey.name(this);
      const hook = this.#hook;
      this.#hook = undefined;
      if (hook !== undefined) hook();
      return name;
    }
    this.#reads--;
    return toKey(this.#key);
  }
}

// A computed key. `how`: 0, it is converted now, as in a literal or class; 1, `object` is written with it; 2, read and
// then written; 3, written, perhaps by `super`: the hook waits for the write. Where there is no object, the error that
// follows names the key as it is.
/** @param {0 | 1 | 2 | 3} how @param {PageValue} key @param {PageValue} object */
export const K = (how, key, object) => ((typeof key !== 'object' || key === null) && typeof key !== 'function' ? key
  : how === 0 ? toKey(key) : object === null || object === undefined ? key
    : new LateKey(key, how === 2 ? conversions - 1 : 0, how === 3));
