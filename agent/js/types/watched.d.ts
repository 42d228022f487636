// What is watched and asked, and what is kept of it.

/** What is kept of an owner that is followed exactly. */
interface Exactness {
  __proto__?: null;
  /** The last change's event and site, and how many changes there were. */
  last: number;
  site: Site;
  n: number;
  /** The value that was written last, and the one before it. */
  v: PageValue;
  old: PageValue;
  /** Writes that no hook saw, and whether the last value is one of those. */
  blind: number;
  unseen: boolean;
  /** Whether the platform keeps the value; whether it told the last change itself. */
  host?: boolean;
  platform?: boolean;
  /** A setter of the page was called instead of a write. */
  setter?: boolean;
  /** How many characters of it were read. */
  read?: number;
}

/** The last change of a property, an entry, a variable or a condition: see `records.js`. */
interface ChangeRecord {
  __proto__?: null;
  s: number;
  t: Site;
  v: PageValue;
  n: number;
  i: number;
  k: Asked | undefined;
  c: Captured | undefined;
  e: Exactness | undefined;
  q?: boolean | undefined;
  l?: ChangeRecord | undefined;
  /** Of a variable: whether it was written between two hooks by something unseen. */
  b?: boolean;
  /** Of a condition: its operands. */
  p?: (ValueText | null)[] | undefined;
  /** Of what the DOM holds: when its change was told. */
  w?: number;
}

/** The events that one query counts, in the slot of a condition or of events: see `event-numbers.js`. */
interface CountedEvents {
  /** One less than the number of the first. */
  first: number;
  /** The number of the last. */
  counted: number;
  /** The numbers at which the page is to stop. */
  stops: Set<number>;
}

/** A watched name, with what the agent knows of it. */
interface Slot extends Omit<AgentSlot, 'key' | 'askedThere' | 'query'>, CountedEvents {
  key: string | symbol;
  /** The owners that are followed exactly. */
  tracked: Table<boolean>;
  /** Whether a record may be written again: nothing depends on it. */
  plain: boolean;
  /** Whether others are asked at it, and nothing is asked at it. */
  isLast: boolean;
  /** The only question at a change, if its answer can be linked: see `linked.js`. */
  link: Query | undefined;
  askedThere: Query[];
  query: number;
}

/** One query. */
interface Query extends AgentQuery {
  /** The slot of its key, where changes are linked to the record of it: see `linked.js`. */
  index?: number;
}

/** What of a query the end of its reference needs: `hidden`, a property that one of the object's own hides. */
interface LastStep { key: Key, hidden?: boolean }
/** A step of a reference by the kind of its key. */
interface Keyed { kind: AgentKeyed['kind'] }
/** The class that keeps the records of one watched property. */
interface StampClass {
  new (object: PageObject, record: ChangeRecord): unknown;
  record(object: PageObject): ChangeRecord | undefined;
  keep(object: PageObject, record: ChangeRecord): void;
  write(site: Site, object: PageObject, value: PageValue, context: Context, how: How): void;
}

/** A property as it is: see `inspect`. */
interface Inspected {
  holder: PageObject;
  own: boolean;
  data: boolean;
  value?: PageValue;
  writable?: boolean | undefined;
  configurable?: boolean | undefined;
  native?: boolean;
  get?: AnyFunction | undefined;
  set?: AnyFunction | undefined;
}
