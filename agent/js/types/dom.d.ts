// What a call may change of the DOM: see `dom-notes.js`.

/** The objects of the platform whose getters are taken by name. */
interface Platform {
  Node: Node;
  Element: Element;
  Attr: Attr;
  CharacterData: CharacterData;
  Event: Event;
  InputEvent: InputEvent;
  Range: Range;
  KeyboardEvent: KeyboardEvent;
  HTMLInputElement: HTMLInputElement;
  HTMLTextAreaElement: HTMLTextAreaElement;
  HTMLSelectElement: HTMLSelectElement;
  Request: Request;
  Response: Response;
  URL: URL;
  WebSocket: WebSocket;
  XMLHttpRequest: XMLHttpRequest;
}

/** Who changes the DOM: the built-in or the hook's place; of the user's input, the event. */
interface Origin { site: Site, context: Context, cause?: Cause | undefined }
/** One call: what it may change, noted before it. Each list is linked by `next`: see `scene`. */
interface Scene {
  since: number;
  trees: NotedTree | undefined;
  compared: NotedValue | undefined;
  marked: NotedAttributes | undefined;
  attributed: NotedAttributeNodes | undefined;
  made: NotedNew | undefined;
  /** Of an undo: the texts below what is edited. */
  texts?: NotedText[] | undefined;
  /** Of a click that may be prevented: what it has turned over. */
  turned?: { target: PageObject, before: PageValue };
  /** Of live hooks: where a tree may change, whose state may, and the items of storages; whether it was understood. */
  loci?: NotedLocus | undefined;
  states?: NotedStates | undefined;
  items?: NotedItem | undefined;
  failed?: boolean;
}

/** How it is known whether a text and a markup change: `exact` before the call, `made` by the nodes that it makes. */
type TreeChange = 'exact' | 'made' | 'compared';
interface NotedTree { node: PageObject, text: boolean, html: boolean, next: NotedTree | undefined }
interface NotedValue {
  index: number;
  object: PageObject;
  before: PageValue;
  tree: boolean;
  counted?: boolean;
  next: NotedValue | undefined;
}
interface NotedAttributes { node: PageObject, before: string, next: NotedAttributes | undefined }
interface NotedAttributeNodes { index: number, element: PageObject, next: NotedAttributeNodes | undefined }
interface NotedNew {
  parent: PageObject;
  after: PageObject | null;
  before: PageObject | null;
  next: NotedNew | undefined;
}
interface NotedText { node: PageObject, parent: PageObject, data: string }
/**
 * Notes what a call on `self` may change. What it is called on and with is the page's: where it is of another kind, the
 * platform's getters throw, and the original says so (`noteSafely`).
 */
type Note = (noted: Scene, self: PageObject, values: ArrayLike<unknown>) => void;
/** Notes by name of the method or setter, by interface. */
type Notes = Table<Table<Note>>;
/** A result of XPath that asked for attributes: none is missing below its length. */
interface Attributes { snapshotItem: (index: number) => Attr }
