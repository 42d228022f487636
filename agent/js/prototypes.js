// Prototypes that are replaced: what an object inherits then changes, and the replacement is the change.

import { apply, getOwnPropertyDescriptor, is, ObjectOf, Reflect } from './captured.js';
import { armed } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { nextEvent } from './counters.js';
import { disguise } from './source_text.js';
import { inspect, unwrap } from './objects.js';
import { publicSlots, slots } from './slots.js';
import {
  replacementsOf, LATE, numberOf, stamps, tellFrom, beingTold, beingToldFrom, writerNumber, writers,
} from './records.js';
import { install, replaceMethod } from './installed.js';
import { isStop } from './stops.js';
import { reached } from './events.js';
import { resolveDependents } from './changes.js';

/** @param {Inspected | undefined} property */
const visible = (property) => (property === undefined ? ABSENT : property.data ? property.value : UNKNOWN);

/**
 * @param {AnyFunction} original @param {PageValue} self @param {ArrayLike<unknown>} values @param {PageValue} object
 * @param {number} by
 */
function callReplacing(original, self, values, object, by) {
  const owner = unwrap(object);
  if (!isObject(owner)) return apply(original, self, values);
  /** @type {(Inspected | undefined)[]} */
  const before = [];
  for (let number = 0; number < publicSlots.length; number++) {
    append(before, inspect(owner, slots[publicSlots[number]].key));
  }
  const result = apply(original, self, values);
  for (let number = 0; number < publicSlots.length; number++) {
    const property = before[number];
    // Its own value stays what it is.
    if (property !== undefined && property.own) continue;
    tellReplacement(publicSlots[number], owner, property, by);
  }
  return result;
}

/** @param {number} index @param {PageObject} object @param {Inspected | undefined} property @param {number} by */
function tellReplacement(index, object, property, by) {
  const before = visible(property);
  const after = visible(inspect(object, slots[index].key));
  if (is(before, after) || before === UNKNOWN || after === UNKNOWN) return;
  const s = nextEvent();
  const records = replacementsOf(object);
  const known = records[index];
  const record = {
    s, t: -by, v: after, n: known === undefined ? 1 : known.n + 1,
    i: known === undefined ? stamps[index].record(object)?.i ?? numberOf(index, object) : known.i,
    k: undefined, c: undefined, e: undefined,
  };
  const outer = beingTold;
  const outerFrom = beingToldFrom;
  tellFrom([{ __proto__: null, index, object, before, after, inherited: { __proto__: null, property } }], 0);
  if (isStop(s)) {
    reached({
      kind: 'write', sequence: s, site: -by, by: writers[by], owner: object, number: record.i,
      created: before === ABSENT, deleted: after === ABSENT, old: before === ABSENT ? undefined : before,
      value: after === ABSENT ? undefined : after, index: record.n - 1, host: false,
    });
  }
  resolveDependents(record, object, LATE, index, before);
  tellFrom(outer, outerFrom);
  records[index] = record;
}

if (armed && publicSlots.length > 0) {
  /** @param {AnyFunction} original @param {number} by */
  const replacing = (original, by) => ({
    /** @param {PageValue} target */
    method(target) { return callReplacing(original, this, arguments, target, by); },
  }).method;
  replaceMethod(ObjectOf, 'setPrototypeOf', 'Object.setPrototypeOf', replacing);
  replaceMethod(Reflect, 'setPrototypeOf', 'Reflect.setPrototypeOf', replacing);
  const accessor = getOwnPropertyDescriptor(ObjectOf.prototype, '__proto__');
  if (accessor !== undefined && typeof accessor.set === 'function') {
    const by = writerNumber('Object.prototype.__proto__');
    const set = disguise(({
      /** @param {PageValue} value */
      method(value) { return callReplacing(/** @type {AnyFunction} */ (accessor.set), this, arguments, this, by); },
    }).method, accessor.set);
    install(ObjectOf.prototype, '__proto__', { __proto__: null, ...accessor, set });
  }
}
