// Writes of variables, properties and elements, and what literals and constructors make.

import { getOwnPropertyDescriptor, is, ownKeys } from '../captured.js';
import { isObject } from '../basics.js';
import { MOST_ENTRIES } from './settings.js';
import { GETTER, GONE, keyOf } from './values.js';
import { encoder, missed } from './running.js';
import { tellInnerState } from './inner-state.js';
import { contents } from './contents.js';
import { tellExtended, tellPrototype } from './prototypes.js';
import { tellControls } from './forms.js';
import { tellNew } from './new-objects.js';
import { callEnded } from './calls.js';

/** @param {number} site @param {number} scope @param {unknown} value */
export function Lv(site, scope, value) {
  try {
    encoder.assign(site, scope, value);
    if (typeof value === 'function') tellExtended(site, value);
    if (encoder.hasNew()) tellNew(site);
  } catch { missed(); }
  return value;
}
/** @param {number} site @param {number} scope @param {unknown} old @param {unknown} value */
export function LV(site, scope, old, value) {
  return is(old, value) ? value : Lv(site, scope, value);
}
// `x++` gives the old value.
/** @param {number} site @param {number} scope @param {number | bigint} old @param {1 | -1} delta */
export function Lp(site, scope, old, delta) {
  Lv(site, scope, next(old, delta));
  return old;
}
/** @param {number | bigint} old @param {1 | -1} delta */
export const next = (old, delta) => (typeof old === 'bigint' ? old + (delta === 1 ? 1n : -1n) : old + delta);

// Whether a value is an object that a record can be about.
/** @type {(owner: unknown) => owner is object} */
const isOwner = isObject;

/** @param {number} site @param {unknown} owner @param {unknown} value @param {1} [isLogical] */
export function Lw(site, owner, value, isLogical) {
  if (isLogical === 1 && !wasAssigned()) return value;
  try {
    if (isOwner(owner)) encoder.write(site, owner, value);
    if (encoder.hasNew()) tellNew(site);
  } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} owner @param {unknown} key @param {unknown} value @param {1} [isLogical] */
export function Li(site, owner, key, value, isLogical) {
  if (isLogical === 1 && !wasAssigned()) return value;
  try {
    if (isOwner(owner)) encoder.writeKey(site, owner, keyOf(key), value);
    if (encoder.hasNew()) tellNew(site);
  } catch { missed(); }
  return value;
}
/** @param {number} site @param {unknown} owner @param {number | bigint} old @param {1 | -1} delta */
export function LP(site, owner, old, delta) {
  Lw(site, owner, next(old, delta));
  return old;
}
/**
 * @param {number} site @param {unknown} owner @param {unknown} key @param {number | bigint} old
 * @param {1 | -1} delta
 */
export function LQ(site, owner, key, old, delta) {
  Li(site, owner, key, next(old, delta));
  return old;
}
// `a.p ||= v`: whether it was assigned.
let assigned = false;
/** @param {unknown} value */
export function Lm(value) {
  assigned = true;
  return value;
}
export function wasAssigned() {
  const was = assigned;
  assigned = false;
  return was;
}

/** @param {number} site @param {unknown} owner @param {boolean} done */
export function LX(site, owner, done) {
  if (done) Lw(site, owner, GONE);
  return done;
}
/** @param {number} site @param {unknown} owner @param {unknown} key @param {boolean} done */
export function LY(site, owner, key, done) {
  if (done) Li(site, owner, key, GONE);
  return done;
}

// A field of a class, which is about to be defined.
/** @param {number} site @param {unknown} owner @param {unknown} value */
export const LF = (site, owner, value) => Lw(site, owner, value);

/** @param {number} site @param {unknown} _ @param {object} object @param {...unknown} values */
export function Lg(site, _, object, ...values) {
  try {
    // The site of the call is the one before.
    callEnded(site - 1, object, values);
    encoder.create(site, object);
    contents(object);
    tellInnerState(site, object);
    tellPrototype(site, object);
    tellControls(site, object, values);
    tellNew(site, object);
  } catch { missed(); }
  return object;
}
/** @param {number} site @param {Table} object @param {...string} keys */
export function Lj(site, object, ...keys) {
  try {
    encoder.create(site, object);
    for (let index = 0; index < keys.length; index++) encoder.write(site + 1 + index, object, object[keys[index]]);
    if (encoder.hasNew()) tellNew(site, object);
  } catch { missed(); }
  return object;
}
// A literal with names that only the execution knows.
/** @param {number} site @param {object} object */
export function LJ(site, object) {
  try {
    encoder.create(site, object);
    const keys = ownKeys(object);
    for (let index = 0; index < keys.length && index < MOST_ENTRIES; index++) {
      const property = getOwnPropertyDescriptor(object, keys[index]);
      if (property === undefined) continue;
      encoder.writeKey(site, object, keys[index], 'value' in property ? property.value : GETTER);
    }
    tellNew(site, object);
  } catch { missed(); }
  return object;
}
/** @param {number} site @param {unknown[]} array */
export function Ll(site, array) {
  try {
    encoder.create(site, array);
    contents(array);
    if (encoder.hasNew()) tellNew(site, array);
  } catch { missed(); }
  return array;
}
