// References: from a root that a hook hands over to the record of the value that is asked.

import './variables.js';
import {
  apply, ErrorOf, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, isArray, isExtensible, ownKeys, realm,
  setPrototypeOf, stringify, StringOf, TypeError,
} from './captured.js';
import { config } from './config.js';
import { ABSENT, append, isObject, UNKNOWN } from './basics.js';
import { initialGlobals } from './counters.js';
import { met } from './met.js';
import { followsAll, readsAhead } from './read-ahead.js';
import { anyStop } from './stops.js';
import { inspect, part, proxies, read, unwrap } from './objects.js';
import { isPrivateKey, nameOfKey, slots, stamps, untold, writerAt } from './records.js';
import { slotFor, typedName } from './properties.js';
import { globals, lexicals } from './variables.js';
import { linked } from './linked.js';
import { readEntry, resolveEntry } from './entries.js';
import { resolveAccessor } from './accessors.js';
import { inspectHidden } from './following.js';
import { resolveTrap, trapOf } from './traps.js';
import { NeededVariable, resolveImported, resolveInNamespace } from './modules.js';
import { resolveCondition } from './conditions.js';
import { countedSoFar } from './events.js';
import { beginningOf } from './beginnings.js';
import { heldStack, primitiveText, summary } from './capture.js';
import { exchanged, latestExchange } from './prototypes.js';
import { domWatched } from './dom-slots.js';
import { isPlatform, unchanged } from './dom-unchanged.js';
import { lastWriterOfProperty, lastWriterOfVariable, shadowing } from './last-writers.js';
import { lastWriterOfEntry } from './live-entries.js';

// A variable as a reference finds it.
export class VariablePlace {
  // Fields of its own: an assignment alone would run a setter that the page has put on `Object.prototype`.
  record; get; name;
  /** @param {ChangeRecord | undefined} record @param {Thunk} get @param {string | undefined} name */
  constructor(record, get, name) { this.record = record; this.get = get; this.name = name; }
}
/** @param {ChangeRecord} record @param {Thunk} get */
export const P = (record, get) => new VariablePlace(record, get, undefined);
/** @param {string} name @param {Thunk} get */
export const Q = (name, get) => new VariablePlace(shadowing ? undefined : name in lexicals ? lexicals[name] : globals[name], get, name);

// The result of one query, and those of others: a list, for V8 makes room for many where a number is the key.
export class Asked {
  query; result; next;
  /** @param {number} query @param {Result} result @param {Asked | undefined} next */
  constructor(query, result, next) { this.query = query; this.result = result; this.next = next; }
}

// The results of `queries`, each `{ status, sequence, site, owner, changes, value, …, kids }`.
/** @param {Query[]} queries @param {Handed} given @param {PageValue} eventObject */
export function resolveAll(queries, given, eventObject) {
  /** @type {Asked | undefined} */
  let results;
  for (let index = 0; index < queries.length; index++) {
    const query = queries[index];
    const result = resolve(query, given, eventObject);
    if (hasOwn(result, 'kids') && result.kids !== undefined) result.kids = askedThere(query, result.kids);
    results = new Asked(query.query, result, results);
  }
  return results;
}

// Of what hung on a change only what is asked at it as the answer to this query. The rest belongs to other queries for
// the same name; and where one asks for the change before, all changes would hang on one another.
/** @param {Query} query @param {Asked | undefined} kids */
export function askedThere(query, kids) {
  /** @type {Asked | undefined} */
  let own;
  for (let kid = kids; kid !== undefined; kid = kid.next) {
    if (isListed(query.kids, kid.query)) own = new Asked(kid.query, kid.result, own);
  }
  return own;
}

/** @param {ArrayLike<unknown>} list @param {PageValue} wanted */
export function isListed(list, wanted, before = list.length) {
  for (let index = 0; index < before; index++) {
    if (list[index] === wanted) return true;
  }
  return false;
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

// The element that a reference begins in. The page may have replaced the methods: its own do not run.
/** @type {Table<Lookup>} */
export const lookups = /** @type {Bare} */ ({
  __proto__: null,
  selector: { __proto__: null, key: 'querySelector', holders: ['Element', 'DocumentFragment', 'Document'] },
  id: { __proto__: null, key: 'getElementById', holders: ['DocumentFragment', 'Document'] },
});
for (const kind in lookups) {
  const { key, holders } = lookups[kind];
  /** @type {AnyFunction[]} */
  const methods = [];
  for (let index = 0; index < holders.length; index++) {
    const Holder = realm[holders[index]];
    if (typeof Holder === 'function') append(methods, Holder.prototype[key]);
  }
  lookups[kind].methods = methods;
}
const TypeErrorOf = TypeError;

/** @param {AgentLookup} options */
export function lookUp({ byId, text }) {
  if (!isObject(realm.document)) throw new ErrorOf('there is no document');
  return lookUpIn(realm.document, byId ? 'id' : 'selector', text);
}

// The same in another element, or in a shadow tree.
/** @param {PageValue} base @param {string} kind @param {PageValue} text */
export function lookUpIn(base, kind, text) {
  const { key, methods } = lookups[kind];
  for (let index = 0; index < methods.length; index++) {
    let element;
    try {
      element = apply(methods[index], base, [text]);
    } catch (error) {
      // Of a node of another kind; a selector that is none is none for all.
      if (error instanceof TypeErrorOf) continue;
      throw error;
    }
    if (element === null) {
      throw new ErrorOf(`no element ${kind === 'id' ? 'has the id' : 'matches'} ${stringify(text)}`);
    }
    return element;
  }
  throw new ErrorOf(`${key} is asked of what has no elements in it`);
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

/** @param {VariablePlace} place @returns {Result} */
export function resolveVariable(place) {
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

// The strings of a tagged template: the language makes them, and nobody can write them.
/** @param {PageObject} object */
function isTemplate(object) {
  if (!isArray(object) || isExtensible(object)) return false;
  const raw = getOwnPropertyDescriptor(object, 'raw');
  return raw !== undefined && hasOwn(raw, 'value') && !raw.writable && !raw.enumerable
    && isArray(raw.value) && !isExtensible(raw.value);
}

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
  if (exchanged && !isPrivate && (property === undefined || !property.own)) {
    const exchange = latestExchange(owner, slot, property?.holder);
    if (exchange !== undefined && (record === undefined || record.s < exchange.s)) record = exchange;
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
    result.kids = linked(/** @type {Query} */ (slots[slot].link), record.l);
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

// What is asked has never been there.
/** @type {(owner: PageObject, key: Key) => Result} */
const nothingThere = (owner, key) => (typeof key === 'symbol'
  ? { status: 'never', value: summary(undefined), raw: undefined }
  : { status: 'never', value: summary(undefined), raw: undefined, lacks: owner, lacked: key });

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

// A property as it is at the change that is being told.
/** @param {PageObject} owner @param {Key} key @returns {Inspected | undefined} */
export function inspectThen(owner, key) {
  const change = untold(owner, key);
  if (change === undefined) return inspect(owner, key);
  if (change.inherited !== undefined) return change.inherited.property;
  if (change.before === ABSENT) {
    const holder = getPrototypeOf(owner);
    const inherited = holder === null ? undefined : inspect(holder, key);
    return inherited === undefined ? undefined : { ...inherited, own: false };
  }
  return { holder: owner, own: true, data: true, value: change.before, writable: true };
}

// Without a prototype of the page's, and fast: of a literal without a prototype V8 makes a table.
class Found {
  status = /** @type {'found'} */ ('found');
  sequence; site; by; owner; changes; value; raw; kids; captured; exact;
  /** @type {boolean | undefined} */
  same = undefined;
  /** @param {ChangeRecord} record @param {PageValue} current */
  constructor(record, current) {
    const { t, e } = record;
    this.sequence = record.s;
    this.site = t > 0 ? t : undefined;
    this.by = writerAt(t);
    this.owner = record.i;
    this.changes = record.n;
    // What cannot change is put into words when it is told.
    this.value = isObject(current) ? summary(current) : undefined;
    this.raw = current;
    this.kids = record.k;
    this.captured = record.c;
    this.exact = e === undefined || (readsAhead && !followsAll()) ? undefined
      : { last: e.last, changes: e.n, blind: e.blind, setter: e.setter === true };
  }
}
setPrototypeOf(Found.prototype, null);

/** @type {(record: ChangeRecord, current: PageValue) => Result} */
export const found = (record, current) => new Found(record, current);
