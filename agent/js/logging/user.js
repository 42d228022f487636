// What the user does, told before the page's own listeners, whether it has any or not.

import { apply, Event, getOwnPropertyDescriptor, realm } from '../captured.js';
import { isObject } from '../basics.js';
import { getterOf } from '../dom-platform.js';
import { listen } from '../listeners.js';
import { getAttribute, localName, nodeType, ELEMENT } from '../nodes.js';
import { settings } from './settings.js';
import { GONE, UNTOLD } from './values.js';
import { depth, encoder, safely } from './running.js';

// Events that no script makes, as long as they are trusted. (`click()` makes a trusted `input` of a check box.)
const KINDS = ['click', 'dblclick', 'auxclick', 'contextmenu', 'keydown', 'input', 'change', 'cut', 'paste', 'drop'];

const trusted = typeof Event === 'function' ? getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get : undefined;
const targetOf = getterOf('Event', 'target');
const keyOf = getterOf('KeyboardEvent', 'key');
const typeOfInput = getterOf('HTMLInputElement', 'type');
const valueOfInput = getterOf('HTMLInputElement', 'value');
const valueOfArea = getterOf('HTMLTextAreaElement', 'value');
const valueOfSelect = getterOf('HTMLSelectElement', 'value');

// Which control it is; empty: it is none.
/** @param {PageObject} target @param {string} name @returns {string} */
function typeOf(target, name) {
  if (name === 'input') return /** @type {string} */ (apply(typeOfInput, target, []));
  return name === 'textarea' || name === 'select' ? name : '';
}

// An element in a few words: as a selector that often finds it.
/** @param {PageObject} target @param {string} name */
function selectorOf(target, name) {
  const id = apply(getAttribute, target, ['id']);
  if (typeof id === 'string' && id !== '') return `#${id}`;
  const own = apply(getAttribute, target, ['name']);
  if (typeof own === 'string' && own !== '') return `${name}[name="${own}"]`;
  const classes = apply(getAttribute, target, ['class']);
  return typeof classes === 'string' && classes !== '' ? `${name}[class="${classes}"]` : name;
}

// What was put in; a password is not written down a second time.
/** @param {string} kind @param {Event} event @param {PageObject} target @param {string} type */
function valueOf(kind, event, target, type) {
  if (type === 'password') return UNTOLD;
  if (kind === 'keydown') return apply(keyOf, event, []);
  if ((kind !== 'input' && kind !== 'change') || type === '') return GONE;
  if (type === 'textarea') return apply(valueOfArea, target, []);
  if (type === 'select') return apply(valueOfSelect, target, []);
  return type === 'file' ? GONE : apply(valueOfInput, target, []);
}

/** @param {string} kind @param {Event} event */
function tell(kind, event) {
  const target = apply(targetOf, event, []);
  if (!isObject(target) || apply(nodeType, target, []) !== ELEMENT) {
    encoder.action(kind, '', kind === 'keydown' ? apply(keyOf, event, []) : GONE);
    return;
  }
  const name = apply(localName, target, []);
  const type = typeOf(target, name);
  // Of boxes the click is told. A choice is a change, a text is an input.
  if (kind === 'input' && (type === 'checkbox' || type === 'radio' || type === 'select')) return;
  if (kind === 'change' && type !== 'select' && type !== 'file') return;
  encoder.action(kind, selectorOf(target, name), valueOf(kind, event, target, type));
}

if (settings.tellsPage && typeof realm.window === 'object' && trusted !== undefined) {
  for (let index = 0; index < KINDS.length; index++) {
    listen(realm, KINDS[index], (event) => {
      if (depth === 0 && apply(trusted, event, []) === true) safely(() => tell(KINDS[index], event));
    }, true);
  }
}
