// Markup that a page makes elements of: the event handlers in it. (Scripts in it do not run, except of a range.)

import {
  apply, Document, document, DOMParser, Element, getOwnPropertyDescriptor, Range, ShadowRoot, XMLHttpRequest,
  XSLTProcessor,
} from './captured.js';
import {
  accessor, ELEMENT, firstChild, inElement, inFragment, lastChild, listItem, listLength, lower, nextSibling,
  parentNode, previousSibling, protoOf, replaceMember, typeOf,
} from './nodes.js';
import {
  anyElsewhere, arrive, hookBetween, hookHandlersIn, mayHoldHandlers, noteElsewhere, setting,
} from './insertion.js';

replaceMember(protoOf(Element), 'innerHTML', (original) => getOwnPropertyDescriptor({
  /** @param {string} markup */
  set innerHTML(markup) {
    setting(original, this, markup);
    if (mayHoldHandlers(markup) && typeOf(this) === ELEMENT) hookHandlersIn(this, 'descendant::*');
  },
}, 'innerHTML')?.set);
replaceMember(protoOf(Element), 'outerHTML', (original) => getOwnPropertyDescriptor({
  /** @param {string} markup */
  set outerHTML(markup) {
    const parent = mayHoldHandlers(markup) && typeOf(this) === ELEMENT ? apply(parentNode, this, []) : null;
    const before = parent === null ? null : apply(previousSibling, this, []);
    const after = parent === null ? null : apply(nextSibling, this, []);
    apply(original, this, [markup]);
    if (parent !== null) hookBetween(parent, before, after);
  },
}, 'outerHTML')?.set);
replaceMember(protoOf(Element), 'insertAdjacentHTML', (original) => ({
  /** @param {...unknown} values */
  insertAdjacentHTML(...values) {
    if (!mayHoldHandlers(values[1]) || typeOf(this) !== ELEMENT) return apply(original, this, values);
    const where = lower(`${values[0]}`);
    values[0] = where;
    const parent = where === 'beforebegin' || where === 'afterend' ? apply(parentNode, this, []) : this;
    const before = where === 'beforebegin' ? apply(previousSibling, this, []) : where === 'afterend' ? this
      : where === 'beforeend' ? apply(lastChild, this, []) : null;
    const after = where === 'beforebegin' ? this : where === 'afterend' ? apply(nextSibling, this, [])
      : where === 'afterbegin' ? apply(firstChild, this, []) : null;
    const result = apply(original, this, values);
    if (parent !== null) hookBetween(parent, before, after);
    return result;
  },
}).insertAdjacentHTML);
replaceMember(protoOf(Range), 'createContextualFragment', (original) => ({
  /** @param {string} markup */
  createContextualFragment(markup) {
    const fragment = /** @type {DocumentFragment} */ (apply(original, this, [markup]));
    if (mayHoldHandlers(markup)) hookBetween(fragment, null, null);
    return fragment;
  },
}).createContextualFragment);

for (const holder of /** @type {{ prototype: PageObject }[]} */ ([Element, ShadowRoot])) {
  replaceMember(protoOf(holder), 'setHTMLUnsafe', (original) => ({
    /** @param {...unknown} values */
    setHTMLUnsafe(...values) {
      const result = apply(original, this, values);
      if (mayHoldHandlers(values[0])) hookBelow(this);
      return result;
    },
  }).setHTMLUnsafe);
}
replaceMember(protoOf(ShadowRoot), 'innerHTML', (original) => getOwnPropertyDescriptor({
  /** @param {string} markup */
  set innerHTML(markup) {
    apply(original, this, [markup]);
    if (mayHoldHandlers(markup)) hookBelow(this);
  },
}, 'innerHTML')?.set);
// All below an element or a shadow root, and in the shadow trees that the markup made and that can be reached.
/** @param {PageObject} root */
function hookBelow(root) {
  hookBetween(root, null, null);
  const elements = apply(typeOf(root) === ELEMENT ? inElement : inFragment, root, ['*']);
  const length = apply(listLength, elements, []);
  for (let index = 0; index < length; index++) {
    const shadow = apply(shadowRootOf, apply(listItem, elements, [index]), []);
    if (shadow !== null) hookBelow(shadow);
  }
}
const shadowRootOf = accessor(protoOf(Element), 'shadowRoot').get;

// Documents where no script runs: what is in them may come into this one.
/** @type {[PageObject, string][]} */
const elsewhere = [
  [protoOf(DOMParser), 'parseFromString'], [Document, 'parseHTMLUnsafe'],
];
for (const [holder, name] of elsewhere) {
  replaceMember(holder, name, (original) => ({
    /** @param {...unknown} values */
    [name](...values) {
      if (mayHoldHandlers(values[0])) noteElsewhere();
      return apply(original, this, values);
    },
  })[name]);
}
if (typeof XSLTProcessor === 'function') {
  replaceMember(protoOf(XSLTProcessor), 'transformToDocument', (original) => ({
    /** @param {...unknown} values */
    transformToDocument(...values) {
      noteElsewhere();
      return apply(original, this, values);
    },
  }).transformToDocument);
}
replaceMember(protoOf(XMLHttpRequest), 'responseType', (original) => getOwnPropertyDescriptor({
  /** @param {string} type */
  set responseType(type) {
    if (type === 'document') noteElsewhere();
    apply(original, this, [type]);
  },
}, 'responseType')?.set);
replaceMember(protoOf(Document), 'adoptNode', (original) => ({
  /** @param {...unknown} values */
  adoptNode(...values) {
    if (anyElsewhere && this === document) arrive(values[0]);
    return apply(original, this, values);
  },
}).adoptNode);
