// Documents that come in no response: those of `srcdoc`, of `blob:` and `data:` addresses, and what a service worker
// answers with. The parser's scripts and event handlers are exchanged in the page: before it runs a script, the browser
// tells mutation observers of what was parsed so far, and the script is the last thing in the document.

const { protocol } = realm.location;
const isControlled = () => {
  try {
    const { serviceWorker } = realm.navigator;
    return serviceWorker !== undefined && serviceWorker.controller !== null;
  } catch {
    // A sandboxed document has none.
    return false;
  }
};
const isResponse = protocol !== 'about:' && protocol !== 'blob:' && protocol !== 'data:' && !isControlled();

if (!isResponse && typeof MutationObserver === 'function') {
  const page = document;
  const address = realm.location.href;
  const added = accessor(MutationRecord.prototype, 'addedNodes').get;
  const readyState = accessor(Document.prototype, 'readyState').get;
  const { observe, disconnect, takeRecords } = MutationObserver.prototype;

  // Scripts that are about to run, with their texts.
  let exchanged = [];
  const parsed = (records) => {
    putBack(exchanged);
    exchanged = [];
    place = address;
    try {
      for (let index = 0; index < records.length; index++) {
        const nodes = apply(added, records[index], []);
        const length = apply(listLength, nodes, []);
        for (let number = 0; number < length; number++) {
          const node = apply(listItem, nodes, [number]);
          if (apply(nodeType, node, []) === ELEMENT && apply(isConnected, node, [])) hookParsed(node);
        }
      }
      let last = page;
      while (last !== null && !isScript(last)) last = apply(lastChild, last, []);
      if (last !== null) exchangeText(last, exchanged);
    } finally {
      place = undefined;
    }
  };
  const hookParsed = (node) => eachHandler(node, 'descendant-or-self::*', (attribute, element) => {
    if (!apply(hasMember, handled, [element])) hookAttribute(attribute, element);
  });

  const observer = new MutationObserver(parsed);
  apply(observe, observer, [page, { __proto__: null, childList: true, subtree: true }]);
  const end = () => {
    if (apply(readyState, page, []) === 'loading') return;
    parsed(apply(takeRecords, observer, []));
    apply(disconnect, observer, []);
    page.removeEventListener('readystatechange', end, true);
  };
  page.addEventListener('readystatechange', end, true);
}
