// The element that a reference begins in. The page may have replaced the methods: its own do not run.

import { apply, ErrorOf, getOwnPropertyDescriptor, realm, stringify, TypeError } from './captured.js';
import { append, isObject } from './basics.js';

/** @type {Table<Lookup>} */
export const lookups = /** @type {Bare} */ ({
  __proto__: null,
  selector: { __proto__: null, key: 'querySelector', holders: ['Element', 'DocumentFragment', 'Document'] },
  all: { __proto__: null, key: 'querySelectorAll', holders: ['Element', 'DocumentFragment', 'Document'] },
  id: { __proto__: null, key: 'getElementById', holders: ['DocumentFragment', 'Document'] },
});
for (const kind in lookups) {
  const { key, holders } = lookups[kind];
  /** @type {AnyFunction[]} */
  const methods = [];
  for (let index = 0; index < holders.length; index++) {
    const Holder = realm[holders[index]];
    if (typeof Holder === 'function') append(methods, Holder.prototype[key]);
  }
  lookups[kind].methods = methods;
}
const TypeErrorOf = TypeError;

/** @param {AgentLookup} options */
export function lookUp({ byId, text, index }) {
  if (!isObject(realm.document)) throw new ErrorOf('there is no document');
  if (index !== null) return lookUpIn(realm.document, 'all', [text, index]);
  return lookUpIn(realm.document, byId ? 'id' : 'selector', text);
}

// The same in another element, or in a shadow tree.
/**
 * @param {PageValue} base @param {string} kind
 * @param {PageValue} asked the selector or the id; of one of several a list of the selector and its index
 */
export function lookUpIn(base, kind, asked) {
  const { key, methods } = lookups[kind];
  const isOneOfAll = kind === 'all';
  const [text, index] = isOneOfAll ? /** @type {[string, number]} */ (asked) : [asked, 0];
  for (let number = 0; number < methods.length; number++) {
    let element;
    try {
      element = apply(methods[number], base, [text]);
    } catch (error) {
      // Of a node of another kind; a selector that is none is none for all.
      if (error instanceof TypeErrorOf) continue;
      throw error;
    }
    if (isOneOfAll) element = getOwnPropertyDescriptor(/** @type {object} */ (element), index)?.value ?? null;
    if (element === null) {
      if (isOneOfAll) throw new ErrorOf(`no element has the index ${index} of those that match ${stringify(text)}`);
      throw new ErrorOf(`no element ${kind === 'id' ? 'has the id' : 'matches'} ${stringify(text)}`);
    }
    return element;
  }
  throw new ErrorOf(`${key} is asked of what has no elements in it`);
}
