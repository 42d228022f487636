// Copies of elements, and attributes that come in other ways than by `setAttribute`: the event handlers in them.

import {
  apply, Attr, Document, Element, getOwnPropertyDescriptor, NamedNodeMap, Node, Range, startsWith, XSLTProcessor,
} from './captured.js';
import { append } from './basics.js';
import {
  ATTRIBUTE, attributeName, ELEMENT, replaceMember, firstChild, FRAGMENT, getAttributeNode, nextSibling, nodeType,
  ownerElement, protoOf, typeOf,
} from './nodes.js';
import { holdsHandlers, hookAttribute, hookHandlersIn } from './insertion.js';

// A copy has the attributes, but not the handlers that were compiled from them.
/** @param {PageValue} copy */
const hookCopy = (copy) => {
  const type = apply(nodeType, copy, []);
  if (type === ELEMENT) {
    if (holdsHandlers(copy)) hookHandlersIn(copy, 'descendant-or-self::*');
  } else if (type === FRAGMENT) {
    for (let node = apply(firstChild, copy, []); node !== null; node = apply(nextSibling, node, [])) hookCopy(node);
  }
};
for (const [holder, name] of /** @type {[PageObject, string][]} */ (
  [[protoOf(Node), 'cloneNode'], [protoOf(Document), 'importNode']])) {
  replaceMember(holder, name, (original) => ({
    /** @param {...unknown} values */
    [name](...values) {
      const copy = apply(original, this, values);
      hookCopy(copy);
      return copy;
    },
  })[name]);
}
/** @type {[PageObject, string][]} */
const copiers = [[protoOf(Range), 'cloneContents']];
if (typeof XSLTProcessor === 'function') append(copiers, [protoOf(XSLTProcessor), 'transformToFragment']);
for (const [holder, name] of copiers) {
  replaceMember(holder, name, (original) => ({
    /** @param {...unknown} values */
    [name](...values) {
      const fragment = apply(original, this, values);
      if (fragment !== null) hookCopy(fragment);
      return fragment;
    },
  })[name]);
}

// An attribute that an element has got.
/** @param {PageObject} attribute */
const attributeCame = (attribute) => {
  const element = apply(ownerElement, attribute, []);
  const name = element === null ? '' : apply(attributeName, attribute, []);
  if (name[0] === 'o' && name[1] === 'n') hookAttribute(attribute, element);
};
/** @param {PageValue} value @returns {value is PageObject} */
const isAttribute = (value) => typeOf(value) === ATTRIBUTE;
/** @type {[PageObject, string[]][]} */
const givers = [
  [protoOf(Element), ['setAttributeNode', 'setAttributeNodeNS']],
  [protoOf(NamedNodeMap), ['setNamedItem', 'setNamedItemNS']],
];
for (const [holder, names] of givers) {
  for (const name of names) {
    replaceMember(holder, name, (original) => ({
      /** @param {...unknown} values */
      [name](...values) {
        const before = apply(original, this, values);
        if (isAttribute(values[0])) attributeCame(values[0]);
        return before;
      },
    })[name]);
  }
}
replaceMember(protoOf(Element), 'setAttributeNS', (original) => ({
  /** @param {...unknown} values */
  setAttributeNS(...values) {
    const result = apply(original, this, values);
    if (values[0] === null && typeof values[1] === 'string' && apply(startsWith, values[1], ['on'])) {
      const attribute = apply(getAttributeNode, this, [values[1]]);
      if (attribute !== null) attributeCame(attribute);
    }
    return result;
  },
}).setAttributeNS);
for (const [holder, name] of /** @type {[PageObject, string][]} */ (
  [[protoOf(Attr), 'value'], [protoOf(Node), 'nodeValue'], [protoOf(Node), 'textContent']])) {
  replaceMember(holder, name, (original) => getOwnPropertyDescriptor({
    /** @param {PageValue} value */
    set [name](value) {
      apply(original, this, [value]);
      if (isAttribute(this)) attributeCame(this);
    },
  }, name)?.set);
}
