// Variables as a reference finds them.

import { shadowing } from './config.js';
import { globals, lexicals } from './records.js';

export class VariablePlace {
  // Fields of its own: an assignment alone would run a setter that the page has put on `Object.prototype`.
  record; get; name;
  /** @param {ChangeRecord | undefined} record @param {Thunk} get @param {string | undefined} name */
  constructor(record, get, name) { this.record = record; this.get = get; this.name = name; }
}
/** @param {ChangeRecord} record @param {Thunk} get */
export const P = (record, get) => new VariablePlace(record, get, undefined);
/** @param {string} name @param {Thunk} get */
export const Q = (name, get) => new VariablePlace(
  shadowing ? undefined : name in lexicals ? lexicals[name] : globals[name], get, name,
);

// An exported variable that must be watched first.
export class NeededVariable {
  /** @param {string} name */
  constructor(name) { this.name = name; }
}
