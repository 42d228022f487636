// What the driver asks of a page (`selectors.js` says what each task needs), and what stays in the world of a page.

interface PageRequest {
  task: string;
  selectors?: string[][];
  offsetX?: number;
  offsetY?: number;
  limitMs?: number;
  enabled?: boolean;
  coverMs?: number;
  value?: string;
  x?: number;
  y?: number;
  operator?: string;
  count?: number;
  visible?: boolean | null;
  attributes?: Record<string, string>;
  properties?: Record<string, unknown>;
  files?: { name: string; type: string; modified?: number; base64: string }[];
  recorded?: { aria?: Record<string, string>; [name: string]: unknown };
  waitMs?: number;
  index?: number;
}

/** What elements of some kinds have. */
interface OfSome {
  type: string;
  value: string;
  checked: boolean;
  multiple: boolean;
  size: number;
  alt: string;
  list: Element | null;
  labels: NodeListOf<HTMLLabelElement> | null;
  control: HTMLElement | null;
  caption: HTMLTableCaptionElement | null;
  options: HTMLOptionsCollection;
  selectedOptions: HTMLCollectionOf<HTMLOptionElement>;
  files: FileList | null;
  assignedNodes(options?: AssignedNodesOptions): Node[];
  select(): void;
  setSelectionRange(start: number, end: number): void;
}
/** An element of any kind. */
type PageElement = HTMLElement & Partial<OfSome>;
/** An `input`, `select` or `textarea`. */
type PageField = HTMLElement & OfSome;
/** Where elements are looked for. */
type SearchRoot = Document | ShadowRoot | Element;
/** An alternative: parts, each but the first inside the shadow root of what the one before it found. */
type Selector = string[];
/** Where something is in the viewport. */
interface Extent { left: number, top: number, width: number, height: number }
/** What an element is: see `stateOf`. */
interface ElementState {
  tag: string;
  text?: string;
  children?: number;
  checked?: boolean;
  value?: string;
  aria?: Record<string, string>;
}
/** The element that a task is about; none: why not. */
type Choice =
  | { element: PageElement, name: string, note?: string }
  | { element: undefined, why: string, note?: string };
/** Where an element was, when, and in which frame. */
interface Seen { element: Element, rect: number[], at: number, frame: number }
/** What a task answers. */
type PageAnswer = { done: true, notes: string[], [name: string]: unknown } | { done: false, why: string };
/** What is told of what the user does: see `recorder.js`. */
interface Told { kind: string, [name: string]: unknown }
/** A pointer that is pressed: where, what on, and what came of it so far. */
interface HeldPointer {
  target: PageElement;
  button: number;
  device: string;
  since: number;
  at: { x: number, y: number };
  selectors: Selector[];
  state: ElementState;
  hovers: Selector[][];
  startX: number;
  startY: number;
  path: number[][];
  far: boolean;
  told: boolean;
  up: number | undefined;
  dragged: "no" | "asked" | "yes";
}
/** Calls `see` for each event of the user's. */
type Listen = <K extends keyof PageEvents>(type: K, see: (event: PageEvents[K]) => void) => void;
interface PageEvents extends WindowEventMap, DocumentEventMap {}

declare var querypointField: HTMLInputElement;
declare var querypointTrial: HTMLInputElement;
