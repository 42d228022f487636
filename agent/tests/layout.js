// Places of elements, which the DOM of these tests has not: for what looks where something is.

// `rects`: a selector, left, top, width and height of each. What the page scrolls and how often is in `scrolled`.
export function layOut(window, rects) {
  const { document, Element } = window;
  const places = new Map(rects.map(([selector, ...rect]) => [document.querySelector(selector), rect]));
  const scrolled = [];
  const rectOf = (element) => {
    const [left, top, width, height] = places.get(element) ?? [0, 0, 0, 0];
    return { left, top, width, height, right: left + width, bottom: top + height, x: left, y: top };
  };
  const layout = {
    scrolled, move: (selector, ...rect) => places.set(document.querySelector(selector), rect),
    animations: [], animationTime: () => window.performance.now(), onScroll: () => undefined,
  };
  Object.assign(Element.prototype, {
    getBoundingClientRect() { return rectOf(this); },
    getClientRects() { return places.has(this) ? [rectOf(this)] : []; },
    scrollIntoView({ block }) {
      scrolled.push([this.id || this.localName, block]);
      layout.onScroll(this);
    },
    scrollTo({ left, top }) { scrolled.push([this.id || this.localName, left, top]); },
  });
  window.scrollTo = ({ left, top }) => scrolled.push(['page', left, top]);
  window.scrollBy = ({ left, top }) => scrolled.push(['by', left, top]);
  // The last in the order of the document is on top.
  const at = (root) => (x, y) => [...root.querySelectorAll('*')].filter((element) => {
    const { left, top, right, bottom } = rectOf(element);
    return x >= left && x < right && y >= top && y < bottom;
  }).at(-1) ?? null;
  document.elementFromPoint = at(document);
  for (const host of document.querySelectorAll('*')) {
    if (host.shadowRoot) host.shadowRoot.elementFromPoint = at(host.shadowRoot);
  }
  document.getAnimations = () => layout.animations;
  document.timeline = { get currentTime() { return layout.animationTime(); } };
  Object.defineProperty(window.HTMLElement.prototype, 'isContentEditable', {
    get() { return this.closest('[contenteditable]') !== null; },
  });
  return { ...layout, layout, add: (element, ...rect) => places.set(element, rect) };
}
