// What becomes of queries.

/** What became of a query, before it is told: see `QueryResult`. */
interface Result extends Omit<QueryResult, OwnParts> {
  __proto__?: null;
  site?: Site | undefined;
  by?: string | undefined;
  /** The value itself: what cannot change is put into words when it is told. */
  value?: ValueText | undefined;
  raw?: PageValue;
  exact?: (import('../reports').Exact & { last: number }) | undefined;
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
  askedThere?: Asked | undefined;
  captured?: Captured | undefined;
  /** Of live hooks: the write by a built-in that it is. */
  write?: LiveWrite;
  /** Whether code without hooks would have been seen as well. */
  sure?: boolean;
}
type OwnParts = 'site' | 'by' | 'value' | 'exact' | 'reads' | 'parts' | 'opens' | 'own' | 'trapped' | 'operands'
  | 'stack' | 'same' | 'askedThere' | 'captured' | 'absent';
/** What becomes of a result as it is told. */
interface TellableResult { absent?: { __proto__: null, name: Result['lacked'], among: string[] } }
/** What becomes of a query of an accessor where its getter cannot be followed. */
type Refused = Result & { status: 'accessor', message: string };
/** The result of one query, and those of others. */
interface Asked { query: number, result: Result, next: Asked | undefined }
/** What was captured inside the page at a change. */
type Captured = { [K in keyof import('../reports').Captured]: import('../reports').Captured[K] | undefined };
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
