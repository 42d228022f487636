// The names that each question has of its own, in the order in which `interface.md` describes them.
//
// The modules without names are there for what they put in place, in this order: what the agent relies on is seen as it
// is before; what lasts as long as the realm comes first, so that what a question puts in front of it can be taken away
// again; and the last one tells the driver that the realm is there.

import './installed.js';
import '#persistent';
import './built-ins.js';
import './prototypes.js';
import './created-objects.js';
import './elements.js';
import './collections.js';
import './regular-expressions.js';
import './dom-tree.js';
import './dom-new.js';
import './dom-state.js';
import './dom-input.js';
import './asked-now.js';
import './received.js';
import './actions.js';
import './realm.js';

export { W, L, O, Y, F, D, M, I, K } from './properties.js';
export { X, V, U, G, N, H, J } from './variables.js';
export { P, Q } from './places.js';
export { B } from './conditions.js';
export { Tt } from './tries.js';
export { Tr } from './events.js';
export { Be } from './live-tasks.js';
export {
  Is, Sh, Sha, Shb, Shc, Shd, She, Shf, Shg, Shh, Shi, Shj, Shk, Shl, Shm, Shn, Sho, Shp, Sn, Wg, Wl,
} from './live-shadows.js';
export { Un } from './live-doubts.js';
export { R, S, E } from './reproduction.js';
