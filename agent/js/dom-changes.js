// What has changed of the DOM: told when the call is over that noted it.

import './dom-notes.js';
import { apply, is, weakGet } from './captured.js';
import { config } from './config.js';
import { ABSENT, UNKNOWN } from './basics.js';
import { nextEvent } from './counters.js';
import { changed, hang, keepFirst, LATE, makeRecord, slots, stamps } from './records.js';
import { shareState } from './capture.js';
import { handedOf } from './dom-unchanged.js';
import { tellNewNodes } from './dom-new.js';
import { domLive, isHtml, isOuter, treeSlots } from './dom-slots.js';
import { DOCUMENT, parentOf, platformValue, typeOf } from './dom-platform.js';
import { attributesOf, eachAttributeNode, isNoted, readTree } from './dom-notes.js';
import { endLive } from './live-dom.js';

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
    if (happened && !slots[index].plain) hang(record, object, givenBy(from), index, before);
  } else if (happened && slots[index].plain) {
    record.s = s;
    record.t = from.site;
    record.v = after;
    record.n++;
  } else if (happened) {
    const next = {
      s, t: from.site, v: after, n: record.n + 1, i: record.i, k: undefined, c: undefined, e: exact, w: s,
    };
    hang(next, object, givenBy(from), index, before);
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
