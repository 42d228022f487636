// The names by which the platform means something that its DOM holds.

/** @type {Table<'text' | 'html'>} */
export const TREE_KEYS = /** @type {Bare} */ ({
  __proto__: null, textContent: 'text', innerText: 'text', outerText: 'text', innerHTML: 'html', outerHTML: 'html',
});
// What the objects of a document keep, by the names that the platform gives it.
/** @type {Table<boolean>} */
export const STATE_KEYS = /** @type {Bare} */ ({ __proto__: null });
for (const key of [
  'id', 'className', 'title', 'lang', 'dir', 'hidden', 'inert', 'tabIndex', 'accessKey', 'draggable', 'spellcheck',
  'translate', 'contentEditable', 'inputMode', 'enterKeyHint', 'autocapitalize', 'autofocus', 'popover', 'nonce',
  'slot', 'role', 'value', 'checked', 'defaultValue', 'defaultChecked', 'indeterminate', 'selected', 'defaultSelected',
  'selectedIndex', 'valueAsNumber', 'valueAsDate', 'disabled', 'readOnly', 'required', 'multiple', 'name', 'type',
  'placeholder', 'pattern', 'min', 'max', 'minLength', 'maxLength', 'step', 'size', 'accept', 'alt', 'autocomplete',
  'href', 'hash', 'host', 'hostname', 'pathname', 'port', 'protocol', 'search', 'username', 'password', 'target', 'rel',
  'download', 'hreflang', 'src', 'srcset', 'sizes', 'srcdoc', 'media', 'content', 'httpEquiv', 'htmlFor', 'label',
  'text', 'open', 'returnValue', 'colSpan', 'rowSpan', 'scope', 'headers', 'start', 'reversed', 'cols', 'rows', 'wrap',
  'action', 'method', 'enctype', 'noValidate', 'formAction', 'formMethod', 'formNoValidate', 'formTarget',
  'crossOrigin',
  'integrity', 'referrerPolicy', 'async', 'defer', 'noModule', 'loading', 'decoding', 'useMap', 'isMap', 'allow',
  'allowFullscreen', 'cite', 'dateTime', 'low', 'high', 'optimum', 'shape', 'coords', 'autoplay', 'controls', 'loop',
  'defaultMuted', 'poster', 'preload', 'kind', 'srclang', 'default', 'align', 'bgColor', 'cssText', 'nodeValue', 'data',
  'childElementCount', 'firstChild', 'lastChild', 'firstElementChild', 'lastElementChild', 'ariaChecked', 'ariaCurrent',
  'ariaDisabled', 'ariaExpanded', 'ariaHidden', 'ariaLabel', 'ariaLive', 'ariaPressed', 'ariaSelected', 'ariaValueNow',
  'ariaValueText',
]) STATE_KEYS[key] = true;
// Names under which the platform hands out an object that shows part of an element, and one of the element's children.
/** @type {Table<boolean>} */
export const PART_KEYS = /** @type {Bare} */ ({
  __proto__: null, style: true, dataset: true, attributes: true, classList: true, relList: true, part: true,
  sandbox: true, sizes: true, htmlFor: true, children: true, childNodes: true, options: true, selectedOptions: true,
  rows: true, cells: true, tBodies: true, elements: true,
});
// Lists whose length the browser counts anew after each change: not to be read at each call.
/** @type {Table<boolean>} */
export const LIST_KEYS = /** @type {Bare} */ ({
  __proto__: null, children: true, childNodes: true, options: true, selectedOptions: true, rows: true, cells: true,
  tBodies: true, elements: true,
});
/** @type {Table<boolean>} */
export const STORAGE_KEYS = /** @type {Bare} */ ({ __proto__: null, localStorage: true, sessionStorage: true });
// What the children or the text of an element give besides.
/** @type {Table<boolean>} */
export const BELOW_KEYS = /** @type {Bare} */ ({
  __proto__: null, value: true, defaultValue: true, text: true, label: true, title: true, selectedIndex: true,
  childElementCount: true, firstChild: true, lastChild: true, firstElementChild: true, lastElementChild: true,
});

// Represents any property of an element, where an answer has turned out to be about one that is in no list.
export const ANY_STATE = '*';
// Represents the nodes of attributes, which are seldom asked about.
export const ATTRIBUTE_NODES = '@';
