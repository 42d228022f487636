// Scripts and event handlers that a page makes of elements: inline scripts that it inserts, handlers that it sets as
// attributes or in markup, and what it writes into the document. Each text is replaced by the rewritten one while the
// browser takes it, and put back at once; `document_text.js` puts a running script's text back before its first line.

import {
  apply, CharacterData, Document, document, DocumentFragment, DocumentType, Element, getOwnPropertyDescriptor,
  HTMLElement, HTMLScriptElement, Node, Range, weakGet, WeakMapOf, weakSet, XPathExpression, XPathResult,
} from './captured.js';
import { append, isObject } from './basics.js';
import { authorText } from './source_text.js';
import { inspect } from './objects.js';
import { hand, once } from './code.js';
import { Cu, inMemory } from './memory.js';
import { addMember, hasMember, insertedScripts, WeakSetOf } from './document_text.js';
import {
  accessor, attributeName, attributeValue, CDATA, connected, data, ELEMENT, evaluate, exec, firstChild,
  firstElementChild, FRAGMENT, getAttribute, hasAttribute, inElement, inFragment, isConnected, isScript, listItem,
  listLength, localName, lower, nextSibling, nodeType, ownerDocument, ownerElement, protoOf, replaceMember,
  replacesMarkup, setAttribute, snapshotItem, snapshotLength, startContainer, TEXT, trim, typeOf,
} from './nodes.js';

// ---- scripts ----

/** @type {Table<boolean>} */
const JAVASCRIPT = /** @type {Bare} */ ({ __proto__: null });
for (const name of ['javascript', 'ecmascript', 'x-javascript', 'x-ecmascript']) {
  JAVASCRIPT[`text/${name}`] = true;
  JAVASCRIPT[`application/${name}`] = true;
}
for (const version of ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5']) JAVASCRIPT[`text/javascript${version}`] = true;
JAVASCRIPT['text/jscript'] = true;
JAVASCRIPT['text/livescript'] = true;

// What a script element that has not run yet would be run as.
/** @param {PageObject} script */
const goalOfAny = (script) => {
  /** @param {string} name */
  const has = (name) => apply(hasAttribute, script, [name]);
  const type = apply(getAttribute, script, ['type']);
  const language = apply(getAttribute, script, ['language']);
  const named = type ?? (language === null || language === '' ? '' : `text/${language}`);
  const kind = lower(apply(trim, named, []));
  if (kind === 'module') return 'module';
  return (kind === '' || JAVASCRIPT[kind] === true) && !has('nomodule') ? 'script' : undefined;
};
// The same, if it is inline.
/** @param {PageObject} script */
export const goalOf = (script) => {
  /** @param {string} name */
  const has = (name) => apply(hasAttribute, script, [name]);
  return has('src') || has('href') || has('xlink:href') ? undefined : goalOfAny(script);
};
// Scripts that were inserted: none runs twice.
const started = new WeakSetOf();
// The document whose parser makes it, where no script does.
/** @type {string | undefined} */
let place;
/** @param {string | undefined} address */
export const placeScriptsAt = (address) => { place = address; };
/** @param {'module' | 'script'} goal @param {string} text */
const becomes = (goal, text) => (text === '' ? null
  : once(goal, text, () => hand({ kind: 'script', module: goal === 'module', place, text, code: undefined })));

/** @param {PageObject} script */
export const textsOf = (script) => {
  /** @type {PageObject[]} */
  const nodes = [];
  for (let node = apply(firstChild, script, []); node !== null; node = apply(nextSibling, node, [])) {
    const type = apply(nodeType, node, []);
    if (type === TEXT || type === CDATA) append(nodes, node);
  }
  return nodes;
};
// The address of a script that is kept in memory.
/** @param {PageObject} script @param {ReplacedScript[]} list */
const replaceAddress = (script, list) => {
  const source = apply(getAttribute, script, ['src']);
  const goal = source === null ? undefined : goalOfAny(script);
  if (goal === undefined) return;
  const ours = inMemory(source, goal === 'module');
  if (ours === source) return;
  apply(setAttribute, script, ['src', ours]);
  append(list, { script, nodes: [], texts: [], source: /** @type {string} */ (source) });
};
/** @param {PageObject} script @param {ReplacedScript[]} list */
export const replaceText = (script, list) => {
  apply(addMember, insertedScripts, [script]);
  if (apply(hasMember, started, [script])) return;
  const goal = goalOf(script);
  if (goal === undefined) {
    replaceAddress(script, list);
    return;
  }
  const nodes = textsOf(script);
  /** @type {string[]} */
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
/** @param {ReplacedScript[]} list */
export const putBack = (list) => {
  for (let index = 0; index < list.length; index++) {
    const { script, nodes, texts, source } = /** @type {ReplacedScript & { nodes: PageObject[] }} */ (list[index]);
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
/** @param {PageObject} value @param {ReplacedScript[]} list */
export const replaceScriptsIn = (value, list) => {
  const type = typeOf(value);
  if (type === ELEMENT) {
    if (apply(localName, value, []) === 'script') {
      replaceText(value, list);
      return;
    }
    if (apply(firstElementChild, value, []) === null) {
      replaceInShadow(value, list);
      return;
    }
  } else if (type !== FRAGMENT) return;
  const scripts = apply(type === ELEMENT ? inElement : inFragment, value, ['script']);
  const length = apply(listLength, scripts, []);
  for (let index = 0; index < length; index++) replaceText(apply(listItem, scripts, [index]), list);
  replaceInShadows(value, list);
};
// Text that comes into a script that is in the document already.
/** @param {PageObject} script @param {unknown[]} values @param {ReplacedScript[]} list */
const textInto = (script, values, list) => {
  const goal = apply(hasMember, started, [script]) || textsOf(script).length > 0 ? undefined : goalOf(script);
  if (goal === undefined || values.length !== 1) return;
  const value = /** @type {PageObject} */ (values[0]);
  const isNode = typeOf(value) === TEXT;
  if (!isNode && isObject(value)) return;
  const text = isNode ? apply(data.get, value, []) : `${value}`;
  const code = becomes(goal, text);
  if (code === null) return;
  if (isNode) apply(data.set, value, [code]);
  else values[0] = code;
  append(list, { script, nodes: isNode ? [value] : undefined, texts: [text] });
};
/** @param {ReplacedScript[]} list @param {Thunk} run */
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
/** @param {AnyFunction} original @param {PageValue} self @param {unknown[]} values @param {PageValue} place */
const inserting = (original, self, values, place) => {
  // Nothing runs in what is in no document.
  if (!connected(place)) {
    noteScripts(values);
    return apply(original, self, values);
  }
  /** @type {ReplacedScript[]} */
  const list = [];
  /** @type {PageObject[]} */
  const unsettled = [];
  for (let index = 0; index < values.length; index++) {
    if (!isObject(values[index])) continue;
    replaceScriptsIn(/** @type {PageObject} */ (values[index]), list);
    if (anyWaits) handlersIn(values[index], waiting, true, unsettled);
    if (anyElsewhere) arrive(values[index]);
  }
  if (place === self && isScript(self)) textInto(self, values, list);
  const run = () => apply(original, self, values);
  const result = list.length === 0 ? run() : during(list, run);
  for (let index = 0; index < unsettled.length; index++) settle(unsettled[index]);
  return result;
};
/** @param {string} name @param {(self: PageObject) => PageValue} place */
const method = (name, place) => (/** @type {AnyFunction} */ original) => ({
  /** @param {...unknown} values */
  [name](...values) { return inserting(original, this, values, place(this)); },
})[name];
/** @param {PageObject} node */
const itself = (node) => node;
/** @type {[PageObject, string[]][]} */
const insertions = [
  [protoOf(Node), ['appendChild', 'insertBefore', 'replaceChild']],
  [protoOf(Element), [
    'append', 'prepend', 'replaceChildren', 'before', 'after', 'replaceWith', 'insertAdjacentElement',
  ]],
  [protoOf(Document), ['append', 'prepend', 'replaceChildren']],
  [protoOf(DocumentFragment), ['append', 'prepend', 'replaceChildren']],
  [protoOf(CharacterData), ['before', 'after', 'replaceWith']],
  [protoOf(DocumentType), ['before', 'after', 'replaceWith']],
];
for (const [holder, names] of insertions) {
  for (const name of names) replaceMember(holder, name, method(name, itself));
}
/** @param {PageObject} range */
const whereRangeStarts = (range) => {
  try {
    return apply(startContainer, range, []);
  } catch {
    return undefined;
  }
};
for (const name of ['insertNode', 'surroundContents']) {
  replaceMember(protoOf(Range), name, method(name, whereRangeStarts));
}
/** @type {[PageObject, string][]} */
const textSetters = [
  [protoOf(HTMLScriptElement), 'text'], [protoOf(HTMLScriptElement), 'textContent'],
  [protoOf(HTMLScriptElement), 'innerText'], [protoOf(Node), 'textContent'], [protoOf(HTMLElement), 'innerText'],
];
/** @param {AnyFunction} original @param {PageValue} self @param {PageValue} value */
export const setting = (original, self, value) => {
  if (!isScript(self) || !apply(isConnected, self, [])) return apply(original, self, [value]);
  /** @type {ReplacedScript[]} */
  const list = [];
  const values = [value];
  textInto(self, values, list);
  return list.length === 0 ? apply(original, self, values) : during(list, () => apply(original, self, values));
};
for (const [holder, name] of textSetters) {
  replaceMember(holder, name, (original) => getOwnPropertyDescriptor({
    /** @param {PageValue} value */
    set [name](value) { setting(original, this, value); },
  }, name)?.set);
}

// A script that is in the document already and gets its address now.
/** @param {PageObject} script @param {(value: PageValue) => void} put */
const addressing = (script, put) => {
  const isDue = isScript(script) && apply(isConnected, script, []) && !apply(hasMember, started, [script])
    && apply(getAttribute, script, ['src']) === null && textsOf(script).length === 0;
  const goal = isDue ? goalOfAny(script) : undefined;
  return goal === undefined ? undefined : (/** @type {PageValue} */ value) => {
    const ours = inMemory(value, goal === 'module');
    put(ours);
    if (ours === value) return;
    apply(setAttribute, script, ['src', Cu(/** @type {string} */ (ours))]);
    apply(addMember, started, [script]);
  };
};
replaceMember(protoOf(HTMLScriptElement), 'src', (original) => getOwnPropertyDescriptor({
  /** @param {string} address */
  set src(address) {
    /** @param {PageValue} value */
    const put = (value) => apply(original, this, [value]);
    (addressing(this, put) ?? put)(address);
  },
}, 'src')?.set);

// ---- event handlers ----

// Has the handler of an attribute compiled from the rewritten text. The browser compiles it when it is first asked
// for, and keeps it, whatever the attribute says then, once it is set again. `put` writes the attribute.
/** @param {PageObject} element @param {string} name @param {string} text @param {(value: PageValue) => void} put */
const hookHandler = (element, name, text, put) => {
  const property = inspect(element, name);
  if (property === undefined || property.data || !property.native || !property.get || !property.set) return;
  if (apply(ownerDocument, element, []) !== document) {
    // Nothing is compiled where no script runs, as in a template: that waits until it is inserted here.
    anyElsewhere = true;
    return;
  }
  apply(addMember, handled, [element]);
  // What is in a template of the document's text is rewritten already.
  const written = authorText(text);
  const code = written !== text ? text
    : once(name, text, () => hand({ kind: 'handler', name, place, text, code: undefined }));
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
export const handled = new WeakSetOf();
export let anyElsewhere = false;
export const noteElsewhere = () => { anyElsewhere = true; };
const waiting = new WeakSetOf();
// The handlers in what is inserted, of elements that are among `elements` or are not.
/** @param {PageValue} value @param {WeakSet<WeakKey>} elements @param {boolean} isAmong @param {PageObject[]} found */
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
const { adoptNode } = protoOf(Document);
const view = accessor(protoOf(Document), 'defaultView').get;
/** @param {PageValue} value */
export const arrive = (value) => {
  const owner = typeOf(value) === 0 ? null : apply(ownerDocument, value, []);
  if (owner === null || owner === document) return;
  if (apply(isConnected, value, []) && apply(view, owner, []) !== null) return;
  /** @type {PageObject[]} */
  const found = [];
  handlersIn(value, handled, false, found);
  /** @type {PageObject[]} */
  const arriving = [];
  for (let index = 0; index < found.length; index++) {
    const property = inspect(apply(ownerElement, found[index], []), apply(attributeName, found[index], []));
    const isSet = property?.native && property.get
      && typeof apply(property.get, apply(ownerElement, found[index], []), []) === 'function';
    if (!isSet) append(arriving, found[index]);
  }
  if (arriving.length === 0) return;
  apply(adoptNode, document, [value]);
  for (let index = 0; index < arriving.length; index++) {
    const attribute = arriving[index];
    // Asked for where nothing is compiled, it would stay without a handler.
    apply(attributeValue.set, attribute, [apply(attributeValue.get, attribute, [])]);
    hookAttribute(attribute, apply(ownerElement, attribute, []));
  }
};
/** @param {PageObject} attribute */
const settle = (attribute) => {
  const element = apply(ownerElement, attribute, []);
  const running = apply(attributeValue.get, attribute, []);
  const text = authorText(running);
  if (element === null || running === text) return;
  const property = inspect(element, apply(attributeName, attribute, []));
  const handler = apply(property?.get, element, []);
  apply(attributeValue.set, attribute, [text]);
  apply(property?.set, element, [handler]);
};
replaceMember(protoOf(Element), 'setAttribute', (original) => ({
  /** @param {...unknown} values */
  setAttribute(...values) {
    const name = values[0];
    const isSource = (name === 'src' || name === 'SRC') && typeof values[1] === 'string';
    const set = (/** @type {PageValue} */ value) => apply(original, this, [name, value]);
    const put = isSource ? addressing(this, set) : undefined;
    if (put !== undefined) return put(values[1]);
    const result = apply(original, this, values);
    const mayBeHandler = typeof name === 'string' && name.length > 2 && (name[0] === 'o' || name[0] === 'O');
    if (mayBeHandler && typeOf(this) === ELEMENT) {
      const known = lower(name);
      if (known[1] === 'n') {
        const text = apply(getAttribute, this, [known]);
        const write = (/** @type {PageValue} */ value) => apply(setAttribute, this, [known, value]);
        if (text !== null) hookHandler(this, known, text, write);
      }
    }
    return result;
  },
}).setAttribute);

const HANDLER = /on[a-z]+\s*=/i;
/** @param {PageValue} markup */
export const mayHoldHandlers = (markup) => typeof markup === 'string' && apply(exec, HANDLER, [markup]) !== null;
const UNORDERED_NODE_SNAPSHOT = 6;
const BOOLEAN = 3;
const { createExpression } = protoOf(Document);
const anyHandler = replacesMarkup
  ? apply(createExpression, document, ["boolean(descendant-or-self::*/@*[starts-with(name(), 'on')])", null])
  : undefined;
const evaluateOn = protoOf(XPathExpression).evaluate;
const booleanValue = accessor(protoOf(XPathResult), 'booleanValue').get;
/** @param {PageValue} root */
export const holdsHandlers = (root) => {
  const found = apply(evaluateOn, anyHandler, [root, BOOLEAN, null]);
  return apply(booleanValue, found, []);
};
/** @param {PageValue} root @param {string} path @param {(attribute: PageObject, element: PageObject) => void} take */
export const eachHandler = (root, path, take) => {
  const owner = apply(ownerDocument, root, []);
  const attributes = `${path}/@*[starts-with(name(), 'on')]`;
  const found = apply(evaluate, owner, [attributes, root, null, UNORDERED_NODE_SNAPSHOT, null]);
  const length = apply(snapshotLength, found, []);
  for (let index = 0; index < length; index++) {
    const attribute = apply(snapshotItem, found, [index]);
    take(attribute, apply(ownerElement, attribute, []));
  }
};
/** @param {PageObject} attribute @param {PageObject} element */
export const hookAttribute = (attribute, element) => {
  const text = apply(attributeValue.get, attribute, []);
  /** @param {PageValue} value */
  const put = (value) => apply(attributeValue.set, attribute, [value]);
  hookHandler(element, apply(attributeName, attribute, []), text, put);
};
/** @param {PageValue} root @param {string} path */
export const hookHandlersIn = (root, path) => eachHandler(root, path, hookAttribute);
/** @param {PageObject} parent @param {PageValue} before @param {PageValue} after */
export const hookBetween = (parent, before, after) => {
  let node = apply(before === null ? firstChild : nextSibling, before ?? parent, []);
  for (; node !== null && node !== after; node = apply(nextSibling, node, [])) {
    if (apply(nodeType, node, []) === ELEMENT) hookHandlersIn(node, 'descendant-or-self::*');
  }
};

// ---- scripts in shadow trees: they run when the host is inserted, and no search from outside finds them ----

/** @type {WeakMap<PageObject, PageObject>} */
const shadowTrees = new WeakMapOf();
let anyShadow = false;
// Whether a script was put where it does not run yet, so that hosts must be looked for.
let anyScriptWaits = false;

replaceMember(protoOf(Element), 'attachShadow', (original) => ({
  /** @param {...unknown} values */
  attachShadow(...values) {
    const root = /** @type {ShadowRoot} */ (apply(original, this, values));
    apply(weakSet, shadowTrees, [this, root]);
    anyShadow = true;
    return root;
  },
}).attachShadow);

// What is inserted where nothing runs.
/** @param {ArrayLike<unknown>} values */
function noteScripts(values) {
  for (let index = 0; anyShadow && !anyScriptWaits && index < values.length; index++) {
    const type = typeOf(values[index]);
    if (type !== ELEMENT && type !== FRAGMENT) continue;
    const scripts = apply(type === ELEMENT ? inElement : inFragment, values[index], ['script']);
    anyScriptWaits = isScript(values[index]) || apply(listLength, scripts, []) > 0;
  }
}

/** @param {PageObject} host @param {ReplacedScript[]} list */
function replaceInShadow(host, list) {
  const root = anyScriptWaits ? apply(weakGet, shadowTrees, [host]) : undefined;
  if (root !== undefined) replaceScriptsIn(root, list);
}

// The same for all hosts in what is inserted.
/** @param {PageObject} root @param {ReplacedScript[]} list */
function replaceInShadows(root, list) {
  if (!anyScriptWaits) return;
  const type = typeOf(root);
  if (type === ELEMENT) replaceInShadow(root, list);
  const elements = apply(type === ELEMENT ? inElement : inFragment, root, ['*']);
  const length = apply(listLength, elements, []);
  for (let index = 0; index < length; index++) replaceInShadow(apply(listItem, elements, [index]), list);
}
