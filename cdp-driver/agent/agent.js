// The agent: the half of Querypoint that lives inside the page (or worker, or Node realm).
//
// A classic script that runs before any of the page's. Rewritten scripts call the functions it declares; see
// the module `rewrite` of the crate `js-analysis` for who calls what. It keeps its own references to every
// built-in it uses, calls none of the page's getters or traps, and puts nothing on the global object.
//
// This file is the frame. The parts beside it are put into it, and prefix, configuration and slot numbers are written
// in, by `engine/agent.rs`; what stands between the marks SLOT (in `records.js`) is repeated for each watched
// property: a private field of its own for each name is what keeps a hook at some ten nanoseconds.

// Whether hooks run at all. Never assigned after this line: so the engine folds it into the code.
let __QP__A = __CONFIG__.armed;

// Set while a getter is asked what it reads.
let __QP__Get;

const {
  W: __QP__W, L: __QP__L, O: __QP__O, Y: __QP__Y, F: __QP__F, D: __QP__D, M: __QP__M, I: __QP__I,
  X: __QP__X, V: __QP__V, U: __QP__U, G: __QP__G, N: __QP__N, H: __QP__H, J: __QP__J, K: __QP__K,
  R: __QP__R, S: __QP__S, B: __QP__B, C: __QP__C, P: __QP__P, Q: __QP__Q, T: __QP__T, E: __QP__E,
  Tt: __QP__Tt, Tr: __QP__Tr, Ce: __QP__Ce, Cs: __QP__Cs, Cm: __QP__Cm, Cv: __QP__Cv, Cb: __QP__Cb, Ci: __QP__Ci, Cu: __QP__Cu,
  Z: __QP__Z,
} = (() => {
  'use strict';
  const config = __CONFIG__;
  const armed = config.armed;
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
  const ErrorOf = Error;
  const { now } = Date;
  const realm = globalThis;
  const initialGlobals = { __proto__: null };
  for (const key of ownKeys(realm)) initialGlobals[key] = true;

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
  // PART source_text
  // PART records
  // PART properties
  // PART variables
  // PART references
  // PART linked
  // PART entries
  // PART accessors
  // PART modules
  // PART conditions
  // PART tries
  // PART events
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
  // PART dom-state
  // PART dom-input
  // PART tape
  // PART realm

  return {
    W, L, O, Y, F, D, M, I, X, V, U, G, N, H, J, K, R, S, B, C, P, Q, E, T: { __proto__: null },
    Tt, Tr, Ce, Cs, Cm, Cv, Cb, Ci, Cu, Z,
  };
})();
