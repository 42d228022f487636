// Live hooks: each write of a rewritten script leaves one number in a shadow: the site in its lower bits, the task
// above.
//
// The shadow of a variable is a variable. That of an object is an object behind a private field of it, with two
// properties for each of the owner's: `s$name` has the number, `v$name` the value that was written, so that what
// changes nothing is told from a change. Where something else may have written, the number is -1: not observed.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, JSON, ObjectOf, ownKeys, realm, Reflect, setPrototypeOf,
} from './captured.js';
import { config, shadowing } from './config.js';
import { ABSENT, Base, isObject, UNKNOWN } from './basics.js';
import { SITE_BITS } from './constants.js';
import { disguise } from './source_text.js';
import { ProxyMark, unwrap } from './objects.js';
import { install } from './installed.js';
import { domLive } from './dom-slots.js';
import { isLeftOut, reachOthers, written } from './live-doubts.js';
import { doubtPart, isPart, partShadow } from './live-parts.js';

/** @type {{ new (): Table }} */
const Shadow = /** @type {never} */ (class {});
setPrototypeOf(Shadow.prototype, null);
// That of an object whose last writers cannot be told.
/** @type {{ new (): Table }} */
const Dead = /** @type {never} */ (class {});
setPrototypeOf(Dead.prototype, null);

class Shadowed extends Base {
  #__QP__s;
  /** @param {PageObject} object @param {Table} shadow */
  constructor(object, shadow) { super(object); this.#__QP__s = shadow; }
  /** @param {PageValue} object @returns {Table} */
  static of(object) {
    try {
      // To ask first whether it is there would take a second look.
      return /** @type {Shadowed} */ (object).#__QP__s;
    } catch {
      const shadow = new Shadow();
      return given(object, domLive && isObject(object) && isPart(object) ? partShadow(object, shadow) : shadow);
    }
  }
  // `of`, as often as rewritten scripts have names for it. The engine remembers for each function which objects it has
  // met: one for all would have met too many for it to remember any. Functions of one text would share that.
  /** @param {Shadowed} object @returns {Table} */
  static a(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static b(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static c(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static d(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static e(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static f(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static g(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static h(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static i(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static j(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static k(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static l(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static m(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static n(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static o(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  /** @param {Shadowed} object @returns {Table} */
  static p(object) { try { return object.#__QP__s; } catch { return Shadowed.of(object); } }
  // That of an object which was just made: no need to ask what it is.
  /** @param {PageObject} object @returns {Table} */
  static fresh(object) {
    const shadow = new Shadow();
    try {
      new Shadowed(object, shadow);
    } catch { /* it takes no private field: then nothing is known of it */ }
    return shadow;
  }
  /** @param {PageObject} object @returns {Table | undefined} */
  static known(object) { return object === realm ? globalShadow : #__QP__s in object ? object.#__QP__s : undefined; }
  /** @param {PageObject} object */
  static kill(object) {
    if (#__QP__s in object) object.#__QP__s = new Dead();
    else given(object, new Dead());
  }
}

// Global variables: properties of the global object, and what is declared at the top of scripts.
export const globalShadow = new Shadow();
export const lexicalShadow = new Shadow();

// Gives an object without a shadow this one. What is no object has one for a moment.
/** @param {PageValue} object @param {Table} shadow */
function given(object, shadow) {
  if (object === realm) return globalShadow;
  if (!isObject(object)) return shadow;
  try {
    new Shadowed(object, shadow);
  } catch { /* it takes no private field: then nothing is known of it */ }
  return shadow;
}

// The shadow of an object that is written, and of one that was just made.
export const Sh = Shadowed.of;
export const {
  a: Sha, b: Shb, c: Shc, d: Shd, e: She, f: Shf, g: Shg, h: Shh,
  i: Shi, j: Shj, k: Shk, l: Shl, m: Shm, n: Shn, o: Sho, p: Shp,
} = Shadowed;
export const Sn = Shadowed.fresh;
export const Is = is;
// Those of global variables.
export const Wg = globalShadow;
export const Wl = lexicalShadow;

// From here on nothing is known of an object's last writers.
/** @param {PageObject} object */
export function dropWriters(object) {
  if (domLive && object !== realm && isPart(object)) doubtPart(object);
  if (shadowing && object !== realm) Shadowed.kill(object);
  else if (object === realm) written();
}

const LARGEST_SITE = (1 << SITE_BITS) - 1;
// What a write leaves in a shadow; -1: nothing is known of it. A script may have more sites than a number has room for.
/** @param {Site} site */
export const writtenAt = (site) => (site > LARGEST_SITE ? -1 : __QP__Now | site);

// A write whose key or kind is known only as it runs, just before.
/** @param {Site} site @param {PageValue} object @param {PageValue} key @param {PageValue} value @param {How} how */
export function shade(site, object, key, value, how) {
  if (typeof key !== 'string') {
    // Which property a key means that is an object, only the write itself will say.
    if (isObject(key) && isObject(object)) dropWriters(object);
    return;
  }
  if (isLeftOut(key) || !isObject(object)) return;
  if (how === 'delete') return shadeDeletion(site, object, key);
  const shadow = Shadowed.of(object);
  if (value === UNKNOWN) {
    shadow[`s$${key}`] = -1;
  } else if (!is(shadow[`v$${key}`], value)) {
    shadow[`v$${key}`] = value;
    shadow[`s$${key}`] = writtenAt(site);
  }
}

/** @param {Site} site @param {PageObject} object @param {string} key */
function shadeDeletion(site, object, key) {
  if (ProxyMark.is(object) || getOwnPropertyDescriptor(object, key)?.configurable !== true) return;
  const shadow = Shadowed.of(object);
  shadow[`v$${key}`] = ABSENT;
  shadow[`s$${key}`] = writtenAt(site);
}

// The names of global variables as their shadows have them. To put them together takes longer than all else.
class Names {
  /** @param {string} name */
  constructor(name) {
    this.number = `s$${name}`;
    this.value = `v$${name}`;
  }
}
setPrototypeOf(Names.prototype, null);
/** @type {Table<Names>} */
const namesOf = /** @type {Bare} */ ({ __proto__: null });

// A global variable is written.
/** @param {Site} site @param {string} name @param {PageValue} value @param {boolean} lexical */
export function shadeGlobal(site, name, value, lexical) {
  const names = namesOf[name] ??= new Names(name);
  const shadow = lexical || hasOwn(lexicalShadow, names.number) ? lexicalShadow : globalShadow;
  if (value === UNKNOWN) shadow[names.value] = ABSENT;
  else if (is(shadow[names.value], value) && site > 0) return;
  else shadow[names.value] = value;
  shadow[names.number] = value === UNKNOWN || site < 0 ? -1 : writtenAt(site);
}

// The shadow of an object whose last writers can be told.
/** @param {PageObject} object */
export function shadowOf(object) {
  const known = Shadowed.known(object);
  return known === undefined || getPrototypeOf(known) === Dead.prototype ? undefined : known;
}

// ---- built-ins that write ----

// A built-in has written `key` of `object`, or may have.
/** @param {PageObject} object @param {Key} key */
function missed(object, key) {
  if (typeof key !== 'string' || isLeftOut(key)) return;
  if (domLive && object !== realm && isPart(object)) return doubtPart(object);
  const shadow = Shadowed.known(object);
  if (shadow === undefined) return;
  const property = getOwnPropertyDescriptor(object, key);
  shadow[`v$${key}`] = property !== undefined && hasOwn(property, 'value') ? property.value : ABSENT;
  shadow[`s$${key}`] = -1;
}
/** @param {PageValue} object @param {PageValue} source */
function missedAll(object, source) {
  if (!isObject(source)) return;
  if (ProxyMark.is(source)) return dropWriters(/** @type {PageObject} */ (object));
  const keys = ownKeys(source);
  for (let index = 0; index < keys.length; index++) missed(/** @type {PageObject} */ (object), keys[index]);
}

/** @param {PageObject | undefined} host @param {Key} key @param {(original: AnyFunction) => AnyFunction} make */
function replace(host, key, make) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
  if (property === undefined || typeof property.value !== 'function') return;
  const value = disguise(make(property.value), property.value);
  install(/** @type {PageObject} */ (host), key, { __proto__: null, ...property, value });
}

// Calls `original` and then `after`, whatever comes of it.
/** @param {(values: ArrayLike<PageValue>) => void} after */
const afterwards = (after) => (/** @type {AnyFunction} */ original) => ({
  method() {
    try {
      return apply(original, this, arguments);
    } finally {
      after(arguments);
    }
  },
}).method;

if (shadowing) {
  /** @param {number} place */
  const named = (place) => afterwards((values) => {
    const object = values.length > place ? values[place] : values[0];
    const key = values[1];
    if (!isObject(object)) return;
    const owner = /** @type {PageObject} */ (unwrap(object));
    if (isObject(key)) dropWriters(owner);
    else missed(owner, typeof key === 'symbol' ? key : `${key}`);
  });
  const firstArgument = named(0);
  replace(ObjectOf, 'defineProperty', firstArgument);
  replace(Reflect, 'defineProperty', firstArgument);
  replace(Reflect, 'deleteProperty', firstArgument);
  replace(Reflect, 'set', named(3));
  replace(ObjectOf, 'defineProperties', afterwards((values) => {
    if (isObject(values[0])) missedAll(unwrap(values[0]), values[1]);
  }));
  replace(ObjectOf, 'assign', afterwards((values) => {
    if (!isObject(values[0])) return;
    for (let index = 1; index < values.length; index++) missedAll(unwrap(values[0]), values[index]);
  }));
  replace(realm.Error, 'captureStackTrace', afterwards((values) => {
    if (isObject(values[0])) missed(/** @type {PageObject} */ (unwrap(values[0])), 'stack');
  }));
  replace(realm, 'open', afterwards(reachOthers));
  if (!config.driven) {
    // Nobody rewrites the texts that become code.
    for (const name of ['setTimeout', 'setInterval']) {
      replace(realm, name, afterwards((values) => {
        if (values.length > 0 && typeof values[0] !== 'function') written();
      }));
    }
  }
  replace(JSON, 'parse', (original) => ({
    /** @param {string} text @param {PageValue} reviver */
    parse(text, reviver) {
      if (typeof reviver !== 'function') return apply(original, this, arguments);
      return apply(original, this, [text, ({
        reviver() {
          if (isObject(this)) dropWriters(this);
          return apply(reviver, this, arguments);
        },
      }).reviver]);
    },
  }).parse);
}
