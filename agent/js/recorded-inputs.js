// What makes a page vary, from recorded inputs: random numbers and the time.
//
// While recording, each realm draws a seed of its own, tells it, and makes its random numbers of it; time stays as it
// is. In a replay the realm gets that seed again, and its clocks are moved by what lies between then and now, and by
// the thinking that was left out. Nothing is kept of the single numbers, so a recording does not grow with them.
//
// The driver's way in is Z({ random, seeds, shift, late, readings }), called before the page's first script, and again
// as time is left out:
//   random   'record', 'replay', or absent
//   seeds    by place, the seed of the realm that begins there next: { 'frame  /shop.html': '00ff…' }
//   shift    milliseconds, whole: what is added to the clocks; absent: they stay as they are. Where they move on, it
//            gives a promise: what was due meanwhile is done first (`timers.js`)
//   late     by how many milliseconds the step before was done later, by these clocks, than when it was recorded
//   readings 'keep', or by place what the realm that begins there next is to read from its clocks (`clock-readings.js`)
// What it tells: { realmBegun: { place, seed } }, the seed only while recording; and then { frames } as well, when the
// page asked for an animation frame (milliseconds since 1970), no more often than frames come; { clockReadings } where
// they are kept.

import {
  apply, bindTo, construct, Date, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, indexOf, Int32Array, Intl,
  Math, Proxy, realm, slice, stringify, Uint32Array, Uint8Array, WeakMap,
} from './captured.js';
import { append } from './basics.js';
import { clockReadings, MOMENTS, SINCE_1970, SINCE_BEGIN } from './clock-readings.js';
import { post } from './post.js';
import { disguise } from './source_text.js';
import { replaceTimers } from './timers.js';

// The clocks are held while a debugger holds the page, for so many milliseconds: a page that divides its work by
// time does in the execution that is stopped what it did in the one before.
/** @type {(milliseconds: number) => void} */
export let wasPaused = () => undefined;

export const Z = (() => {
  const ProxyOf = Proxy;
  const DateOf = Date;
  const Bytes = Uint8Array;
  const Words = Uint32Array;
  const WeakMapHere = WeakMap;
  const { get: mapGet, set: mapSet } = /** @type {{ get: GetIn, set: SetIn }} */ (/** @type {unknown} */ (
    WeakMapHere.prototype));
  const { imul } = Math;
  const nativeNow = DateOf.now;
  const globals = realm;
  /** @param {PageObject | null | undefined} holder @param {Key} key */
  const native = (holder, key) => (holder === undefined ? undefined
    : getOwnPropertyDescriptor(/** @type {PageObject} */ (holder), key));
  /** @param {string} name */
  const prototypeOf = (name) => {
    const value = native(globals, name)?.value;
    return typeof value === 'function' ? value.prototype : undefined;
  };
  // A method in the place of a built-in, and a getter.
  /** @param {PageObject | null | undefined} holder @param {Key} key @param {MakeOne} make */
  const replaceValue = (holder, key, make) => {
    const property = native(holder, key);
    if (property === undefined || typeof property.value !== 'function') return;
    property.value = disguise(/** @type {AnyFunction} */ (make(property.value)), property.value);
    defineProperty(/** @type {PageObject} */ (holder), key, property);
  };
  /** @param {PageObject | null | undefined} holder @param {Key} key @param {MakeOne} make */
  const replaceGetter = (holder, key, make) => {
    const property = native(holder, key);
    if (property === undefined || typeof property.get !== 'function') return;
    property.get = disguise(/** @type {AnyFunction} */ (make(property.get)), property.get);
    defineProperty(/** @type {PageObject} */ (holder), key, property);
  };

  // ---- the realm, as it is known again ----

  function place() {
    const address = globals.location;
    const at = typeof address !== 'object' ? ''
      : address.protocol === 'http:' || address.protocol === 'https:' ? address.pathname : address.protocol;
    if (typeof globals.window !== 'object') return `worker ${at}`;
    let path = '';
    for (let each = /** @type {Window} */ (/** @type {unknown} */ (globals)); each !== each.parent;
      each = each.parent) {
      const { parent } = each;
      let index = 0;
      while (index < parent.length && parent[index] !== each) index++;
      path = `${index}/${path}`;
    }
    return `frame ${path} ${at}`;
  }

  const here = () => apply(slice, place(), [0, 300]);

  // ---- random numbers ----

  const digits = '0123456789abcdef';
  /** @param {number} byte */
  const hex = (byte) => digits[byte >> 4] + digits[byte & 15];
  /** @param {string} text @param {number} index */
  const digit = (text, index) => apply(indexOf, digits, [text[index]]);

  // ChaCha20: `seed`, 64 hexadecimal digits, is the key, `stream` the nonce. Gives a function that writes the next 64
  // bytes of the stream into `bytes`.
  /** @param {string} seed @param {number} stream */
  function keystream(seed, stream) {
    const state = new Words(16);
    const mixed = new Words(16);
    const bytes = new Bytes(mixed.buffer);
    const input = new Bytes(state.buffer);
    const constant = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];
    for (let index = 0; index < 4; index++) state[index] = constant[index];
    for (let index = 0; index < 32; index++) {
      input[16 + index] = digit(seed, 2 * index) * 16 + digit(seed, 2 * index + 1);
    }
    state[13] = stream;
    /** @param {number} a @param {number} b @param {number} c @param {number} d */
    const quarter = (a, b, c, d) => {
      let word;
      mixed[a] += mixed[b]; word = mixed[d] ^ mixed[a]; mixed[d] = (word << 16) | (word >>> 16);
      mixed[c] += mixed[d]; word = mixed[b] ^ mixed[c]; mixed[b] = (word << 12) | (word >>> 20);
      mixed[a] += mixed[b]; word = mixed[d] ^ mixed[a]; mixed[d] = (word << 8) | (word >>> 24);
      mixed[c] += mixed[d]; word = mixed[b] ^ mixed[c]; mixed[b] = (word << 7) | (word >>> 25);
    };
    const next = () => {
      for (let index = 0; index < 16; index++) mixed[index] = state[index];
      for (let round = 0; round < 10; round++) {
        quarter(0, 4, 8, 12); quarter(1, 5, 9, 13); quarter(2, 6, 10, 14); quarter(3, 7, 11, 15);
        quarter(0, 5, 10, 15); quarter(1, 6, 11, 12); quarter(2, 7, 8, 13); quarter(3, 4, 9, 14);
      }
      for (let index = 0; index < 16; index++) mixed[index] += state[index];
      state[12]++;
    };
    return { __proto__: null, bytes, words: mixed, next };
  }

  // `Math.random` is called in loops and need not be secret: xoshiro128**, which a page hardly feels.
  /** @param {string} seed */
  function numbers(seed) {
    const source = keystream(seed, 1);
    source.next();
    const state = new Int32Array(4);
    for (let index = 0; index < 4; index++) state[index] = source.words[index];
    state[0] |= 1; // never all of them 0
    const word = () => {
      let result = imul(state[1], 5);
      result = imul((result << 7) | (result >>> 25), 9);
      const shifted = state[1] << 9;
      state[2] ^= state[0];
      state[3] ^= state[1];
      state[1] ^= state[2];
      state[0] ^= state[3];
      state[2] ^= shifted;
      state[3] = (state[3] << 11) | (state[3] >>> 21);
      return result >>> 0;
    };
    return () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
  }

  /** @param {string} seed */
  function secrets(seed) {
    const source = keystream(seed, 2);
    let used = 64;
    return (/** @type {Uint8Array} */ bytes, /** @type {number} */ length) => {
      for (let index = 0; index < length; index++) {
        if (used === 64) {
          source.next();
          used = 0;
        }
        bytes[index] = source.bytes[used++];
      }
    };
  }

  let hasBegun = false;
  let isDrawn = false;
  /** @type {() => number} */
  let random;
  /** @type {(bytes: Uint8Array, length: number) => void} */
  let fill;
  // A realm may be told twice, while what it is told is being replaced; the second time counts.
  /** @param {string} seed */
  function seedRealm(seed) {
    if (isDrawn) return;
    const isFirst = random === undefined;
    random = numbers(seed);
    fill = secrets(seed);
    if (isFirst) replaceRandom();
  }

  function replaceRandom() {
    // Bound, because a bound function's text has nothing of ours in any realm, and calls of it are as fast.
    replaceValue(Math, 'random', () => apply(bindTo, {
      random() {
        isDrawn = true;
        return random();
      },
    }.random, [undefined]));
    const holder = prototypeOf('Crypto');
    if (holder === undefined) return;
    const typedArray = getPrototypeOf(Bytes.prototype);
    const bufferOf = /** @type {() => ArrayBuffer} */ (native(typedArray, 'buffer')?.get);
    const offsetOf = /** @type {() => number} */ (native(typedArray, 'byteOffset')?.get);
    const lengthOf = /** @type {() => number} */ (native(typedArray, 'byteLength')?.get);
    // The originals are called for what they say of what they are given.
    replaceValue(holder, 'getRandomValues', (original) => ({
      /** @param {PageValue} array */
      getRandomValues(array) {
        const filled = apply(original, this, arguments);
        const length = apply(lengthOf, filled, []);
        isDrawn = true;
        fill(new Bytes(apply(bufferOf, filled, []), apply(offsetOf, filled, []), length), length);
        return filled;
      },
    }).getRandomValues);
    replaceValue(holder, 'randomUUID', (original) => ({
      randomUUID() {
        apply(original, this, arguments);
        const bytes = new Bytes(16);
        isDrawn = true;
        fill(bytes, 16);
        bytes[6] = (bytes[6] & 15) | 64;
        bytes[8] = (bytes[8] & 63) | 128;
        let text = '';
        for (let index = 0; index < 16; index++) {
          text += (index === 4 || index === 6 || index === 8 || index === 10 ? '-' : '') + hex(bytes[index]);
        }
        return text;
      },
    }).randomUUID);
  }

  function freshSeed() {
    const bytes = new Bytes(32);
    const holder = prototypeOf('Crypto');
    if (holder !== undefined) apply(holder.getRandomValues, globals.crypto, [bytes]);
    else for (let index = 0; index < 32; index++) bytes[index] = Math.random() * 256;
    let seed = '';
    for (let index = 0; index < 32; index++) seed += hex(bytes[index]);
    return seed;
  }

  // ---- time ----

  let shift = 0;
  // What it was when the realm began: its clocks that count from there do not know it.
  /** @type {number} */
  let began;
  // When it was changed, by the realm's own clock, and what it was before: whatever comes of an earlier moment has that
  // one.
  /** @type {number[]} */
  let moments = [];
  /** @type {number[]} */
  let before = [];
  /** @type {(() => number) | undefined} */
  let sinceBegin;

  const now = () => nativeNow() + shift;
  // What the page reads: from the clock itself, unless readings are given again.
  const readings = clockReadings((read) => {
    read.place = here();
    tell({ __proto__: null, clockReadings: read });
  });
  // The last moment that the page has been told.
  let told = -Infinity;
  const tellNow = () => {
    told = readings.read(SINCE_1970, now());
    return told;
  };
  /** @param {number} moment */
  const shiftAt = (moment) => {
    let at = shift;
    for (let index = moments.length - 1; index >= 0 && moment < moments[index]; index--) at = before[index];
    return at;
  };
  // A moment of the realm's own clock as the page is to see it.
  /** @param {number} moment */
  const seen = (moment) => {
    told = now();
    return readings.read(MOMENTS, moment + (shiftAt(moment) - began));
  };

  // Moves on, past the timers that are due meanwhile; before there are any, the clocks are replaced.
  /** @type {(to: number, late: number) => Promise<void>} */
  let moveOn;

  /** @param {number} by @param {number} late */
  function moveClocks(by, late) {
    if (began === undefined) {
      began = by;
      shift = by;
      replaceClocks();
      const clock = { __proto__: null, real: nativeNow, now, shift: () => shift, told: () => told, jump };
      moveOn = replaceTimers(clock, replaceValue);
    } else if (by > shift || (by === shift && late > 0)) return moveOn(by, late);
    else jump(by);
    return undefined;
  }

  /** @param {number} by */
  function jump(by) {
    if (by !== shift) {
      const MOST = 256;
      if (sinceBegin !== undefined) {
        append(moments, sinceBegin());
        append(before, shift);
      }
      // Nothing is as old as the oldest of these.
      if (moments.length > MOST) {
        /** @type {number[]} */
        const lately = [];
        /** @type {number[]} */
        const then = [];
        for (let index = MOST / 2; index < moments.length; index++) {
          append(lately, moments[index]);
          append(then, before[index]);
        }
        moments = lately;
        before = then;
      }
      shift = by;
    }
  }

  wasPaused = (milliseconds) => {
    if (began !== undefined) jump(shift - milliseconds);
  };

  function replaceClocks() {
    const dateText = DateOf.prototype.toString;
    /** @type {AnyFunction} */
    const DateHere = disguise(new ProxyOf(DateOf, {
      __proto__: null,
      apply: () => apply(dateText, new DateOf(tellNow()), []),
      /** @param {Function} target @param {unknown[]} values @param {Function} newTarget */
      construct: (target, values, newTarget) =>
        construct(target, values.length === 0 ? [tellNow()] : values, newTarget === DateHere ? target : newTarget),
    }), DateOf);
    replaceValue(DateOf, 'now', () => apply(bindTo, { now() { return tellNow(); } }.now, [undefined]));
    defineProperty(globals, 'Date', { __proto__: null, ...native(globals, 'Date'), value: DateHere });
    const { prototype } = DateOf;
    defineProperty(prototype, 'constructor', { __proto__: null, ...native(prototype, 'constructor'), value: DateHere });

    const clock = prototypeOf('Performance');
    const nativeSince = native(clock, 'now')?.value;
    if (typeof nativeSince === 'function') {
      const { performance } = globals;
      sinceBegin = () => /** @type {number} */ (apply(nativeSince, performance, []));
      replaceValue(clock, 'now', (original) => ({
        now() {
          told = now();
          return readings.read(SINCE_BEGIN, /** @type {number} */ (apply(original, this, [])) + (shift - began));
        },
      }).now);
      replaceGetter(clock, 'timeOrigin', (original) => native({
        get timeOrigin() { return /** @type {number} */ (apply(original, this, [])) + began; },
      }, 'timeOrigin')?.get);
    }
    replaceGetter(prototypeOf('Event'), 'timeStamp', (original) => native({
      get timeStamp() { return seen(/** @type {number} */ (apply(original, this, []))); },
    }, 'timeStamp')?.get);
    /** @type {PageObject | null} */
    let frames = globals;
    while (frames !== null && native(frames, 'requestAnimationFrame') === undefined) frames = getPrototypeOf(frames);
    if (frames !== null) {
      replaceValue(frames, 'requestAnimationFrame', (original) => ({
        /** @param {PageValue} callback */
        requestAnimationFrame(callback) {
          if (typeof callback !== 'function') return apply(original, this, arguments);
          return apply(original, this, [(/** @type {number} */ moment) => apply(callback, undefined, [seen(moment)])]);
        },
      }).requestAnimationFrame);
    }
    replaceFormats();
    replaceTemporal();
  }

  // Formats show the present moment where they are given none.
  function replaceFormats() {
    const formats = typeof Intl === 'object' ? Intl.DateTimeFormat?.prototype : undefined;
    /** @type {WeakMap<PageObject, AnyFunction>} */
    const known = new WeakMapHere();
    replaceGetter(formats, 'format', (original) => native({
      get format() {
        const bound = /** @type {(date: PageValue) => string} */ (apply(original, this, []));
        let mine = apply(mapGet, known, [bound]);
        if (mine === undefined) {
          mine = disguise((/** @type {PageValue} */ date) => bound(date === undefined ? tellNow() : date), bound);
          apply(mapSet, known, [bound, mine]);
        }
        return mine;
      },
    }, 'format')?.get);
    replaceValue(formats, 'formatToParts', (original) => ({
      /** @param {PageValue} date */
      formatToParts(date) { return apply(original, this, [date === undefined ? tellNow() : date]); },
    }).formatToParts);
  }

  function replaceTemporal() {
    const temporal = /** @type {Temporal} */ (native(globals, 'Temporal')?.value);
    if (typeof temporal !== 'object') return;
    const { Now, Instant, ZonedDateTime } = temporal;
    const zonedNow = Now.zonedDateTimeISO;
    const addToInstant = Instant.prototype.add;
    const addToZoned = ZonedDateTime.prototype.add;
    const { toPlainDateTime, toPlainDate, toPlainTime } = ZonedDateTime.prototype;
    const by = () => {
      told = now();
      return { __proto__: null, milliseconds: shift };
    };
    /** @param {ArrayLike<unknown>} values */
    const zoned = (values) => apply(addToZoned, apply(zonedNow, Now, values), [by()]);
    replaceValue(Now, 'instant', (original) => ({
      instant() { return apply(addToInstant, apply(original, Now, []), [by()]); },
    }).instant);
    /** @param {string} name @param {AnyFunction} convert */
    const replaceZoned = (name, convert) => replaceValue(Now, name, () => ({
      method(/** @type {unknown[]} */ ...values) { return apply(convert, zoned(values), []); },
    }).method);
    replaceValue(Now, 'zonedDateTimeISO', () => ({
      method(/** @type {unknown[]} */ ...values) { return zoned(values); },
    }).method);
    replaceZoned('plainDateTimeISO', toPlainDateTime);
    replaceZoned('plainDateISO', toPlainDate);
    replaceZoned('plainTimeISO', toPlainTime);
  }

  // ---- animation frames ----

  // A page that draws once a frame sees fewer moves of the pointer when they come faster than frames do.
  function watchFrames() {
    const FRAME = 15;
    let last = 0;
    replaceValue(globals, 'requestAnimationFrame', (original) => ({
      /** @param {PageValue} callback */
      requestAnimationFrame(callback) {
        const at = nativeNow();
        if (at - last >= FRAME) {
          last = at;
          tell({ __proto__: null, frames: at });
        }
        return apply(original, this, arguments);
      },
    }).requestAnimationFrame);
  }

  // ---- the driver's way in ----

  /** @param {object} message */
  const tell = (message) => {
    if (typeof post === 'function') post(`${stringify(message)}`);
  };
  return (/** @type {RealmInputs} */ given) => {
    if (given.random !== undefined) {
      const at = here();
      const seed = given.random === 'record' ? freshSeed()
        : /** @type {string | undefined} */ (native(given.seeds, at)?.value);
      if (seed !== undefined) seedRealm(seed);
      if (!hasBegun) {
        const isRecorded = given.random === 'record';
        const realmBegun = isRecorded ? { __proto__: null, place: at, seed } : { __proto__: null, place: at };
        tell({ __proto__: null, realmBegun });
        if (isRecorded) watchFrames();
      }
      hasBegun = true;
    }
    if (given.readings === 'keep') readings.keep();
    else if (given.readings !== undefined) {
      const own = /** @type {number[][] | undefined} */ (native(given.readings, here())?.value);
      if (own !== undefined) readings.give(own);
    }
    return given.shift === undefined ? undefined : moveClocks(given.shift, given.late ?? 0);
  };
})();
