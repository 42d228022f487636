// What a value is read from: see `following.js`.

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
