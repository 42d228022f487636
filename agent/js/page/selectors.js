// Finds what a step of a recording is about and says where it is. Evaluated in an isolated world: the page can neither
// see it nor change what its built-ins do. It is an async function of one request:
//   { task: "point",   selectors, offsetX?, offsetY?, limitMs, enabled, coverMs }  → where to click
//   { task: "edit",    selectors, value, limitMs }                                 → prepares or does a change
//   { task: "scroll",  selectors?, x, y, limitMs }
//   { task: "element", selectors, operator, count, visible, attributes?, properties?, limitMs }
//   { task: "file",    selectors, limitMs }                → leaves the field, which may be hidden, in
//                                                            `querypointField` of its world
//   { task: "sizes" }                                      → of the files that `querypointField` has
//   { task: "fill",    files }                             → gives it files made of { name, type, modified, base64 }
//   { task: "state",   selectors, recorded, waitMs }       → what the element is, once it is as recorded or that time
//                                                            is over
//   { task: "editing" }                                    → whether the focus is where a text may be edited
//   { task: "frame" }                                                              → one animation frame has passed
//   { task: "idle" }                                       → and what the browser had to tell the page is told
//   { task: "title" }                                                              → the document's title
//   { task: "frameOffset", index }                       → where the index-th child frame is, inside its parent
// It answers { done: true, … } or { done: false, why }. Selectors: a list of alternatives, best first; an alternative
// is a list of parts, each but the first inside the shadow root of what the one before it found.

import { byAlternative, everyElement, extentOf, isEnabled, isField, isVisible, stateOf } from './elements.js';

// A page that is never idle is not waited for longer.
const IDLE_MS = 300;

/** @param {PageRequest} request @returns {Promise<PageAnswer>} */
export async function querypointSelectors(request) {
  const { selectors: alternatives = [], limitMs = 0, coverMs = 0 } = request;
  /** @param {unknown} error */
  const messageOf = (error) => /** @type {Error} */ (error).message;
  /** @returns {Promise<void>} */
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));

  /**
   * The first element of the best alternative that has a visible one; or why there is none.
   * @param {boolean} enabled @returns {Choice}
   */
  function choose(enabled) {
    /** @type {string[]} */
    const reasons = [];
    for (const parts of alternatives) {
      const name = parts.join(" >> ");
      let found;
      try {
        found = byAlternative(parts);
      } catch (error) {
        reasons.push(`${name}: not a valid selector (${messageOf(error)})`);
        continue;
      }
      const visible = found.filter(isVisible);
      const usable = enabled ? visible.filter(isEnabled) : visible;
      if (usable.length > 0) return { element: usable[0], name };
      if (found.length === 0) reasons.push(`${name}: no such element`);
      else if (visible.length === 0) reasons.push(`${name}: found, but not visible`);
      else reasons.push(`${name}: found, but disabled`);
    }
    return { element: undefined, why: reasons.join("; ") };
  }

  /** @param {Element} element */
  const rectOf = (element) => {
    const rect = element.getBoundingClientRect();
    return [rect.left, rect.top, rect.width, rect.height];
  };
  /** @param {number[]} a @param {number[]} b */
  const sameRect = (a, b) => a.every((value, index) => value === b[index]);
  const deadline = performance.now() + limitMs;
  const late = () => performance.now() > deadline;
  /** @param {number} frames */
  const enoughFrames = (frames) => frames * 16 > limitMs;

  // While something is animated, being in the same place says less: a transition is at its beginning for the frames
  // that it takes to begin; between two frames it is where it will be in the next, to a fraction of a millisecond; and
  // under load two frames may be of the same moment.
  const BEGINNING_MS = 50;
  const SAME_MOMENT_MS = 4;
  const now = () => /** @type {number} */ (document.timeline.currentTime);
  /** @param {Animation} animation */
  const isBeginning = (animation) => animation.pending || Number(animation.currentTime ?? 0) < BEGINNING_MS;
  // Virtual time may not go on, and animations with it.
  const STILL_FRAMES = 10;
  /** @param {Seen} last @param {number} frames */
  function couldHaveMoved({ at, frame }, frames) {
    const running = document.getAnimations().filter((animation) => animation.playState === "running");
    return running.length === 0 || frames - frame > STILL_FRAMES || now() - at > SAME_MOMENT_MS
      && !running.some(isBeginning);
  }

  /**
   * Waits until it is there, visible, usable, and in the same place in two frames running.
   * @param {boolean} enabled @returns {Promise<Choice>}
   */
  async function settled(enabled) {
    /** @type {Seen | undefined} */
    let last;
    for (let frames = 0; ; frames++) {
      const choice = choose(enabled);
      if (choice.element) {
        const rect = rectOf(choice.element);
        if (last && last.element === choice.element && sameRect(last.rect, rect)) {
          if (couldHaveMoved(last, frames)) return choice;
        } else {
          last = { element: choice.element, rect, at: now(), frame: frames };
        }
      } else {
        last = undefined;
      }
      // Where time does not go on, frames are what counts.
      if (late() || enoughFrames(frames)) {
        return choice.element ? { ...choice, note: "it did not stop moving" } : choice;
      }
      await nextFrame();
    }
  }

  /**
   * The point of the element to act on, scrolled into the viewport.
   * @param {Element} element @param {string[]} notes
   */
  async function pointOf(element, notes) {
    const place = () => {
      const rect = extentOf(element);
      const { offsetX, offsetY } = request;
      /** @param {number | undefined} offset @param {number} size @returns {offset is number} */
      const inside = (offset, size) => typeof offset === "number" && offset >= 0 && offset <= size;
      const isX = inside(offsetX, rect.width);
      const isY = inside(offsetY, rect.height);
      const exact = isX && isY;
      const given = typeof offsetX === "number" && typeof offsetY === "number";
      // A wrapped inline element may have nothing in the middle of its rectangle.
      const first = element === document.documentElement ? rect : element.getClientRects()[0] ?? rect;
      const x = exact ? rect.left + offsetX : first.left + first.width / 2;
      const y = exact ? rect.top + offsetY : first.top + first.height / 2;
      return { x, y, missed: given && !exact };
    };
    /** @param {{ x: number, y: number }} point */
    const out = ({ x, y }) => x < 0 || y < 0 || x >= innerWidth || y >= innerHeight;
    let point = place();
    if (out(point)) {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      point = place();
      if (out(point)) {
        scrollBy({ left: point.x - innerWidth / 2, top: point.y - innerHeight / 2, behavior: "instant" });
      }
      await nextFrame();
      point = place();
    }
    if (point.missed) notes.push("the element is smaller than where the recording acted on it: its middle was taken");
    return point;
  }

  /** @param {number} x @param {number} y */
  function elementAt(x, y) {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  /** @param {Node} node @returns {Node | null} */
  const around = (node) => node.parentNode ?? /** @type {Partial<ShadowRoot>} */ (node).host ?? null;

  /** @param {Element} hit @param {Element} element */
  function reaches(hit, element) {
    for (let node = /** @type {Node | null} */ (hit); node; node = around(node)) if (node === element) return true;
    for (let node = /** @type {Node | null} */ (element); node; node = around(node)) {
      if (node === hit) return hit !== document.documentElement && hit !== document.body;
    }
    return hit.closest("label")?.control === element;
  }

  /** @param {Element} element */
  const describe = (element) =>
    element.tagName.toLowerCase() + (element.id ? `#${element.id}` : "")
      + [...element.classList].map((name) => `.${name}`).join("");

  /** @type {Record<string, () => Promise<PageAnswer>>} */
  const tasks = {
    async point() {
      /** @type {string[]} */
      const notes = [];
      const choice = await settled(request.enabled === true);
      if (!choice.element) return { done: false, why: choice.why };
      if (choice.note) notes.push(choice.note);
      let point = await pointOf(choice.element, notes);
      // An overlay may be on its way out; it is waited for, but it may also be what the user clicked.
      for (let frames = 0; frames * 16 <= coverMs; frames++) {
        const hit = elementAt(point.x, point.y);
        if (!hit || reaches(hit, choice.element)) break;
        if ((frames + 1) * 16 > coverMs) notes.push(`it is covered by ${describe(hit)}`);
        else {
          await nextFrame();
          point = await pointOf(choice.element, []);
        }
      }
      return { done: true, x: point.x, y: point.y, selector: choice.name, notes };
    },

    async edit() {
      const choice = await settled(true);
      if (!choice.element) return { done: false, why: choice.why };
      const { element } = choice;
      const { value = "" } = request;
      const fire = () => {
        element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
        element.dispatchEvent(new Event("change", { bubbles: true }));
      };
      element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      /** @type {PageAnswer & { done: true }} */
      const answer = { done: true, selector: choice.name, notes: choice.note ? [choice.note] : [] };
      if (isField(element) && element.tagName === "SELECT") {
        const wanted = element.multiple ? value.split(",") : [value];
        const options = [...element.options].filter((option) => wanted.includes(option.value));
        if (options.length === 0 && value !== "") {
          return { done: false, why: `${choice.name}: no option has the value ${JSON.stringify(value)}` };
        }
        element.focus();
        const chosen = [...element.selectedOptions];
        if (chosen.length === options.length && options.every((option) => chosen.includes(option))) {
          return { ...answer, how: "already" };
        }
        if (element.multiple) for (const option of element.options) option.selected = options.includes(option);
        else element.value = value;
        fire();
        return { ...answer, how: "set" };
      }
      if (element.isContentEditable) {
        element.focus();
        getSelection()?.selectAllChildren(element);
        return { ...answer, how: "type", text: value, clear: element.textContent !== "" };
      }
      if (!isField(element)) {
        return { done: false, why: `${choice.name}: a <${element.tagName.toLowerCase()}> has no value to change` };
      }
      switch (element.type) {
        case "checkbox": case "radio": {
          const wanted = !["", "false", "off"].includes(value);
          return { ...answer, how: element.checked === wanted ? "already" : "click" };
        }
        case "file": return { done: false, why: `${choice.name}: a file cannot be chosen by a recording` };
        case "button": case "submit": case "reset": case "image": case "hidden":
          return { done: false, why: `${choice.name}: an <input type=${element.type}> has no value to type` };
        case "range": case "color": case "date": case "time": case "month": case "week": case "datetime-local":
          element.focus();
          if (element.value === value) return { ...answer, how: "already" };
          element.value = value;
          fire();
          if (element.value !== value) {
            answer.notes.push(`the field made ${JSON.stringify(element.value)} of ${JSON.stringify(value)}`);
          }
          return { ...answer, how: "set" };
      }
      element.focus();
      const old = element.value;
      if (value === old) return { ...answer, how: "already" };
      if (old !== "" && value.startsWith(old)) {
        // Some fields let nobody ask for their selection.
        if (element.type === "number" || element.type === "email") {
          getSelection()?.modify("move", "forward", "lineboundary");
        }
        else element.setSelectionRange(old.length, old.length);
        return { ...answer, how: "type", text: value.slice(old.length), clear: false };
      }
      element.select();
      return { ...answer, how: "type", text: value, clear: old !== "" };
    },

    async scroll() {
      /** @type {ScrollToOptions} */
      const options = { left: request.x, top: request.y, behavior: "instant" };
      if (!request.selectors) {
        window.scrollTo(options);
        return { done: true, notes: [] };
      }
      const choice = await settled(false);
      if (!choice.element) return { done: false, why: choice.why };
      choice.element.scrollTo(options);
      return { done: true, selector: choice.name, notes: [] };
    },

    async element() {
      const { operator = "", count = 0 } = request;
      /** @type {Record<string, (a: number, b: number) => boolean>} */
      const operators = { "==": (a, b) => a === b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b };
      const compare = operators[operator];
      if (!compare) return { done: false, why: `unknown operator ${operator}` };
      /** @param {unknown} value @returns {value is Record<string, unknown>} */
      const isObject = (value) => value !== null && typeof value === "object";
      /** @param {unknown} wanted @param {unknown} actual @returns {boolean} */
      const matches = (wanted, actual) => {
        if (Object.is(wanted, actual)) return true;
        if (!isObject(wanted) || !isObject(actual)) return false;
        return Object.keys(wanted).every((key) => matches(wanted[key], actual[key]));
      };
      const look = () => {
        /** @type {Element[]} */
        let found = [];
        /** @type {string[]} */
        const reasons = [];
        /** @type {string | undefined} */
        let selector;
        for (const parts of alternatives) {
          try {
            found = byAlternative(parts);
          } catch (error) {
            reasons.push(`${parts.join(" >> ")}: not a valid selector (${messageOf(error)})`);
            continue;
          }
          selector = parts.join(" >> ");
          if (found.length > 0) break;
        }
        if (reasons.length === alternatives.length) return { why: reasons.join("; ") };
        const fits = found.filter((element) =>
          Object.entries(request.attributes ?? {}).every(([name, value]) => element.getAttribute(name) === value) &&
          matches(request.properties ?? {}, element));
        // `visible`: true, that many visible ones; false, not that many visible ones; null, visible or not.
        const number = request.visible === null ? fits.length : fits.filter(isVisible).length;
        if (compare(number, count) === (request.visible ?? true)) return { selector };
        const names = alternatives.map((parts) => parts.join(" >> ")).join(", ");
        const seen = request.visible === null ? "as described" : "visible and as described";
        const wanted = `${request.visible === false ? "not " : ""}${operator} ${count}`;
        return { why: `${names}: ${found.length} found, ${number} of them ${seen}; wanted ${wanted}` };
      };
      for (let frames = 0; ; frames++) {
        const { why, selector } = look();
        if (why === undefined) return { done: true, selector, notes: [] };
        if (late() || enoughFrames(frames)) return { done: false, why };
        await nextFrame();
      }
    },

    async file() {
      for (let frames = 0; ; frames++) {
        /** @type {string[]} */
        const reasons = [];
        for (const parts of alternatives) {
          const name = parts.join(" >> ");
          /** @type {PageElement[]} */
          let found = [];
          try {
            found = byAlternative(parts);
          } catch (error) {
            reasons.push(`${name}: not a valid selector (${messageOf(error)})`);
            continue;
          }
          const field = found
            .map((element) => /** @type {PageElement | null | undefined} */ (
              element.localName === "label" ? element.control : element))
            .find((element) => element?.localName === "input" && element.type === "file");
          if (field) {
            globalThis.querypointField = /** @type {HTMLInputElement} */ (field);
            // What a browser elsewhere cannot read shows in a field that nobody sees.
            globalThis.querypointTrial = Object.assign(document.createElement("input"),
              { type: "file", multiple: true });
            return { done: true, selector: name, notes: [] };
          }
          reasons.push(`${name}: ${found.length === 0 ? "no such element" : "not a field for files"}`);
        }
        if (late() || enoughFrames(frames)) return { done: false, why: reasons.join("; ") };
        await nextFrame();
      }
    },

    async sizes() {
      return { done: true, sizes: [...querypointTrial.files ?? []].map((file) => file.size), notes: [] };
    },

    async fill() {
      const chosen = new DataTransfer();
      for (const { name, type, modified, base64 } of request.files ?? []) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        chosen.items.add(new File([bytes], name, { type, lastModified: modified ?? undefined }));
      }
      querypointField.files = chosen.files;
      querypointField.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      querypointField.dispatchEvent(new Event("change", { bubbles: true }));
      return { done: true, notes: [] };
    },

    async state() {
      const { recorded = {}, waitMs = 0 } = request;
      /** @param {unknown} one @param {unknown} other */
      const isAlike = (one, other) => JSON.stringify(one) === JSON.stringify(other);
      /** @param {ElementState} state */
      const isRecorded = (state) =>
        isAlike(state.aria, recorded.aria)
          && Object.entries(recorded).every(([name, value]) => isAlike(state[/** @type {"tag"} */ (name)], value));
      for (let frames = 0; ; frames++) {
        const { element } = choose(false);
        const state = element ? stateOf(element, !("value" in recorded)) : null;
        if (state && isRecorded(state) || frames * 16 >= waitMs || late()) {
          return { done: true, state, notes: [] };
        }
        await nextFrame();
      }
    },

    async editing() {
      let element = /** @type {PageElement | null} */ (document.activeElement);
      while (element?.shadowRoot?.activeElement) {
        element = /** @type {PageElement} */ (element.shadowRoot.activeElement);
      }
      const OTHERS = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"];
      const takesText = element?.localName === "textarea"
        || element?.localName === "input" && !OTHERS.includes(element.type ?? "");
      // What is in there is not seen from here.
      const isClosed = ["iframe", "frame", "object", "embed"].includes(element?.localName ?? "")
        || element?.localName.includes("-") && !element.shadowRoot;
      const editing = Boolean(takesText || isClosed || element?.isContentEditable || document.designMode === "on");
      return { done: true, editing, notes: [] };
    },

    async frame() {
      await nextFrame();
      return { done: true, notes: [] };
    },

    async idle() {
      await nextFrame();
      await new Promise((resolve) => requestIdleCallback(resolve, { timeout: IDLE_MS }));
      return { done: true, notes: [] };
    },

    async title() {
      return { done: true, title: document.title, notes: [] };
    },

    async frameOffset() {
      const wanted = window.frames[request.index ?? -1];
      for (const element of everyElement(document)) {
        const isFrame = element.tagName === "IFRAME" || element.tagName === "FRAME";
        if (isFrame && /** @type {HTMLIFrameElement} */ (element).contentWindow === wanted) {
          element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
          const rect = element.getBoundingClientRect();
          return { done: true, x: rect.left + element.clientLeft, y: rect.top + element.clientTop, notes: [] };
        }
      }
      return { done: false, why: `there is no frame number ${request.index}` };
    },
  };
  return tasks[request.task]();
}
