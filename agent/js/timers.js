// Timers, where the clocks jump over what was only waited for: what was due meanwhile runs before they arrive, in the
// order in which it was due, each at its own moment, as it did when the page was recorded.
//
// The browser runs a text; a timer of ours right before it says that it is about to, and one right behind it that it
// has. The page has the browser's own numbers for its timers.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, Map, Math, MessageChannel, Promise, realm,
} from './captured.js';

// While the clock moves on, the browser has no timer of the page's but the one that runs next, and the clock counts
// only what the page works: a machine that is slow between two timers changes neither their order nor their moments.

// Puts itself in the place of the realm's timers. `clock` has `now()`, the present moment as the page sees it, which is
// `real()` and `shift()`, `told()`, the last that the page has seen, and `jump(shift)`; `replace(holder, key, make)`
// replaces a method. Gives what moves the clock on: with the shift, and by how many milliseconds the step before was
// done later than it had been.
/** @param {Clock} clock @param {(holder: PageObject, key: Key, make: MakeOne) => void} replace */
export const replaceTimers = (clock, replace) => {
  const globals = realm;
  const MapOf = Map;
  const { get, set, delete: remove, forEach } = /** @type {TimersOf} */ (/** @type {unknown} */ (MapOf.prototype));
  const PromiseOf = Promise;
  const Channel = typeof MessageChannel === 'function' ? MessageChannel : undefined;
  const { floor, trunc } = Math;
  // By number.
  /** @type {Map<number, Timer>} */
  const timers = new MapOf();
  let order = 0;
  // How many moves of the clock are under way, how far they go at most, and when the last timer of one had ended.
  let moves = 0;
  let furthest = 0;
  let endedAt = 0;
  /** @type {AnyFunction} */
  let start;
  /** @type {AnyFunction} */
  let clear;

  // A worker's global object inherits them.
  /** @type {PageObject | null} */
  let holder = globals;
  while (holder !== null && getOwnPropertyDescriptor(holder, 'setTimeout') === undefined) {
    holder = getPrototypeOf(holder);
  }
  if (holder === null || Channel === undefined) return async (/** @type {number} */ to) => clock.jump(to);

  // How long is waited, as the browser understands it; undefined: to know it the page's code would have to run.
  /** @param {PageValue} delay */
  const waitOf = (delay) => {
    if (delay === undefined || delay === null || typeof delay === 'boolean') return delay === true ? 1 : 0;
    if (typeof delay !== 'number' && typeof delay !== 'string') return undefined;
    const wait = trunc(+delay) | 0;
    return wait > 0 ? wait : 0;
  };

  // A text that a policy of the page's looks at is not given to the browser twice.
  const { trustedTypes } = /** @type {Table<PageObject>} */ (globals);
  const policyOf = trustedTypes
    && getOwnPropertyDescriptor(/** @type {PageObject} */ (getPrototypeOf(trustedTypes)), 'defaultPolicy')?.get;
  /** @param {PageValue} callback */
  const isText = (callback) => typeof callback === 'string'
    && (policyOf === undefined || apply(policyOf, trustedTypes, []) === null);

  // Gives it to the browser. Of timers that are due at the same time, the one that was set first runs first.
  /** @param {AnyFunction} original @param {PageValue} self @param {Timer} timer @param {number} wait */
  function startWith(original, self, timer, wait) {
    /** @param {PageValue} callback */
    const begin = (callback) => /** @type {number} */ (apply(original, self, [callback, wait]));
    if (timer.isText) timer.ahead = begin(() => { timer.isBegun = true; });
    timer.native = begin(timer.isText ? timer.callback : () => run(timer));
    if (timer.isText) timer.behind = begin(() => run(timer));
  }

  /** @param {Timer} timer */
  function stop(timer) {
    const result = apply(clear, globals, [timer.native]);
    if (timer.isText) {
      apply(clear, globals, [timer.ahead]);
      apply(clear, globals, [timer.behind]);
    }
    return result;
  }

  // The browser does not have it, until it is its turn.
  /** @param {Timer} timer */
  function hold(timer) {
    stop(timer);
    timer.isHeld = true;
    timer.isMoved = true;
  }

  /** @param {Timer} timer */
  function leftOf(timer) {
    const left = timer.due - clock.now();
    return left > 0 ? left : 0;
  }

  // The moment of a timer, or where the page is that has worked past it.
  /** @param {Timer} timer */
  function setClockTo(timer) {
    const told = clock.told();
    let moment = timer.due > endedAt ? timer.due : endedAt;
    if (told > moment) moment = told;
    const shift = moment - clock.real();
    clock.jump(shift < furthest ? shift : furthest);
  }

  /** @param {Timer} timer */
  function run(timer) {
    if (moves > 0 && !timer.isText) setClockTo(timer);
    timer.isBegun = false;
    if (timer.repeats) {
      // Of the turns that it has missed it has the last.
      const late = clock.now() - timer.due;
      timer.due += timer.wait * (late < timer.wait ? 1 : floor(late / timer.wait));
      if (timer.isMoved && moves > 0) timer.isHeld = true;
      else if (timer.isMoved) startWith(start, globals, timer, leftOf(timer));
    } else apply(remove, timers, [timer.number]);
    try {
      if (!timer.isText) apply(/** @type {AnyFunction} */ (timer.callback), globals, timer.values);
    } finally {
      endedAt = clock.now();
      ended(timer);
    }
  }

  // Whoever waits for it goes on.
  /** @param {Timer} timer */
  function ended(timer) {
    const { ran } = timer;
    timer.ran = undefined;
    if (ran !== undefined) ran();
  }

  // Another window's timers are its own.
  /** @param {PageValue} self */
  const isHere = (self) => self === undefined || self === null || self === globals;
  /** @param {AnyFunction} original @param {boolean} repeats */
  const starting = (original, repeats) => ({
    /** @param {PageValue} callback @param {PageValue} delay @param {...unknown} values */
    start(callback, delay, ...values) {
      const isKept = isHere(this) && (typeof callback === 'function' || isText(callback));
      const wait = isKept ? waitOf(delay) : undefined;
      if (wait === undefined) return apply(original, this, arguments);
      const timer = {
        __proto__: null, callback, values, wait: repeats && wait === 0 ? 1 : wait, repeats, due: 0, order: ++order,
        number: 0, ahead: 0, native: 0, behind: 0, isText: typeof callback === 'string', isBegun: false, isMoved: false,
        isHeld: false, ran: undefined,
      };
      startWith(original, this, timer, wait);
      timer.number = timer.native;
      timer.due = clock.now() + timer.wait;
      apply(set, timers, [timer.number, timer]);
      if (moves > 0) hold(timer);
      return timer.number;
    },
  }).start;
  /** @param {AnyFunction} original */
  const clearing = (original) => ({
    /** @param {PageValue} id */
    clear(id) {
      const isNumber = typeof id === 'number' || typeof id === 'string';
      const known = isNumber && isHere(this) ? apply(get, timers, [+id]) : undefined;
      if (known === undefined) return apply(original, this, arguments);
      apply(remove, timers, [known.number]);
      const result = stop(known);
      ended(known);
      return result;
    },
  }).clear;
  replace(holder, 'setTimeout', (/** @type {AnyFunction} */ original) => {
    start = original;
    return starting(original, false);
  });
  replace(holder, 'setInterval', (/** @type {AnyFunction} */ original) => starting(original, true));
  replace(holder, 'clearTimeout', (/** @type {AnyFunction} */ original) => {
    clear = original;
    return clearing(original);
  });
  replace(holder, 'clearInterval', clearing);

  // The browser waits as long as is left by the page's clock. A text that it is about to run, or has run, ends first.
  /** @param {Timer} timer */
  function startAnew(timer) {
    if (timer.isBegun) return;
    if (!timer.isHeld) stop(timer);
    timer.isHeld = false;
    timer.isMoved = true;
    startWith(start, globals, timer, leftOf(timer));
  }
  /** @param {Timer} timer */
  function holdUnlessItRuns(timer) {
    if (!timer.isHeld && !timer.isBegun) hold(timer);
  }

  // Has one run now, as a timer does. From a message: a timer that is set by a timer waits for 4 ms.
  /** @param {Timer} timer */
  const runs = (timer) => new PromiseOf((/** @type {() => void} */ done) => {
    const { ran } = timer;
    timer.ran = ran === undefined ? done : () => {
      ran();
      done();
    };
    const { port1, port2 } = new Channel();
    port1.onmessage = () => {
      port1.close();
      if (apply(get, timers, [timer.number]) === timer) {
        setClockTo(timer);
        startAnew(timer);
      } else ended(timer);
    };
    port2.postMessage(0);
  });

  // The first that is due by then.
  /** @param {number} then */
  function earliest(then) {
    /** @type {Timer | undefined} */
    let first;
    apply(forEach, timers, [(/** @type {Timer} */ timer) => {
      if (timer.due > then) return;
      const isBefore = first === undefined || timer.due < first.due
        || (timer.due === first.due && timer.order < first.order);
      if (isBefore) first = timer;
    }]);
    return first;
  }

  // A page that has more to do meanwhile does the rest when the clock has arrived.
  const MOST = 1000;
  const LONGEST = 2000;
  return async (/** @type {number} */ to, /** @type {number} */ late) => {
    const began = clock.real();
    if (moves++ === 0) endedAt = clock.now();
    if (to > furthest || moves === 1) furthest = to;
    apply(forEach, timers, [holdUnlessItRuns]);
    for (let count = 0; count < MOST && clock.real() - began < LONGEST; count++) {
      // What was set late is due late.
      const first = earliest(clock.real() + to + late);
      if (first === undefined) break;
      await runs(first);
    }
    // Another move may have gone further meanwhile.
    if (to > clock.shift()) clock.jump(to);
    if (--moves === 0) apply(forEach, timers, [startAnew]);
  };
};
