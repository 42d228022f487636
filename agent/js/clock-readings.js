// What the page reads from its clocks: kept in one execution, given again in others. The n-th reading of a clock is
// then the same in all of them, so what the executions do can be compared, value by value.
//
// A clock goes on by itself behind the last reading that was kept, and never back.

/** Milliseconds since 1970. */
export const SINCE_1970 = 0;
/** Milliseconds since the realm began. */
export const SINCE_BEGIN = 1;
/** The moments of events and frames, in milliseconds since the realm began. */
export const MOMENTS = 2;

// A page that reads its clocks without end is not kept to its end.
const MOST = 100_000;

/** @returns {KeptReadings} */
const nothing = () => ({ __proto__: null, place: '', since1970: '', sinceBegin: '', moments: '' });

/** Gives the readings of a realm; `tell` is handed what was read since it was called last: numbers, with commas. */
export const clockReadings = (/** @type {(readings: KeptReadings) => void} */ tell) => {
  /** @type {KeptReadings | undefined} */
  let kept;
  let count = 0;
  let isTold = true;
  /** @type {number[][] | undefined} */
  let given;
  const next = [0, 0, 0];
  const last = [-Infinity, -Infinity, -Infinity];

  // Once for each turn of the page.
  const tellSoon = async () => {
    await undefined;
    const readings = /** @type {KeptReadings} */ (kept);
    kept = nothing();
    isTold = true;
    tell(readings);
  };
  /** @param {KeptReadings} readings @param {number} clock @param {number} moment */
  const add = (readings, clock, moment) => {
    const name = clock === SINCE_1970 ? 'since1970' : clock === SINCE_BEGIN ? 'sinceBegin' : 'moments';
    readings[name] += readings[name] === '' ? `${moment}` : `,${moment}`;
  };
  return {
    __proto__: null,
    /** Keeps what is read from here on. */
    keep() { kept ??= nothing(); },
    /** Gives these, by clock; those that are given first count. @param {number[][]} readings */
    give(readings) { given ??= readings; },
    /** What the page reads where a clock says `moment`. @param {number} clock @param {number} moment */
    read(clock, moment) {
      if (given !== undefined) {
        const index = next[clock]++;
        const list = given[clock];
        const reading = index < list.length ? list[index] : moment > last[clock] ? moment : last[clock];
        last[clock] = reading;
        return reading;
      }
      if (kept !== undefined && count < MOST) {
        count++;
        add(kept, clock, moment);
        if (isTold) {
          isTold = false;
          tellSoon();
        }
      }
      return moment;
    },
  };
};
