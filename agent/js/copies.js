// Copies of elements, and attributes that come in other ways than by `setAttribute`: the event handlers in them.

// A copy has the attributes, but not the handlers that were compiled from them.
const hookCopy = (copy) => {
  const type = apply(nodeType, copy, []);
  if (type === ELEMENT) {
    if (holdsHandlers(copy)) hookHandlersIn(copy, 'descendant-or-self::*');
  } else if (type === FRAGMENT) {
    for (let node = apply(firstChild, copy, []); node !== null; node = apply(nextSibling, node, [])) hookCopy(node);
  }
};
for (const [holder, name] of [[Node.prototype, 'cloneNode'], [Document.prototype, 'importNode']]) {
  exchange(holder, name, (original) => ({
    [name](...values) {
      const copy = apply(original, this, values);
      hookCopy(copy);
      return copy;
    },
  })[name]);
}
const copiers = [[Range.prototype, 'cloneContents']];
if (typeof XSLTProcessor === 'function') append(copiers, [XSLTProcessor.prototype, 'transformToFragment']);
for (const [holder, name] of copiers) {
  exchange(holder, name, (original) => ({
    [name](...values) {
      const fragment = apply(original, this, values);
      if (fragment !== null) hookCopy(fragment);
      return fragment;
    },
  })[name]);
}

// An attribute that an element has got.
const attributeCame = (attribute) => {
  const element = apply(ownerElement, attribute, []);
  const name = element === null ? '' : apply(attributeName, attribute, []);
  if (name[0] === 'o' && name[1] === 'n') hookAttribute(attribute, element);
};
const isAttribute = (value) => typeOf(value) === ATTRIBUTE;
const givers = [
  [Element.prototype, ['setAttributeNode', 'setAttributeNodeNS']], [NamedNodeMap.prototype, ['setNamedItem', 'setNamedItemNS']],
];
for (const [holder, names] of givers) {
  for (const name of names) {
    exchange(holder, name, (original) => ({
      [name](...values) {
        const before = apply(original, this, values);
        if (isAttribute(values[0])) attributeCame(values[0]);
        return before;
      },
    })[name]);
  }
}
exchange(Element.prototype, 'setAttributeNS', (original) => ({
  setAttributeNS(...values) {
    const result = apply(original, this, values);
    if (values[0] === null && typeof values[1] === 'string' && apply(startsWith, values[1], ['on'])) {
      const attribute = apply(getAttributeNode, this, [values[1]]);
      if (attribute !== null) attributeCame(attribute);
    }
    return result;
  },
}).setAttributeNS);
for (const [holder, name] of [[Attr.prototype, 'value'], [Node.prototype, 'nodeValue'], [Node.prototype, 'textContent']]) {
  exchange(holder, name, (original) => getOwnPropertyDescriptor({
    set [name](value) {
      apply(original, this, [value]);
      if (isAttribute(this)) attributeCame(this);
    },
  }, name).set);
}
