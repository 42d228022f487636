// What live hooks keep of who wrote last: see `live-shadows.js`.

/**
 * A write by a built-in, as live hooks keep it: the moment, the site and the task as a shadow has them (-1: nobody
 * knows who wrote), the built-in, the frame that called it, the event of the user that did it instead; `open`: what
 * the document's parser had open then, while it ran.
 */
interface LiveWrite {
  __proto__: null;
  s: number;
  number: number;
  by: number;
  frame: CapturedFrame | undefined;
  user: Cause | undefined;
  open: PageObject[] | undefined;
}

/** A text and a markup as they are. */
interface Look { text: string, html: string | undefined }
interface NotedLocus {
  node: PageObject;
  text: boolean;
  html: boolean;
  how: TreeChange;
  before: Look | undefined;
  after?: Look | undefined;
  next: NotedLocus | undefined;
}
interface NotedStates { object: PageObject, before: Table, next: NotedStates | undefined }
interface NotedItem { storage: PageObject, key: string, before: PageValue, next: NotedItem | undefined }
/**
 * The last write at a node: `isWhole`, that all of what is in it was compared; `size`, of its text, -1: not known;
 * `within`, the node around it that the same call left as it was: for that one `before` holds.
 */
interface TreeWrite {
  __proto__: null;
  write: LiveWrite;
  isWhole: boolean;
  size: number;
  within: PageObject | undefined;
  before: TreeWrite | undefined;
}

/** What live hooks know of a node: see `live-dom.js` and `live-states.js`. */
interface NodeWrites {
  __proto__: null;
  text: TreeWrite | undefined;
  html: TreeWrite | undefined;
  attribute: LiveWrite | undefined;
  born: LiveWrite | undefined;
  states: Table<{ __proto__: null, write: LiveWrite, value: PageValue, base: string | undefined }>;
  isDoubted: boolean;
}
