// What is kept between the agents of one realm, and what takes the place of built-ins.

/** What is taken away before another question: a property, or a listener. */
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

/** Makes what takes the place of `original`; `by` is the number of its name. */
type Make = (original: AnyFunction, by: number) => AnyFunction;
/** The same, without a name; undefined: it stays. */
type MakeOne = (original: AnyFunction) => AnyFunction | undefined;
