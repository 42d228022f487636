// The recorded inputs and timers.

/** What the driver tells about a realm's recorded inputs: see `recorded-inputs.js`. */
interface RealmInputs {
  random?: 'record' | 'replay';
  seeds?: Table<string>;
  shift?: number;
  late?: number;
  readings?: 'keep' | Table<number[][]>;
}

/** What was read from each clock, as text with commas: see `clock-readings.js`. */
interface KeptReadings {
  __proto__: null;
  place: string;
  since1970: string;
  sinceBegin: string;
  moments: string;
}

/** What of `Temporal` knows the present moment. */
interface Temporal {
  Now: Table<AnyFunction>;
  Instant: { prototype: Table<AnyFunction> };
  ZonedDateTime: { prototype: Table<AnyFunction> };
}

/** The clock that timers run by: see `timers.js`. */
interface Clock {
  __proto__: null;
  real(): number;
  now(): number;
  shift(): number;
  told(): number;
  jump(shift: number): void;
}

/** The methods of the map in which timers are kept. */
interface TimersOf { get: GetIn, set: SetIn, delete: AnyHas, forEach: (visit: (timer: Timer) => void) => void }
/** A timer of the page. */
interface Timer {
  __proto__: null;
  callback: PageValue;
  values: unknown[];
  wait: number;
  repeats: boolean;
  due: number;
  order: number;
  number: number;
  native: number;
  ahead: number;
  behind: number;
  isText: boolean;
  isBegun: boolean;
  isMoved: boolean;
  isHeld: boolean;
  ran: (() => void) | undefined;
}
