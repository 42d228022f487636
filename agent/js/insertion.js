// Scripts and event handlers that a page makes of elements: inline scripts that it inserts, handlers that it sets as
// attributes or in markup, and what it writes into the document. Each text is exchanged for the rewritten one while the
// browser takes it, and put back at once; `document_text.js` puts a running script's text back before its first line.

if (driven && typeof Document === 'function' && typeof document === 'object') {
  const accessor = (holder, name) => getOwnPropertyDescriptor(holder, name) ?? { __proto__: null };
  const nodeType = accessor(Node.prototype, 'nodeType').get;
  const isConnected = accessor(Node.prototype, 'isConnected').get;
  const firstChild = accessor(Node.prototype, 'firstChild').get;
  const lastChild = accessor(Node.prototype, 'lastChild').get;
  const nextSibling = accessor(Node.prototype, 'nextSibling').get;
  const previousSibling = accessor(Node.prototype, 'previousSibling').get;
  const parentNode = accessor(Node.prototype, 'parentNode').get;
  const ownerDocument = accessor(Node.prototype, 'ownerDocument').get;
  const localName = accessor(Element.prototype, 'localName').get;
  const firstElementChild = accessor(Element.prototype, 'firstElementChild').get;
  const startContainer = accessor(Range.prototype, 'startContainer').get;
  const data = accessor(CharacterData.prototype, 'data');
  const { getAttribute, getAttributeNode, hasAttribute, setAttribute } = Element.prototype;
  const inElement = Element.prototype.querySelectorAll;
  const inFragment = DocumentFragment.prototype.querySelectorAll;
  const listLength = accessor(NodeList.prototype, 'length').get;
  const listItem = NodeList.prototype.item;
  const { evaluate } = Document.prototype;
  const snapshotLength = accessor(XPathResult.prototype, 'snapshotLength').get;
  const { snapshotItem } = XPathResult.prototype;
  const attributeValue = accessor(Attr.prototype, 'value');
  const attributeName = accessor(Attr.prototype, 'name').get;
  const ownerElement = accessor(Attr.prototype, 'ownerElement').get;
  const { toLowerCase, trim, lastIndexOf } = String.prototype;
  const { exec } = RegExp.prototype;
  const [ELEMENT, ATTRIBUTE, TEXT, CDATA, FRAGMENT] = [1, 2, 3, 4, 11];
  const lower = (text) => apply(toLowerCase, text, []);
  const page = document;

  // Methods and setters of ours in the place of the browser's.
  const exchange = (holder, name, make) => {
    const property = getOwnPropertyDescriptor(holder, name);
    if (property === undefined) return;
    const part = property.set === undefined ? 'value' : 'set';
    const original = property[part];
    if (typeof original !== 'function') return;
    property[part] = disguise(make(original), original);
    defineProperty(holder, name, { __proto__: null, ...property });
  };
  const typeOf = (value) => {
    if (!isObject(value)) return 0;
    try {
      return apply(nodeType, value, []);
    } catch {
      return 0;
    }
  };
  const connected = (node) => typeOf(node) !== 0 && apply(isConnected, node, []);
  const isScript = (node) => typeOf(node) === ELEMENT && apply(localName, node, []) === 'script';

  // ---- scripts ----

  const JAVASCRIPT = { __proto__: null };
  for (const name of ['javascript', 'ecmascript', 'x-javascript', 'x-ecmascript']) {
    JAVASCRIPT[`text/${name}`] = true;
    JAVASCRIPT[`application/${name}`] = true;
  }
  for (const version of ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']) JAVASCRIPT[`text/javascript${version}`] = true;
  JAVASCRIPT['text/jscript'] = true;
  JAVASCRIPT['text/livescript'] = true;

  // What a script element that has not run yet would be run as.
  const goalOfAny = (script) => {
    const has = (name) => apply(hasAttribute, script, [name]);
    const type = apply(getAttribute, script, ['type']);
    const language = apply(getAttribute, script, ['language']);
    const named = type ?? (language === null || language === '' ? '' : `text/${language}`);
    const kind = lower(apply(trim, named, []));
    if (kind === 'module') return 'module';
    return (kind === '' || JAVASCRIPT[kind] === true) && !has('nomodule') ? 'script' : undefined;
  };
  // The same, if it is inline.
  const goalOf = (script) => {
    const has = (name) => apply(hasAttribute, script, [name]);
    return has('src') || has('href') || has('xlink:href') ? undefined : goalOfAny(script);
  };
  // Scripts that were inserted: none runs twice.
  const started = new WeakSetOf();
  // The document whose parser makes it, where no script does.
  let place;
  const becomes = (goal, text) => (text === '' ? null
    : once(goal, text, () => hand({ kind: 'script', module: goal === 'module', place, text, code: undefined })));

  const textsOf = (script) => {
    const nodes = [];
    for (let node = apply(firstChild, script, []); node !== null; node = apply(nextSibling, node, [])) {
      const type = apply(nodeType, node, []);
      if (type === TEXT || type === CDATA) append(nodes, node);
    }
    return nodes;
  };
  // The address of a script that is kept in memory.
  const exchangeAddress = (script, list) => {
    const source = apply(getAttribute, script, ['src']);
    const goal = source === null ? undefined : goalOfAny(script);
    if (goal === undefined) return;
    const ours = inMemory(source, goal === 'module');
    if (ours === source) return;
    apply(setAttribute, script, ['src', ours]);
    append(list, { script, nodes: [], texts: [], source });
  };
  const exchangeText = (script, list) => {
    apply(addMember, insertedScripts, [script]);
    if (apply(hasMember, started, [script])) return;
    const goal = goalOf(script);
    if (goal === undefined) {
      exchangeAddress(script, list);
      return;
    }
    const nodes = textsOf(script);
    const texts = [];
    let whole = '';
    for (let index = 0; index < nodes.length; index++) {
      const text = apply(data.get, nodes[index], []);
      append(texts, text);
      whole += text;
    }
    const code = becomes(goal, whole);
    if (code === null) return;
    for (let index = 0; index < nodes.length; index++) apply(data.set, nodes[index], [index === 0 ? code : '']);
    append(list, { script, nodes, texts });
  };
  // What is there now is the text that ran, or what the script itself put there; that stays.
  const putBack = (list) => {
    for (let index = 0; index < list.length; index++) {
      const { script, nodes, texts, source } = list[index];
      if (source !== undefined) apply(setAttribute, script, ['src', source]);
      let whole = '';
      for (let part = 0; part < texts.length; part++) whole += texts[part];
      for (let part = 0; part < nodes.length; part++) {
        const text = apply(data.get, nodes[part], []);
        const isOurs = text !== texts[part] && (part === 0 ? authorText(text) === whole : text === '');
        if (isOurs) apply(data.set, nodes[part], [texts[part]]);
      }
      if (apply(isConnected, script, [])) apply(addMember, started, [script]);
    }
  };
  const exchangeIn = (value, list) => {
    const type = typeOf(value);
    if (type === ELEMENT) {
      if (apply(localName, value, []) === 'script') {
        exchangeText(value, list);
        return;
      }
      if (apply(firstElementChild, value, []) === null) {
        exchangeInShadow(value, list);
        return;
      }
    } else if (type !== FRAGMENT) return;
    const scripts = apply(type === ELEMENT ? inElement : inFragment, value, ['script']);
    const length = apply(listLength, scripts, []);
    for (let index = 0; index < length; index++) exchangeText(apply(listItem, scripts, [index]), list);
    exchangeInShadows(value, list);
  };
  // Text that comes into a script that is in the document already.
  const textInto = (script, values, list) => {
    const goal = apply(hasMember, started, [script]) || textsOf(script).length > 0 ? undefined : goalOf(script);
    if (goal === undefined || values.length !== 1) return;
    const value = values[0];
    const isNode = typeOf(value) === TEXT;
    if (!isNode && isObject(value)) return;
    const text = isNode ? apply(data.get, value, []) : `${value}`;
    const code = becomes(goal, text);
    if (code === null) return;
    if (isNode) apply(data.set, value, [code]);
    else values[0] = code;
    append(list, { script, nodes: isNode ? [value] : undefined, texts: [text] });
  };
  const during = (list, run) => {
    try {
      return run();
    } finally {
      for (let index = 0; index < list.length; index++) list[index].nodes ??= textsOf(list[index].script);
      putBack(list);
    }
  };
  // Calls `original`, which puts nodes among `values` under or beside `place`.
  let anyWaits = false;
  const inserting = (original, self, values, place) => {
    // Nothing runs in what is in no document.
    if (!connected(place)) {
      noteScripts(values);
      return apply(original, self, values);
    }
    const list = [];
    const unsettled = [];
    for (let index = 0; index < values.length; index++) {
      if (!isObject(values[index])) continue;
      exchangeIn(values[index], list);
      if (anyWaits) handlersIn(values[index], waiting, true, unsettled);
      if (anyElsewhere) arrive(values[index]);
    }
    if (place === self && isScript(self)) textInto(self, values, list);
    const run = () => apply(original, self, values);
    const result = list.length === 0 ? run() : during(list, run);
    for (let index = 0; index < unsettled.length; index++) settle(unsettled[index]);
    return result;
  };
  const method = (name, place) => (original) => ({
    [name](...values) { return inserting(original, this, values, place(this)); },
  })[name];
  const itself = (node) => node;
  const insertions = [
    [Node.prototype, ['appendChild', 'insertBefore', 'replaceChild']],
    [Element.prototype, ['append', 'prepend', 'replaceChildren', 'before', 'after', 'replaceWith', 'insertAdjacentElement']],
    [Document.prototype, ['append', 'prepend', 'replaceChildren']],
    [DocumentFragment.prototype, ['append', 'prepend', 'replaceChildren']],
    [CharacterData.prototype, ['before', 'after', 'replaceWith']],
    [DocumentType.prototype, ['before', 'after', 'replaceWith']],
  ];
  for (const [holder, names] of insertions) {
    for (const name of names) exchange(holder, name, method(name, itself));
  }
  const whereRangeStarts = (range) => {
    try {
      return apply(startContainer, range, []);
    } catch {
      return undefined;
    }
  };
  for (const name of ['insertNode', 'surroundContents']) exchange(Range.prototype, name, method(name, whereRangeStarts));
  const textSetters = [
    [HTMLScriptElement.prototype, 'text'], [HTMLScriptElement.prototype, 'textContent'],
    [HTMLScriptElement.prototype, 'innerText'], [Node.prototype, 'textContent'], [HTMLElement.prototype, 'innerText'],
  ];
  const setting = (original, self, value) => {
    if (!isScript(self) || !apply(isConnected, self, [])) return apply(original, self, [value]);
    const list = [];
    const values = [value];
    textInto(self, values, list);
    return list.length === 0 ? apply(original, self, values) : during(list, () => apply(original, self, values));
  };
  for (const [holder, name] of textSetters) {
    exchange(holder, name, (original) => getOwnPropertyDescriptor({
      set [name](value) { setting(original, this, value); },
    }, name).set);
  }

  // A script that is in the document already and gets its address now.
  const addressing = (script, put) => {
    const isDue = isScript(script) && apply(isConnected, script, []) && !apply(hasMember, started, [script])
      && apply(getAttribute, script, ['src']) === null && textsOf(script).length === 0;
    const goal = isDue ? goalOfAny(script) : undefined;
    return goal === undefined ? undefined : (value) => {
      const ours = inMemory(value, goal === 'module');
      put(ours);
      if (ours === value) return;
      apply(setAttribute, script, ['src', Cu(ours)]);
      apply(addMember, started, [script]);
    };
  };
  exchange(HTMLScriptElement.prototype, 'src', (original) => getOwnPropertyDescriptor({
    set src(address) {
      const put = (value) => apply(original, this, [value]);
      (addressing(this, put) ?? put)(address);
    },
  }, 'src').set);

  // ---- event handlers ----

  // Has the handler of an attribute compiled from the rewritten text. The browser compiles it when it is first asked
  // for, and keeps it, whatever the attribute says then, once it is set again. `put` writes the attribute.
  const hookHandler = (element, name, text, put) => {
    const property = inspect(element, name);
    if (property === undefined || property.data || !property.native || !property.get || !property.set) return;
    if (apply(ownerDocument, element, []) !== page) {
      // Nothing is compiled where no script runs, as in a template: that waits until it is inserted here.
      anyElsewhere = true;
      return;
    }
    apply(addMember, handled, [element]);
    // What stands in a template of the document's text is rewritten already.
    const written = authorText(text);
    const code = written === text ? once(name, text, () => hand({ kind: 'handler', name, place, text, code: undefined })) : text;
    if (code === null) return;
    put(code);
    // What it sees of a form is settled when it is compiled: that waits until the element is where it will be.
    const form = inspect(element, 'form');
    if (form !== undefined && form.native && form.get && !connected(element) && apply(form.get, element, []) === null) {
      apply(addMember, waiting, [element]);
      anyWaits = true;
      return;
    }
    const handler = apply(property.get, element, []);
    put(written);
    if (typeof handler === 'function') apply(property.set, element, [handler]);
  };
  // Elements whose handlers went through here, and whether there are such in other documents that did not.
  const handled = new WeakSetOf();
  let anyElsewhere = false;
  const waiting = new WeakSetOf();
  // The handlers in what is inserted, of elements that are among `elements` or are not.
  const handlersIn = (value, elements, isAmong, found) => {
    const type = typeOf(value);
    if (type === FRAGMENT) {
      for (let node = apply(firstChild, value, []); node !== null; node = apply(nextSibling, node, [])) {
        handlersIn(node, elements, isAmong, found);
      }
    } else if (type === ELEMENT && holdsHandlers(value)) {
      eachHandler(value, 'descendant-or-self::*', (attribute, element) => {
        if (apply(hasMember, elements, [element]) === isAmong) append(found, attribute);
      });
    }
  };
  // What comes from where no script runs (of a template): it is of this document a moment before it is inserted, so
  // that nobody observes how its handlers are compiled. One that the page has set itself stays.
  const { adoptNode } = Document.prototype;
  const view = accessor(Document.prototype, 'defaultView').get;
  const arrive = (value) => {
    const owner = typeOf(value) === 0 ? null : apply(ownerDocument, value, []);
    if (owner === null || owner === page) return;
    if (apply(isConnected, value, []) && apply(view, owner, []) !== null) return;
    const found = [];
    handlersIn(value, handled, false, found);
    const arriving = [];
    for (let index = 0; index < found.length; index++) {
      const property = inspect(apply(ownerElement, found[index], []), apply(attributeName, found[index], []));
      const isSet = property?.native && property.get && typeof apply(property.get, apply(ownerElement, found[index], []), []) === 'function';
      if (!isSet) append(arriving, found[index]);
    }
    if (arriving.length === 0) return;
    apply(adoptNode, page, [value]);
    for (let index = 0; index < arriving.length; index++) {
      const attribute = arriving[index];
      // Asked for where nothing is compiled, it would stay without a handler.
      apply(attributeValue.set, attribute, [apply(attributeValue.get, attribute, [])]);
      hookAttribute(attribute, apply(ownerElement, attribute, []));
    }
  };
  const settle = (attribute) => {
    const element = apply(ownerElement, attribute, []);
    const running = apply(attributeValue.get, attribute, []);
    const text = authorText(running);
    if (element === null || running === text) return;
    const property = inspect(element, apply(attributeName, attribute, []));
    const handler = apply(property.get, element, []);
    apply(attributeValue.set, attribute, [text]);
    apply(property.set, element, [handler]);
  };
  exchange(Element.prototype, 'setAttribute', (original) => ({
    setAttribute(...values) {
      const name = values[0];
      const isSource = (name === 'src' || name === 'SRC') && typeof values[1] === 'string';
      const put = isSource ? addressing(this, (value) => apply(original, this, [name, value])) : undefined;
      if (put !== undefined) return put(values[1]);
      const result = apply(original, this, values);
      if (typeof name === 'string' && name.length > 2 && (name[0] === 'o' || name[0] === 'O') && typeOf(this) === ELEMENT) {
        const known = lower(name);
        if (known[1] === 'n') {
          const text = apply(getAttribute, this, [known]);
          if (text !== null) hookHandler(this, known, text, (value) => apply(setAttribute, this, [known, value]));
        }
      }
      return result;
    },
  }).setAttribute);

  const HANDLER = /on[a-z]+\s*=/i;
  const mayHoldHandlers = (markup) => typeof markup === 'string' && apply(exec, HANDLER, [markup]) !== null;
  const UNORDERED_NODE_SNAPSHOT = 6;
  const BOOLEAN = 3;
  const { createExpression } = Document.prototype;
  const anyHandler = apply(createExpression, page, ["boolean(descendant-or-self::*/@*[starts-with(name(), 'on')])", null]);
  const evaluateOn = XPathExpression.prototype.evaluate;
  const booleanValue = accessor(XPathResult.prototype, 'booleanValue').get;
  const holdsHandlers = (root) => {
    const found = apply(evaluateOn, anyHandler, [root, BOOLEAN, null]);
    return apply(booleanValue, found, []);
  };
  const eachHandler = (root, path, take) => {
    const owner = apply(ownerDocument, root, []);
    const found = apply(evaluate, owner, [`${path}/@*[starts-with(name(), 'on')]`, root, null, UNORDERED_NODE_SNAPSHOT, null]);
    const length = apply(snapshotLength, found, []);
    for (let index = 0; index < length; index++) {
      const attribute = apply(snapshotItem, found, [index]);
      take(attribute, apply(ownerElement, attribute, []));
    }
  };
  const hookAttribute = (attribute, element) => {
    const text = apply(attributeValue.get, attribute, []);
    const put = (value) => apply(attributeValue.set, attribute, [value]);
    hookHandler(element, apply(attributeName, attribute, []), text, put);
  };
  const hookHandlersIn = (root, path) => eachHandler(root, path, hookAttribute);
  const hookBetween = (parent, before, after) => {
    let node = apply(before === null ? firstChild : nextSibling, before ?? parent, []);
    for (; node !== null && node !== after; node = apply(nextSibling, node, [])) {
      if (apply(nodeType, node, []) === ELEMENT) hookHandlersIn(node, 'descendant-or-self::*');
    }
  };
  // PART markup
  // PART copies
  // PART shadows
  // PART templates
  // PART writing
  // PART parsing
  // PART links
}
