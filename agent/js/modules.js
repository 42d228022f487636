// Modules: from an imported name to the record of the variable that another module exports (see the module `modules` of
// the rewriter).

import { apply, isArray, WeakMapOf, weakSet } from './captured.js';
import { NeededVariable, VariablePlace } from './places.js';

// By address: `{ resolve, exports }`.
/** @type {Table<Module>} */
const modules = /** @type {Bare} */ ({ __proto__: null });
// Namespace objects that were asked for, with the address of their module.
/** @type {WeakMap<PageObject, string>} */
export const namespaces = new WeakMapOf();

const MOST_EXPORTS_IN_A_ROW = 50;

// The place of what a module exports; undefined if it cannot be followed.
/**
 * @param {string} address @param {string} name @param {Thunk} get @param {number} depth
 * @returns {VariablePlace | NeededVariable | undefined}
 */
export function exported(address, name, get, depth) {
  const module = modules[address];
  if (module === undefined || depth > MOST_EXPORTS_IN_A_ROW) return undefined;
  const entry = name === '*' ? undefined : module.exports[name];
  if (entry === undefined) {
    const all = module.exports['*'];
    for (let index = 0; index < all.length && name !== 'default'; index++) {
      const found = exported(module.resolve(all[index]), name, get, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (typeof entry === 'string') return new NeededVariable(entry);
  if (isArray(entry)) return exported(module.resolve(entry[0]), entry[1], get, depth + 1);
  return new VariablePlace(entry().record, get, undefined);
}

// What a module has to find the variables that it imports.
class ModuleLinks {
  #resolve;
  /** @param {(address: string) => string} resolve */
  constructor(resolve) { this.#resolve = resolve; }
  /** @param {string} from @param {string} name @param {Thunk} get */
  i(from, name, get) { return exported(this.#resolve(from), name, get, 0); }
  /** @param {string} from @param {PageObject} namespace */
  n(from, namespace) {
    apply(weakSet, namespaces, [namespace, this.#resolve(from)]);
    return namespace;
  }
}

/** @param {string} address @param {(address: string) => string} resolve @param {ModuleExports} exports */
export function linkModule(address, resolve, exports) {
  modules[address] = { resolve, exports };
  return new ModuleLinks(resolve);
}
