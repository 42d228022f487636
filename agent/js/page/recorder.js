// Sees what the user does to a page and tells it. Runs in an isolated world of each document, before the page's
// scripts: the page cannot see it, and what the page does to its built-ins does not matter here. Listens first of all,
// changes nothing, and looks only at what the user did, not at what scripts pretend (`isTrusted`).
//
// What it tells, as JSON, each with `frame` (the way to the frame, child numbers from the main one), `at`
// (milliseconds) and, where it is done to an element, `state` (what that was just before):
//   { kind: "press",  selectors, x, y, button, device, clicks, duration }   a click of any button
//   { kind: "double", selectors, x, y }                                     after the two presses of a double click
//   { kind: "drag",   selectors, x, y, button, device, path, onto? }        held while it moved; path: [x, y, ms] from
//                                                                           the start; onto:
//                                                                           { selectors, x, y }, where something
//                                                                           draggable was dropped
//   { kind: "hover",  selectors }                                           the pointer came over it, and what comes
//                                                                           next needs that
//   { kind: "value",  selectors, value }                                    what a field holds now; or `secret`, the
//                                                                           field's name
//   { kind: "files",  selectors, choice, files }                            files: { name, type, modified, size }, then
//                                                                           of each that is small
//   { kind: "contents", choice, index, base64 }
//   { kind: "key",    down, key }                                           what does not just type
//   { kind: "scroll", selectors, x, y }                                     where it is now; no selectors: the page
//   { kind: "wheel",  selectors, x, y, dx, dy }                             a turn of the wheel that the page took for
//                                                                           itself
//   { kind: "viewport", width, height, scale }
//   { kind: "position", geolocation }                                       a page asked where the user is: "denied" or
//                                                                           { at }
//   { kind: "traverse" }                                                    a script goes back or forward: it is not
//                                                                           the user who does

import { extentOf, firstBy, isField, stateOf } from './elements.js';
import { nameOf, roleOf, squeeze } from './names.js';
import { followPointer } from './hovering.js';

/**
 * @param {(message: string) => void} tellDriver
 * @param {boolean} showsSecrets whether what is typed into fields for passwords is told
 */
export function querypointRecorder(tellDriver, showsSecrets) {
  // --- selectors: several, best first, each of which finds the element first ---
  const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy", "data-qa-id", "data-testing"];
  // Names that tools make up are others after the next build.
  /** @param {string} name */
  const isMadeUp = (name) => /\d{3,}|^[a-z]{1,3}-?[0-9a-f]{5,}$|[A-Za-z]+__[A-Za-z]+--|:r[0-9a-z]+:/.test(name);
  // Names are put together of styles and texts, which takes time that the user would feel.
  const MOST_NAMES = 2000;
  /** @param {Selector} parts @param {Element} element */
  const isFirst = (parts, element) => {
    try {
      return firstBy(parts, MOST_NAMES) === element;
    } catch {
      return false;
    }
  };

  // 0: its parent has no other of its name.
  /** @param {Element} element */
  function numberAmongTwins(element) {
    /** @param {Element} other */
    const isTwin = (other) => other.localName === element.localName && other.namespaceURI === element.namespaceURI;
    let number = 1;
    let isAlone = true;
    for (let twin = element.previousElementSibling; twin; twin = twin.previousElementSibling) {
      if (isTwin(twin)) number++;
    }
    for (let twin = element.nextElementSibling; twin && number === 1 && isAlone; twin = twin.nextElementSibling) {
      isAlone = !isTwin(twin);
    }
    return number === 1 && isAlone ? 0 : number;
  }

  /** @param {Document | ShadowRoot} root @param {Element} element */
  function cssWithin(root, element) {
    /** @param {string} selector */
    const isOnly = (selector) => {
      const found = root.querySelectorAll(selector);
      return found.length === 1 && found[0] === element;
    };
    for (const name of TEST_IDS) {
      const value = element.getAttribute(name);
      if (value && isOnly(`[${name}=${JSON.stringify(value)}]`)) return `[${name}=${JSON.stringify(value)}]`;
    }
    let path = "";
    for (let each = /** @type {Element | null} */ (element); each; each = each.parentElement) {
      if (each.id && !isMadeUp(each.id)) {
        const selector = `#${CSS.escape(each.id)}${path}`;
        if (isOnly(selector)) return selector;
      }
      const tag = CSS.escape(each.localName);
      if (each === element) {
        const name = each.getAttribute("name");
        if (name && isOnly(`${tag}[name=${JSON.stringify(name)}]`)) return `${tag}[name=${JSON.stringify(name)}]`;
        for (const word of each.classList) {
          if (!isMadeUp(word) && isOnly(`${tag}.${CSS.escape(word)}`)) return `${tag}.${CSS.escape(word)}`;
        }
      }
      const number = numberAmongTwins(each);
      const step = number > 0 ? `${tag}:nth-of-type(${number})` : tag;
      path = ` > ${step}${path}`;
      if (isOnly(path.slice(3))) return path.slice(3);
    }
    return path.slice(3);
  }

  /** @param {Element} element */
  function cssChain(element) {
    /** @type {Selector} */
    const chain = [];
    for (let each = /** @type {Element | undefined} */ (element); each; ) {
      const root = /** @type {Document | ShadowRoot} */ (each.getRootNode());
      chain.unshift(cssWithin(root, each));
      each = "host" in root ? root.host : undefined;
    }
    return chain;
  }

  // The path, and whether it finds the element first without a trial: the names of elements of HTML mean these alone.
  /** @param {Element} element */
  function xpathOf(element) {
    let path = "";
    let isSure = document.contentType === "text/html";
    for (let each = /** @type {Element | null} */ (element); each; each = each.parentElement) {
      isSure &&= each instanceof HTMLElement && /^[a-z0-9-]+$/.test(each.localName);
      if (each.id && !/["']/.test(each.id) && !isMadeUp(each.id)) {
        const isOnly = document.getElementById(each.id) === each;
        return { path: `xpath///*[@id="${each.id}"]${path}`, isSure: isSure && isOnly };
      }
      const number = numberAmongTwins(each);
      path = `/${each.localName}${number > 0 ? `[${number}]` : ""}${path}`;
    }
    return { path: `xpath/${path}`, isSure };
  }

  /** @param {PageElement} element */
  function makeSelectors(element) {
    const css = cssChain(element);
    const name = nameOf(element);
    /** @type {Selector[]} */
    const candidates = [];
    if (name && name.length <= 200 && !/["\]]/.test(name)) {
      const role = roleOf(element);
      candidates.push([`aria/${name}`]);
      if (role && /^\w+$/.test(role)) candidates.push([`aria/${name}[role="${role}"]`]);
    }
    candidates.push(css);
    const xpath = css.length === 1 ? xpathOf(element) : undefined;
    if (xpath) candidates.push([xpath.path]);
    candidates.push([`pierce/${css[css.length - 1]}`]);
    const text = squeeze(element.textContent ?? "");
    if (text && text.length <= 64 && element.childElementCount === 0) candidates.push([`text/${text}`]);
    /** @type {Selector[]} */
    const good = [];
    for (const parts of candidates) {
      // The second name is for where the first is not enough.
      if (parts[0].endsWith("\"]") && parts[0].startsWith("aria/") && good.length > 0) continue;
      // A document is searched before what is in its shadow roots.
      const isSure = xpath !== undefined && parts[0] === xpath.path ? xpath.isSure
        : parts[0].startsWith("pierce/") && css.length === 1 && good.includes(css);
      if (isSure || isFirst(parts, element)) good.push(parts);
    }
    return good.length > 0 ? good : [css];
  }

  /** @type {WeakMap<Element, Selector[]>} */
  const known = new WeakMap();
  // While a text is typed the field is the same; what its label says is looked up once.
  /** @param {PageElement} element @param {boolean} again */
  function selectorsOf(element, again) {
    let selectors = again ? undefined : known.get(element);
    if (selectors === undefined || !selectors.some((parts) => isFirst(parts, element))) {
      selectors = makeSelectors(element);
      known.set(element, selectors);
    }
    return selectors;
  }

  // --- telling ---
  function frame() {
    /** @type {number[]} */
    const path = [];
    for (let each = /** @type {Window} */ (window); each !== each.parent; each = each.parent) {
      const { parent } = each;
      let index = 0;
      while (index < parent.length && parent[index] !== each) index++;
      path.unshift(index);
    }
    return path;
  }
  /** @param {Event | undefined} event @param {Told} message */
  const tell = (event, message) => {
    const at = performance.timeOrigin + (event?.timeStamp ?? performance.now());
    tellDriver(JSON.stringify({ ...message, frame: frame(), at }));
  };
  /** @param {Event} event @param {Told} message */
  const tellAction = (event, message) => {
    tell(event, message);
    actedNow();
  };

  /** @param {Event} event @returns {PageElement} */
  const targetOf = (event) => {
    // What is in a shadow root is seen by the way of the event alone.
    const isHost = event.target instanceof Element && event.target.shadowRoot;
    const target = isHost ? event.composedPath()[0] : event.target;
    if (target instanceof Element) return /** @type {PageElement} */ (target);
    return (target instanceof Node ? target.parentElement : null) ?? document.documentElement;
  };
  /** @param {Element} element @param {MouseEvent} event */
  const placeIn = (element, event) => {
    const rect = extentOf(element);
    return { x: Math.round(event.clientX - rect.left), y: Math.round(event.clientY - rect.top) };
  };

  // Ahead of every listener of the page's, for windows are asked first, and nobody has added one yet.
  /** @type {Listen} */
  const listen = (type, see) => addEventListener(type, (event) => {
    if (!event.isTrusted) return;
    try {
      see(/** @type {Parameters<typeof see>[0]} */ (event));
    } catch {
      // What cannot be told must not be felt.
    }
  }, { capture: true, passive: true });

  const { hoversFor, actedNow } = followPointer(listen, targetOf, selectorsOf);

  // --- pointer ---
  const FAR = 5;
  const LONGEST_PATH = 20000;
  /** @type {HeldPointer | undefined} */
  let held;
  let lastGesture = -Infinity;

  listen("pointerdown", (event) => {
    lastGesture = event.timeStamp;
    if (!event.isPrimary) return;
    const target = targetOf(event);
    held = {
      target, button: event.button, device: event.pointerType, since: event.timeStamp, at: placeIn(target, event),
      selectors: selectorsOf(target, true), state: stateOf(target, isSecret(target)),
      hovers: hoversFor(target), startX: event.clientX, startY: event.clientY, path: [],
      far: false, told: false, up: undefined, dragged: "no",
    };
  });
  /** @param {PointerEvent | DragEvent} event */
  const moved = (event) => {
    if (held === undefined || held.up !== undefined) return;
    if ("isPrimary" in event && event.isPrimary === false) return;
    const x = event.clientX - held.startX;
    const y = event.clientY - held.startY;
    if (Math.abs(x) > FAR || Math.abs(y) > FAR) held.far = true;
    const place = [Math.round(x), Math.round(y), Math.round(event.timeStamp - held.since)];
    const last = held.path[held.path.length - 1] ?? [0, 0];
    // Where it is let go it was moved to.
    if (event.type !== "pointermove" && place[0] === last[0] && place[1] === last[1]) return;
    if (held.path.length < LONGEST_PATH) held.path.push(place);
  };
  listen("pointermove", moved);
  listen("pointerup", (event) => {
    if (held === undefined || !event.isPrimary) return;
    moved(event);
    held.up = event.timeStamp;
    if (!held.far || held.button === 2) return;
    // Whatever click comes of it comes of it again.
    tellDrag(event, held);
  });
  /** @param {Event} event @param {HeldPointer} drag @param {{ selectors: Selector[], x: number, y: number }} [onto] */
  function tellDrag(event, drag, onto) {
    const { selectors, state, at, button, device, path, hovers } = drag;
    drag.told = true;
    for (const hovered of hovers) tell(event, { kind: "hover", selectors: hovered });
    tellAction(event, { kind: "drag", selectors, state, ...at, button, device, path, onto });
  }

  // What can be dragged as such: the pointer is not heard of once it is.
  listen("dragstart", () => {
    if (held !== undefined) held.dragged = "asked";
  });
  listen("pointercancel", () => {
    if (held?.dragged === "asked") held.dragged = "yes";
    else held = undefined;
  });
  const dragged = () => (held?.dragged === "yes" && !held.told ? held : undefined);
  listen("dragover", (event) => {
    if (dragged() !== undefined) moved(event);
  });
  listen("drop", (event) => {
    const drag = dragged();
    if (drag === undefined) return;
    moved(event);
    const target = targetOf(event);
    tellDrag(event, drag, { selectors: selectorsOf(target, true), ...placeIn(target, event) });
  });
  listen("dragend", (event) => {
    const drag = dragged();
    if (drag === undefined) return;
    moved(event);
    tellDrag(event, drag);
  });

  // Clicks that the keyboard or a label makes come of what was told already.
  /** @param {MouseEvent} event */
  const pressed = (event) => {
    if (held === undefined || held.told || event.button !== held.button) return;
    held.told = true;
    const { selectors, state, at, button, device, since, up, hovers } = held;
    for (const hovered of hovers) tell(event, { kind: "hover", selectors: hovered });
    tellAction(event, {
      kind: "press", selectors, state, ...at, button, device, clicks: Math.max(1, event.detail),
      duration: Math.round((up ?? event.timeStamp) - since),
    });
  };
  listen("click", pressed);
  listen("auxclick", pressed);
  listen("contextmenu", pressed);
  listen("dblclick", (event) => {
    const target = targetOf(event);
    tellAction(event, { kind: "double", selectors: selectorsOf(target, true), ...placeIn(target, event) });
  });

  // --- fields ---
  const TEXTS = new Set(["text", "search", "url", "tel", "email", "password", "number", ""]);
  /** @param {PageElement} element */
  const isText = (element) => element.isContentEditable
    || element.localName === "textarea" || element.localName === "input" && TEXTS.has(element.type ?? "");
  const SECRETS = new Set(["current-password", "new-password", "one-time-code", "cc-number", "cc-csc", "cc-exp",
    "cc-exp-month", "cc-exp-year"]);
  // Of the words of a name: `card[securityCode]` has three.
  const SECRET_WORDS = /(?:^| )(?:cvv2?|cvc2?|cvn2?|csc|pin|otp|totp|passwd|password|passcode|passphrase|pwd|ssn|card ?number|cc ?number|security code|one time code|api ?key|access token)(?: |$)/;
  /** @param {string} name */
  const wordsOf = (name) => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().replace(/[^a-z0-9]+/g, " ");
  // A field that shows its password holds one, also if it was shown before anything was typed.
  /** @type {WeakSet<Node>} */
  const passwords = new WeakSet();
  if (!showsSecrets) {
    new MutationObserver((changes) => {
      for (const { target, oldValue } of changes) if (oldValue?.toLowerCase() === "password") passwords.add(target);
    }).observe(document, { subtree: true, attributeFilter: ["type"], attributeOldValue: true });
  }
  /** @param {PageElement} element */
  const isSecret = (element) => {
    if (showsSecrets) return false;
    if (element.type === "password") passwords.add(element);
    if (passwords.has(element)) return true;
    const tokens = (element.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/);
    if (tokens.some((token) => SECRETS.has(token))) return true;
    if (!isText(element)) return false;
    /** @type {CSSStyleDeclaration & { webkitTextSecurity?: string }} */
    const style = getComputedStyle(element);
    const hides = style.webkitTextSecurity;
    if (hides !== undefined && hides !== "none") return true;
    return ["name", "id"].some((name) => SECRET_WORDS.test(wordsOf(element.getAttribute(name) ?? "")));
  };

  /** @param {Event} event @returns {PageElement} */
  function fieldOf(event) {
    let element = targetOf(event);
    while (element.isContentEditable && element.parentElement?.isContentEditable) element = element.parentElement;
    return element;
  }

  /** @param {PageElement} element */
  function valueOf(element) {
    if (element.localName === "select" && element.multiple) {
      return [...element.selectedOptions ?? []].map((option) => option.value).join(",");
    }
    return element.isContentEditable ? element.innerText : element.value;
  }

  /** @param {Event} event */
  function changed(event) {
    const element = fieldOf(event);
    if (!isField(element) && !element.isContentEditable) return;
    // They come of a click or a key.
    if (["checkbox", "radio", "file", "button", "submit", "reset", "image"].includes(element.type ?? "")) return;
    // What is pressed or dragged does it again: the thumb of a slider, the arrows beside a number.
    if (held !== undefined && held.up === undefined && held.target === element) return;
    const selectors = selectorsOf(element, false);
    // Its value is another already.
    const state = stateOf(element, true);
    if (isSecret(element)) {
      const secret = element.getAttribute("name") || element.id || element.getAttribute("autocomplete") || element.type;
      tellAction(event, { kind: "value", selectors, state, secret });
    } else tellAction(event, { kind: "value", selectors, state, value: valueOf(element) });
  }
  listen("input", changed);
  listen("change", (event) => {
    const target = targetOf(event);
    if (target.localName === "select") changed(event);
    else if (target.localName === "input" && target.type === "file") chosen(event, target);
  });

  // What is in a file is read after the choice was told: what is told next is in order, whatever the page does
  // meanwhile.
  const MOST_BYTES = 8 * 2 ** 20;
  let choices = 0;
  /** @param {Event} event @param {PageElement} element */
  function chosen(event, element) {
    const choice = `${performance.timeOrigin} ${choices++}`;
    const files = [...element.files ?? []];
    const seen = files.map(({ name, type, lastModified, size }) => ({ name, type, modified: lastModified, size }));
    tellAction(event, { kind: "files", selectors: selectorsOf(element, false), choice, files: seen });
    let left = MOST_BYTES;
    for (const [index, file] of files.entries()) {
      if (file.size > left) continue;
      left -= file.size;
      const reader = new FileReader();
      reader.onload = () => {
        const url = /** @type {string} */ (reader.result);
        const base64 = url.slice(url.indexOf(",") + 1);
        tell(undefined, { kind: "contents", choice, index, base64 });
      };
      reader.readAsDataURL(file);
    }
  }

  // --- keys ---
  const EDITING = new Set(["Backspace", "Delete", "Shift", "CapsLock", "AltGraph", "Dead", "Process", "Unidentified"]);
  // Keys whose only effect is in the text, which is told.
  /** @param {KeyboardEvent} event */
  function justTypes(event) {
    if (event.isComposing) return true;
    const target = targetOf(event);
    if (!isText(target)) return false;
    if (event.ctrlKey && !event.altKey || event.metaKey) return false;
    if ([...event.key].length === 1 || EDITING.has(event.key)) return true;
    return event.key === "Enter" && (target.isContentEditable || target.localName === "textarea");
  }
  const told = new Set();
  /** @type {string | undefined} */
  let shift;
  listen("keydown", (event) => {
    lastGesture = event.timeStamp;
    if (event.key === "Shift") shift = event.code;
    if (justTypes(event)) return;
    // It was held for nothing but a capital letter, until now.
    if (event.shiftKey && event.key !== "Shift" && shift !== undefined && !told.has(shift)) {
      told.add(shift);
      tell(event, { kind: "key", down: true, key: "Shift" });
    }
    told.add(event.code);
    tellAction(event, { kind: "key", down: true, key: event.key });
  });
  listen("keyup", (event) => {
    if (!told.delete(event.code)) return;
    tell(event, { kind: "key", down: false, key: event.key });
  });

  // --- scrolling ---
  // Scripts scroll as well, and nothing tells it from the user's but what the user did just before.
  const SOON = 1500;
  listen("wheel", (event) => {
    lastGesture = event.timeStamp;
    const target = targetOf(event);
    const { deltaX: dx, deltaY: dy } = event;
    const at = placeIn(target, event);
    // What the page does about it is known when all its listeners have run.
    setTimeout(() => {
      if (event.defaultPrevented) tell(event, { kind: "wheel", selectors: selectorsOf(target, false), ...at, dx, dy });
    });
  });
  listen("touchmove", (event) => { lastGesture = event.timeStamp; });
  listen("scroll", (event) => {
    if (event.timeStamp - lastGesture > SOON) return;
    if (event.target === document) {
      tell(event, { kind: "scroll", selectors: [], x: Math.round(scrollX), y: Math.round(scrollY) });
    } else if (event.target instanceof Element) {
      const target = /** @type {PageElement} */ (event.target);
      const [x, y] = [Math.round(target.scrollLeft), Math.round(target.scrollTop)];
      tell(event, { kind: "scroll", selectors: selectorsOf(target, false), x, y });
    }
  });

  if (window === window.parent) {
    // Where the browser's own buttons lead back, nobody in the page did anything.
    window.navigation?.addEventListener("navigate", (event) => {
      if (event.navigationType === "traverse" && !event.userInitiated) tell(event, { kind: "traverse" });
    });
    // Pages are let know once they have asked; then, and only then, it is known here as well.
    navigator.permissions?.query({ name: "geolocation" }).then((status) => {
      const look = () => {
        if (status.state !== "granted") return;
        navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude, accuracy } }) =>
          tell(undefined, { kind: "position", geolocation: { at: { latitude, longitude, accuracy } } }));
      };
      look();
      status.onchange = () => {
        // What is denied from the beginning nobody was asked about.
        if (status.state === "denied") tell(undefined, { kind: "position", geolocation: "denied" });
        look();
      };
    }, () => {});
    /** @param {Event} event */
    const size = (event) =>
      tell(event, { kind: "viewport", width: innerWidth, height: innerHeight, scale: devicePixelRatio });
    listen("resize", size);
  }
}
