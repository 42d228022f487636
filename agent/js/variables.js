// Hooks on variables: what rewritten scripts call before they write one; its record lives in the variable's shadow.

import { getOwnPropertyDescriptor, hasOwn, is, NumberOf, realm, unscopables } from './captured.js';
import { config, shadowing } from './config.js';
import { ABSENT, isObject, UNKNOWN } from './basics.js';
import { countActivation, nextEvent, nextOwner, owners } from './counters.js';
import { inspect, part, ProxyMark } from './objects.js';
import { slotOfVariable, slots } from './slots.js';
import { globals, lexicals, writerAt } from './records.js';
import { isStop } from './stops.js';
import { countWrite, reached } from './events.js';
import { shadeGlobal, writtenAt } from './live-shadows.js';
import { resolveDependents } from './changes.js';

/** @param {PageValue} old @param {number} delta */
const step = (old, delta) => (typeof old === 'number' ? old + delta
  : typeof old === 'bigint' ? old + (delta > 0 ? 1n : -1n)
    : isObject(old) || typeof old === 'symbol' ? UNKNOWN : NumberOf(old) + delta);

/**
 * @param {ChangeRecord | undefined} record @param {Site} site @param {PageValue} old @param {boolean} created
 * @param {PageValue} value @param {Context} context @param {number} s
 */
function change(record, site, old, created, value, context, s) {
  const next = {
    s, t: site, v: value, n: record === undefined ? 1 : record.n + 1, e: undefined,
    i: record === undefined ? nextOwner() : record.i, k: undefined, c: undefined,
    b: record !== undefined && !created && !is(record.v, old) && record.v !== UNKNOWN,
  };
  if (context !== undefined || config.live) {
    const given = context === undefined ? undefined : /** @type {() => Given} */ (context)();
    resolveDependents(next, undefined, given, undefined, created ? ABSENT : old);
  }
  if (isStop(s)) {
    reached({
      kind: 'assign', sequence: s, site, by: writerAt(site), owner: undefined, number: next.i, created,
      deleted: value === ABSENT, old: created ? undefined : old,
      value: value === UNKNOWN || value === ABSENT ? undefined : value,
      unknown: value === UNKNOWN, index: next.n - 1, host: false,
    });
  }
  return next;
}

// Whether all writes of a variable are counted: then its hooks hand over which it is.
const anyCounted = slots.some((slot) => slot.kind === 'variable' && slot.traced.length > 0);

/**
 * @param {Site} site @param {Context} context @param {PageValue} old @param {PageValue} value
 * @param {ChangeRecord | undefined} record
 */
function countVariable(site, context, old, value, record) {
  const index = typeof context === 'function' ? part(context(), 'n') : undefined;
  if (index === undefined) return;
  countActivation(record === undefined ? owners + 1 : record.i);
  countWrite(index, site, undefined, old, value);
}

// An assignment, just before; gives the new record.
/**
 * @param {Site} site @param {PageValue} old @param {ChangeRecord | undefined} record @param {PageValue} value
 * @param {Context} context
 */
export const X = (site, old, record, value, context) => {
  if (anyCounted) countVariable(site, context, old, value, record);
  const s = nextEvent();
  if (is(old, value)) return record;
  return change(record, site, old, false, value, context, s);
};

// A binding filled by the language, or for the first time.
/**
 * @param {Site} site @param {ChangeRecord | undefined} record @param {PageValue} value
 * @param {Context} context
 */
export const V = (site, record, value, context) => {
  if (shadowing) return /** @type {never} */ (writtenAt(site));
  if (anyCounted) countVariable(site, context, record === undefined ? ABSENT : record.v, value, record);
  const s = nextEvent();
  if (record === undefined) return change(undefined, site, undefined, true, value, context, s);
  if (is(record.v, value)) return record;
  return change(record, site, record.v, false, value, context, s);
};

// `x++`, just before.
/**
 * @param {Site} site @param {PageValue} old @param {ChangeRecord | undefined} record @param {number} delta
 * @param {Context} context
 */
export const U = (site, old, record, delta, context) => {
  const value = step(old, delta);
  if (anyCounted) countVariable(site, context, old, value, record);
  const s = nextEvent();
  if (is(old, value)) return record;
  return change(record, site, old, false, value, context, s);
};

// `after`: the language has written already.
/**
 * @param {Site} site @param {string} name @param {PageValue} value @param {boolean} lexical @param {Context} context
 * @param {boolean} [after]
 */
export function writeGlobal(site, name, value, lexical, context, after) {
  if (shadowing) return shadeGlobal(site, name, value, lexical);
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
  if (anyCounted) countVariable(site, context, created ? ABSENT : old, value, record);
  const s = nextEvent();
  if (!created && is(old, value)) return;
  if (created && record !== undefined && is(record.v, value)) return;
  table[name] = change(record, site, old, created, value, context, s);
}

// A built-in has written a global variable as a property of the global object.
/** @param {string} name @param {PageValue} before @param {PageValue} after @param {Site} site */
export function wroteGlobal(name, before, after, site) {
  const given = { __proto__: null, late: true, n: slotOfVariable[name] };
  const context = () => given;
  if (anyCounted) countVariable(site, context, before, after, globals[name]);
  const s = nextEvent();
  globals[name] = change(globals[name], site, before, before === ABSENT, after, context, s);
}

// `how`: 1, a script-level `let`, `const` or `class`; 2, the hook comes just after the write.
/**
 * @param {Site} site @param {string} name @param {PageValue} value @param {number} how
 * @param {Context} context
 */
export const G = (site, name, value, how, context) =>
  writeGlobal(site, name, value, (how & 1) === 1, context, (how & 2) === 2);

/** @param {Site} site @param {string} name @param {number} delta @param {Context} context */
export const N = (site, name, delta, context) => {
  const record = name in lexicals ? lexicals[name] : globals[name];
  let old = record === undefined ? undefined : record.v;
  if (!(name in lexicals)) {
    const descriptor = getOwnPropertyDescriptor(realm, name);
    if (descriptor !== undefined && hasOwn(descriptor, 'value')) old = descriptor.value;
  }
  writeGlobal(site, name, step(old, delta), false, context);
};

// `with`: whether the object catches the name, and what `object.name++` will give.
/** @param {PageObject} object @param {string} name */
export const H = (object, name) => {
  if (!isObject(object) || ProxyMark.is(object)) return false;
  if (inspect(object, name) === undefined) return false;
  const hidden = inspect(object, unscopables);
  if (hidden !== undefined && hidden.data && isObject(hidden.value)) {
    const entry = inspect(hidden.value, name);
    if (entry !== undefined && entry.data && entry.value) return false;
  }
  return true;
};
/** @param {PageObject} object @param {string} name @param {number} delta */
export const J = (object, name, delta) => {
  const found = inspect(object, name);
  return found !== undefined && found.data ? step(found.value, delta) : UNKNOWN;
};
