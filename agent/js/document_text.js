// A document's own text as its author wrote it. Inline scripts and event-handler attributes come rewritten; once the
// browser has taken them for running, their text is put back, so that a page that reads itself reads what was written.

import {
  apply, Attr, CharacterData, Document, document, Element, getOwnPropertyDescriptor, HTMLCollection, includes, indexOf,
  Node, slice, WeakSet, XPathResult,
} from './captured.js';
import { earlier } from './config.js';
import { append } from './basics.js';
import { authorText } from './source_text.js';
import { inspect } from './objects.js';
import { listen } from './listeners.js';

// What else is put back before a script runs.
/** @type {(() => void)[]} */
const beforeScripts = [];
/** @param {() => void} putBack */
export const putBackBefore = (putBack) => append(beforeScripts, putBack);

export const WeakSetOf = WeakSet;
export const hasMember = /** @type {HasIn} */ (WeakSetOf.prototype.has);
export const addMember = /** @type {AddTo} */ (WeakSetOf.prototype.add);
// Scripts that a script inserted: they get their texts back where that is done.
export const insertedScripts = new WeakSetOf();
// Restores what the parser made, all of which is whole but `open`.
/** @type {(mayBeCut: PageObject | boolean | undefined) => void} */
export let restoreWhole = () => undefined;

// The same for what is in templates.
/** @type {() => void} */
let restoreTemplates = () => undefined;
/** @param {() => void} restore */
export const restoreTemplatesBy = (restore) => { restoreTemplates = restore; };
// Takes away the marks before the digests of an element, which the browser was to pass over.
/** @type {(element: PageObject) => void} */
export let restoreIntegrity = () => undefined;

// What a rewritten script of a document calls first.
export const C = (() => {
  /** @type {<T extends object, K extends keyof T & string>(holder: T, name: K) => Accessor<T[K]>} */
  const accessor = (holder, name) => /** @type {Accessor<never>} */ (
    getOwnPropertyDescriptor(holder, name) ?? { get: undefined, set: undefined });
  if (earlier !== undefined || typeof Document !== 'function' || typeof document !== 'object') return () => undefined;
  const page = document;
  const currentScript = accessor(Document.prototype, 'currentScript').get;
  const readyState = accessor(Document.prototype, 'readyState').get;
  const scripts = accessor(Document.prototype, 'scripts').get;
  const links = page.getElementsByTagName('link');
  const length = accessor(HTMLCollection.prototype, 'length').get;
  const { item } = /** @type {{ item: (index: number) => Element }} */ (HTMLCollection.prototype);
  const firstChild = accessor(Node.prototype, 'firstChild').get;
  const nextSibling = accessor(Node.prototype, 'nextSibling').get;
  const data = accessor(CharacterData.prototype, 'data');
  const { evaluate } = Document.prototype;
  const snapshotLength = accessor(XPathResult.prototype, 'snapshotLength').get;
  const { snapshotItem } = /** @type {Attributes} */ (/** @type {unknown} */ (XPathResult.prototype));
  const attributeValue = accessor(Attr.prototype, 'value');
  const attributeName = accessor(Attr.prototype, 'name').get;
  const ownerElement = accessor(Attr.prototype, 'ownerElement').get;
  const UNORDERED_NODE_SNAPSHOT = 6;

  const { hasAttribute } = Element.prototype;
  const { getAttribute, setAttribute } = Element.prototype;
  const MARK = '__QP__-';
  restoreIntegrity = (element) => {
    const running = apply(getAttribute, element, ['integrity']);
    if (running === null || !apply(includes, running, [MARK])) return;
    let written = '';
    let at = 0;
    for (let found = 0; found >= 0; at = found + MARK.length) {
      found = apply(indexOf, running, [MARK, at]);
      written += found < 0 ? apply(slice, running, [at]) : apply(slice, running, [at, found]);
    }
    apply(setAttribute, element, ['integrity', written]);
  };
  // Scripts that have their author's text.
  const restored = new WeakSetOf();

  /** @param {PageObject} script */
  const restoreScript = (script) => {
    if (apply(hasMember, restored, [script])) return;
    apply(addMember, restored, [script]);
    restoreIntegrity(script);
    for (let node = apply(firstChild, script, []); node !== null; node = apply(nextSibling, node, [])) {
      if (!textIsOf(node)) continue;
      const running = apply(data.get, node, []);
      const written = authorText(running);
      if (written !== running) apply(data.set, node, [written]);
    }
  };
  // A comment or an instruction in a script element is none of the parser's making.
  /** @param {PageObject} node */
  const textIsOf = (node) => {
    try {
      apply(data.get, node, []);
      return true;
    } catch {
      return false;
    }
  };

  // Scripts are taken when their end tags are met; modules run later, in an order of their own.
  /** @param {PageObject | boolean | undefined} mayBeCut */
  const restoreScripts = (mayBeCut) => {
    restoreLinks();
    if (mayBeCut !== true) restoreTemplates();
    const all = apply(scripts, page, []);
    for (let index = apply(length, all, []) - 1; index >= 0; index--) {
      const script = apply(item, all, [index]);
      if (apply(hasMember, insertedScripts, [script])) continue;
      if (mayBeCut === true || script === mayBeCut) mayBeCut = false;
      else restoreScript(script);
    }
  };
  restoreWhole = restoreScripts;
  const restoreLinks = () => {
    const count = apply(length, links, []);
    for (let index = 0; index < count; index++) restoreIntegrity(apply(item, links, [index]));
  };

  // The browser compiles a handler when it is first asked for it; then it keeps it whatever the attribute says, if it
  // is set once more.
  const restoreHandlers = () => {
    const found = apply(evaluate, page, ["//@*[starts-with(name(), 'on')]", page, null, UNORDERED_NODE_SNAPSHOT, null]);
    const count = apply(snapshotLength, found, []);
    for (let index = 0; index < count; index++) {
      const attribute = apply(snapshotItem, found, [index]);
      const running = apply(attributeValue.get, attribute, []);
      const written = authorText(running);
      if (written === running) continue;
      const element = apply(ownerElement, attribute, []);
      const property = inspect(element, apply(attributeName, attribute, []));
      if (property === undefined || property.data || !property.native || property.get === undefined) continue;
      const handler = apply(property.get, element, []);
      if (typeof handler !== 'function') continue;
      apply(attributeValue.set, attribute, [written]);
      apply(property.set, element, [handler]);
    }
  };

  listen(page, 'readystatechange', () => {
    restoreScripts(false);
    restoreHandlers();
  }, { __proto__: null, capture: true, once: true });
  return () => {
    for (let index = 0; index < beforeScripts.length; index++) beforeScripts[index]();
    const script = apply(currentScript, page, []);
    if (script !== null) restoreScript(script);
    // Where the parser waits for this one, or has reached the end, all that it made is whole. Else its last script may
    // be cut.
    const isLoading = apply(readyState, page, []) === 'loading';
    const waits = script !== null && !apply(hasMember, insertedScripts, [script])
      && !apply(hasAttribute, script, ['async']);
    if (!isLoading || waits) restoreScripts(false);
    else if (script === null) restoreScripts(true);
    restoreHandlers();
  };
})();
