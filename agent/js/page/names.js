// Roles and accessible names, as Chromium gives them: the parts of "Accessible Name and Description Computation" (W3C)
// that pages use. The recorder of the developer tools writes them into selectors, so what counts is what Chromium says,
// also where a library computes them otherwise (docs/decisions/0125-names-as-the-browser-computes-them.md).

/** @param {string} text */
export const squeeze = (text) => text.replace(/\s+/g, " ").trim();

/** @type {Record<string, string>} */
const inputRoles = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
  range: "slider", number: "spinbutton", search: "searchbox", color: "ColorWell", file: "button", hidden: "",
};
/** @type {Record<string, string>} */
const tagRoles = {
  BUTTON: "button", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
  IMG: "image", LI: "listitem", UL: "list", OL: "list", NAV: "navigation", MAIN: "main", FORM: "form",
  OPTION: "option", TABLE: "table", TR: "row", TD: "cell", TH: "columnheader", TEXTAREA: "textbox",
  DIALOG: "dialog", ARTICLE: "article", SECTION: "region", SUMMARY: "button", PROGRESS: "progressbar",
  METER: "meter", OUTPUT: "status", FIELDSET: "group", DETAILS: "group", ASIDE: "complementary", LABEL: "LabelText",
  FIGURE: "figure", HR: "separator", CANVAS: "Canvas", IFRAME: "Iframe", P: "paragraph",
};
/** @type {Record<string, string>} */
export const aliases = { img: "image", presentation: "none" };
const named = new Set([
  "button", "link", "heading", "checkbox", "radio", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "tab",
  "cell", "gridcell", "columnheader", "rowheader", "treeitem", "switch", "tooltip", "LabelText",
]);

// The title that a drawing says of itself.
/** @param {Element} drawing */
const titleOf = (drawing) => squeeze(drawing.querySelector(":scope > title")?.textContent ?? "");

/** @param {PageElement} element */
export function roleOf(element) {
  const given = (element.getAttribute("role") ?? "").trim().split(/\s+/)[0];
  if (given) return aliases[given] ?? given;
  switch (element.tagName) {
    case "A": case "AREA": return element.hasAttribute("href") ? "link" : "";
    case "svg": return element.hasAttribute("aria-label") || titleOf(element) ? "image" : "";
    case "INPUT": return inputRoles[element.type ?? ""] ?? (element.list ? "combobox" : "textbox");
    case "SELECT": return element.multiple || (element.size ?? 0) > 1 ? "listbox" : "combobox";
  }
  return tagRoles[element.tagName] ?? "";
}

// What has no text of its own is a word apart.
const APART = new Set(["BR", "IMG", "INPUT", "SELECT", "TEXTAREA", "svg"]);

/** @type {Record<string, (text: string) => string>} */
const TRANSFORMS = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase()),
};

// The text that a style puts before or behind what is in an element; `content` is text or an address, and then others.
/** @param {Element} element @param {string} where */
function pseudoText(element, where) {
  const { content } = getComputedStyle(element, where);
  const texts = content?.startsWith('"') ? content.matchAll(/"((?:[^"\\]|\\.)*)"/g) : [];
  return [...texts].map(([, text]) => text.replace(/\\(.)/g, "$1")).join("");
}

/** @param {CSSStyleDeclaration} style */
const isInline = (style) => style.display === "inline" || style.display === "contents";

/** @param {PageElement} node @param {Set<Element>} seen */
function textOf(node, seen) {
  const transform = TRANSFORMS[getComputedStyle(node).textTransform] ?? ((text) => text);
  let text = pseudoText(node, "::before");
  const slotted = node.tagName === "SLOT" ? node.assignedNodes?.({ flatten: true }) : undefined;
  for (const each of slotted ?? (node.shadowRoot ?? node).childNodes) {
    if (each.nodeType === Node.TEXT_NODE) text += transform(/** @type {Text} */ (each).data);
    else if (each.nodeType === Node.ELEMENT_NODE) {
      const child = /** @type {PageElement} */ (each);
      const style = getComputedStyle(child);
      if (style.display === "none" || style.visibility === "hidden") continue;
      if (child.getAttribute("aria-hidden") === "true") continue;
      const inner = child.tagName === "BR" ? " " : nameOf(child, seen, true);
      text += isInline(style) && !APART.has(child.tagName) ? inner : ` ${inner} `;
    }
  }
  return text + pseudoText(node, "::after");
}

// A label that holds its field is not named by itself once more.
/** @param {PageElement} element @param {Set<Element>} seen */
const labelsOf = (element, seen) => [...(element.labels ?? [])]
  .filter((label) => !seen.has(label)).map((label) => textOf(label, new Set(seen))).join(" ");

const NOT_READ = ["password", "checkbox", "radio", "button", "submit", "reset", "image", "file"];

/** @param {PageElement} element */
export const isButton = (element) => ["button", "submit", "reset"].includes(element.type ?? "");

// What a person reads in a field.
/** @param {PageElement} field */
function contentOf(field) {
  switch (field.tagName) {
    case "SELECT": return squeeze([...(field.selectedOptions ?? [])].map((option) => option.text).join(" "));
    case "INPUT": return NOT_READ.includes(field.type ?? "") ? "" : squeeze(field.value ?? "");
    case "TEXTAREA": case "METER": case "PROGRESS": case "OUTPUT": return squeeze(String(field.value ?? ""));
  }
  return "";
}

/** @param {PageElement} element @param {Set<Element>} [seen] @returns {string} */
export function nameOf(element, seen = new Set(), inside = false) {
  if (seen.has(element)) return "";
  seen.add(element);
  const references = (element.getAttribute("aria-labelledby") ?? "").trim();
  if (references && !inside) {
    const home = /** @type {Partial<Document>} */ (element.getRootNode());
    const texts = references.split(/\s+/).map((id) => home.getElementById?.(id) ?? null).filter((it) => it !== null);
    // An element may name itself among others.
    const seenBy = (/** @type {Element} */ each) => (each === element ? new Set() : new Set(seen));
    const text = squeeze(texts.map((each) => nameOf(each, seenBy(each), true)).join(" "));
    if (text) return text;
  }
  // Within the name of another, a field is what is in it.
  const content = inside ? contentOf(element) : "";
  if (content) return content;
  const label = squeeze(element.getAttribute("aria-label") ?? "");
  if (label) return label;
  let text = "";
  switch (element.tagName) {
    case "INPUT":
      if (isButton(element)) {
        text = element.value || (element.type === "submit" ? "Submit" : element.type === "reset" ? "Reset" : "");
      } else if (element.type === "image") text = element.alt || element.title || "Submit";
      if (text) return squeeze(text);
    // falls through: other fields are named by their labels
    case "SELECT": case "TEXTAREA": case "METER": case "PROGRESS": case "OUTPUT":
      text = labelsOf(element, seen);
      if (squeeze(text)) return squeeze(text);
      break;
    case "BUTTON":
      text = labelsOf(element, seen);
      break;
    case "IMG": case "AREA":
      text = element.alt ?? "";
      break;
    case "FIELDSET":
      text = element.querySelector(":scope > legend")?.textContent ?? "";
      break;
    case "TABLE":
      text = element.caption?.textContent ?? "";
      break;
    case "svg":
      text = titleOf(element);
      break;
  }
  if (!squeeze(text) && (inside || named.has(roleOf(element)))) text = textOf(element, seen);
  return squeeze(text) || squeeze(element.getAttribute("title") ?? "")
    || squeeze(element.getAttribute("placeholder") ?? "");
}

