// Changes, and the event at which the page is paused.

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
