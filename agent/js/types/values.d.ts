// What comes from the page, which is `unknown` until a module has looked at it, and how the language's own objects are
// asked for it.

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
type VariablePlace = import('../places').VariablePlace;
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
/** The traps of a proxy that replaces a built-in. */
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
