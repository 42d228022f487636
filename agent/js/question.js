// The names that each question has of its own, in the order in which `interface.md` describes them.
//
// `realm.js` is the last of all modules. Each begins with the import of the one before it, so that they are evaluated
// one after the other, whatever else they import from each other.

import './realm.js';

export { W, L, O, Y, F, D, M, I, K } from './properties.js';
export { X, V, U, G, N, H, J } from './variables.js';
export { P, Q } from './references.js';
export { B } from './conditions.js';
export { Tt } from './tries.js';
export { Tr } from './events.js';
export { Be, Is, Sh, Sn, Un } from './last-writers.js';
export { R, S, E } from './reproduction.js';
