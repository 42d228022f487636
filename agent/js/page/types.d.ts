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

declare var querypointField: HTMLInputElement;
declare var querypointTrial: HTMLInputElement;
