// The platform's methods and setters that change the DOM, replaced by ones that note and tell; and hooked writes of its
// properties.

import { apply, getOwnPropertyDescriptor, getPrototypeOf } from './captured.js';
import { Base, isObject } from './basics.js';
import { disguise } from './source_text.js';
import { proxies, ProxyMark } from './objects.js';
import { stamps, writerNumber } from './records.js';
import { install, replaceMethod } from './installed.js';
import { isDomSlot } from './dom-slots.js';
import { settle, unsettled } from './unsettled.js';
import { scene } from './dom-notes.js';
import { asKept } from './dom-kept.js';
import { end } from './dom-changes.js';

// A setter that tells what it changes, as others of ours do not.
class TellingSetter extends Base {
  /** @type {undefined} */
  #__QP__t;
  /** @param {PageValue} fn */
  static is(fn) { return typeof fn === 'function' && #__QP__t in fn; }
}

// A hooked write of a property whose setter is replaced: the setter tells it, with the hook's place.
/** @type {(Origin & { object: PageObject, key: Key }) | undefined} */
let handedOver;

// A hooked assignment to what may be an object of the platform, just before.
/**
 * @param {number} index @param {Site} site @param {PageObject} object @param {Key} key @param {PageValue} value
 * @param {Context} context
 */
export function writeDom(index, site, object, key, value, context) {
  if (unsettled !== undefined) settle();
  if (isDomSlot[index]) {
    if (handOver(site, object, key, context)) return;
    value = asKept(object, key, value);
  }
  stamps[index].write(site, object, value, context, 'assign');
}

// Whether the setter will tell it.
/** @param {Site} site @param {PageObject} object @param {Key} key @param {Context} context */
function handOver(site, object, key, context) {
  for (let holder = /** @type {PageObject | null} */ (object); isObject(holder); holder = getPrototypeOf(holder)) {
    if (proxies && ProxyMark.is(holder)) return false;
    const property = getOwnPropertyDescriptor(holder, key);
    if (property === undefined) continue;
    if (!TellingSetter.is(property.set)) return false;
    handedOver = { site, object, key, context };
    return true;
  }
  return false;
}

/** @param {PageObject} object @param {Key} key */
function takeOver(object, key) {
  const hooked = handedOver;
  handedOver = undefined;
  return hooked !== undefined && hooked.object === object && hooked.key === key ? hooked : undefined;
}

// Replaces a method: `note(noted, self, values)` notes what it may change.
/** @param {PageObject | undefined} host @param {string} name @param {string} shown @param {Note} note */
export function watchMethod(host, name, shown, note) {
  replaceMethod(host, name, shown, (original, by) => {
    const from = { site: -by, context: undefined };
    return {
      method() {
        const noted = scene();
        noteSafely(note, noted, this, arguments);
        const result = apply(original, this, arguments);
        end(noted, from, this);
        return result;
      },
    }.method;
  });
}

/** @param {PageObject | undefined} host @param {Key} key @param {string} shown @param {Note} note */
export function watchSetter(host, key, shown, note) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
  if (property === undefined || typeof property.set !== 'function' || !property.configurable) return;
  if (TellingSetter.is(property.set)) return;
  const original = property.set;
  const from = { site: -writerNumber(shown), context: undefined };
  const replacement = /** @type {AnyFunction} */ (getOwnPropertyDescriptor({
    /** @param {PageValue} value */
    set accessor(value) {
      const hooked = takeOver(this, key);
      const noted = scene();
      noteSafely(note, noted, this, [value]);
      apply(original, this, [value]);
      end(noted, hooked ?? from, this);
    },
  }, 'accessor')?.set);
  new TellingSetter(disguise(replacement, original));
  install(/** @type {PageObject} */ (host), key, { __proto__: null, ...property, set: replacement });
}

// Where the call is no proper one, what it is called on or with is nothing to look at: the original says so.
/** @param {Note} note @param {Scene} noted @param {PageObject} self @param {ArrayLike<unknown>} values */
export function noteSafely(note, noted, self, values) {
  try {
    note(noted, self, values);
  } catch {
    // The original throws what there is to throw. If it does not, nobody knows what it has done.
    noted.failed = true;
  }
}
