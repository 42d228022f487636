// What stands behind the names: the agent's own references to built-ins, its counters, and all parts.

'use strict';
const config = __CONFIG__;
const armed = config.armed;
// What the agent before this one lends, in a realm in which another question is asked (`again.js`).
const earlier = config.again ? __QP__E.lent : undefined;
const {
  apply, construct, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty, isExtensible, setPrototypeOf,
} = Reflect;
const ObjectOf = Object;
const is = Object.is;
const freeze = Object.freeze;
const hasOwn = Object.hasOwn;
const isArray = Array.isArray;
const StringOf = String;
const NumberOf = Number;
const functionText = Function.prototype.toString;
const bindTo = Function.prototype.bind;
const startsWith = String.prototype.startsWith;
const includes = String.prototype.includes;
const indexOf = String.prototype.indexOf;
const symbolText = Symbol.prototype.toString;
const SymbolOf = Symbol;
const { unscopables, toStringTag, toPrimitive } = SymbolOf;
const slice = String.prototype.slice;
const stringify = JSON.stringify;
const WeakMapOf = WeakMap;
const weakGet = WeakMapOf.prototype.get;
const weakSet = WeakMapOf.prototype.set;
const SetOf = Set;
const setHas = SetOf.prototype.has;
const setAdd = SetOf.prototype.add;
const setDelete = SetOf.prototype.delete;
const ErrorOf = Error;
const { now } = Date;
const realm = globalThis;
const initialGlobals = earlier?.initialGlobals ?? { __proto__: null };
if (earlier === undefined) for (const key of ownKeys(realm)) initialGlobals[key] = true;

// Appends without the page's `push` and past any setter on `Array.prototype`.
const append = (list, value) => defineProperty(list, list.length, {
  __proto__: null, value, writable: true, enumerable: true, configurable: true,
});

// A value no page can hold: what a deleted property has become.
const ABSENT = freeze({ __proto__: null });
// The new value is not known before the write (`object++`).
const UNKNOWN = freeze({ __proto__: null });

// Counts hook calls. Two executions that do the same count the same: the number names an event.
let sequence = 0;
// Tells the reports of this document from those of others.
const token = Math.random();
let owners = 0;
let hits = 0;

// PART stops
// PART objects
// PART installed
// PART source_text
// PART records
// PART properties
// PART variables
// PART references
// PART linked
// PART entries
// PART accessors
// PART following
// PART traps
// PART page-reads
// PART modules
// PART conditions
// PART tries
// PART events
// PART log
// PART beginnings
// PART reproduction
// PART capture
// PART built-ins
// PART prototypes
// PART made
// PART elements
// PART collections
// PART regular-expressions
// PART listeners
// PART code
// PART memory
// PART document_text
// PART insertion
// PART dom
// PART dom-unchanged
// PART dom-tree
// PART dom-new
// PART dom-state
// PART dom-input
// PART received
// PART timers
// PART tape
// PART actions
// PART realm

return {
  W, L, O, Y, F, D, M, I, X, V, U, G, N, H, J, K, R, S, B, C, P, Q, E, T: { __proto__: null },
  Tt, Tr, Ce, Cs, Cm, Cv, Cb, Ci, Cu, Z,
};
