// What selectors mean: which elements a selector finds, and what one is. A part of the scripts that do the steps of a
// recording, and of the one that makes them.

import { aliases, isButton, nameOf, roleOf, squeeze } from './names.js';

/** @param {SearchRoot} root @returns {Generator<SearchRoot>} */
function* roots(root) {
  yield root;
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) yield* roots(element.shadowRoot);
  }
}

// Those that come after what is looked for cost nothing.
/** @param {SearchRoot} root */
function* within(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) yield /** @type {PageElement} */ (walker.currentNode);
}

/** @param {SearchRoot} root */
export function* everyElement(root) {
  for (const each of roots(root)) yield* within(each);
}

// What a selector finds is given one by one: whoever wants the first need not look for the others.

/** @param {SearchRoot} root @param {string} selector */
function* byAria(root, selector, most = Infinity) {
  /** @type {string | undefined} */
  let role;
  let wanted = selector;
  for (const [whole, key, , value] of selector.matchAll(/\[\s*(\w+)\s*=\s*(["'])(.*?)\2\s*\]/g)) {
    if (key !== "name" && key !== "role") continue;
    if (key === "role") role = aliases[value] ?? value;
    else wanted = value + wanted.replace(whole, "");
    if (key === "role") wanted = wanted.replace(whole, "");
  }
  wanted = squeeze(wanted);
  /** @type {PageElement[]} */
  const labels = [];
  for (const element of everyElement(root)) {
    const own = roleOf(element);
    if (role ? own !== role : !own && !element.hasAttribute("aria-label") && !element.hasAttribute("title")) continue;
    if (own === "none" || own === "generic") continue;
    if (most-- === 0) return;
    if (wanted && nameOf(element) !== wanted) continue;
    // A label names its field and itself: the field is what is meant.
    if (element.tagName === "LABEL") labels.push(element);
    else yield element;
  }
  yield* labels;
}

/** @param {SearchRoot} root @param {string} wanted */
function* byText(root, wanted) {
  wanted = squeeze(wanted);
  const skipped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE"]);
  // The deepest elements that hold the whole text, each when what is in it has been looked at, once.
  /**
   * @param {SearchRoot} root
   * @returns {Generator<PageElement, { text: string, isWithin: boolean }>}
   */
  function* search(root) {
    const node = /** @type {PageElement} */ (root);
    let text = "";
    let isWithin = false;
    if (skipped.has(node.tagName)) return { text, isWithin };
    if (node.tagName === "INPUT" && isButton(node)) text = node.value ?? "";
    for (const parent of node.shadowRoot ? [node.shadowRoot, node] : [node]) {
      for (const child of parent.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) text += /** @type {Text} */ (child).data;
        else if (child.nodeType === Node.ELEMENT_NODE) {
          const inner = yield* search(/** @type {PageElement} */ (child));
          text += inner.text;
          isWithin ||= inner.isWithin;
        }
      }
    }
    if (!isWithin && squeeze(text).includes(wanted)) {
      isWithin = true;
      if (node.nodeType === Node.ELEMENT_NODE) yield node;
    }
    return { text, isWithin };
  }
  if (wanted) yield* search(root);
}

/** @param {SearchRoot} root @param {string} expression */
function byXpath(root, expression) {
  const relative = root.nodeType === Node.DOCUMENT_NODE ? expression : expression.replace(/^\//, "./");
  const result = document.evaluate(relative, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  /** @type {PageElement[]} */
  const found = [];
  for (let index = 0; index < result.snapshotLength; index++) {
    const node = /** @type {Node} */ (result.snapshotItem(index));
    const around = () => node.parentElement ?? /** @type {Attr} */ (node).ownerElement;
    const element = node.nodeType === Node.ELEMENT_NODE ? node : around();
    if (element) found.push(/** @type {PageElement} */ (element));
  }
  return found;
}

/** @param {SearchRoot} root @param {string} selector @returns {Generator<PageElement>} */
function* bySelector(root, selector) {
  const first = /** @type {PageElement | null} */ (root.querySelector(selector));
  if (first === null) return;
  yield first;
  yield* /** @type {PageElement[]} */ ([...root.querySelectorAll(selector)].slice(1));
}

/** @param {SearchRoot} root @param {string} part @param {number} [most] @returns {Generator<PageElement>} */
function* byPart(root, part, most) {
  if (part.startsWith("aria/")) yield* byAria(root, part.slice(5), most);
  else if (part.startsWith("text/")) yield* byText(root, part.slice(5));
  else if (part.startsWith("xpath/")) yield* byXpath(root, part.slice(6));
  else if (part.startsWith("pierce/")) for (const each of roots(root)) yield* bySelector(each, part.slice(7));
  else yield* bySelector(root, part);
}

/** @param {Selector} parts */
export function byAlternative(parts) {
  /** @type {SearchRoot[]} */
  let scopes = [document];
  /** @type {PageElement[]} */
  let found = [];
  for (const part of parts) {
    found = [...new Set(scopes.flatMap((scope) => [...byPart(scope, part)]))];
    scopes = found.map((element) => element.shadowRoot ?? element);
  }
  return found;
}

// The first element that an alternative finds, where no more than `most` have to be looked at whose names must be put
// together.
/** @param {Selector} parts @param {number} most */
export function firstBy(parts, most) {
  const scopes = parts.length === 1 ? [document]
    : byAlternative(parts.slice(0, -1)).map((element) => element.shadowRoot ?? element);
  for (const scope of scopes) {
    for (const element of byPart(scope, parts[parts.length - 1], most)) return element;
  }
  return undefined;
}

// Where an element is in the viewport. What is clicked where nothing is, is the root, which goes on beyond its content.
/** @param {Element} element @returns {Extent} */
export function extentOf(element) {
  if (element !== document.documentElement) return element.getBoundingClientRect();
  const width = Math.max(innerWidth, element.scrollWidth);
  const height = Math.max(innerHeight, element.scrollHeight);
  return { left: -scrollX, top: -scrollY, width, height };
}

/** @param {Element} element */
export function isVisible(element) {
  if (element === document.documentElement) return true;
  if (getComputedStyle(element).visibility !== "visible") return false;
  return [...element.getClientRects()].some((rect) => rect.width > 0 && rect.height > 0);
}

/** @param {Element} element */
export function isEnabled(element) {
  return !element.matches(":disabled") && element.getAttribute("aria-disabled") !== "true";
}

/** @param {PageElement} element @returns {element is PageField} */
export const isField = (element) => ["input", "select", "textarea"].includes(element.localName);

// What an element is, as far as it is the same where everything before was the same. Of an element with much in it the
// beginning.
/** @param {PageElement} element @param {boolean} hidesValue */
export function stateOf(element, hidesValue) {
  const MOST_TEXT = 200;
  /** @type {ElementState} */
  const state = { tag: element.localName };
  if (!isField(element) && !element.isContentEditable) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = "";
    for (let nodes = 0; nodes < 200 && text.length < MOST_TEXT && walker.nextNode(); nodes++) {
      const { data, parentElement } = /** @type {Text} */ (walker.currentNode);
      if (!["script", "style", "noscript"].includes(parentElement?.localName ?? "")) text += data.slice(0, 1000);
    }
    state.text = [...squeeze(text)].slice(0, MOST_TEXT).join("");
    state.children = element.childElementCount;
  }
  if (isField(element) && ["checkbox", "radio"].includes(element.type)) state.checked = element.checked;
  else if (isField(element) && !hidesValue && element.type !== "file") {
    state.value = [...element.value].slice(0, MOST_TEXT).join("");
  }
  const aria = ["busy", "checked", "current", "disabled", "expanded", "invalid", "pressed", "selected"];
  const told = aria.flatMap((name) => {
    const value = element.getAttribute(`aria-${name}`);
    return value === null ? [] : [[name, value.slice(0, MOST_TEXT)]];
  });
  if (told.length > 0) state.aria = Object.fromEntries(told);
  return state;
}
