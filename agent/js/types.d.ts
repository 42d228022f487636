// The types that the modules share. Those of the configuration and of the reports are generated from Rust:
// `generated.d.ts`, `reports.d.ts`.

type AgentConfig = import('./generated').AgentConfig;
type AgentSlot = import('./generated').AgentSlot;
type AgentQuery = import('./generated').AgentQuery;

/** A value of the page: anything, and nothing of it may run. */
type PageValue = any;
/** An object of the page. */
type PageObject = any;
/** A function of the page or a built-in. */
type AnyFunction = (this: any, ...values: any[]) => any;
/** A key of a property; a private field has its name behind `\0#`, a symbol that was not met yet behind `\0@`. */
type Key = any;
/** Where in a rewritten script a hook is; negative: the number of a built-in that wrote. */
type Site = number;

/** The global object. What a realm does not have is undefined. */
type Realm = any;

/** `Reflect`, as the agent uses it: it asks anything for anything, and checks what comes back. */
interface Reflection {
  apply(target: Function | undefined | null, self: unknown, values: ArrayLike<unknown>): any;
  construct(target: Function, values: ArrayLike<unknown>, newTarget?: Function): any;
  getOwnPropertyDescriptor(target: any, key: Key): PropertyDescriptor | undefined;
  getPrototypeOf(target: any): any;
  ownKeys(target: any): any[];
  defineProperty(target: any, key: Key, attributes: any): boolean;
  isExtensible(target: any): boolean;
  setPrototypeOf(target: any, prototype: any): boolean;
}

/**
 * What a hook hands over about its place, if anything: `late`, whether the debugger resolves what is asked, in the
 * caller; `n`, the slot of a variable; `d`, the roots and keys of queries, each a function; `s`, the scopes for a
 * capture, the kind and the variables of each; `w`, the watched expressions.
 */
type Given = any;
/** Gives what is handed over; 0: nothing is. */
type Context = (() => Given) | 0 | undefined;

/** An object without a prototype, as a table. */
type Table<T = any> = Record<PropertyKey, T>;

/** How a property is written. */
type How = 'assign' | 'define' | 'delete' | 'literal';

/** The last change of a property, an entry, a variable or a condition: see `records.js`. */
interface ChangeRecord {
  __proto__?: null;
  s: number;
  t: Site;
  v: PageValue;
  n: number;
  i: number;
  k: any;
  c: any;
  e: any;
  q?: boolean;
  l?: ChangeRecord;
  /** Of a variable: whether it was written between two hooks by something unseen. */
  b?: boolean;
  /** Of a condition: its operands. */
  p?: any;
}

/** A watched name, with what the agent knows of it. */
interface Slot extends AgentSlot {
  key: Key;
  /** The owners that are followed exactly. */
  tracked: Table;
  /** Whether a record may be written again: nothing hangs on it. */
  plain: boolean;
  /** Whether others are asked at it, and nothing is asked at it. */
  isLast: boolean;
  /** The only question at a change, if its answer can be linked: see `linked.js`. */
  link: Query | undefined;
  kids: Query[];
  query: number;
  /** Of conditions and events: the number of the first, how many there were, and at which the page pauses. */
  first: number;
  counted: number;
  stops: Set<number>;
}

/** One query. */
interface Query extends AgentQuery {
  key: Key;
  stamp?: StampClass;
}

/** The class that keeps the records of one watched property. */
interface StampClass {
  new (object: PageObject, record: ChangeRecord): unknown;
  record(object: PageObject): ChangeRecord | undefined;
  keep(object: PageObject, record: ChangeRecord): void;
  write(site: Site, object: PageObject, value: PageValue, context: Context, how: How): void;
}

/** A property as it is: see `inspect`. */
interface Inspected {
  holder: any;
  own: boolean;
  data: boolean;
  value?: PageValue;
  writable?: boolean;
  configurable?: boolean;
  native?: boolean;
  get?: AnyFunction;
  set?: AnyFunction;
}

/** A change that a built-in made. */
interface Change {
  __proto__?: null;
  index: number;
  object: PageObject;
  before: PageValue;
  after: PageValue;
  inherited?: { __proto__: null, property: Inspected | undefined };
}

/** What a query came to, before it is told. */
interface Result {
  status: import('./reports').ResultStatus;
  [part: string]: any;
}

/** What a value hangs on: see `following.js`. */
interface Into {
  names: any[];
  shown: any[];
  results: any[];
}

/** What a rewritten getter says that it reads. */
type ToldReads = (reads: any, copies: number, effects: number, text: any) => void;

/** What is told by the binding, as JSON. Recorded inputs have messages of their own: see `tape.js`. */
type Message = import('./reports').Greeting | Told<import('./reports').Report, 'document' | 'hits'>
  | { document: number, log: Log } | { handed: { kind: string, [part: string]: any } };
/** What is told of a type: what is empty or false may be missing, the parts `K` may not. */
type Told<T, K extends keyof T> = { __proto__?: null } & Partial<T> & Pick<T, K>;
/** The events of one trace query: columns, with a comma between what belongs to one event and to the next. */
interface Log {
  __proto__?: null;
  sequences: string;
  sites: string;
  objects: string;
  changes: string;
  marks: [number, string][];
  makers: string[];
  leftOut: number;
}

/** What the agent of a realm lends to that of one more question. */
interface Lent {
  initialGlobals: Record<PropertyKey, boolean>;
  undisguised(fn: any): any;
  markDisguised(fn: any, original: any): any;
  ProxyMark: any;
  relied: any[];
  isHanding(): boolean;
  stoodStill(milliseconds: number): void;
}

/** Makes what stands in the place of `original`; `by` is the number of its name. */
type Make = (original: any, by: number) => any;
/** The same, without a name. */
type MakeOne = (original: any) => any;
