// The pointer passes much on its way, and a replay goes straight to what is pressed. Coming over an element matters
// where what is pressed next was not there to be pressed before: then that element is told first, and what made that
// one appear before it.

/**
 * Follows the pointer. `hoversFor` gives what had to be come over for an element, `actedNow` is told of each action.
 * @param {Listen} listen
 * @param {(event: Event) => PageElement} targetOf
 * @param {(element: PageElement, again: boolean) => Selector[]} selectorsOf
 */
export function followPointer(listen, targetOf, selectorsOf) {
  const MOST_LOOKED_AT = 10000;
  const LOOK_EVERY = 150;
  // More elements are looked at less often, so that it stays a small part of the page's time.
  const LOOK_EVERY_FOR_EACH = 0.3;
  // Whoever goes on and on acting is seen at least so often.
  const LONGEST_UNSEEN = 3000;
  // How many elements the pointer had come over when this one was seen to be visible for the first time.
  /** @type {WeakMap<Element, number>} */
  const visibleSince = new WeakMap();
  /** @type {{ element: PageElement, number: number }[]} */
  const cameOver = [];
  let passed = 0;
  let before = 0;
  let hasLooked = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let looksAt;
  let lastLook = -Infinity;
  let lookEvery = LOOK_EVERY;

  /** @param {Element} element */
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  function look() {
    looksAt = undefined;
    lastLook = performance.now();
    let count = 0;
    /** @param {SearchRoot} root */
    const lookAt = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (count++ >= MOST_LOOKED_AT) return;
        if (!isShown(element)) visibleSince.delete(element);
        else if (!visibleSince.has(element)) visibleSince.set(element, hasLooked ? passed : before);
        if (element.shadowRoot) lookAt(element.shadowRoot);
      }
    };
    lookAt(document);
    hasLooked = count <= MOST_LOOKED_AT;
    lookEvery = Math.max(LOOK_EVERY, count * LOOK_EVERY_FOR_EACH);
  }
  // Looking is not to be felt: it waits until what came of the last action has been shown, and some time longer, and
  // then until the page is idle.
  const SHOWN_MS = 40;
  let lastAction = -Infinity;
  /** @param {() => void} then */
  const whenShown = (then) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(then, SHOWN_MS)));
  function lookWhenShown() {
    const action = lastAction;
    const isTime = () => lastAction === action || performance.now() > lastLook + LONGEST_UNSEEN;
    whenShown(() => requestIdleCallback(() => (isTime() ? look() : lookWhenShown()), { timeout: 500 }));
  }
  function lookSoon() {
    if (looksAt !== undefined) return;
    looksAt = setTimeout(lookWhenShown, Math.max(0, lastLook + lookEvery - performance.now()));
  }
  listen("pointerover", (event) => {
    const element = targetOf(event);
    if (event.pointerType !== "mouse" || cameOver[cameOver.length - 1]?.element === element) return;
    passed++;
    cameOver.push({ element, number: passed });
    if (cameOver.length > 200) cameOver.shift();
    lookSoon();
  });
  // The selectors of the elements that the pointer had to come over, in order, so that this one can be pressed.
  /** @param {PageElement} target */
  function hoversFor(target) {
    /** @type {Selector[][]} */
    const hovers = [];
    let number = cameOver[cameOver.length - 1]?.element === target ? passed : passed + 1;
    for (let element = target; hasLooked && hovers.length < 10;) {
      const since = Math.min(visibleSince.get(element) ?? Infinity, number - 1);
      const cause = since > before ? cameOver.find((each) => each.number === since) : undefined;
      if (cause === undefined || !cause.element.isConnected) break;
      hovers.unshift(selectorsOf(cause.element, true));
      ({ element, number } = cause);
    }
    return hovers;
  }
  // What is there once the user has done something needs no hovering.
  function actedNow() {
    before = passed;
    lastAction = performance.now();
    lookSoon();
  }
  listen("DOMContentLoaded", lookSoon);
  listen("load", lookSoon);
  return { hoversFor, actedNow };
}
