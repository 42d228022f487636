// What the page itself reads where a query looks: compared with what was followed without running anything of the page.

import { is } from './captured.js';
import { isObject } from './basics.js';
import { met } from './met.js';
import { inspect, part, proxies, unwrap } from './objects.js';
import { pausedEvent } from './stops.js';
import { lookUp } from './lookups.js';
import { readEntry } from './entries.js';
import { trapOf } from './traps.js';
import { copiedBy, lastValue, UNSURE } from './following.js';
import { resolveAccessor, resolveTrap } from './resolution.js';
import { follow, keyOf, propertyKey } from './references.js';

// The object in which a query begins.
/** @param {Query} query @param {Handed} given */
function rootOf(query, given) {
  const thunk = part(part(given, 'd'), query.dependent);
  if (query.root === 'event') return pausedEvent?.owner;
  if (query.root === 'element') return lookUp(/** @type {AgentLookup} */ (query.lookup));
  return typeof thunk === 'function' ? thunk() : undefined;
}
/** @param {AgentStep | null} step @returns {step is AgentKeyed} */
const isEntry = (step) => step !== null && typeof step === 'object' && step.kind !== 'element';
/** @param {AgentStep} step @param {Handed} given */
const keyOfStep = (step, given) => (typeof step === 'string' ? step : propertyKey(keyOf(step, given)));
/** @param {Query} query @param {Handed} given */
const lastKey = (query, given) => (query.keyed === null ? query.key : propertyKey(keyOf(query.keyed, given)));

// What a read by the page is compared with: `{ ofGetter, doubtful, expected }`.
/** @type {Comparison | undefined} */
export let comparison;

// The function that the page's own read of what `query` names runs, where it depends on more than what was followed:
// a trap that was not followed, or a trap or getter that calls something. Undefined: there is none.
/** @param {Query} query @param {Given} given */
export function runByRead(query, given) {
  comparison = undefined;
  if (query.variable || isEntry(query.keyed)) return undefined;
  let asked;
  try {
    let base = rootOf(query, given);
    for (let index = 0; index < query.path.length; index++) {
      const step = query.path[index];
      if (!isEntry(step)) asked ??= runBy(base, keyOfStep(step, given), false);
      base = follow(base, step, given);
    }
    const key = lastKey(query, given);
    asked ??= runBy(base, key, true);
    if (asked === undefined) return undefined;
    const property = inspect(base, key);
    const isGetter = property !== undefined && !property.data && !property.native;
    /** @type {Comparison} */ (/** @type {unknown} */ (comparison)).expected = isGetter
      && /** @type {Comparison} */ (/** @type {unknown} */ (comparison)).doubtful === undefined
      ? UNSURE : lastValue(/** @type {PageObject} */ (base), key, 0);
  } catch {
    if (comparison !== undefined) /** @type {Comparison} */ (comparison).fails = true;
  }
  return asked;
}

// The function that a read of `object[key]` runs and whose value must be compared; `comparison` says what it is.
/** @param {PageValue} object @param {Key} key @param {boolean} isLast */
function runBy(object, key, isLast) {
  const trap = proxies ? trapOf(object, key) : undefined;
  met.effects = false;
  met.doubtful = undefined;
  if (trap !== undefined) {
    const followed = isLast ? resolveTrap(key, trap, 0) !== undefined
      : copiedBy(trap.get, trap.self, [trap.target, key, trap.receiver], 0) !== UNSURE;
    if (followed && !met.effects) return undefined;
    comparison = { ofGetter: false, doubtful: met.doubtful, expected: UNSURE, fails: false };
    return trap.get;
  }
  if (!isObject(object)) return undefined;
  const property = inspect(object, key);
  if (property === undefined || property.data || property.native || property.get === undefined) return undefined;
  if (isLast) resolveAccessor(key, unwrap(object), property, 0);
  else copiedBy(property.get, object, [], 0);
  if (!met.effects) return undefined;
  comparison = { ofGetter: true, doubtful: isLast ? met.doubtful : false, expected: UNSURE, fails: false };
  return property.get;
}

// What the page reads there. This runs the page's code: the debugger lets it, as far as that has no side effects.
/** @param {Query} query @param {Given} given */
export function readAsPage(query, given) {
  let base = rootOf(query, given);
  for (let index = 0; index < query.path.length; index++) {
    const step = query.path[index];
    base = isEntry(step) ? readEntry(step, base, keyOf(step, given))
      : /** @type {Table} */ (base)[keyOfStep(step, given)];
  }
  return /** @type {Table} */ (base)[lastKey(query, given)];
}

// Whether there is a value to compare with what the page reads.
export const isComparable = () =>
  comparison !== undefined && (comparison.fails || comparison.expected !== UNSURE);

// Whether that is what we read without running anything of the page.
/** @param {Query} query @param {Given} given */
export function agreesWithPage(query, given) {
  const value = readAsPage(query, given);
  if (/** @type {Comparison} */ (comparison).fails) return false;
  // That it can be read without side effects is enough where the value is not a copy.
  return /** @type {Comparison} */ (comparison).expected === UNSURE
    || is(unwrap(value), unwrap(/** @type {Comparison} */ (comparison).expected));
}
