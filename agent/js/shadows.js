// Scripts in a shadow tree run when its host is inserted, and no search from outside finds them.

import './copies.js';
import { apply, Element, weakGet, WeakMapOf, weakSet } from './captured.js';
import {
  ELEMENT, exchange, exchangeIn, FRAGMENT, inElement, inFragment, isScript, listItem, listLength, protoOf, typeOf,
} from './insertion.js';

/** @type {WeakMap<PageObject, PageObject>} */
const shadowTrees = new WeakMapOf();
let anyShadow = false;
// Whether a script was put where it does not run yet, so that hosts must be looked for.
let anyScriptWaits = false;

exchange(protoOf(Element), 'attachShadow', (original) => ({
  /** @param {...unknown} values */
  attachShadow(...values) {
    const root = /** @type {ShadowRoot} */ (apply(original, this, values));
    apply(weakSet, shadowTrees, [this, root]);
    anyShadow = true;
    return root;
  },
}).attachShadow);

// What is inserted where nothing runs.
/** @param {ArrayLike<unknown>} values */
export function noteScripts(values) {
  for (let index = 0; anyShadow && !anyScriptWaits && index < values.length; index++) {
    const type = typeOf(values[index]);
    if (type !== ELEMENT && type !== FRAGMENT) continue;
    const scripts = apply(type === ELEMENT ? inElement : inFragment, values[index], ['script']);
    anyScriptWaits = isScript(values[index]) || apply(listLength, scripts, []) > 0;
  }
}

/** @param {PageObject} host @param {ReplacedScript[]} list */
export function exchangeInShadow(host, list) {
  const root = anyScriptWaits ? apply(weakGet, shadowTrees, [host]) : undefined;
  if (root !== undefined) exchangeIn(root, list);
}

// The same for all hosts in what is inserted.
/** @param {PageObject} root @param {ReplacedScript[]} list */
export function exchangeInShadows(root, list) {
  if (!anyScriptWaits) return;
  const type = typeOf(root);
  if (type === ELEMENT) exchangeInShadow(root, list);
  const elements = apply(type === ELEMENT ? inElement : inFragment, root, ['*']);
  const length = apply(listLength, elements, []);
  for (let index = 0; index < length; index++) exchangeInShadow(apply(listItem, elements, [index]), list);
}
