// Accessors: a rewritten getter says what it reads instead of being run (see the module `accessors` of the rewriter).
// The last change among that is the accessor's: see `resolution.js`.

import { apply, functionText, indexOf, slice } from './captured.js';
import { met } from './met.js';
import { ProxyMark } from './objects.js';

const GETTER_OPENING = 'if(__QP__Get)return __QP__Get(';

// Whether a function is a getter that says what it reads: its text opens so, behind the mark of inserted text.
/** @param {PageValue} getter */
export function saysWhatItReads(getter) {
  if (typeof getter !== 'function' || ProxyMark.is(getter)) return false;
  const text = apply(functionText, getter, []);
  let at = apply(indexOf, text, ['{']) + 1;
  while (at > 0 && (text[at] === '\v' || text[at] === '\f')) at++;
  return at > 0 && apply(slice, text, [at, at + GETTER_OPENING.length]) === GETTER_OPENING;
}

// What a getter or function of the page reads, as it says: `{ reads, copies, text }`. `reads` is a list; a text where
// it cannot say that, but what it returns. Whether it `copies`: then the value of the last entry is what it returns.
// Undefined: it does not say anything.
/** @param {PageValue} getter @param {PageValue} owner @param {ArrayLike<unknown>} values */
export function saidBy(getter, owner, values) {
  if (!saysWhatItReads(getter)) return undefined;
  /** @type {Said | undefined} */
  let said;
  __QP__Get = (reads, copies, effects, text) => {
    said = { reads, copies: copies === 1, text: typeof reads === 'string' ? reads : text };
    if (effects === 1) met.effects = true;
  };
  try {
    apply(/** @type {AnyFunction} */ (getter), owner, values);
  } finally {
    __QP__Get = undefined;
  }
  return said;
}

export const MOST_ACCESSORS_IN_A_ROW = 8;
