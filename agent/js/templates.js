// What is in the templates of a document's text gets its author's text back as soon as a script can read it:
// nothing runs there. What it has become is kept for when a copy of it is inserted.

import { apply, Document, document, HTMLCollection, HTMLTemplateElement } from './captured.js';
import { authorText } from './source_text.js';
import { once } from './code.js';
import { addMember, hasMember, restoreIntegrity, restoreTemplatesBy, WeakSetOf } from './document_text.js';
import {
  accessor, attributeName, attributeValue, data, ELEMENT, replacesMarkup, firstChild, inFragment, isScript, listItem,
  listLength, localName, nextSibling, nodeType, protoOf,
} from './nodes.js';
import { eachHandler, goalOf, holdsHandlers, noteElsewhere, textsOf } from './insertion.js';

if (replacesMarkup) {
  const { getElementsByTagName } = protoOf(Document);
  const countOf = accessor(protoOf(HTMLCollection), 'length').get;
  const itemOf = /** @type {(index: number) => Element} */ (protoOf(HTMLCollection).item);
  const contentOf = accessor(protoOf(HTMLTemplateElement), 'content').get;
  const all = apply(getElementsByTagName, document, ['template']);
  const restored = new WeakSetOf();

  /** @param {PageObject} script */
  const restoreText = (script) => {
    const goal = goalOf(script);
    const nodes = textsOf(script);
    if (goal === undefined || nodes.length !== 1) return;
    const running = apply(data.get, nodes[0], []);
    const written = authorText(running);
    if (written === running) return;
    once(goal, written, () => running);
    apply(data.set, nodes[0], [written]);
  };
  /** @param {PageObject} attribute */
  const restoreHandler = (attribute) => {
    const running = apply(attributeValue.get, attribute, []);
    const written = authorText(running);
    if (written === running) return;
    once(apply(attributeName, attribute, []), written, () => running);
    apply(attributeValue.set, attribute, [written]);
    noteElsewhere();
  };
  /** @param {PageObject} template */
  const restoreTemplate = (template) => {
    if (apply(hasMember, restored, [template])) return;
    apply(addMember, restored, [template]);
    let content;
    try {
      content = apply(contentOf, template, []);
    } catch {
      // It is no element of HTML.
      return;
    }
    const found = apply(inFragment, content, ['script, template, [integrity]']);
    const length = apply(listLength, found, []);
    for (let index = 0; index < length; index++) {
      const element = apply(listItem, found, [index]);
      restoreIntegrity(element);
      if (isScript(element)) restoreText(element);
      else if (apply(localName, element, []) === 'template') restoreTemplate(element);
    }
    for (let node = apply(firstChild, content, []); node !== null; node = apply(nextSibling, node, [])) {
      if (apply(nodeType, node, []) === ELEMENT && holdsHandlers(node)) {
        eachHandler(node, 'descendant-or-self::*', restoreHandler);
      }
    }
  };
  restoreTemplatesBy(() => {
    const count = apply(countOf, all, []);
    for (let index = 0; index < count; index++) restoreTemplate(apply(itemOf, all, [index]));
  });
}
