// Which controls a `FormData` has its texts from, that is made of a form: nothing that the page reads says so. The log
// has each as a field whose name no script can write by accident.

import { apply, Element, getOwnPropertyDescriptor, getPrototypeOf, HTMLCollection, HTMLFormElement, realm } from
  '../captured.js';
import { isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { settings } from './settings.js';
import { encoder } from './running.js';

const { HTMLInputElement } = realm;
const CONTROL = '[[Control:';
const MOST_CONTROLS = 1000;
const TYPED = 'input:enabled,textarea:enabled,select:enabled';
// Only an origin asks for it. Else it is not read: Node makes it, and globals beside it, when a script first asks.
const FormData = settings.tellsResults && !settings.tellsNew ? realm.FormData : undefined;
// What these controls have is no text.
/** @type {Table<true>} */
const OTHERS = {
  __proto__: /** @type {Bare} */ (null), submit: true, image: true, button: true, reset: true, file: true,
};
// A form has only those of these that are checked.
/** @type {Table<true>} */
const CHECKED = { __proto__: /** @type {Bare} */ (null), checkbox: true, radio: true };

/** @param {(Function & { prototype: object }) | undefined} of @param {string} name */
const getterOf = (of, name) =>
  (typeof of === 'function' ? getOwnPropertyDescriptor(of.prototype, name)?.get : undefined);
const elementsOf = getterOf(HTMLFormElement, 'elements');
const lengthOf = getterOf(HTMLCollection, 'length');
const typeOf = getterOf(HTMLInputElement, 'type');
const isChecked = getterOf(HTMLInputElement, 'checked');
const { getAttribute, matches } = /** @type {Partial<Element>} */ (
  typeof Element === 'function' ? Element.prototype : {});

/**
 * Tells it of an object that was made with these arguments.
 *
 * @param {number} site @param {object} object @param {ArrayLike<unknown>} values
 */
export function tellControls(site, object, values) {
  if (typeof FormData !== 'function' || values.length === 0) return;
  const form = values[0];
  if (!isObject(form) || ProxyMark.is(form) || ProxyMark.is(object)) return;
  if (getPrototypeOf(object) !== FormData.prototype) return;
  try {
    const controls = /** @type {object} */ (apply(elementsOf, form, []));
    const length = /** @type {number} */ (apply(lengthOf, controls, []));
    /** @type {Table<true>} */
    const seen = { __proto__: /** @type {Bare} */ (null) };
    for (let index = 0; index < length && index < MOST_CONTROLS; index++) {
      const control = /** @type {object} */ (getOwnPropertyDescriptor(controls, index)?.value);
      const name = apply(getAttribute, control, ['name']);
      if (typeof name !== 'string' || name === '' || seen[name] === true) continue;
      const type = typeOfControl(control);
      if (apply(matches, control, [TYPED]) !== true || OTHERS[type] === true) continue;
      if (CHECKED[type] === true && apply(isChecked, control, []) !== true) continue;
      // Of several with one name the first counts.
      seen[name] = true;
      encoder.writeKey(site, object, `${CONTROL}${name}]]`, control);
    }
  } catch { /* it is no form */ }
}

/** @param {object} control */
function typeOfControl(control) {
  try {
    return /** @type {string} */ (apply(typeOf, control, []));
  } catch {
    return '';
  }
}
