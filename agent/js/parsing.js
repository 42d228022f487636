// Documents that come in no response: those of `srcdoc`, of `blob:` and `data:` addresses, and what a service worker
// answers with. The parser's scripts and event handlers are replaced in the page: before it runs a script, the browser
// tells mutation observers of what was parsed so far, and the script is the last thing in the document.

import { apply, Document, document, MutationObserver, MutationRecord, realm } from './captured.js';
import { hasMember } from './document_text.js';
import {
  accessor, ELEMENT, replacesMarkup, isConnected, isScript, lastChild, listItem, listLength, nodeType, protoOf,
} from './nodes.js';
import { eachHandler, replaceText, handled, hookAttribute, placeScriptsAt, putBack } from './insertion.js';

const isControlled = () => {
  try {
    const { serviceWorker } = realm.navigator;
    return serviceWorker !== undefined && serviceWorker.controller !== null;
  } catch {
    // A sandboxed document has none.
    return false;
  }
};
const isResponse = () => {
  const { protocol } = realm.location;
  return protocol !== 'about:' && protocol !== 'blob:' && protocol !== 'data:' && !isControlled();
};

if (replacesMarkup && !isResponse() && typeof MutationObserver === 'function') {
  const address = realm.location.href;
  const added = accessor(protoOf(MutationRecord), 'addedNodes').get;
  const readyState = accessor(protoOf(Document), 'readyState').get;
  const { observe, disconnect, takeRecords } = protoOf(MutationObserver);

  // Scripts that are about to run, with their texts.
  /** @type {ReplacedScript[]} */
  let replaced = [];
  /** @param {MutationRecord[]} records */
  const parsed = (records) => {
    putBack(replaced);
    replaced = [];
    placeScriptsAt(address);
    try {
      for (let index = 0; index < records.length; index++) {
        const nodes = apply(added, records[index], []);
        const length = apply(listLength, nodes, []);
        for (let number = 0; number < length; number++) {
          const node = apply(listItem, nodes, [number]);
          if (apply(nodeType, node, []) === ELEMENT && apply(isConnected, node, [])) hookParsed(node);
        }
      }
      /** @type {Node | null} */
      let last = document;
      while (last !== null && !isScript(last)) last = apply(lastChild, last, []);
      if (last !== null) replaceText(last, replaced);
    } finally {
      placeScriptsAt(undefined);
    }
  };
  /** @param {PageObject} node */
  const hookParsed = (node) => eachHandler(node, 'descendant-or-self::*', (attribute, element) => {
    if (!apply(hasMember, handled, [element])) hookAttribute(attribute, element);
  });

  const observer = new MutationObserver(parsed);
  apply(observe, observer, [document, { __proto__: null, childList: true, subtree: true }]);
  const end = () => {
    if (apply(readyState, document, []) === 'loading') return;
    parsed(apply(takeRecords, observer, []));
    apply(disconnect, observer, []);
    document.removeEventListener('readystatechange', end, true);
  };
  document.addEventListener('readystatechange', end, true);
}
