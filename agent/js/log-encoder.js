// The encoder of the event log: records become words of an `Int32Array`, which is handed over when it is full. The
// format is described in `event-log/src/wire/mod.rs`; `agent/tests/log-encoder.test.js` holds both sides together.
//
// Nothing of it is visible to the page. What an object's class is, and which hooked function a function is, says who
// makes the encoder: no getter or trap of the page may run for it.

import { apply, Float64Array, Int32Array, Map, slice, weakGet, WeakMapOf, weakSet } from './captured.js';
import { append } from './basics.js';

const MAGIC = 0x314c5051; // QPL1
const HEADER = 8;
// So many code units are kept of a text that is cut, of a name and of digits.
const SHORT_TEXT = 256;
// Of longer texts that begin with the same units so many are kept. A text that grows is one text after the other.
const MOST_ALIKE = 64;
// So many units of whole ones in all, and so many of those of which only the beginning is in the log: they take memory.
const MOST_WHOLE_UNITS = 1 << 22;
const MOST_IDENTIFIED_UNITS = 1 << 24;
const MOST_NUMBER = 0x7ffffff;
const charCodeAt = ''.charCodeAt;
const { get: mapGet, set: mapSet } = Map.prototype;
const bigIntText = 0n.toString;

/** Represent what is no value of the page, or was not recorded. */
export const CONSTANTS = { absent: {}, uninitialised: {}, accessor: {}, unknown: {} };

// The word of one of these; 0: it is none. They are compared one by one: `instanceof` would run a trap of the page.
/** @param {unknown} value */
function wordOf(value) {
  switch (value) {
    case CONSTANTS.absent: return 6 << 4;
    case CONSTANTS.uninitialised: return 7 << 4;
    case CONSTANTS.accessor: return 8 << 4;
    case CONSTANTS.unknown: return 9 << 4;
    default: return 0;
  }
}

/**
 * @typedef {object} EncoderOptions
 * @property {number} stream the number that the log has for this realm
 * @property {(words: Int32Array, count: number) => void} send takes a batch: the first so many words; where it throws,
 *   it has taken nothing
 * @property {(object: object | symbol) => string} classOf the name of an object's class; of a symbol its description
 * @property {(callee: Function) => number} functionOf the number of a hooked function; 0: it has no hooks
 * @property {(callee: Function) => string} nameOf the name of a function
 * @property {number} [size] how many words a batch has, the header included
 * @property {boolean} [keepsNew] whether objects that have just got a number are kept until `takeNew`
 * @property {number} [longestText] how many code units a text may have that is kept whole; above 256 longer ones are
 *   identified: each of their beginnings has a number of its own
 */

/** @param {EncoderOptions} options */
export function logEncoder({
  stream, send, classOf, functionOf, nameOf, size = 1 << 16, keepsNew = false, longestText = SHORT_TEXT,
}) {
  let words = new Int32Array(size);
  // How many there can be: a page may have a `length` of its own for arrays.
  let capacity = size;
  let at = HEADER;
  // Up to where beginnings and ends of functions can be written without another thought; 0: each needs one.
  let limit = 0;
  // Up to where records and definitions are whole.
  let done = HEADER;
  let batches = 0;
  let strings = 0;
  let objects = 0;
  let scopes = 0;
  // What was defined before this batch.
  let before = [0, 0, 0];
  const float = new Float64Array(1);
  const halves = new Int32Array(float.buffer);
  /** @type {Map<string, number>} */
  const texts = new Map();
  // Texts that are identified, with the numbers of their beginnings.
  /** @type {Map<string, number>} */
  const identified = new Map();
  // How many long texts are kept, by how they begin; and how many units they have.
  /** @type {Map<string, number>} */
  const alike = new Map();
  let wholeUnits = 0;
  let identifiedUnits = 0;
  /** @type {WeakMap<WeakKey, number>} */
  const numbers = new WeakMapOf();
  /** @type {Map<symbol, number>} */
  const symbols = new Map();
  /** @type {object[]} */
  let newObjects = [];
  // The two objects that were looked up last: most writes are to one of them. No longer than a task, so that the log
  // keeps nothing alive.
  /** @type {object | undefined} */
  let recent;
  /** @type {object | undefined} */
  let lessRecent;
  let recentNumber = 0;
  let lessRecentNumber = 0;

  // Hands over what there is. Where the stack ends in it, nothing is handed over and nothing is changed: what is made
  // for the next batch is made before.
  function flush() {
    at = done;
    if (at === HEADER) return;
    const batch = words;
    const head = [MAGIC, stream, batches, at - HEADER, before[0], before[1], before[2], 0];
    for (let index = 0; index < HEADER; index++) batch[index] = head[index];
    const defined = [strings, objects, scopes];
    const next = new Int32Array(size);
    send(batch, at);
    batches++;
    words = next;
    capacity = size;
    if (limit !== 0) limit = capacity;
    at = done = HEADER;
    before = defined;
  }

  // Makes room for a record, with all that it may define. Where the stack ended in the one before, and also in what
  // takes that back, it is taken back here: each record begins behind the last whole one. A batch is as long as its
  // longest record.
  /** @param {number} count */
  function room(count) {
    at = done;
    if (at + count <= capacity) return;
    flush();
    if (at + count <= capacity) return;
    words = new Int32Array(at + count);
    capacity = at + count;
    if (limit !== 0) limit = capacity;
  }

  // Defines a text. There is room.
  /** @param {string} value */
  function defineText(value) {
    const { length } = value;
    words[at++] = length << 5 | 1;
    for (let index = 0; index < length; index += 2) {
      const high = index + 1 < length ? apply(charCodeAt, value, [index + 1]) : 0;
      words[at++] = apply(charCodeAt, value, [index]) | high << 16;
    }
    const number = ++strings;
    done = at;
    return number;
  }

  // The number of a text, which is defined if it is new.
  /** @param {string} value */
  function text(value) {
    if (value === '') return 0;
    const known = apply(mapGet, texts, [value]);
    if (known !== undefined) return known;
    const number = defineText(value);
    apply(mapSet, texts, [value, number]);
    return number;
  }

  /** @param {string} value */
  const start = (value) => value.length <= SHORT_TEXT ? value : apply(slice, value, [0, SHORT_TEXT]);

  // Whether a long text is kept: it is each time, or it never is. What is counted here only grows.
  /** @param {string} value */
  function isKept(value) {
    const { length } = value;
    if (longestText <= SHORT_TEXT) return false;
    const isWhole = length <= longestText;
    if (apply(mapGet, isWhole ? texts : identified, [value]) !== undefined) return true;
    const hasRoom = isWhole
      ? wholeUnits + length <= MOST_WHOLE_UNITS : identifiedUnits + length <= MOST_IDENTIFIED_UNITS;
    return hasRoom && (apply(mapGet, alike, [start(value)]) ?? 0) < MOST_ALIKE;
  }

  // The number of a text of more than `SHORT_TEXT` units, or of its beginning.
  /** @param {string} value */
  function longText(value) {
    const beginning = start(value);
    if (!isKept(value)) return text(beginning);
    const { length } = value;
    const isWhole = length <= longestText;
    const known = apply(mapGet, isWhole ? texts : identified, [value]);
    if (known !== undefined) return known;
    apply(mapSet, alike, [beginning, (apply(mapGet, alike, [beginning]) ?? 0) + 1]);
    if (isWhole) {
      wholeUnits += length;
      return text(value);
    }
    identifiedUnits += length;
    const number = defineText(beginning);
    apply(mapSet, identified, [value, number]);
    return number;
  }

  // What a name becomes.
  /** @param {string} value */
  const name = (value) => text(start(value));

  /** @param {object} value */
  function identity(value) {
    if (value === recent) return recentNumber;
    if (value === lessRecent) return lessRecentNumber;
    const number = looked(value);
    lessRecent = recent;
    lessRecentNumber = recentNumber;
    recent = value;
    recentNumber = number;
    return number;
  }

  /** @param {object | symbol} value */
  function looked(value) {
    const isSymbol = typeof value === 'symbol';
    const known = isSymbol ? apply(mapGet, symbols, [value]) : apply(weakGet, numbers, [value]);
    if (known !== undefined) return known;
    if (typeof value === 'function') {
      const label = name(nameOf(value));
      words[at++] = functionOf(value) << 5 | 3;
      words[at++] = label;
    } else {
      const label = name(classOf(value));
      words[at++] = label << 5 | 2;
      if (keepsNew && !isSymbol) append(newObjects, value);
    }
    const number = ++objects;
    done = at;
    if (isSymbol) apply(mapSet, symbols, [value, number]);
    else apply(weakSet, numbers, [value, number]);
    return number;
  }

  // Defines what a value names: definitions are before the record. Gives the number; 0: it has none.
  /** @param {unknown} value */
  function define(value) {
    switch (typeof value) {
      case 'string': return value.length <= SHORT_TEXT ? text(value) : longText(value);
      case 'object': return value === null || wordOf(value) !== 0 ? 0 : identity(value);
      case 'function': return identity(value);
      case 'symbol': return looked(value);
      case 'undefined': return value === undefined ? 0 : identity(/** @type {object} */ (value)); // document.all
      case 'bigint': {
        const digits = apply(bigIntText, value, []);
        return text(digits.length <= SHORT_TEXT ? digits : `${apply(slice, digits, [0, SHORT_TEXT - 1])}…`);
      }
      default: return 0;
    }
  }

  // Writes a value whose number `define` gave.
  /** @param {unknown} value @param {number} number */
  function put(value, number) {
    if (number > MOST_NUMBER) {
      words[at++] = wordOf(CONSTANTS.unknown);
      return;
    }
    switch (typeof value) {
      case 'number':
        if (value << 4 >> 4 === value && (value !== 0 || 1 / value > 0)) {
          words[at++] = value << 4 | 1;
        } else if (value !== value) {
          words[at++] = 4 << 4;
        } else if (value === 0) {
          words[at++] = 5 << 4;
        } else {
          words[at++] = 2;
          double(value);
        }
        return;
      case 'string':
        if (value.length <= SHORT_TEXT) {
          words[at++] = number << 4 | 3;
          return;
        }
        if (!isKept(value)) words[at++] = number << 4 | 4;
        else if (value.length > longestText) words[at++] = number << 4 | 9;
        else {
          words[at++] = number << 4 | 3;
          return;
        }
        words[at++] = value.length;
        return;
      case 'boolean': words[at++] = value ? 2 << 4 : 3 << 4; return;
      case 'undefined': words[at++] = number === 0 ? 0 : number << 4 | 5; return;
      case 'function': words[at++] = number << 4 | 6; return;
      case 'symbol': words[at++] = number << 4 | 7; return;
      case 'bigint': words[at++] = number << 4 | 8; return;
      default:
        if (value === null) words[at++] = 1 << 4;
        else words[at++] = wordOf(value) || number << 4 | 5;
    }
  }

  /** @param {number} value */
  function double(value) {
    float[0] = value;
    words[at++] = halves[0];
    words[at++] = halves[1];
  }

  // The most words that a value takes with its definition: a text of 129, an object of 2, itself of 3.
  const VALUE = 134;
  // The words that a value needs: a long text has a word for each two units.
  /** @param {unknown} value */
  const roomOf = (value) => typeof value === 'string' && value.length > SHORT_TEXT && value.length <= longestText
    ? VALUE + (value.length >> 1) : VALUE;
  /** @param {ArrayLike<unknown>} values */
  function roomOfAll(values) {
    let count = 0;
    for (let index = 0; index < values.length; index++) count += roomOf(values[index]);
    return count;
  }

  // Whether a value is a whole number that one word takes: most are, and need nothing else.
  /** @returns {value is number} @param {unknown} value */
  const isSmall = (value) => typeof value === 'number' && value << 4 >> 4 === value && (value !== 0 || 1 / value > 0);

  // A record of one value.
  /** @param {number} code @param {number} operand @param {unknown} value */
  function record1(code, operand, value) {
    if (isSmall(value)) {
      at = done;
      if (at + 2 > capacity) room(2);
      words[at] = operand << 5 | code;
      words[at + 1] = value << 4 | 1;
      done = at += 2;
      return;
    }
    room(1 + roomOf(value));
    const id = define(value);
    words[at++] = operand << 5 | code;
    put(value, id);
    done = at;
  }

  // A record of an owner and a value.
  /** @param {number} code @param {number} operand @param {unknown} owner @param {unknown} value */
  function record2(code, operand, owner, value) {
    room(1 + VALUE + roomOf(value));
    const ownerId = define(owner);
    const id = define(value);
    words[at++] = operand << 5 | code;
    put(owner, ownerId);
    put(value, id);
    done = at;
  }

  // A record of an owner, a key and a value.
  /** @param {number} code @param {number} operand @param {unknown} owner @param {unknown} key @param {unknown} value */
  function record3(code, operand, owner, key, value) {
    room(1 + VALUE + roomOf(key) + roomOf(value));
    const ownerId = define(owner);
    const keyId = define(key);
    const id = define(value);
    words[at++] = operand << 5 | code;
    put(owner, ownerId);
    put(key, keyId);
    put(value, id);
    done = at;
  }

  // Defines a list of values; their numbers are in `ids` until the next list. Nothing of the page runs in between.
  let ids = new Float64Array(64);
  /** @param {ArrayLike<unknown>} values */
  function defineAll(values) {
    const { length } = values;
    if (length > ids.length) ids = new Float64Array(2 * length);
    for (let index = 0; index < length; index++) ids[index] = define(values[index]);
  }
  /** @param {ArrayLike<unknown>} values */
  function putAll(values) {
    for (let index = 0; index < values.length; index++) put(values[index], ids[index]);
  }

  /** @param {number} code @param {number} operand */
  function one(code, operand) {
    at = done;
    if (at === capacity) flush();
    words[at++] = operand << 5 | code;
    done = at;
  }

  // `raw` are words, `values` values.
  /** @param {number} kind @param {number} site @param {number[]} raw @param {unknown[]} values */
  function rare(kind, site, raw, ...values) {
    room(2 + raw.length + roomOfAll(values));
    defineAll(values);
    words[at++] = site << 5 | 31;
    const head = at++;
    for (let index = 0; index < raw.length; index++) words[at++] = raw[index];
    putAll(values);
    words[head] = at - head - 1 << 8 | kind;
    done = at;
  }

  // A name that a record has as a raw word.
  /** @param {string} value */
  function label(value) {
    room(VALUE);
    return name(value);
  }

  /** @param {number} value */
  function halvesOf(value) {
    float[0] = value;
    return [halves[0], halves[1]];
  }

  /** @typedef {number} Site */
  return {
    flush,
    // After an exception in the middle of a record, as where the stack ends: what is not whole is taken back.
    recover() { at = done; },
    // Whether objects have got a number since `takeNew`.
    hasNew: () => newObjects.length > 0,
    // Gives these, and drops them.
    takeNew() {
      const taken = newObjects;
      newObjects = [];
      return taken;
    },
    // Whether `entered` and `left` may write: else whoever calls them has something else to do first.
    /** @param {boolean} is */
    open(is) { limit = is ? capacity : 0; },
    // A function begins, or ends without its value; false: nothing was written. No more than that, so that engines put
    // it into the function itself.
    /** @param {number} fn */
    entered(fn) {
      if (done >= limit) return false;
      words[done++] = fn << 5 | 8;
      return true;
    },
    /** @param {number} fn */
    left(fn) {
      if (done >= limit) return false;
      words[done++] = fn << 5 | 10;
      return true;
    },
    // Gives an object its number now.
    /** @param {object} object */
    known(object) {
      room(VALUE);
      identity(object);
    },
    /** @param {number} of the static scope @param {number} parent its number, 0: none */
    scope(of, parent) {
      room(2);
      words[at++] = of << 5 | 4;
      words[at++] = parent;
      done = at;
      return ++scopes;
    },
    /** @param {number} number */
    activation(number) { one(5, number); },
    /** @param {unknown} self @param {ArrayLike<unknown>} values */
    passed(self, values) {
      room(1 + roomOf(self) + roomOfAll(values));
      const own = define(self);
      defineAll(values);
      words[at++] = values.length << 5 | 6;
      put(self, own);
      putAll(values);
      done = at;
    },
    /** @param {number} fn @param {ArrayLike<number>} bits */
    branchBits(fn, bits) {
      room(2 + bits.length);
      words[at++] = fn << 5 | 7;
      words[at++] = bits.length;
      for (let index = 0; index < bits.length; index++) words[at++] = bits[index];
      done = at;
    },
    /** @param {number} fn */
    enter(fn) { one(8, fn); },
    /** @param {number} fn */
    leaf(fn) { one(9, fn); },
    /** @param {number} fn */
    returned(fn) { one(10, fn); },
    /** @param {Site} site @param {unknown} value */
    returnedValue(site, value) { record1(11, site, value); },
    /** @param {number} fn */
    unwind(fn) { one(12, fn); },
    /** @param {Site} site @param {unknown} value */
    threw(site, value) { record1(13, site, value); },
    /** @param {Site} site @param {unknown} value */
    caught(site, value) { record1(14, site, value); },
    /** @param {Site} site @param {unknown} callee @param {unknown} self @param {ArrayLike<unknown>} values */
    callSite(site, callee, self, values) {
      room(2 + roomOf(callee) + roomOf(self) + roomOfAll(values));
      const calleeId = define(callee);
      const own = define(self);
      defineAll(values);
      words[at++] = site << 5 | 15;
      put(callee, calleeId);
      put(self, own);
      words[at++] = values.length;
      putAll(values);
      done = at;
    },
    /** @param {Site} site @param {unknown} value */
    callEnd(site, value) { record1(16, site, value); },
    /** @param {Site} site @param {object} owner @param {unknown} value */
    write(site, owner, value) { record2(17, site, owner, value); },
    /** @param {Site} site @param {object} owner @param {unknown} key @param {unknown} value */
    writeKey(site, owner, key, value) { record3(18, site, owner, key, value); },
    /** @param {Site} site @param {object} owner @param {unknown} key @param {unknown} value */
    writeEntry(site, owner, key, value) { record3(19, site, owner, key, value); },
    /** @param {Site} site @param {number} scope @param {unknown} value */
    assign(site, scope, value) {
      if (isSmall(value)) {
        at = done;
        if (at + 3 > capacity) room(3);
        words[at] = site << 5 | 20;
        words[at + 1] = scope;
        words[at + 2] = value << 4 | 1;
        done = at += 3;
        return;
      }
      room(2 + roomOf(value));
      const id = define(value);
      words[at++] = site << 5 | 20;
      words[at++] = scope;
      put(value, id);
      done = at;
    },
    /** @param {Site} site @param {object} object */
    create(site, object) { record1(21, site, object); },
    /** @param {Site} site @param {boolean} outcome */
    branch(site, outcome) { one(outcome ? 23 : 22, site); },
    /** @param {Site} site @param {number} outcome @param {unknown} value */
    branchCase(site, outcome, value) {
      room(2 + roomOf(value));
      const id = define(value);
      words[at++] = site << 5 | 24;
      words[at++] = outcome;
      put(value, id);
      done = at;
    },
    /** @param {Site} site */
    step(site) { one(25, site); },
    /** @param {object} owner @param {number} total @param {ArrayLike<unknown>} entries keys and values by turns */
    contents(owner, total, entries) {
      room(2 + VALUE + roomOfAll(entries));
      const own = define(owner);
      defineAll(entries);
      words[at++] = entries.length / 2 << 5 | 26;
      put(owner, own);
      words[at++] = total;
      putAll(entries);
      done = at;
    },
    /** @param {string} kind @param {number} cause @param {unknown} target @param {number} time milliseconds */
    task(kind, cause, target, time) {
      room(4 + VALUE + roomOf(target));
      const word = name(kind);
      const id = define(target);
      words[at++] = word << 5 | 27;
      words[at++] = cause;
      double(time);
      put(target, id);
      done = at;
    },
    taskEnd() {
      one(28, 0);
      recent = lessRecent = undefined;
    },
    /** @param {Site} site @param {number} activation @param {unknown} value */
    suspend(site, activation, value) { rare(1, site, [activation], value); },
    /** @param {number} activation @param {0 | 1 | 2} mode next, throw, return @param {unknown} value */
    resume(activation, mode, value) { rare(2, 0, [activation, mode], value); },
    /** @param {Site} site @param {object} promise @param {boolean} fulfilled @param {unknown} value */
    settle(site, promise, fulfilled, value) { rare(3, site, [fulfilled ? 1 : 0], promise, value); },
    /** @param {Site} site @param {string} kind @param {number} number @param {unknown} callback */
    schedule(site, kind, number, callback) { rare(4, site, [label(kind), number], callback); },
    /** @param {Site} site @param {string} change @param {object} node @param {unknown} value */
    dom(site, change, node, value) { rare(5, site, [label(change)], node, value); },
    /** @param {Site} site @param {number} number @param {string} target @param {unknown} body */
    request(site, number, target, body) { rare(6, site, [number], target, body); },
    /** @param {number} number @param {number} status @param {unknown} body */
    response(number, status, body) { rare(7, 0, [number, status], body); },
    /** @param {string} kind @param {string} selector @param {unknown} value */
    action(kind, selector, value) { rare(8, 0, [label(kind), label(selector)], value); },
    /** @param {Site} site @param {string} level @param {string} message */
    message(site, level, message) { rare(9, site, [label(level)], message); },
    /** @param {unknown} value @param {string} message */
    uncaught(value, message) { rare(10, 0, [], value, message); },
    /** @param {0 | 1 | 2} reason switched off, dropped, out of memory @param {number} lost */
    gap(reason, lost) { rare(11, 0, [reason, lost]); },
    /** @param {number} time milliseconds */
    clock(time) { rare(12, 0, halvesOf(time)); },
    /** @param {number} hash */
    runHash(hash) { rare(13, 0, [hash]); },
    /** The number of an object that was defined; 0: it was not. @param {object} value */
    numberOf(value) { return apply(weakGet, numbers, [value]) ?? 0; },
  };
}
