// The agent of an execution whose events are logged: the agent, and the hooks that a script calls which was rewritten
// for the log (`js-analysis/src/log`). A bundle of its own: no other execution loads it.
//
// A hook throws nothing and runs nothing of the page. What it cannot write, because the stack or the memory ends, is
// said to be missing, and the log goes on.

import { C, Cb, Ce, Ch, Ci, Cm, Cs, Cu, Cv, Cw, T, Z } from './agent.js';
import { apply, getOwnPropertyDescriptor, getPrototypeOf, realm } from './captured.js';
import { isObject } from './basics.js';
import { beforeAnswers } from './before-answers.js';
import { whenLeaving } from './leaving.js';
import { listen } from './listeners.js';
import { messageOf } from './logging/inner-state.js';
import './logging/input.js';
import './logging/language.js';
import './logging/network.js';
import './logging/user.js';
import { depth, encoder, ended, leaveScript, safely, scripts } from './logging/running.js';

export * from './question.js';
export { C, Cb, Ce, Ch, Ci, Cm, Cs, Cu, Cv, Cw, T, Z };
export { LA, La, Lb, Lc, LD, Ld, LE, Le, LK, LM, Lo, LR, LS, Ls, LU, Lx, Ly, LZ } from './logging/running.js';
export { LC, LG, Lk, Ln, Lr, Lt } from './logging/calls.js';
export { Lth } from './logging/promises.js';
export { LB } from './logging/built-ins.js';
export { LH, LI, LO } from './logging/with.js';
export { LW, Lz } from './logging/document.js';
export { LN } from './logging/nodes.js';
export { LF, Lg, Li, LJ, Lj, Ll, Lm, LP, Lp, LQ, LV, Lv, Lw, LX, LY } from './logging/writes.js';
export { Lf, Lh, Lq, LT } from './logging/control-flow.js';

// Hands over what there is.
export function LL() {
  safely(() => encoder.flush());
}

// What the driver asks last: the log is handed over before the answer.
beforeAnswers(LL);

// An exception that nothing caught. Where it left the top of a script, the script has ended.
/** @param {object} event */
function uncaught(event) {
  safely(() => {
    const error = apply(errorGetter, event, []);
    const text = /** @type {string} */ (apply(messageGetter, event, []));
    encoder.uncaught(error, isObject(error) ? messageOf(error) : text);
    const last = scripts.length > 0 ? scripts[scripts.length - 1] : undefined;
    if (last === undefined || last.depth !== depth) return;
    leaveScript();
    encoder.unwind(last.fn);
    ended();
  });
}
const { ErrorEvent } = realm;
const errorPrototype = typeof ErrorEvent === 'function' ? ErrorEvent.prototype : undefined;
const errorGetter = errorPrototype && getOwnPropertyDescriptor(errorPrototype, 'error')?.get;
const messageGetter = errorPrototype && getOwnPropertyDescriptor(errorPrototype, 'message')?.get;
if (typeof errorGetter === 'function' && typeof messageGetter === 'function') {
  listen(realm, 'error', (event) => {
    if (isObject(event) && getPrototypeOf(event) === errorPrototype) uncaught(event);
  }, true);
}
whenLeaving(LL);
