// What has changed of the DOM: told when the call is over that noted it.

import { apply, is, weakGet } from './captured.js';
import { config } from './config.js';
import { ABSENT, UNKNOWN } from './basics.js';
import { nextEvent } from './counters.js';
import { slots } from './slots.js';
import { LATE, stamps } from './records.js';
import { ATTRIBUTE_NODES, LIST_KEYS } from './dom-names.js';
import { domLive, isHtml, isOuter, partSlots, stateSlots, treeSlots } from './dom-slots.js';
import {
  attributesOf, DOCUMENT, ELEMENT, getAttributes, getFirstChild, getNextSibling, parentOf, partOf, platformValue,
  typeOf,
} from './dom-platform.js';
import { handedOf } from './dom-unchanged.js';
import { endLive } from './live-dom.js';
import { shareState } from './capture.js';
import { changed, keepFirst, makeRecord, resolveDependents } from './changes.js';
import { eachAttributeNode, isFollowed, isNoted, readTree } from './dom-notes.js';

// The call is over: what of what was noted has changed is told. `from`: who did it.
/** @param {Scene} noted @param {Origin} from @param {PageObject} [self] */
export function end(noted, from, self) {
  if (domLive) return endLive(noted, from, self);
  if (!config.capture) {
    tellNoted(noted, from);
    return;
  }
  shareState({ __proto__: null, state: undefined });
  try {
    tellNoted(noted, from);
  } finally {
    shareState(undefined);
  }
}

/** @param {Scene} noted @param {Origin} from */
function tellNoted(noted, from) {
  for (let entry = noted.compared; entry !== undefined; entry = entry.next) {
    if (entry.tree) continue;
    const { index, object } = entry;
    if (entry.counted) {
      tell(index, object, entry.before, entry.before === UNKNOWN ? UNKNOWN : readTree(index, object), from);
      continue;
    }
    const after = platformValue(index, object);
    const record = stamps[index].record(object);
    // What ran inside the call may have told its own changes.
    const before = record !== undefined && record.s > noted.since ? record.v : entry.before;
    if (!is(before, after)) tell(index, object, before, after, from);
  }
  if (noted.attributed !== undefined) tellNewAttributes(noted, from);
  if (noted.made !== undefined) tellNewNodes(noted, from);
  for (let entry = noted.trees; entry !== undefined; entry = entry.next) {
    for (let number = 0; number < treeSlots.length; number++) {
      const index = treeSlots[number];
      if (isHtml(index) ? entry.html : entry.text) tellAround(noted, index, entry.node, from);
    }
  }
  for (let entry = noted.marked; entry !== undefined; entry = entry.next) {
    const now = attributesOf(entry.node);
    if (now === entry.before) continue;
    const handed = apply(weakGet, handedOf, [entry.node]);
    if (handed !== undefined && handed.before === entry.before) handed.before = now;
    for (let number = 0; number < treeSlots.length; number++) {
      const index = treeSlots[number];
      if (!isHtml(index)) continue;
      const first = isOuter(index) ? entry.node : parentOf(entry.node);
      if (first !== null) tellAround(noted, index, first, from);
    }
  }
}

/** @param {Scene} noted @param {number} index @param {PageObject} node @param {Origin} from */
function tellAround(noted, index, node, from) {
  for (let owner = /** @type {PageObject | null} */ (node); owner !== null; owner = parentOf(owner)) {
    // A document has neither text nor markup of its own.
    if (owner !== node && typeOf(owner) === DOCUMENT) return;
    const record = stamps[index].record(owner);
    // Told already: by what ran inside the call and came later, or by this call.
    if (record !== undefined && /** @type {number} */ (record.w) > noted.since) continue;
    let before = UNKNOWN;
    for (let entry = noted.compared; entry !== undefined; entry = entry.next) {
      if (entry.object === owner && entry.index === index) before = entry.before;
    }
    tell(index, owner, before, before === UNKNOWN ? UNKNOWN : readTree(index, owner), from);
  }
}

// A change that has happened; `before` and `after` are UNKNOWN where nobody looked.
/**
 * @param {number} index @param {PageObject} object @param {PageValue} before @param {PageValue} after
 * @param {Origin} from
 */
export function tell(index, object, before, after, from) {
  const s = nextEvent();
  const Stamp = stamps[index];
  const known = Stamp.record(object);
  const record = known ?? makeRecord(index, s, from.site, after, object);
  record.w = s;
  const exact = record.e;
  const happened = before === UNKNOWN || !is(before, after);
  if (exact !== undefined && happened) {
    exact.v = after;
    exact.host = true;
    exact.platform = true;
    exact.old = before;
    changed(exact, record, from.site, object, after, before, s, from);
  }
  if (known === undefined) {
    if (!happened) record.n = 0;
    keepFirst(index, Stamp, object, record);
    if (happened && !slots[index].plain) resolveDependents(record, object, givenBy(from), index, before);
  } else if (happened && slots[index].plain) {
    record.s = s;
    record.t = from.site;
    record.v = after;
    record.n++;
  } else if (happened) {
    const next = {
      s, t: from.site, v: after, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: exact, w: s,
    };
    resolveDependents(next, object, givenBy(from), index, before);
    Stamp.keep(object, next);
  }
}

/** @param {Origin} origin @returns {Handed} */
const givenBy = ({ site, context }) => (site < 0 ? LATE : typeof context === 'function' ? context() : undefined);

// A node that an attribute got in the call begins there.
/** @param {Scene} noted @param {Origin} from */
function tellNewAttributes(noted, from) {
  for (let entry = noted.attributed; entry !== undefined; entry = entry.next) {
    const { index, element } = entry;
    eachAttributeNode(element, (/** @type {PageObject} */ node) => {
      if (isNoted(noted, index, node) || stamps[index].record(node) !== undefined) return;
      const value = platformValue(index, node);
      if (value !== ABSENT && value !== UNKNOWN) tell(index, node, ABSENT, value, from);
    });
  }
}

// The call is over.
/** @param {Scene} noted @param {Origin} from */
function tellNewNodes(noted, from) {
  for (let entry = noted.made; entry !== undefined; entry = entry.next) {
    const { parent, after, before } = entry;
    /** @type {PageObject | null} */
    let node = after === null ? apply(getFirstChild, parent, []) : apply(getNextSibling, after, []);
    for (; node !== null && node !== before; node = apply(getNextSibling, node, [])) tellNewTree(node, from);
  }
}

// A node that is new, and all that is in it. Not recursive: pages nest as deep as they like.
/** @param {PageObject} root @param {Origin} from */
export function tellNewTree(root, from) {
  let node = root;
  for (;;) {
    tellNew(node, from);
    /** @type {PageObject | null} */
    let next = apply(getFirstChild, node, []);
    while (next === null) {
      if (node === root) return;
      next = apply(getNextSibling, node, []);
      if (next === null) node = /** @type {PageObject} */ (parentOf(node));
    }
    node = next;
  }
}

/** @param {PageObject} node @param {Origin} from */
function tellNew(node, from) {
  const type = typeOf(node);
  for (let number = 0; number < treeSlots.length; number++) {
    const index = treeSlots[number];
    if (type !== ELEMENT && (type === DOCUMENT || slots[index].key !== 'textContent')) continue;
    const isEmpty = type === ELEMENT && !isOuter(index) && apply(getFirstChild, node, []) === null;
    if (!isEmpty) tellBegun(index, node, isFollowed(index, node) ? readTree(index, node) : UNKNOWN, from);
  }
  for (let number = 0; number < stateSlots.length; number++) tellState(stateSlots[number], node, from);
  if (type !== ELEMENT) return;
  for (let number = 0; number < partSlots.length; number++) {
    const { index, part } = partSlots[number];
    if (part === ATTRIBUTE_NODES) {
      eachAttributeNode(node, (/** @type {PageObject} */ attribute) => tellState(index, attribute, from));
    } else if (LIST_KEYS[part] !== true && apply(getAttributes, node, []).length > 0) {
      const object = partOf(node, part);
      if (object !== undefined) tellState(index, object, from);
    }
  }
}

/** @param {number} index @param {PageObject} object @param {Origin} from */
function tellState(index, object, from) {
  const value = platformValue(index, object);
  const isUnset = value === ABSENT || value === UNKNOWN || value === '' || value === false || value === null
    || value === undefined || value === 0 || value === -1;
  if (!isUnset) tellBegun(index, object, value, from);
}

// Where something ran inside the call and wrote it, that is told already.
/** @param {number} index @param {PageObject} object @param {PageValue} value @param {Origin} from */
function tellBegun(index, object, value, from) {
  if (stamps[index].record(object) === undefined) tell(index, object, ABSENT, value, from);
}
