// The agent: the half of Querypoint that lives inside the page (or worker, or Node realm).
//
// Bundled, it is a classic script that runs before any of the page's. Rewritten scripts call the functions it
// declares: `interface.md` lists them, with what else is written into the bundle. It keeps its own references to every
// built-in it uses (`captured.js`), calls none of the page's getters or traps, and puts nothing on the global object.

export * from './question.js';
export { C, Cb, Ce, Ch, Ci, Cm, Cs, Cu, Cv, Cw, Z } from '#persistent';
// Where a rewritten script keeps what it needs for a moment.
/** @type {Table} */
export const T = { __proto__: null };
