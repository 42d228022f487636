// Markup that a page makes elements of: the event handlers in it. (Scripts in it do not run, except of a range.)

exchange(Element.prototype, 'innerHTML', (original) => getOwnPropertyDescriptor({
  set innerHTML(markup) {
    setting(original, this, markup);
    if (mayHoldHandlers(markup) && typeOf(this) === ELEMENT) hookHandlersIn(this, 'descendant::*');
  },
}, 'innerHTML').set);
exchange(Element.prototype, 'outerHTML', (original) => getOwnPropertyDescriptor({
  set outerHTML(markup) {
    const parent = mayHoldHandlers(markup) && typeOf(this) === ELEMENT ? apply(parentNode, this, []) : null;
    const before = parent === null ? null : apply(previousSibling, this, []);
    const after = parent === null ? null : apply(nextSibling, this, []);
    apply(original, this, [markup]);
    if (parent !== null) hookBetween(parent, before, after);
  },
}, 'outerHTML').set);
exchange(Element.prototype, 'insertAdjacentHTML', (original) => ({
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
exchange(Range.prototype, 'createContextualFragment', (original) => ({
  createContextualFragment(markup) {
    const fragment = apply(original, this, [markup]);
    if (mayHoldHandlers(markup)) hookBetween(fragment, null, null);
    return fragment;
  },
}).createContextualFragment);

for (const holder of [Element, ShadowRoot]) {
  exchange(holder.prototype, 'setHTMLUnsafe', (original) => ({
    setHTMLUnsafe(...values) {
      const result = apply(original, this, values);
      if (mayHoldHandlers(values[0])) hookBelow(this);
      return result;
    },
  }).setHTMLUnsafe);
}
exchange(ShadowRoot.prototype, 'innerHTML', (original) => getOwnPropertyDescriptor({
  set innerHTML(markup) {
    apply(original, this, [markup]);
    if (mayHoldHandlers(markup)) hookBelow(this);
  },
}, 'innerHTML').set);
// All below an element or a shadow root, and in the shadow trees that the markup made and that can be reached.
function hookBelow(root) {
  hookBetween(root, null, null);
  const elements = apply(typeOf(root) === ELEMENT ? inElement : inFragment, root, ['*']);
  const length = apply(listLength, elements, []);
  for (let index = 0; index < length; index++) {
    const shadow = apply(shadowRootOf, apply(listItem, elements, [index]), []);
    if (shadow !== null) hookBelow(shadow);
  }
}
const shadowRootOf = accessor(Element.prototype, 'shadowRoot').get;

// Documents where no script runs: what is in them may come into this one.
const elsewhere = [
  [DOMParser.prototype, 'parseFromString'], [Document, 'parseHTMLUnsafe'],
];
for (const [holder, name] of elsewhere) {
  exchange(holder, name, (original) => ({
    [name](...values) {
      if (mayHoldHandlers(values[0])) anyElsewhere = true;
      return apply(original, this, values);
    },
  })[name]);
}
if (typeof XSLTProcessor === 'function') {
  exchange(XSLTProcessor.prototype, 'transformToDocument', (original) => ({
    transformToDocument(...values) {
      anyElsewhere = true;
      return apply(original, this, values);
    },
  }).transformToDocument);
}
exchange(XMLHttpRequest.prototype, 'responseType', (original) => getOwnPropertyDescriptor({
  set responseType(type) {
    if (type === 'document') anyElsewhere = true;
    apply(original, this, [type]);
  },
}, 'responseType').set);
exchange(Document.prototype, 'adoptNode', (original) => ({
  adoptNode(...values) {
    if (anyElsewhere && this === page) arrive(values[0]);
    return apply(original, this, values);
  },
}).adoptNode);
