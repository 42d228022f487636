// References: from a root that a hook hands over to the record of the value that is asked.

import { apply, ErrorOf, getPrototypeOf, hasOwn, isArray, ownKeys, StringOf } from './captured.js';
import { config, shadowing } from './config.js';
import { append, isObject } from './basics.js';
import { met } from './met.js';
import { inspect, part, typedName, unwrap } from './objects.js';
import { beginningOf } from './beginnings.js';
import { heldStack } from './stacks.js';
import { nameOfKey, slotFor } from './slots.js';
import { anyStop } from './stops.js';
import { countedSoFar } from './events.js';
import { Asked, askedBy } from './results.js';
import { lookUp } from './lookups.js';
import { readEntry, resolveEntry } from './entries.js';
import { read } from './following.js';
import { lastWriterOfEntry } from './live-entries.js';
import { lastWriterOfProperty } from './last-writers.js';
import { NeededVariable, VariablePlace } from './places.js';
import { nothingThere, resolveCondition, resolveImported, resolveProperty } from './resolution.js';

// The results of `queries`, each `{ status, sequence, site, owner, changes, value, …, askedThere }`.
/** @param {Query[]} queries @param {Handed} given @param {PageValue} eventObject */
export function resolveAll(queries, given, eventObject) {
  /** @type {Asked | undefined} */
  let results;
  for (let index = 0; index < queries.length; index++) {
    const query = queries[index];
    const result = resolve(query, given, eventObject);
    if (hasOwn(result, 'askedThere') && result.askedThere !== undefined) {
      result.askedThere = askedBy(query, result.askedThere);
    }
    results = new Asked(query.query, result, results);
  }
  return results;
}

// The property that is missing on the way to what is being resolved.
/** @type {Result | undefined} */
let missing;

/** @param {Query} query @param {Handed} given @param {PageValue} eventObject */
function resolve(query, given, eventObject) {
  const metBefore = met.trap;
  met.trap = false;
  met.call = false;
  met.private = [];
  missing = undefined;
  const result = resolved(query, given, eventObject);
  if (met.call) result.opens = true;
  if (query.inFrames && holdsStacks) holdStack(query, result);
  if (met.private.length > 0) {
    const reads = hasOwn(result, 'reads') ? /** @type {NeededName[]} */ (result.reads) : [];
    for (let index = 0; index < met.private.length; index++) append(reads, met.private[index]);
    result.reads = reads;
  }
  if (met.trap) result.trapped = true;
  else if (missing !== undefined && result.status === 'error') {
    result.lacks = /** @type {Result} */ (missing).lacks;
    result.lacked = /** @type {Result} */ (missing).lacked;
  }
  met.trap = metBefore;
  return result;
}

/** @param {Query} query @param {Handed} given @param {PageValue} eventObject @returns {Result} */
function resolved(query, given, eventObject) {
  try {
    if (query.late) return { status: 'late' };
    const thunk = part(part(given, 'd'), query.dependent);
    let base;
    if (query.needsFrame && part(given, 'late') === true) return { status: 'late' };
    if (query.events) return countedSoFar(query);
    if (query.condition) return resolveCondition(typeof thunk === 'function' ? thunk() : undefined);
    if (query.root === 'event') base = eventObject;
    else if (query.root === 'element') base = lookUp(/** @type {AgentLookup} */ (query.lookup));
    else if (typeof thunk !== 'function') return { status: 'error', message: 'it is not in scope there' };
    else base = thunk();
    if (query.variable) {
      if (base instanceof VariablePlace || base instanceof NeededVariable) return resolveImported(base);
      // The object of a `with` that catches the name.
      return isObject(base) ? resolveProperty(query, base) : { status: 'unwatched' };
    }
    for (let index = 0; index < query.path.length; index++) {
      const step = query.path[index];
      const next = follow(base, step, given);
      if (next === undefined && typeof step === 'string' && isObject(base) && inspect(base, step) === undefined) {
        missing = nothingThere(base, step);
      }
      base = next;
    }
    if (query.keyed === null) return resolveProperty(query, base);
    const key = keyOf(query.keyed, given);
    return query.keyed.kind === 'element' ? resolveElement(query, base, propertyKey(key))
      : shadowing ? lastWriterOfEntry(query.keyed, base, key) : resolveEntry(query.keyed, base, key);
  } catch (error) {
    let message = 'it cannot be evaluated there';
    try { message = StringOf(/** @type {Error} */ (error).message); } catch { /* a hostile error */ }
    return { status: 'error', message };
  }
}

// What is found in the frames of a stopped page is found there in the next execution. Which frames these will be is
// known here already, so that conditions and blocks in them can be watched by then.
const holdsStacks = !anyStop && !config.capture;
// To hold a stack of 5 to 60 frames takes 3 to 8 µs (Node 20).
const HOLDS_AT_MOST = 5000;
let held = 0;
/** @param {Query} query @param {Result} result */
function holdStack(query, result) {
  if (query.events || (result.status !== 'late' && result.status !== 'none') || held === HOLDS_AT_MOST) return;
  held++;
  result.stack = heldStack();
}

// A property whose name is known only here: where it is not watched, this execution has found what must be.
/** @param {Query} query @param {PageValue} base @param {Key} key @returns {Result} */
function resolveElement(query, base, key) {
  if (shadowing) return lastWriterOfProperty(base, key);
  if (slotFor(key) === undefined) return { status: 'unwatched', reads: [{ kind: 'property', key: nameOfKey(key) }] };
  return resolveProperty({ ...query, key }, base);
}

// One step of a reference.
/** @param {PageValue} base @param {AgentStep} step @param {Handed} given */
export function follow(base, step, given) {
  if (typeof step === 'string') return read(base, step);
  const key = keyOf(step, given);
  return step.kind === 'element' ? read(base, propertyKey(key)) : readEntry(step, base, key);
}

// A key as the query names it, or as the variable has it.
/** @param {AgentKeyed} keyed @param {Handed} given */
export function keyOf(keyed, given) {
  if (keyed.keyDependent === null) return keyed.literal;
  const thunk = part(part(given, 'd'), keyed.keyDependent);
  if (typeof thunk !== 'function') throw new ErrorOf('its key is not in scope there');
  return thunk();
}

// The name of a property, from a value.
/** @param {PageValue} value */
export function propertyKey(value) {
  if (isObject(value)) throw new ErrorOf('its key is an object, and only the page can say which property that names');
  return typeof value === 'symbol' ? value : StringOf(value);
}

const MOST_NAMES = 500;

// The names that can be read on an object, except those of many elements.
/** @param {PageObject} object */
export function namesOn(object) {
  /** @type {string[]} */
  const names = [];
  /** @type {PageValue} */
  let holder = unwrap(object);
  for (let depth = 0; isObject(holder) && depth < 16; depth++) {
    // There may be millions of elements.
    const isLong = apply(typedName, holder, []) !== undefined || (isArray(holder) && holder.length > MOST_NAMES);
    const keys = isLong ? ['length'] : ownKeys(holder);
    for (let index = 0; index < keys.length && names.length < MOST_NAMES; index++) {
      if (typeof keys[index] === 'string') append(names, beginningOf(/** @type {string} */ (keys[index])));
    }
    holder = unwrap(getPrototypeOf(holder));
  }
  return names;
}
