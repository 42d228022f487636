// Records: the last change of each watched property, kept on the object it belongs to.

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
