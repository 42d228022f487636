// Records: the last change of each watched property, kept on the object it belongs to.

import './installed.js';
import {
  apply, freeze, getOwnPropertyDescriptor, is, isExtensible, NumberOf, ownKeys, realm, startsWith, StringOf, SymbolOf,
  weakGet, WeakMapOf, weakSet,
} from './captured.js';
import { config } from './config.js';
import { ABSENT, append, Base, isObject, UNKNOWN } from './basics.js';
import { nextEvent, nextOwner, sequence, takeBackEvent } from './counters.js';
import { followsAll, mayLook, readsAhead } from './read-ahead.js';
import { isStop, reached } from './stops.js';
import { inspect, part, proxies, ProxyMark } from './objects.js';
import { wroteGlobal } from './variables.js';
import { resolveAll } from './references.js';
import { isPlatform } from './dom-unchanged.js';
import { link } from './linked.js';
import { anyEntry, entriesOf } from './entries.js';
import { countedWrite, countHere, countWrite } from './events.js';
import { capture } from './capture.js';

// One record for each object and watched name, in a private field of the object:
//   s  sequence number of the last change      t  its site; minus the writer's number, where no hook saw it
//   v  the value it wrote
//   n  how many changes there were             i  the owner's number, in the order of first writes
//   k  what hung on it then: the results             c  what was captured   e  exact bookkeeping
//   q  whether it was found to be what the object has  l  the record that hung on it then, instead of its result
//      (both only where others hang on it: see `linked.js`)
// It dies with the object. (One number, sequence and site packed, was measured to be slower on old objects
// and no faster on fresh ones, and it cannot tell a change from a write.)
export const slots = /** @type {Slot[]} */ (/** @type {unknown} */ (config.slots));
/** @type {Table<number>} */
export const slotOfKey = /** @type {Bare} */ ({ __proto__: null });
/** @type {Table<number>} */
export const slotOfVariable = /** @type {Bare} */ ({ __proto__: null });
for (let index = 0; index < slots.length; index++) {
  const slot = slots[index];
  slot.tracked = /** @type {Bare} */ ({ __proto__: null });
  for (const owner of slot.exact) slot.tracked[owner] = true;
  slot.plain = slot.kids.length === 0 && !slot.isKid && !config.capture;
  if (slot.kind === 'property') slotOfKey[slot.key] = index;
  else if (slot.kind === 'variable') slotOfVariable[slot.key] = index;
}
export const anyTraced = slots.some((slot) => slot.traced.length > 0);
export const anyProperty = slots.some((slot) => slot.kind === 'property');
// Whether a number can be a watched key: most writes with computed keys are of elements, and their keys stay numbers.
export const anyNumber = slots.some((slot) => StringOf(NumberOf(slot.key)) === slot.key);
// Symbols are watched by their descriptions: no other property has such a name.
const symbolDescription = getOwnPropertyDescriptor(SymbolOf.prototype, 'description')?.get;
/** @param {symbol} symbol */
const symbolName = (symbol) => `\0@${apply(symbolDescription, symbol, [])}`;
/** @param {Key} key */
export const nameOfKey = (key) => (typeof key === 'symbol' ? symbolName(key) : /** @type {string} */ (key));
export const anySymbol = slots.some((slot) => slot.kind === 'property' && apply(startsWith, slot.key, ['\0@']));
/** @param {Key} key */
export const isPrivateKey = (key) => typeof key === 'string' && apply(startsWith, key, ['\0#']);
/** @param {Key} key */
export const isElementKey = (key) => typeof key === 'string' && (key === 'length' || StringOf(NumberOf(key)) === key);

// The slot of a symbol. The first one of its description that is met is the slot's key from then on.
/** @param {symbol} symbol @returns {number | undefined} */
export function slotOfSymbol(symbol) {
  const known = slotOfKey[symbol];
  if (known !== undefined) return known;
  const index = slotOfKey[symbolName(symbol)];
  if (index === undefined || typeof slots[index].key === 'symbol') return undefined;
  slots[index].key = symbol;
  slotOfKey[symbol] = index;
  return index;
}

// Meets the symbols that are keys of what is copied.
/** @param {PageValue} source */
export function meetSymbols(source) {
  if (!anySymbol || !isObject(source) || ProxyMark.is(source)) return;
  const keys = ownKeys(source);
  for (let index = 0; index < keys.length; index++) {
    if (typeof keys[index] === 'symbol') slotOfSymbol(/** @type {symbol} */ (keys[index]));
  }
}
export const anyElement = slots.some((slot) => slot.kind === 'property' && isElementKey(slot.key));
let unstampable = false;
// A list with something for each slot. (The `map` of the realm may be one that tells what it makes.)
/** @type {<T>(make: (slot: Slot) => T) => T[]} */
export const forSlots = (make) => {
  const list = /** @type {ReturnType<typeof make>[]} */ ([]);
  for (let index = 0; index < slots.length; index++) append(list, make(slots[index]));
  return list;
};
const weak = forSlots(() => /** @type {WeakMap<PageObject, ChangeRecord>} */ (new WeakMapOf()));
// Own elements throughout: what is read where there is none would come from the page's prototypes.
export const stamps = forSlots(() => /** @type {StampClass} */ (/** @type {unknown} */ (undefined)));

// An object has one number, whichever of its properties are watched.
/** @param {number} index @param {PageObject} object */
export function numberOf(index, object) {
  for (let other = 0; other < slots.length; other++) {
    if (other === index || stamps[other] === undefined) continue;
    const known = stamps[other].record(object);
    if (known !== undefined) return known.i;
  }
  const entries = anyEntry ? entriesOf(object) : undefined;
  return entries === undefined ? nextOwner() : entries.i;
}

/**
 * @type {(index: number, s: number, site: Site, value: PageValue, object: PageObject) => ChangeRecord}
 */
export const makeRecord = (index, s, site, value, object) => {
  const owner = numberOf(index, object);
  // Where each write is captured, whose it is that matters is not known before.
  const e = slots[index].tracked[owner] === true || config.capture || followsAll()
    ? { __proto__: null, last: 0, site: 0, n: 0, v: ABSENT, old: ABSENT, blind: 0, unseen: false } : undefined;
  const record = slots[index].plain ? { s, t: site, v: value, n: 1, i: owner, k: undefined, c: undefined, e }
    : { s, t: site, v: value, n: 1, i: owner, k: undefined, c: undefined, e, q: false, l: undefined };
  return record;
};

// The first write of a watched property of an object.
/**
 * @param {number} index @param {StampClass} Stamp @param {Site} site @param {PageObject} object
 * @param {PageValue} value @param {number} s @param {How} how
 */
function firstWrite(index, Stamp, site, object, value, s, how) {
  if (proxies && ProxyMark.is(object)) {
    // A write through a proxy without a trap for it goes to the target; a trap does what it does itself.
    const handler = ProxyMark.handler(object);
    if (isObject(handler) && !ProxyMark.is(handler)) {
      const trap = inspect(handler, how === 'delete' ? 'deleteProperty' : how === 'define' ? 'defineProperty' : 'set');
      if (trap === undefined || (trap.data && trap.value === undefined)) {
        takeBackEvent();
        Stamp.write(site, ProxyMark.target(object), value, undefined, how);
      }
    }
    return undefined;
  }
  const record = makeRecord(index, s, site, value, object);
  if (record.e !== undefined && !exactly(index, record, object, value, s, site, how)) {
    record.n = 0;
  }
  keepFirst(index, Stamp, object, record);
  return record;
}

/**
 * @param {number} index @param {StampClass} Stamp @param {PageObject} object @param {ChangeRecord} record
 */
export function keepFirst(index, Stamp, object, record) {
  try {
    new Stamp(object, record);
  } catch {
    unstampable = true;
    apply(weakSet, weak[index], [object, record]);
  }
}

// Those that write without a hook at the place: built-ins, by the names that answers give them.
export const writers = [''];
/** @param {string} name */
export const writerNumber = (name) => {
  append(writers, name);
  return writers.length - 1;
};
/** @param {Site} site */
export const writerAt = (site) => (site < 0 ? writers[-site] : undefined);

// What a hook would hand over where there is none: who is asked there is resolved by the debugger, in the caller.
/** @type {Given} */
export const LATE = freeze({ __proto__: null, late: true });

// Changes that have happened and are being told, one after the other: those still to come, at a stop, are not yet.
/** @type {Change[] | undefined} */
export let underway;
export let underwayFrom = 0;

/** @param {Change[] | undefined} changes @param {number} from */
export function tellFrom(changes, from) {
  underway = changes;
  underwayFrom = from;
}

// The change of `object[key]` that is not told yet; undefined: there is none.
/** @param {PageObject} object @param {Key} key */
export function untold(object, key) {
  if (underway === undefined) return undefined;
  for (let index = underwayFrom; index < underway.length; index++) {
    const change = underway[index];
    if (change.object === object && slots[change.index].key === key) return change;
  }
  return undefined;
}

// A write by a built-in, which has happened already: a property of slot `index` was `before` and is `after`.
/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {number} by
 */
export function wrote(index, object, before, after, by) {
  if (slots[index].plain && object !== realm && !isStop(sequence + 1)) {
    // Nobody looks while it is told.
    if (!is(before, after)) wroteOne(index, object, before, after, -by);
    return;
  }
  wroteAll([{ __proto__: null, index, object, before, after }], by);
}

// The changes that one call of a built-in made, in the order in which it made them.
/** @param {Change[]} changes @param {number} by */
export function wroteAll(changes, by) {
  const outer = underway;
  const outerFrom = underwayFrom;
  for (let number = 0; number < changes.length; number++) {
    tellFrom(changes, number);
    const { index, object, before, after } = changes[number];
    if (is(before, after)) continue;
    const { key } = slots[index];
    if (object === realm && slotOfVariable[key] !== undefined)
      wroteGlobal(/** @type {string} */ (key), before, after, -by);
    wroteOne(index, object, before, after, -by);
  }
  tellFrom(outer, outerFrom);
}

/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {Site} site
 */
function wroteOne(index, object, before, after, site) {
  if (anyTraced) countWrite(index, site, object, before, after);
  const s = nextEvent();
  const Stamp = stamps[index];
  const known = Stamp.record(object);
  const record = known ?? makeRecord(index, s, site, after, object);
  const exact = record.e;
  if (exact !== undefined) {
    if (exact.v !== UNKNOWN && !is(exact.v, before)) exact.blind++;
    exact.v = after;
    exact.host = false;
    exact.old = before;
    changed(exact, record, site, object, after, before, s);
  }
  if (known === undefined) {
    keepFirst(index, Stamp, object, record);
    if (!slots[index].plain) hang(record, object, LATE, index, before);
  } else if (slots[index].plain) {
    record.s = s;
    record.t = site;
    record.v = after;
    record.n++;
  } else {
    const next = {
      s, t: site, v: after, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: exact,
      q: record.q, l: undefined,
    };
    hang(next, object, LATE, index, before);
    Stamp.keep(object, next);
  }
}

// Bookkeeping for the objects that answers are about: the real old value, whether the write will take
// effect, whether somebody wrote unseen. Returns whether it is a change.
/**
 * @param {number} index @param {ChangeRecord} record @param {PageObject} object @param {PageValue} value
 * @param {number} s @param {Site} site @param {How} how
 */
function exactly(index, record, object, value, s, site, how) {
  const exact = /** @type {Exactness} */ (record.e);
  if (readsAhead && !mayLook()) {
    record.e = undefined;
    return value === UNKNOWN || (exact.n === 0 && exact.v === ABSENT) || !is(record.v, value);
  }
  const key = slots[index].key;
  let old = ABSENT;
  let host = false;
  if (isPrivateKey(key)) {
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
    if (how === 'delete' && (old === ABSENT || !found?.configurable)) return false;
    if (!host && exact.v !== ABSENT && exact.v !== UNKNOWN && !is(exact.v, old)) exact.blind++;
    // What an element's style or data set begins with, no script wrote.
    if (!host && exact.v === ABSENT && exact.n === 0 && old !== ABSENT && !isPlatform(object)) exact.blind++;
  }
  const before = host && exact.n > 0 && is(exact.v, value) ? value : old;
  exact.v = value;
  exact.host = host;
  exact.platform = false;
  exact.old = old;
  if (is(before, value)) return false;
  changed(exact, record, site, object, value, old, s);
  return true;
}

// Counts a change, and stops at it if it is one of those to be read.
/**
 * @param {Exactness} exact @param {ChangeRecord} record @param {Site} site @param {PageObject} object
 * @param {PageValue} value @param {PageValue} old @param {number} s @param {Origin} [from]
 */
export function changed(exact, record, site, object, value, old, s, from) {
  exact.last = s;
  exact.unseen = false;
  exact.site = site;
  exact.n++;
  if (isStop(s)) {
    reached({
      kind: 'write', sequence: s, site, by: writerAt(site), owner: object, number: record.i,
      created: old === ABSENT, deleted: value === ABSENT, old: old === ABSENT ? undefined : old,
      value: value === ABSENT || value === UNKNOWN ? undefined : value, unknown: value === UNKNOWN,
      index: exact.n - 1, host: exact.host,
      oldUnknown: old === UNKNOWN, cause: from?.cause,
    });
  }
}

// What was there before the last write, as far as somebody looked: only a capture shows it.
/** @param {ChangeRecord} record */
const oldIn = (record) => (record.e === undefined ? UNKNOWN : record.e.old);

// Resolves what hangs on a change, and captures what is to be captured.
/**
 * @param {ChangeRecord} record @param {PageObject | undefined} object @param {Handed} given
 * @param {number | undefined} index @param {PageValue} old
 */
export function hang(record, object, given, index, old) {
  const number = index ?? part(given, 'n');
  const slot = number === undefined ? undefined : slots[number];
  if (slot !== undefined && slot.kids.length > 0) {
    countHere(slot.kind === 'condition' ? undefined : countedWrite());
    record.k = resolveAll(slot.kids, given, object);
    countHere(undefined);
  }
  if (config.capture) record.c = capture(given, old, record.v, object, record);
}

// Rust repeats this block for each watched property, with its number for `__SLOT__`: a class at a place of its own for
// each name is what keeps a hook at some ten nanoseconds.
if (__EACH_PROPERTY__) {
  class Stamp extends Base {
    #__QP__r;
    /** @param {PageObject} object @param {ChangeRecord} record */
    constructor(object, record) { super(object); this.#__QP__r = record; }

    /** @param {PageObject} object */
    static record(object) {
      return #__QP__r in object ? object.#__QP__r
        : unstampable ? apply(weakGet, weak[__SLOT__], [object]) : undefined;
    }

    /** @param {PageObject} object @param {ChangeRecord} record */
    static keep(object, record) {
      if (#__QP__r in object) object.#__QP__r = record;
      else apply(weakSet, weak[__SLOT__], [object, record]);
    }

    /**
     * @param {Site} site @param {PageObject} object @param {PageValue} value @param {Context} context @param {How} how
     */
    static write(site, object, value, context, how) {
      const s = nextEvent();
      const isStamped = #__QP__r in object;
      const record = isStamped ? object.#__QP__r
        : unstampable ? apply(weakGet, weak[__SLOT__], [object]) : undefined;
      if (record === undefined) {
        const first = firstWrite(__SLOT__, Stamp, site, object, value, s, how);
        if (first !== undefined && !slots[__SLOT__].plain) {
          hang(first, object, typeof context === 'function' ? context() : undefined, __SLOT__, oldIn(first));
        }
        return;
      }
      if (record.e !== undefined) {
        if (!exactly(__SLOT__, record, object, value, s, site, how)) return;
      } else if (record.v === value
        ? value !== 0 || 1 / /** @type {number} */ (value) === 1 / /** @type {number} */ (record.v)
        : value !== value && record.v !== record.v) {
        if (value !== UNKNOWN) return;
      }
      if (slots[__SLOT__].plain) {
        record.s = s;
        record.t = site;
        record.v = value;
        record.n++;
        return;
      }
      // Others hang on it, or it is captured: a new record, for the old one may be part of an answer.
      const next = {
        s, t: site, v: value, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: record.e,
        q: record.q, l: undefined,
      };
      if (!slots[__SLOT__].isLast && !link(slots[__SLOT__].link, next, context)) {
        const given = typeof context === 'function' ? context() : undefined;
        hang(next, object, given, __SLOT__, oldIn(next));
      }
      if (isStamped) object.#__QP__r = next;
      else apply(weakSet, weak[__SLOT__], [object, next]);
    }
  }
  stamps[__SLOT__] = Stamp;
}
