// The element that a reference begins in. The page may have replaced the methods: its own do not run.

import { apply, ErrorOf, realm, stringify, TypeError } from './captured.js';
import { append, isObject } from './basics.js';

/** @type {Table<Lookup>} */
export const lookups = /** @type {Bare} */ ({
  __proto__: null,
  selector: { __proto__: null, key: 'querySelector', holders: ['Element', 'DocumentFragment', 'Document'] },
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
export function lookUp({ byId, text }) {
  if (!isObject(realm.document)) throw new ErrorOf('there is no document');
  return lookUpIn(realm.document, byId ? 'id' : 'selector', text);
}

// The same in another element, or in a shadow tree.
/** @param {PageValue} base @param {string} kind @param {PageValue} text */
export function lookUpIn(base, kind, text) {
  const { key, methods } = lookups[kind];
  for (let index = 0; index < methods.length; index++) {
    let element;
    try {
      element = apply(methods[index], base, [text]);
    } catch (error) {
      // Of a node of another kind; a selector that is none is none for all.
      if (error instanceof TypeErrorOf) continue;
      throw error;
    }
    if (element === null) {
      throw new ErrorOf(`no element ${kind === 'id' ? 'has the id' : 'matches'} ${stringify(text)}`);
    }
    return element;
  }
  throw new ErrorOf(`${key} is asked of what has no elements in it`);
}
