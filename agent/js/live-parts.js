// Live hooks: what scripts write by name on styles, data sets and storages, for which there is no setter to replace.
//
// The shadow of such an object tells of each write, just before it. What has changed is seen when anything else is done
// with what the browser keeps, or when somebody asks.

import { apply, Proxy, slice, startsWith, weakGet } from './captured.js';
import { ABSENT, isObject, UNKNOWN } from './basics.js';
import { ProxyMark } from './objects.js';
import { domLive } from './dom-slots.js';
import { partOwners } from './dom-platform.js';
import { settlePart, settlePartLater } from './unsettled.js';
import { nextMoment, UNSURE } from './live-calls.js';
import { deleteItems, isStorage, noteItem } from './live-storage.js';
import { doubtStates, isDataSet, isStyle, noteStates } from './live-states.js';
import { endLive } from './live-dom.js';

const FROM = { site: 0, context: undefined };

/** @param {PageObject} object */
export const isPart = (object) => domLive && !ProxyMark.is(object) &&
  (isStyle(object) || isDataSet(object) || isStorage(object));

// Nobody knows any more who wrote what is in such an object.
/** @param {PageObject} part */
export function doubtPart(part) {
  settlePart();
  if (isStorage(part)) return deleteItems(part);
  const element = apply(weakGet, partOwners, [part]);
  if (element !== undefined) doubtStates(element);
}

// A property of such an object is about to be written.
/** @param {PageObject} part @param {string} key @param {number} number @param {boolean} isSure */
function writes(part, key, number, isSure) {
  settlePart();
  if (number <= 0 || !isSure) return doubtPart(part);
  /** @type {Scene} */
  const noted = {
    since: nextMoment(),
    trees: undefined, compared: undefined, marked: undefined, attributed: undefined, made: undefined,
  };
  if (isStorage(part)) {
    noteItem(noted, part, key);
  } else {
    const element = apply(weakGet, partOwners, [part]);
    // A style that no element has handed out is none of an element.
    if (element === undefined) return;
    noteStates(noted, element);
  }
  settlePartLater(() => endLive(noted, FROM, undefined, number));
}

// The shadow of such an object.
/** @param {PageObject} part @param {Table} shadow @returns {Table} */
export function partShadow(part, shadow) {
  let isSure = true;
  return new Proxy(shadow, {
    __proto__: null,
    // It never has the value that is being written.
    get: () => UNKNOWN,
    /** @param {PageObject} _ @param {Key} key @param {PageValue} value */
    set(_, key, value) {
      if (typeof key !== 'string') return true;
      if (apply(startsWith, key, ['v$'])) isSure = !isObject(value) || value === ABSENT;
      else if (apply(startsWith, key, ['s$'])) {
        writes(part, apply(slice, key, [2]), typeof value === 'number' ? value : UNSURE, isSure);
        isSure = true;
      }
      return true;
    },
  });
}
