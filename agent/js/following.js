// Following what a function says it reads (see the module `accessors` of the rewriter), without running it.
//
// `into` collects what the value depends on (`resolution.js`); undefined: only the value is wanted. `frame` has the
// arguments of the function that says it: each is `{ value, reads, frame }`, the list of what it was read from and the
// frame in which that is, or undefined where it is a constant.

import {
  apply, ErrorOf, freeze, Function, getOwnPropertyDescriptor, getPrototypeOf, isArray, slice, startsWith, StringOf,
  weakGet,
} from './captured.js';
import { append, isObject, UNKNOWN } from './basics.js';
import { met } from './met.js';
import { undisguised } from './source_text.js';
import { inspect, isNative, proxies, ProxyMark, unwrap } from './objects.js';
import { primitiveText, summary } from './summaries.js';
import { isPrivateKey, slotOfKey } from './slots.js';
import { mapGet } from './entry-records.js';
import { inspectThen, stamps } from './records.js';
import { readEntry } from './entries.js';
import { MOST_ACCESSORS_IN_A_ROW, saidBy, saysWhatItReads } from './accessors.js';
import { trapOf } from './traps.js';
import { VariablePlace } from './places.js';

// What cannot be followed, and a value that is not known, though what it depends on is.
/** @type {PageValue} */
export const FAILED = freeze({ __proto__: null });
/** @type {PageValue} */
export const UNSURE = freeze({ __proto__: null });

const functionCall = Function.prototype.call;

// The frame of a function that is called with these.
/** @param {ArrayLike<unknown>} values */
export function frameOf(values) {
  /** @type {Argument[]} */
  const frame = [];
  for (let index = 0; index < values.length; index++) {
    append(frame, { value: values[index], reads: undefined, frame: undefined });
  }
  return frame;
}

// Follows a list; gives the value of its last entry.
/** @param {Reads} reads @param {Into | undefined} into @param {number} depth @param {ArgumentFrame} frame */
export function followReads(reads, into, depth, frame) {
  let value = UNSURE;
  for (let index = 0; index < reads.length; index++) {
    value = followOne(reads[index], into, depth, frame);
    if (value === FAILED) return FAILED;
  }
  return value;
}

/** @param {ReadEntry} entry @param {Into | undefined} into @param {number} depth @param {ArgumentFrame} frame */
function followOne(entry, into, depth, frame) {
  const shown = /** @type {string} */ (entry[0]);
  if (shown === '?') return followChoice(entry, into, depth, frame);
  const root = entry[1];
  if (typeof root === 'string') {
    if (into !== undefined) {
      append(into.names, { kind: 'variable', key: root });
      append(into.shown, shown);
    }
    return entry.length > 2 ? /** @type {Thunk} */ (entry[2])() : UNSURE;
  }
  let value = typeof root === 'number' ? followArgument(frame, root, into, depth)
    : isArray(root) ? followReads(root, into, depth, frame) : /** @type {Thunk} */ (root)();
  if (value === FAILED) return FAILED;
  if (entry.length === 2) {
    if (typeof root === 'number') return value;
    if (!(value instanceof VariablePlace)) return FAILED;
    if (into !== undefined) {
      if (shown !== '') append(into.shown, shown);
      into.addVariable(value);
    }
    return value.get();
  }
  if (into !== undefined && !callsLast(entry)) append(into.shown, shown);
  let receiver;
  for (let part = 2; part < entry.length; part++) {
    const given = entry[part];
    if (value === UNSURE) return FAILED;
    if (isArray(given)) {
      value = followCall(value, receiver, given, into, depth, frame, shown);
      if (value === FAILED) return FAILED;
      receiver = undefined;
      continue;
    }
    const key = keyIn(given, into, depth, frame);
    if (key === FAILED) return FAILED;
    if (!isObject(value)) return UNSURE;
    const isLast = part + 1 === entry.length;
    // A method of a class is not a value that changes; one of the object's own is.
    const isMethod = !isLast && isArray(entry[part + 1]);
    if (into !== undefined && !(isMethod && getOwnPropertyDescriptor(unwrap(value), key) === undefined)) {
      into.addProperty(value, key, depth);
    }
    receiver = value;
    value = isLast ? lastValue(value, key, depth) : valueAt(value, key, depth);
  }
  return value;
}

/** @param {ReadEntry} entry */
const callsLast = (entry) => isArray(entry[entry.length - 1]);

// A key as an entry gives it. One that depends on an argument makes the value depend on what that was read from.
/**
 * @param {PageValue} given @param {Into | undefined} into @param {number} depth @param {ArgumentFrame} frame
 * @returns {Key}
 */
function keyIn(given, into, depth, frame) {
  if (typeof given !== 'function') return typeof given === 'number' ? StringOf(given) : /** @type {Key} */ (given);
  if (!followArguments(frame, into, depth)) return /** @type {never} */ (FAILED);
  const key = given();
  if (typeof key === 'number') return StringOf(key);
  return typeof key === 'string' || typeof key === 'symbol' ? key : /** @type {never} */ (FAILED);
}

// A value that nothing further is read from, where it is known.
/** @param {PageObject} owner @param {Key} key @param {number} depth */
export function lastValue(owner, key, depth) {
  try {
    return valueAt(owner, key, depth);
  } catch {
    return UNSURE;
  }
}

// Reads `object.key` as far as that runs none of the page's code.
/** @param {PageValue} object @param {Key} key */
export function read(object, key) {
  if (typeof object === 'string' && key === 'length') return object.length;
  if (!isObject(object)) throw new ErrorOf(`there is no property ${StringOf(key)} on ${primitiveText(object)}`);
  return valueAt(object, key, 0);
}

// The value of a property, where nothing of the page has to be run for it: that of an accessor too, if its getter says
// that it copies it.
/** @param {PageObject} owner @param {Key} key @param {number} depth */
export function valueAt(owner, key, depth) {
  if (depth > MOST_ACCESSORS_IN_A_ROW) throw new ErrorOf('too many getters are read through each other');
  if (isPrivateKey(key)) return privateValue(unwrap(owner), key);
  const trap = proxies ? trapOf(owner, key) : undefined;
  if (trap !== undefined) {
    const value = copiedBy(trap.get, trap.self, [trap.target, key, trap.receiver], depth);
    if (value !== UNSURE) return value;
    met.trap = true;
  }
  const found = inspectThen(unwrap(owner), key);
  if (found === undefined) return undefined;
  if (found.data) return found.value;
  if (found.native && found.get !== undefined) return apply(found.get, unwrap(owner), []);
  if (found.get === undefined) return undefined;
  met.call ||= !found.native && !saysWhatItReads(found.get) && !ProxyMark.is(found.get) && !isNative(found.get);
  const value = copiedBy(found.get, owner, [], depth);
  if (value === UNSURE) throw new ErrorOf(`${StringOf(key)} is a getter of the page, which is not run`);
  return value;
}

// What was written last into a private field.
/** @param {PageObject} owner @param {Key} key */
function privateValue(owner, key) {
  const slot = slotOfKey[key];
  if (slot === undefined) append(met.private, { kind: 'property', key });
  const record = slot === undefined ? undefined : stamps[slot].record(owner);
  if (record === undefined || record.v === UNKNOWN) throw new ErrorOf('it is read from a private field');
  return record.v;
}

// What a function gives that says that it copies it; UNSURE: that is not known.
/** @param {PageValue} getter @param {PageValue} owner @param {ArrayLike<unknown>} values @param {number} depth */
export function copiedBy(getter, owner, values, depth) {
  let value;
  try {
    const said = saidBy(getter, owner, values);
    if (said === undefined || !said.copies || !isArray(said.reads)) return UNSURE;
    value = followReads(said.reads, undefined, depth + 1, frameOf(values));
  } catch {
    return UNSURE;
  }
  return value === FAILED ? UNSURE : value;
}

// An argument, and what it was read from.
/** @param {ArgumentFrame} frame @param {number} number @param {Into | undefined} into @param {number} depth */
function followArgument(frame, number, into, depth) {
  if (frame === undefined || number >= frame.length) return undefined;
  const { value, reads, frame: outer } = frame[number];
  if (into === undefined) return value;
  if (reads === undefined) {
    append(into.results, { status: 'never', value: summary(value), raw: value });
    return value;
  }
  return followReads(reads, into, depth, outer) === FAILED ? FAILED : value;
}

// What all arguments were read from: where a key or a test depends on some of them.
/** @param {ArgumentFrame} frame @param {Into | undefined} into @param {number} depth */
function followArguments(frame, into, depth) {
  if (frame === undefined || into === undefined) return true;
  for (let number = 0; number < frame.length; number++) {
    if (frame[number].reads !== undefined && followArgument(frame, number, into, depth) === FAILED) return false;
  }
  return true;
}

// A call of a function with what `given` says.
/**
 * @param {PageValue} callee @param {PageValue} receiver @param {(Thunk | Reads)[]} given @param {Into | undefined} into
 * @param {number} depth
 * @param {ArgumentFrame} frame @param {string} shown
 */
function followCall(callee, receiver, given, into, depth, frame, shown) {
  if (depth > MOST_ACCESSORS_IN_A_ROW || typeof callee !== 'function') return FAILED;
  /** @type {Argument[]} */
  const inside = [];
  /** @type {PageValue[]} */
  const values = [];
  for (let index = 0; index < given.length; index++) {
    const reads = typeof given[index] === 'function' ? undefined : /** @type {Reads} */ (given[index]);
    const value = reads === undefined ? /** @type {Thunk} */ (given[index])()
      : followReads(reads, undefined, depth, frame);
    if (value === FAILED || value === UNSURE) return FAILED;
    append(inside, { value, reads, frame });
    append(values, value);
  }
  const original = undisguised(callee);
  if (original === functionCall) return followCallOf(receiver, inside, into, depth, shown);
  return followFunction(callee, receiver, inside, values, into, depth, shown);
}

// `f.call(object, …)`.
/**
 * @param {PageValue} callee @param {Argument[]} inside @param {Into | undefined} into @param {number} depth
 * @param {string} shown
 */
function followCallOf(callee, inside, into, depth, shown) {
  if (inside.length === 0 || typeof callee !== 'function' || ProxyMark.is(callee)) return FAILED;
  /** @type {Argument[]} */
  const rest = [];
  /** @type {PageValue[]} */
  const values = [];
  for (let index = 1; index < inside.length; index++) {
    append(rest, inside[index]);
    append(values, inside[index].value);
  }
  return followFunction(callee, followArgument(inside, 0, into, depth), rest, values, into, depth, shown);
}

/**
 * @param {PageValue} callee @param {PageValue} receiver @param {Argument[]} inside @param {ArrayLike<unknown>} values
 * @param {Into | undefined} into
 * @param {number} depth @param {string} shown
 */
function followFunction(callee, receiver, inside, values, into, depth, shown) {
  const original = undisguised(callee);
  if (original === mapGet || original === weakGet)
    return followEntry(/** @type {PageObject} */ (receiver), values[0], inside, into, depth, shown);
  if (isNative(callee)) return followPlatform(/** @type {PageObject} */ (callee), receiver, into, depth, shown);
  const said = saidBy(callee, receiver, values);
  if (said === undefined) {
    met.call ||= !ProxyMark.is(/** @type {PageObject} */ (callee));
    return FAILED;
  }
  if (!isArray(said.reads)) return FAILED;
  met.effects = true;
  const value = followReads(said.reads, into, depth + 1, inside);
  return value === FAILED || said.copies ? value : UNSURE;
}

// `map.get(key)`.
/**
 * @param {PageObject} map @param {PageValue} key @param {Argument[]} inside @param {Into | undefined} into
 * @param {number} depth
 * @param {string} shown
 */
function followEntry(map, key, inside, into, depth, shown) {
  if (!followArguments(inside, into, depth)) return FAILED;
  /** @type {Keyed} */
  const keyed = { kind: 'map' };
  const value = readEntry(keyed, map, key);
  if (into !== undefined) {
    append(into.shown, shown);
    into.addEntry(keyed, map, key);
  }
  return value;
}

// The browser's own getter of a property, which an accessor of the page's hides and calls: React watches `value` so.
/**
 * @param {PageObject} getter @param {PageValue} owner @param {Into | undefined} into @param {number} depth
 * @param {string} shown
 */
function followPlatform(getter, owner, into, depth, shown) {
  const name = getOwnPropertyDescriptor(/** @type {PageObject} */ (undisguised(getter)), 'name')?.value;
  if (!isObject(owner) || typeof name !== 'string' || !apply(startsWith, name, ['get '])) return FAILED;
  const key = apply(slice, name, [4]);
  const property = inspectHidden(owner, key);
  if (property === undefined || property.data || undisguised(property.get) !== undisguised(getter)) return FAILED;
  if (into !== undefined) {
    append(into.shown, shown);
    into.addProperty(owner, key, depth, true);
  }
  return apply(/** @type {AnyFunction} */ (getter), owner, []);
}

// A property that one of the object's own hides.
/** @param {PageObject} owner @param {Key} key */
export function inspectHidden(owner, key) {
  const property = inspect(getPrototypeOf(unwrap(owner)), key);
  return property === undefined ? undefined : { ...property, own: false };
}

// A test decides which branch counts, as far as it is known.
/** @param {ReadEntry} entry @param {Into | undefined} into @param {number} depth @param {ArgumentFrame} frame */
function followChoice(entry, into, depth, frame) {
  const taken = holds(/** @type {ReadTest} */ (entry[1]), into, depth, frame);
  if (taken === FAILED) return FAILED;
  // What the test reads is not known yet; a later execution reaches the branch.
  if (taken === UNSURE) return UNSURE;
  const branch = taken ? entry[2] : entry[3];
  return branch === 0 ? FAILED : followReads(/** @type {Reads} */ (branch), into, depth, frame);
}

/**
 * @param {ReadTest} test @param {Into | undefined} into @param {number} depth @param {ArgumentFrame} frame
 * @returns {PageValue}
 */
function holds(test, into, depth, frame) {
  const sign = test[0];
  if (sign === '~' || sign === '~in') {
    // What only the arguments decide, and whether one of them has a property.
    if (!followArguments(frame, into, depth)) return FAILED;
    return sign === '~' ? /** @type {Thunk} */ (test[1])()
      : inspect(/** @type {Thunk} */ (test[1])(), /** @type {() => Key} */ (test[2])()) !== undefined;
  }
  if (sign === '!') {
    const inner = holds(/** @type {ReadTest} */ (test[1]), into, depth, frame);
    return inner === FAILED || inner === UNSURE ? inner : !inner;
  }
  if (sign === '&' || sign === '|') {
    const left = holds(/** @type {ReadTest} */ (test[1]), into, depth, frame);
    if (left === FAILED || left === UNSURE || !left === (sign === '&')) return left;
    return holds(/** @type {ReadTest} */ (test[2]), into, depth, frame);
  }
  return holdsOf(
    /** @type {Reads} */ (test[1]), /** @type {(value: PageValue) => boolean} */ (test[2]), into, depth, frame,
  );
}

// A test of what is read. A property that was written once, when its object was made, and for which the test says
// what it says where there is none, never changed the branch.
/** @param {Reads} reads @param {(value: PageValue) => boolean} predicate @param {Into | undefined} into
 * @param {number} depth @param {ArgumentFrame} frame
 */
function holdsOf(reads, predicate, into, depth, frame) {
  if (into === undefined) {
    const value = followReads(reads, undefined, depth, frame);
    return value === FAILED || value === UNSURE ? FAILED : predicate(value);
  }
  const own = into.ofTest();
  const value = followReads(reads, own, depth, frame);
  if (value === FAILED || value === UNSURE) return value;
  const outcome = predicate(value);
  for (let index = 0; index < own.results.length; index++) {
    const result = own.results[index];
    const isSteady = result.status === 'found' && result.changes === 1 && !predicate(undefined) === !outcome;
    if (!isSteady) append(into.results, result);
  }
  for (let index = 0; index < own.shown.length; index++) append(into.shown, own.shown[index]);
  return outcome;
}
