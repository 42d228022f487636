// Accessors: a rewritten getter says what it reads instead of being run (see the module `accessors` of the rewriter),
// and the last change among that is the accessor's.

import './entries.js';
import { apply, functionText, indexOf, isArray, slice, StringOf } from './captured.js';
import { append } from './basics.js';
import { met } from './met.js';
import { ProxyMark } from './objects.js';
import { isListed } from './references.js';
import { FAILED, followReads } from './following.js';

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

/** @param {Into} into */
export function doubt(into) {
  const last = into.results.length === 0 ? undefined : into.results[into.results.length - 1];
  met.doubtful = last === undefined || last.status === 'never'
    || (last.status === 'found' && /** @type {number} */ (last.changes) <= 1);
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

// `key` of `owner` is an accessor of the page.
/** @param {Key} key @param {PageObject} owner @param {Inspected} property @param {number} depth @returns {Result} */
export function resolveAccessor(key, owner, property, depth) {
  const name = StringOf(key);
  /** @type {Refused} */
  const refused = {
    status: 'accessor',
    message: `${name} is an accessor property whose getter could not be followed: ask for the value that it reads`,
  };
  if (depth > MOST_ACCESSORS_IN_A_ROW) return refused;
  /** @type {Into} */
  const into = { names: [], shown: [], results: [] };
  let followed = false;
  try {
    const said = saidBy(property.get, owner, []);
    if (said?.text !== undefined) {
      refused.message = `${name} is an accessor property whose getter returns ${said.text}, which could not be `
        + 'followed: ask for the value that this reads';
    }
    followed = isArray(said?.reads) && followReads(said.reads, into, depth, undefined) !== FAILED;
  } catch { /* a reference that has no value */ }
  if (!followed) return refused;
  doubt(into);
  return lastOfReads(into, refused, `${name} is an accessor; its getter reads`);
}

// The last change among what was read; `refused` where that cannot be said.
/** @param {Into} into @param {Refused} refused @param {string} opening @returns {Result} */
export function lastOfReads(into, refused, opening) {
  /** @type {Result | undefined} */
  let last;
  for (let index = 0; index < into.results.length; index++) {
    const result = into.results[index];
    if (result.status === 'accessor') {
      if (result.reads === undefined) return refused;
      for (let name = 0; name < result.reads.length; name++) append(into.names, result.reads[name]);
    } else if (result.status === 'unseen' || (result.status === 'found' && !result.same)) {
      return { status: 'unseen', value: result.value, raw: result.raw };
    } else if (result.status !== 'found' && result.status !== 'never') return refused;
    else if (result.status === 'found' && (last === undefined
      || /** @type {number} */ (result.sequence) > /** @type {number} */ (last.sequence))) last = result;
  }
  if (into.names.length > 0) return { ...refused, reads: into.names };
  let texts = into.shown.length === 0 ? 'nothing that can change' : '';
  for (let index = 0; index < into.shown.length; index++) {
    if (isListed(into.shown, into.shown[index], index)) continue;
    texts += `${index === 0 ? '' : ', '}${into.shown[index]}`;
  }
  const accessor = `${opening} ${texts}`;
  if (last !== undefined) return { ...last, accessor };
  const only = into.results.length === 1 ? into.results[0] : undefined;
  return { status: 'never', value: only?.value ?? { type: 'accessor', text: '(…)' }, raw: only?.raw, accessor };
}
