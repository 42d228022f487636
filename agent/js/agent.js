// The agent: the half of Querypoint that lives inside the page (or worker, or Node realm).
//
// A classic script that runs before any of the page's. Rewritten scripts call the functions it declares; see
// the module `rewrite` of the crate `js-analysis` for who calls what. It keeps its own references to every
// built-in it uses, calls none of the page's getters or traps, and puts nothing on the global object.
//
// This file declares the names; `body.js` is what stands behind them. The parts beside it are put into that, and
// prefix, configuration and slot numbers are written in, by `engine/agent.rs`; what stands between the marks SLOT (in
// `records.js`) is repeated for each watched property: a private field of its own for each name is what keeps a hook at
// some ten nanoseconds.

// Whether hooks run at all. Assigned once more at most (`again.js`): until then the engine folds it into the code.
let __QP__A = __CONFIG__.armed;

// Set while a getter is asked what it reads.
let __QP__Get;

__DECLARED__ {
  W: __QP__W, L: __QP__L, O: __QP__O, Y: __QP__Y, F: __QP__F, D: __QP__D, M: __QP__M, I: __QP__I, X: __QP__X,
  V: __QP__V, U: __QP__U, G: __QP__G, N: __QP__N, H: __QP__H, J: __QP__J, K: __QP__K, R: __QP__R, S: __QP__S,
  B: __QP__B, P: __QP__P, Q: __QP__Q, E: __QP__E, Tt: __QP__Tt, Tr: __QP__Tr,
  // These last as long as the realm.
  T: __QP__T, C: __QP__C, Ce: __QP__Ce, Cs: __QP__Cs, Cm: __QP__Cm, Cv: __QP__Cv, Cb: __QP__Cb, Ci: __QP__Ci,
  Cu: __QP__Cu, Z: __QP__Z,
} = (() => {
  // PART body
})();
