// The types that the modules share. Those of the configuration and of the reports are generated from Rust:
// `generated.d.ts`, `reports.d.ts`. What comes from the page is `unknown`, until a module has looked at it.

type AgentConfig = import('./generated').AgentConfig;
type AgentSlot = import('./generated').AgentSlot;
type AgentQuery = import('./generated').AgentQuery;
type AgentKeyed = import('./generated').AgentKeyed;
type AgentLookup = import('./generated').AgentLookup;
type AgentStep = import('./generated').AgentStep;
type ValueText = import('./reports').Text;
type CapturedFrame = import('./reports').CapturedFrame;
type CapturedScope = import('./reports').CapturedScope;
type NeededName = import('./reports').NeededName;
type QueryResult = import('./reports').QueryResult;

// ---- values ----

/** A value of the page: anything, and nothing of it may run. */
type PageValue = unknown;
/** An object of the page, known to be one: what it has is looked up by descriptors. */
type PageObject = object;
/** A function of the page or a built-in: it is called by `apply` alone. */
type AnyFunction = Function;
/** A key of a property; a private field has its name behind `\0#`, a symbol that was not met yet behind `\0@`. */
type Key = PropertyKey;
/** Where in a rewritten script a hook is; negative: the number of a built-in that wrote. */
type Site = number;
/** An object without a prototype, as a table. */
type Table<T = unknown> = Record<PropertyKey, T>;
/** Such a literal: TypeScript takes its `__proto__: null` for a property, which no table has. */
type Bare = never;
/** A variable as a reference finds it. */
type VariablePlace = import('./places').VariablePlace;
/** A function of a rewritten script that gives a value as it is then. */
type Thunk = () => PageValue;

/** The global object. Only a document has what is of the DOM; any may lack what is new: then it is undefined. */
type Realm = Omit<typeof globalThis, 'Proxy' | 'Promise' | 'Blob' | 'MutationRecord'> & Table & {
  Blob: { new (parts: Iterable<unknown>, options: { __proto__: null, type: string }): Blob, prototype: Blob };
  FileReaderSync: { new (): ReaderSync, prototype: ReaderSync };
  MutationRecord: { new (): MutationRecord, prototype: MutationRecord };
  Promise: { new (begin: (done: () => void) => void): Promise<void>, prototype: Promise<unknown> };
  Proxy: { new <T extends PageObject>(target: T, handler: Traps): T, revocable: Function };
};
/** `FileReaderSync`, which only workers have. */
interface ReaderSync { readAsText(blob: Blob, encoding?: string): string }
/** The traps of a proxy that stands for a built-in. */
interface Traps {
  __proto__?: null;
  apply?(target: Function, self: PageValue, values: unknown[]): PageValue;
  construct?(target: Function, values: unknown[], newTarget: Function): PageObject;
  get?(target: Function, key: Key): PageValue;
  has?(target: Function, key: Key): boolean;
  set?(target: PageObject, key: Key, value: PageValue): boolean;
}

/** A property's descriptor: whose getter and setter it has is not known. */
interface Descriptor {
  __proto__?: null;
  value?: PageValue;
  writable?: boolean;
  get?: AnyFunction;
  set?: AnyFunction;
  enumerable?: boolean;
  configurable?: boolean;
}
/** An accessor of the platform. Its setter takes what it likes. */
interface Accessor<T> {
  __proto__?: null;
  get?: (() => T) | undefined;
  set?: ((value: never) => void) | undefined;
}

/** `Reflect`, as the agent uses it: it asks anything for anything, and checks what comes back. */
interface Reflection {
  apply<S, R>(target: ((this: S, ...values: never[]) => R) | undefined | null, self: S, values: ArrayLike<unknown>): R;
  apply(target: Function | undefined | null, self: unknown, values: ArrayLike<unknown>): unknown;
  construct(target: Function, values: ArrayLike<unknown>, newTarget?: Function): PageObject;
  getOwnPropertyDescriptor(target: PageObject, key: Key): Descriptor | undefined;
  getPrototypeOf(target: PageObject): PageObject | null;
  ownKeys(target: PageObject): (string | symbol)[];
  defineProperty(target: PageObject, key: Key, attributes: Descriptor): boolean;
  isExtensible(target: PageObject): boolean;
  setPrototypeOf(target: PageObject, prototype: PageObject | null): boolean;
}

/** Methods of maps and sets, typed by what they are called on. */
type GetIn = <K, V>(this: { get(key: K): V | undefined }, key: K) => V | undefined;
type SetIn = <K, V>(this: { set(key: K, value: V): unknown }, key: K, value: V) => void;
type HasIn = <K>(this: { has(key: K): boolean }, key: K) => boolean;
type AddTo = <K>(this: { add(key: K): unknown }, key: K) => void;
/** The same of one that may be of any kind: it throws where it is of another. */
type AnyHas = (key: PageValue) => boolean;

// ---- hooks ----

/**
 * What a hook hands over about its place, if anything: `late`, whether the debugger resolves what is asked, in the
 * caller; `n`, the slot of a variable; `d`, the roots and keys of queries, each a function; `s`, the scopes for a
 * capture, the kind and the variables of each; `w`, the watched expressions.
 */
interface Given {
  __proto__?: null;
  late?: boolean;
  n?: number;
  d?: Record<number, Thunk>;
  s?: [kind: string, variables: Record<string, Thunk>][];
  w?: Thunk[];
}
/** Gives what is handed over; 0: nothing is. */
type Context = (() => Given) | 0 | undefined;
/** What was handed over, if anything was. */
type Handed = Given | undefined;
/** How a property is written. */
type How = 'assign' | 'define' | 'delete' | 'literal';
/** Runs a write of a rewritten pattern. */
type MemberSetter = (object: PageValue, key: PageValue, value: PageValue) => void;

/** A class whose prototype is an array's or a typed array's. */
type ArrayConstructorOf = new (length: number) => PageValue[];

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
interface Slot extends Omit<AgentSlot, 'key' | 'kids' | 'query'>, CountedEvents {
  key: string | symbol;
  /** The owners that are followed exactly. */
  tracked: Table<boolean>;
  /** Whether a record may be written again: nothing hangs on it. */
  plain: boolean;
  /** Whether others are asked at it, and nothing is asked at it. */
  isLast: boolean;
  /** The only question at a change, if its answer can be linked: see `linked.js`. */
  link: Query | undefined;
  kids: Query[];
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

/**
 * A write by a built-in, as live hooks keep it: the moment, the site and the task as a shadow has them (-1: nobody
 * knows who wrote), the built-in, the frame that called it, the event of the user that did it instead; `open`: what
 * the document's parser had open then, while it ran.
 */
interface LiveWrite {
  __proto__: null;
  s: number;
  number: number;
  by: number;
  frame: CapturedFrame | undefined;
  user: Cause | undefined;
  open: PageObject[] | undefined;
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
/** A change of an entry or a member that a built-in made. */
interface EntryChange {
  __proto__?: null;
  object: PageObject;
  key: PageValue;
  before: PageValue;
  after: PageValue;
}
/** The records of one map or set, by key. */
interface EntryRecords {
  __proto__?: null;
  i: number;
  records: Map<PageValue, ChangeRecord> | WeakMap<WeakKey, ChangeRecord>;
  get: GetIn;
  set: SetIn;
}
/** A kind of collections, and how an entry of one is as it is. */
interface CollectionKind {
  __proto__: null;
  kind: 'map' | 'set';
  weakly: boolean;
  now: (of: PageObject, key: PageValue) => PageValue;
}

/** The event at which the page is paused: `told` in `reproduction.js` says what of it is data. */
interface PausedEvent {
  __proto__?: null;
  kind: 'write' | 'assign' | 'event' | 'condition' | 'point' | 'throw' | 'console';
  sequence?: number;
  site?: Site;
  by?: string | undefined;
  owner?: PageValue;
  number?: number;
  created?: boolean;
  deleted?: boolean;
  old?: PageValue;
  value?: PageValue;
  unknown?: boolean;
  oldUnknown?: boolean;
  index?: number;
  host?: boolean | undefined;
  written?: boolean;
  hit?: number;
  cause?: Cause | undefined;
  operands?: PageValue[];
  counted?: number[] | undefined;
}
/** The event that was being dispatched. */
interface Cause { type: string, target?: string | undefined }

// ---- answers ----

/** What a query came to, before it is told: see `QueryResult`. */
interface Result extends Omit<QueryResult, OwnParts> {
  __proto__?: null;
  site?: Site | undefined;
  by?: string | undefined;
  /** The value itself: what cannot change is put into words when it is told. */
  value?: ValueText | undefined;
  raw?: PageValue;
  exact?: (import('./reports').Exact & { last: number }) | undefined;
  reads?: NeededName[];
  parts?: string[];
  opens?: boolean;
  own?: boolean;
  trapped?: boolean;
  operands?: (ValueText | null)[] | undefined;
  stack?: HeldStack | undefined;
  same?: boolean | undefined;
  /** The object that has no property `lacked`. */
  lacks?: PageObject | undefined;
  lacked?: string | number | undefined;
  kids?: Asked | undefined;
  captured?: Captured | undefined;
  /** Of live hooks: the write by a built-in that it is. */
  write?: LiveWrite;
  /** Whether code without hooks would have been seen as well. */
  sure?: boolean;
}
type OwnParts = 'site' | 'by' | 'value' | 'exact' | 'reads' | 'parts' | 'opens' | 'own' | 'trapped' | 'operands'
  | 'stack' | 'same' | 'kids' | 'captured' | 'absent';
/** What becomes of a result as it is told. */
interface TellableResult { absent?: { __proto__: null, name: Result['lacked'], among: string[] } }
/** What a query of an accessor comes to where its getter cannot be followed. */
type Refused = Result & { status: 'accessor', message: string };
/** The result of one query, and those of others. */
interface Asked { query: number, result: Result, next: Asked | undefined }
/** What was captured inside the page at a change. */
type Captured = { [K in keyof import('./reports').Captured]: import('./reports').Captured[K] | undefined };
/** The state at a change or at the reproduction point. */
interface CapturedState {
  stack: CapturedFrame[];
  scopes: CapturedScope[];
  watches: ValueText[];
  cause: Cause | undefined;
  short: boolean;
}
/** An error of the agent's own, which holds the stack where it was made. */
type HeldStack = Error | undefined;
/** One frame of V8's structured stack. */
interface CallSite {
  isNative(): boolean;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  getFunctionName(): string | null;
  getScriptNameOrSourceURL(): string | null;
}
/** The counts of a hit of the reproduction point, with the results that are not told yet. */
interface LastHit {
  __proto__: null;
  hit: number;
  sequence: number;
  time: number;
  results: Asked | undefined;
  captured?: Captured;
}

/** Collects what a value depends on: see `following.js`. */
interface Into {
  names: NeededName[];
  shown: string[];
  results: Result[];
  ofTest(): Into;
  addVariable(place: VariablePlace): void;
  addProperty(owner: PageObject, key: Key, depth: number, hidden?: boolean): void;
  addEntry(keyed: Keyed, map: PageObject, key: PageValue): void;
}
/** What a rewritten getter says that it reads: lists, of which `following.js` looks at each part. */
type ToldReads = (reads: PageValue, copies: number, effects: number, text: PageValue) => void;
/** What was said, see `saidBy`. */
interface Said { reads: PageValue, copies: boolean, text: PageValue }
/** What a function says that it reads: entries, each of `[shown, root, …]`. */
type Reads = ReadEntry[];
type ReadEntry = unknown[];
/** A test of what is read: its sign and what it tests. */
type ReadTest = unknown[];
/** An argument of a function that says what it reads: the value, and what it was read from, in which frame. */
interface Argument { value: PageValue, reads: Reads | undefined, frame: ArgumentFrame }
type ArgumentFrame = Argument[] | undefined;
/** A proxy's `get` trap, and what it is called with. */
interface Trap { __proto__: null, get: PageValue, self: PageObject, target: PageObject, receiver: PageObject }
/** What a read by the page is compared with. */
interface Comparison { ofGetter: boolean, doubtful: boolean | undefined, expected: PageValue, fails: boolean }

/** How an element is looked up in a document or in another: the method, and those who have it. */
interface Lookup { __proto__: null, key: string, holders: string[], methods: AnyFunction[] }
/** What a rewritten module says of itself: how it resolves addresses, and what it exports, by name. */
interface Module { resolve: (address: string) => string, exports: ModuleExports }
/**
 * A name's variable, by its record, or the name of one that is not watched, or the module and the name that it comes
 * from; under `*` the addresses of modules whose names are all exported.
 */
type ModuleExports = Table<(() => { record: ChangeRecord | undefined }) | string | [from: string, name: string]>
  & { '*': string[] };
/** A query that counts exceptions: its slot, and the class that it asks for. */
interface AskedThrow { query: number, slot: number, named: string | null }

// ---- the DOM ----

/** The objects of the platform whose getters are taken by name. */
interface Platform {
  Node: Node;
  Element: Element;
  Attr: Attr;
  CharacterData: CharacterData;
  Event: Event;
  InputEvent: InputEvent;
  Range: Range;
}
/** Who changes the DOM: the built-in or the hook's place; of the user's input, the event. */
interface Origin { site: Site, context: Context, cause?: Cause | undefined }
/** One call: what it may change, noted before it. Each list is linked by `next`: see `scene`. */
interface Scene {
  since: number;
  trees: NotedTree | undefined;
  compared: NotedValue | undefined;
  marked: NotedAttributes | undefined;
  attributed: NotedAttributeNodes | undefined;
  made: NotedNew | undefined;
  /** Of an undo: the texts below what is edited. */
  texts?: NotedText[] | undefined;
  /** Of a click that may be prevented: what it has turned over. */
  turned?: { target: PageObject, before: PageValue };
  /** Of live hooks: where a tree may change, whose state may, and the items of storages; whether it was understood. */
  loci?: NotedLocus | undefined;
  states?: NotedStates | undefined;
  items?: NotedItem | undefined;
  failed?: boolean;
}
/** How it is known whether a text and a markup change: `exact` before the call, `made` by the nodes that it makes. */
type TreeChange = 'exact' | 'made' | 'compared';
/** A text and a markup as they are. */
interface Look { text: string, html: string | undefined }
interface NotedLocus {
  node: PageObject;
  text: boolean;
  html: boolean;
  how: TreeChange;
  before: Look | undefined;
  after?: Look | undefined;
  next: NotedLocus | undefined;
}
interface NotedStates { object: PageObject, before: Table, next: NotedStates | undefined }
interface NotedItem { storage: PageObject, key: string, before: PageValue, next: NotedItem | undefined }
/**
 * The last write at a node: `isWhole`, that all of what is in it was compared; `size`, of its text, -1: not known;
 * `within`, the node around it that the same call left as it was: for that one `before` holds.
 */
interface TreeWrite {
  __proto__: null;
  write: LiveWrite;
  isWhole: boolean;
  size: number;
  within: PageObject | undefined;
  before: TreeWrite | undefined;
}
/** What live hooks know of a node: see `live-dom.js` and `live-states.js`. */
interface NodeWrites {
  __proto__: null;
  text: TreeWrite | undefined;
  html: TreeWrite | undefined;
  attribute: LiveWrite | undefined;
  born: LiveWrite | undefined;
  states: Table<{ __proto__: null, write: LiveWrite, value: PageValue, base: string | undefined }>;
  isDoubted: boolean;
}
interface NotedTree { node: PageObject, text: boolean, html: boolean, next: NotedTree | undefined }
interface NotedValue {
  index: number;
  object: PageObject;
  before: PageValue;
  tree: boolean;
  counted?: boolean;
  next: NotedValue | undefined;
}
interface NotedAttributes { node: PageObject, before: string, next: NotedAttributes | undefined }
interface NotedAttributeNodes { index: number, element: PageObject, next: NotedAttributeNodes | undefined }
interface NotedNew {
  parent: PageObject;
  after: PageObject | null;
  before: PageObject | null;
  next: NotedNew | undefined;
}
interface NotedText { node: PageObject, parent: PageObject, data: string }
/**
 * Notes what a call on `self` may change. What it is called on and with is the page's: where it is of another kind, the
 * platform's getters throw, and the original says so (`noteSafely`).
 */
type Note = (noted: Scene, self: PageObject, values: ArrayLike<unknown>) => void;
/** Notes by name of the method or setter, by interface. */
type Notes = Table<Table<Note>>;

/** A result of XPath that asked for attributes: none is missing below its length. */
interface Attributes { snapshotItem: (index: number) => Attr }

// ---- dynamic code ----

/** What the driver is asked about a text that becomes code; the driver writes `code`. */
type CodeRequest = import('./reports').DynamicCode & { __proto__?: null, code: Code };
/** What the driver gives: of most texts a text. */
type Code = string | FunctionCode | MemoryCode | null | undefined;
interface FunctionCode { parameters: string, body: string }
interface MemoryCode { address?: string, text: string, type: string, imports?: string[] }
/** A script whose text, or address, was replaced while the browser takes it. */
interface ReplacedScript {
  script: PageObject;
  nodes: PageObject[] | undefined;
  texts: string[];
  source?: string;
}

// ---- recorded inputs ----

/** What the driver tells about a realm's recorded inputs: see `recorded-inputs.js`. */
interface RealmInputs {
  random?: 'record' | 'replay';
  seeds?: Table<string>;
  shift?: number;
  late?: number;
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
  behind: number;
  nativeDue: number;
  isText: boolean;
  isMoved: boolean;
  isHeld: boolean;
  ran: (() => void) | undefined;
}

// ---- what is told ----

type AgentMessage = import('./reports').AgentMessage;
type AgentEvent = import('./reports').AgentEvent;
/**
 * What the driver is told, as JSON, and what it is given for its expressions. Of a report what is empty or false may be
 * missing.
 */
type Message = Exclude<AgentMessage, { report: unknown }>
  | { report: Told<import('./reports').Report, 'document' | 'hits'> };
/** What is told of a type: the parts `K`, and of the others those that are not empty. */
type Told<T, K extends keyof T> = { __proto__?: null } & Partial<T> & Pick<T, K>;

// ---- between the agents of one realm ----

/** What is taken away before another question: a property, or a listener. */
interface Installed { __proto__: null, host: PageObject, key: Key, ours: Descriptor, before: Descriptor | undefined }
interface Listening {
  __proto__: null;
  target: EventTarget;
  type: string;
  listener: (event: Event) => void;
  capture: boolean;
}
/** What the agent relies on, as it was before the page's first script. */
interface Relied { __proto__: null, host: PageObject, key: Key, name: string, property: Descriptor }
/** The class that marks proxies, kept on each of them. */
interface ProxyMarkClass {
  new (proxy: PageObject, target: PageObject, handler: PageObject): unknown;
  is(value: PageObject): boolean;
  target(value: PageObject): PageObject;
  handler(value: PageObject): PageObject;
}
/** What the agent of a realm lends to that of one more question. */
interface Shared {
  initialGlobals: Table<boolean>;
  undisguised(fn: PageValue): PageValue;
  markDisguised(fn: PageObject, original: PageObject): void;
  ProxyMark: ProxyMarkClass;
  relied: Relied[];
  isHanding(): boolean;
  wasPaused(milliseconds: number): void;
}

/** Makes what stands in the place of `original`; `by` is the number of its name. */
type Make = (original: AnyFunction, by: number) => AnyFunction;
/** The same, without a name; undefined: it stays. */
type MakeOne = (original: AnyFunction) => AnyFunction | undefined;
