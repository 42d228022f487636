// Styles, data sets and storage keep what they make of a value, not the value: text, a colour in other words, or
// nothing where it is no value for that style.

import { apply, document, getOwnPropertyDescriptor, StringOf } from './captured.js';
import { isObject, UNKNOWN } from './basics.js';
import { proxies, ProxyMark } from './objects.js';
import { domWatched, partSlots } from './dom-slots.js';
import { isBelow, prototypeOf } from './dom-platform.js';

const scratch = domWatched && partSlots.some(({ part }) => part === 'style')
  ? document.createElement('i').style : undefined;
const stylePrototype = domWatched ? prototypeOf('CSSStyleDeclaration') : undefined;
const setStyle = stylePrototype === undefined ? undefined : getOwnPropertyDescriptor(stylePrototype, 'cssText')?.set;
const namedPrototypes = domWatched ? [prototypeOf('DOMStringMap'), prototypeOf('Storage')] : [];
// What a write of `value` leaves; UNKNOWN where only the write can tell.
/** @param {PageObject} object @param {Key} key @param {PageValue} value */
export function asKept(object, key, value) {
  if (proxies && ProxyMark.is(object)) return value;
  if (scratch !== undefined && apply(isBelow, stylePrototype, [object])) {
    if (isObject(value) || typeof value === 'symbol') return UNKNOWN;
    apply(setStyle, scratch, ['']);
    /** @type {Table} */ (/** @type {unknown} */ (scratch))[key] = value;
    const kept = getOwnPropertyDescriptor(scratch, key)?.value;
    const cleared = value === '' || value === null;
    return kept === '' && !cleared ? getOwnPropertyDescriptor(object, key)?.value : kept;
  }
  for (let number = 0; number < namedPrototypes.length; number++) {
    if (namedPrototypes[number] !== undefined && apply(isBelow, namedPrototypes[number], [object])) {
      return isObject(value) || typeof value === 'symbol' ? UNKNOWN : StringOf(value);
    }
  }
  return value;
}
