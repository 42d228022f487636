// Modules: from an imported name to the record of the variable that another module exports (see the module `modules` of
// the rewriter).

import './page-reads.js';
import { apply, isArray, weakGet, WeakMapOf, weakSet } from './captured.js';
import { resolveVariable, VariablePlace } from './references.js';

// By address: `{ resolve, exports }`.
/** @type {Table} */
const modules = { __proto__: null };
// Namespace objects that were asked for, with the address of their module.
const namespaces = new WeakMapOf();

// An exported variable that must be watched first.
export class NeededVariable {
  /** @param {string} name */
  constructor(name) { this.name = name; }
}

const MOST_EXPORTS_IN_A_ROW = 50;

// The place of what a module exports; undefined if it cannot be followed.
/** @param {string} address @param {string} name @param {any} get @param {number} depth @returns {any} */
function exported(address, name, get, depth) {
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
  /** @param {any} resolve */
  constructor(resolve) { this.#resolve = resolve; }
  /** @param {any} from @param {string} name @param {any} get */
  i(from, name, get) { return exported(this.#resolve(from), name, get, 0); }
  /** @param {any} from @param {any} namespace */
  n(from, namespace) {
    apply(weakSet, namespaces, [namespace, this.#resolve(from)]);
    return namespace;
  }
}

/** @param {string} address @param {any} resolve @param {any} exports */
export function linkModule(address, resolve, exports) {
  modules[address] = { resolve, exports };
  return new ModuleLinks(resolve);
}

/** @param {any} place */
export function resolveImported(place) {
  if (place instanceof VariablePlace) return resolveVariable(place);
  if (place instanceof NeededVariable) {
    return { status: 'unwatched', reads: [{ kind: 'variable', key: place.name }] };
  }
  return { status: 'unwatched' };
}

// A property of a module's namespace; undefined for any other object.
/** @param {PageObject} owner @param {Key} key */
export function resolveInNamespace(owner, key) {
  const address = apply(weakGet, namespaces, [owner]);
  return address === undefined ? undefined
    : resolveImported(exported(address, key, () => owner[key], 0));
}
