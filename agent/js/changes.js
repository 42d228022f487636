// Changes of watched properties: the record is written or made anew, what depends on it is resolved, and the page stops
// if it is one of those to be read.

import { apply, is, isExtensible, weakGet, WeakMapOf, weakSet } from './captured.js';
import { config } from './config.js';
import { ABSENT, Base, isObject, UNKNOWN } from './basics.js';
import { nextEvent, takeBackEvent } from './counters.js';
import { followsAll, mayLook, readsAhead } from './read-ahead.js';
import { inspect, part, proxies, ProxyMark } from './objects.js';
import { forSlots, isPrivateKey, slots } from './slots.js';
import { numberOf, stamps, writerAt } from './records.js';
import { isStop } from './stops.js';
import { countedWrite, countHere, reached } from './events.js';
import { isPlatform } from './dom-unchanged.js';
import { link } from './linked.js';
import { resolveAll } from './references.js';
import { capture } from './capture.js';

// Whether there are objects that take no private field; their records are in `weak`.
let unstampable = false;
const weak = forSlots(() => /** @type {WeakMap<PageObject, ChangeRecord>} */ (new WeakMapOf()));

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

// Resolves what depends on a change, and captures what is to be captured.
/**
 * @param {ChangeRecord} record @param {PageObject | undefined} object @param {Handed} given
 * @param {number | undefined} index @param {PageValue} old
 */
export function resolveDependents(record, object, given, index, old) {
  const number = index ?? part(given, 'n');
  const slot = number === undefined ? undefined : slots[number];
  if (slot !== undefined && slot.askedThere.length > 0) {
    countHere(slot.kind === 'condition' ? undefined : countedWrite());
    record.k = resolveAll(slot.askedThere, given, object);
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
          const given = typeof context === 'function' ? context() : undefined;
          resolveDependents(first, object, given, __SLOT__, oldIn(first));
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
      // Others depend on it, or it is captured: a new record, for the old one may be part of an answer.
      const next = {
        s, t: site, v: value, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: record.e,
        q: record.q, l: undefined,
      };
      if (!slots[__SLOT__].isLast && !link(slots[__SLOT__].link, next, context)) {
        const given = typeof context === 'function' ? context() : undefined;
        resolveDependents(next, object, given, __SLOT__, oldIn(next));
      }
      if (isStamped) object.#__QP__r = next;
      else apply(weakSet, weak[__SLOT__], [object, next]);
    }
  }
  stamps[__SLOT__] = Stamp;
}
