// From a property or a variable to the record of its last change. That of an accessor, or of a property that a proxy's
// trap computes, is the last change among what the getter or the trap says it reads; each of these is resolved in turn.

import {
  apply, getOwnPropertyDescriptor, hasOwn, is, isArray, isExtensible, realm, StringOf, weakGet,
} from './captured.js';
import { config, shadowing } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { initialGlobals } from './counters.js';
import { met } from './met.js';
import { proxies, unwrap } from './objects.js';
import { primitiveText, summary } from './summaries.js';
import { isPrivateKey, nameOfKey, slotFor, slots } from './slots.js';
import { entrySlots } from './entry-records.js';
import { anyReplacement, globals, inspectThen, latestReplacement, stamps, untold } from './records.js';
import { domWatched } from './dom-slots.js';
import { isPlatform, unchanged } from './dom-unchanged.js';
import { found, isListed } from './results.js';
import { linked } from './linked.js';
import { resolveEntry } from './entries.js';
import { MOST_ACCESSORS_IN_A_ROW, saidBy } from './accessors.js';
import { trapOf } from './traps.js';
import { FAILED, followReads, frameOf, inspectHidden } from './following.js';
import { lastWriterOfProperty, lastWriterOfVariable } from './last-writers.js';
import { NeededVariable, VariablePlace } from './places.js';
import { exported, namespaces } from './modules.js';

/** @param {LastStep} query @param {PageValue} base @returns {Result} */
export function resolveProperty(query, base, depth = 0) {
  if (shadowing) return lastWriterOfProperty(base, query.key);
  const trap = proxies ? trapOf(base, query.key) : undefined;
  if (trap !== undefined) {
    const followed = resolveTrap(query.key, trap, depth);
    if (followed !== undefined) return followed;
    met.trap = true;
  }
  const owner = unwrap(base);
  if (!isObject(owner)) {
    return { status: 'error', message: `its owner is ${primitiveText(owner)}, which has no properties of its own` };
  }
  const key = query.key;
  const imported = resolveInNamespace(owner, key);
  if (imported !== undefined) return imported;
  const slot = /** @type {number} */ (slotFor(key));
  const isPrivate = isPrivateKey(key);
  let record = stamps[slot].record(owner);
  if (owner === realm && !isPrivate && globals[key] !== undefined) record = globals[key];
  const property = isPrivate ? undefined
    : hasOwn(query, 'hidden') ? inspectHidden(owner, key) : inspectThen(owner, key);
  if (property !== undefined && !property.own && property.data && (record === undefined || record.v === ABSENT)) {
    const inherited = stamps[slot].record(property.holder);
    if (inherited !== undefined) record = inherited;
  }
  if (anyReplacement && !isPrivate && (property === undefined || !property.own)) {
    const replacement = latestReplacement(owner, slot, property?.holder);
    if (replacement !== undefined && (record === undefined || record.s < replacement.s)) record = replacement;
  }
  /** @type {PageValue} */
  let current;
  let host = false;
  if (property !== undefined) {
    if (property.data) current = property.value;
    else if (property.native) {
      host = true;
      current = property.get === undefined ? undefined : apply(property.get, owner, []);
    } else {
      return resolveAccessor(key, owner, property, depth);
    }
  }
  // What has a record, and still the value in it, needs no look at what the platform did.
  const isPlain = !domWatched && record !== undefined && record.n > 0 && record.e === undefined
    && property !== undefined && property.data && property.own && is(record.v, current);
  const dom = !isPlain && (domWatched || host || (property !== undefined && !property.own) || isPlatform(owner))
    ? unchanged(slot, owner, property) : undefined;
  if (dom !== undefined && !isPrivate && owner !== realm && (record === undefined || record.n === 0)) {
    const value = summary(current);
    if (dom.never) {
      return property === undefined && !met.trap ? nothingThere(owner, key) : { status: 'never', value, raw: current };
    }
    if (dom.unseen) return { status: 'unseen', value, raw: current };
    if (dom.parts !== undefined) return { status: 'unseen', value, raw: current, parts: dom.parts };
    const message = `${StringOf(key)} is made up by the browser, and what changes it is not watched`;
    return { status: 'accessor', value, raw: current, message };
  }
  if (record === undefined || record.n === 0) {
    // A name that may be a typing error: what there is instead is told where it is told at all.
    if (property === undefined && record === undefined && !isPrivate && !met.trap) return nothingThere(owner, key);
    const never = property === undefined || host || isPrivate || isTemplate(owner)
      || (owner === realm && key in initialGlobals);
    return { status: never ? 'never' : 'unseen', value: summary(current), raw: current };
  }
  if (isPlain && !isPrivate && owner !== realm && hasOwn(record, 'q')) record.q = true;
  const result = found(record, current);
  if (hasOwn(record, 'l') && record.l !== undefined)
    result.askedThere = linked(/** @type {Query} */ (slots[slot].link), record.l);
  const expected = record.v === ABSENT ? undefined : record.v;
  const unseen = record.e !== undefined && record.e.unseen;
  // What the platform gave after the last change it must still give.
  const platform = record.e !== undefined && record.e.platform === true && record.e.v !== UNKNOWN;
  if (platform) result.same = is(/** @type {Exactness} */ (record.e).v === ABSENT ? undefined
    : /** @type {Exactness} */ (record.e).v, current);
  else result.same = !unseen && (host || isPrivate || is(expected, current) || record.v === UNKNOWN);
  if (!result.same && dom !== undefined) result.parts = dom.parts;
  return result;
}

// The strings of a tagged template: the language makes them, and nobody can write them.
/** @param {PageObject} object */
function isTemplate(object) {
  if (!isArray(object) || isExtensible(object)) return false;
  const raw = getOwnPropertyDescriptor(object, 'raw');
  return raw !== undefined && hasOwn(raw, 'value') && !raw.writable && !raw.enumerable
    && isArray(raw.value) && !isExtensible(raw.value);
}

// What is asked has never been there.
/** @type {(owner: PageObject, key: Key) => Result} */
export const nothingThere = (owner, key) => (typeof key === 'symbol'
  ? { status: 'never', value: summary(undefined), raw: undefined }
  : { status: 'never', value: summary(undefined), raw: undefined, lacks: owner, lacked: key });

// `key` of `owner` is an accessor of the page.
/** @param {Key} key @param {PageObject} owner @param {Inspected} property @param {number} depth @returns {Result} */
export function resolveAccessor(key, owner, property, depth) {
  const name = StringOf(key);
  /** @type {Refused} */
  const refused = {
    status: 'accessor',
    message: `${name} is an accessor property whose getter could not be followed: ask for the value that it reads`,
  };
  if (depth > MOST_ACCESSORS_IN_A_ROW) return refused;
  const into = new Dependencies([]);
  let followed = false;
  try {
    const said = saidBy(property.get, owner, []);
    if (said?.text !== undefined) {
      refused.message = `${name} is an accessor property whose getter returns ${said.text}, which could not be `
        + 'followed: ask for the value that this reads';
    }
    followed = isArray(said?.reads) && followReads(said.reads, into, depth, undefined) !== FAILED;
  } catch { /* a reference that has no value */ }
  if (!followed) return refused;
  doubt(into);
  return lastOfReads(into, refused, `${name} is an accessor; its getter reads`);
}

// What the trap reads for `key`, resolved; undefined: it cannot be followed.
/** @param {Key} key @param {Trap} trap @param {number} depth @returns {Result | undefined} */
export function resolveTrap(key, trap, depth) {
  if (depth > MOST_ACCESSORS_IN_A_ROW) return undefined;
  const name = StringOf(key);
  const into = new Dependencies([]);
  try {
    const values = [trap.target, key, trap.receiver];
    const said = saidBy(trap.get, trap.self, values);
    if (!isArray(said?.reads) || followReads(said.reads, into, depth, frameOf(values)) === FAILED) return undefined;
  } catch {
    return undefined;
  }
  const message = `${name} is computed by a proxy's get trap that could not be followed`;
  /** @type {Refused} */
  const refused = { status: 'accessor', message };
  doubt(into);
  const result = lastOfReads(into, refused, `${name} is read by a proxy's get trap, which reads`);
  return result === refused ? undefined : result;
}

/** @param {Into} into */
function doubt(into) {
  const last = into.results.length === 0 ? undefined : into.results[into.results.length - 1];
  met.doubtful = last === undefined || last.status === 'never'
    || (last.status === 'found' && /** @type {number} */ (last.changes) <= 1);
}

// The last change among what was read; `refused` where that cannot be said.
/** @param {Into} into @param {Refused} refused @param {string} opening @returns {Result} */
function lastOfReads(into, refused, opening) {
  /** @type {Result | undefined} */
  let last;
  for (let index = 0; index < into.results.length; index++) {
    const result = into.results[index];
    if (result.status === 'accessor') {
      if (result.reads === undefined) return refused;
      for (let name = 0; name < result.reads.length; name++) append(into.names, result.reads[name]);
    } else if (result.status === 'unseen' || (result.status === 'found' && !result.same)) {
      return { status: 'unseen', value: result.value, raw: result.raw };
    } else if (result.status !== 'found' && result.status !== 'never') return refused;
    else if (result.status === 'found' && (last === undefined
      || /** @type {number} */ (result.sequence) > /** @type {number} */ (last.sequence))) last = result;
  }
  if (into.names.length > 0) return { ...refused, reads: into.names };
  let texts = into.shown.length === 0 ? 'nothing that can change' : '';
  for (let index = 0; index < into.shown.length; index++) {
    if (isListed(into.shown, into.shown[index], index)) continue;
    texts += `${index === 0 ? '' : ', '}${into.shown[index]}`;
  }
  const accessor = `${opening} ${texts}`;
  if (last !== undefined) return { ...last, accessor };
  const only = into.results.length === 1 ? into.results[0] : undefined;
  return { status: 'never', value: only?.value ?? { type: 'accessor', text: '(…)' }, raw: only?.raw, accessor };
}

// What a value depends on, as `following.js` finds it: `results` for what is watched, `names` of what must be, and what
// of both is `shown` to a person.
/** @implements {Into} */
class Dependencies {
  // Fields of its own: an assignment alone would run a setter that the page has put on `Object.prototype`.
  names;
  /** @type {string[]} */
  shown = [];
  /** @type {Result[]} */
  results = [];
  /** @param {NeededName[]} names */
  constructor(names) { this.names = names; }
  // Those of a test: what it needs to be watched is needed all the same.
  ofTest() { return new Dependencies(this.names); }
  /** @param {VariablePlace} place */
  addVariable(place) { append(this.results, resolveVariable(place)); }
  /** @param {PageObject} owner @param {Key} key @param {number} depth @param {boolean} [hidden] */
  addProperty(owner, key, depth, hidden) {
    if (slotFor(key) === undefined) append(this.names, { kind: 'property', key: nameOfKey(key) });
    else append(this.results, resolveProperty(hidden === true ? { key, hidden } : { key }, owner, depth + 1));
  }
  /** @param {Keyed} keyed @param {PageObject} map @param {PageValue} key */
  addEntry(keyed, map, key) {
    if (entrySlots.map === undefined) append(this.names, { kind: 'map', key: '' });
    else append(this.results, resolveEntry(keyed, map, key));
  }
}

/** @param {VariablePlace} place @returns {Result} */
function resolveVariable(place) {
  if (shadowing) return lastWriterOfVariable(place);
  const told = place.name === undefined ? undefined : untold(realm, place.name);
  const current = told === undefined ? place.get() : told.before === ABSENT ? undefined : told.before;
  const record = place.record;
  if (record === undefined) {
    const known = place.name === undefined || place.name in initialGlobals || current === undefined;
    return { status: known ? 'never' : 'unseen', value: summary(current), raw: current };
  }
  const result = found(record, current);
  result.same = is(record.v, current) || record.v === UNKNOWN;
  return result;
}

// The last outcome in an activation, as a hook or the debugger hands it over.
/** @param {PageValue} place @returns {Result} */
export function resolveCondition(place) {
  if (!(place instanceof VariablePlace) || place.record === undefined) {
    // What the callers did only a debugger sees.
    return { __proto__: null, status: config.capture ? 'late' : 'none' };
  }
  const { record } = place;
  return { ...found(record, record.v), __proto__: null, same: true, operands: record.p };
}

/** @param {PageValue} place @returns {Result} */
export function resolveImported(place) {
  if (place instanceof VariablePlace) return resolveVariable(place);
  if (place instanceof NeededVariable) {
    return { status: 'unwatched', reads: [{ kind: 'variable', key: place.name }] };
  }
  return { status: 'unwatched' };
}

// A property of a module's namespace; undefined for any other object.
/** @param {PageObject} owner @param {Key} key */
function resolveInNamespace(owner, key) {
  const address = apply(weakGet, namespaces, [owner]);
  return address === undefined ? undefined
    : resolveImported(exported(address, /** @type {string} */ (key), () => /** @type {Table} */ (owner)[key], 0));
}
