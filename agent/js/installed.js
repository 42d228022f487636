// What is put in the place of built-ins for one question, so that it can be taken away again.

import {
  apply, defineProperty, getOwnPropertyDescriptor, ownKeys, realm, setPrototypeOf, StringOf,
} from './captured.js';
import { config, earlier } from './config.js';
import { append } from './basics.js';
import { disguise, undisguised } from './source_text.js';
import { writerNumber } from './records.js';

// Each with the same few members: a table of its own would take ten times as much, and there are a thousand of them.
class Installed {
  /** @param {PageObject} host @param {Key} key @param {Descriptor} ours @param {Descriptor | undefined} before */
  constructor(host, key, ours, before) {
    this.host = host;
    this.key = key;
    this.value = ours.value;
    this.get = ours.get;
    this.set = ours.set;
    this.before = before;
  }
}
setPrototypeOf(Installed.prototype, null);

/** @type {(Installed | Listening)[]} */
const replaced = [];

// Puts `property` in the place of `host[key]`, until the next question.
/** @param {PageObject} host @param {Key} key @param {Descriptor} property */
export function install(host, key, property) {
  append(replaced, new Installed(host, key, property, getOwnPropertyDescriptor(host, key)));
  defineProperty(host, key, property);
}

// Listens on `target` until the next question.
/**
 * @param {EventTarget} target @param {string} type @param {(event: Event) => void} listener @param {boolean} capture
 */
export function listenFor(target, type, listener, capture) {
  apply(addListener, target, [type, listener, capture]);
  append(replaced, { __proto__: null, target, type, listener, capture });
}
const addListener = realm.addEventListener;
const removeListener = realm.removeEventListener;

// Takes all of it away, the last first. What the page has put there since stays.
export function takeAway() {
  for (let index = replaced.length - 1; index >= 0; index--) {
    const each = replaced[index];
    if (!(each instanceof Installed)) {
      apply(removeListener, each.target, [each.type, each.listener, each.capture]);
      continue;
    }
    const { host, key, before } = each;
    const now = getOwnPropertyDescriptor(host, key);
    const isOurs = now !== undefined && now.value === each.value && now.get === each.get && now.set === each.set;
    if (isOurs && now.configurable) defineProperty(host, key, /** @type {Descriptor} */ (before));
  }
  replaced.length = 0;
}

// What the agent relies on, as it was before the page's first script: a page that has replaced one of these since would
// be called by the agent of another question.
/** @type {Relied[]} */
export const relied = !config.standby ? earlier?.relied ?? [] : (() => {
  /** @type {Relied[]} */
  const kept = [];
  const names = [
    'Reflect', 'Object', 'Array', 'String', 'Number', 'Symbol', 'JSON', 'Date', 'Error', 'Math', 'Function', 'Map',
    'Set', 'WeakMap', 'WeakSet', 'RegExp', 'Promise',
  ];
  /** @param {PageObject} host @param {string} name */
  const keep = (host, name) => {
    const keys = ownKeys(host);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      const property = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(host, key));
      if (typeof property.value !== 'function' && property.get === undefined) continue;
      append(kept, { __proto__: null, host, key, name: `${name}.${StringOf(key)}`, property });
    }
  };
  for (let index = 0; index < names.length; index++) {
    const host = realm[names[index]];
    append(kept, {
      __proto__: null, host: realm, key: names[index], name: names[index],
      property: /** @type {Descriptor} */ (getOwnPropertyDescriptor(realm, names[index])),
    });
    keep(/** @type {PageObject} */ (host), names[index]);
    if (typeof host === 'function') keep(host.prototype, `${names[index]}.prototype`);
  }
  return kept;
})();

// The first of those that is another now; undefined: none is. `Date.now` and the like may have been those of the
// recorded inputs.
export function isReplaced() {
  for (let index = 0; index < relied.length; index++) {
    const { host, key, name, property } = /** @type {Required<Relied>} */ (relied[index]);
    const now = getOwnPropertyDescriptor(host, key);
    const isSame = now !== undefined && undisguised(now.value) === undisguised(property.value)
      && undisguised(now.get) === undisguised(property.get);
    if (!isSame) return name;
  }
  return undefined;
}

// Replaces `host[key]`, a function, by what `make` gives for it and the number of its name.
/** @param {PageObject | undefined} host @param {Key} key @param {string} name @param {Make} make */
export function replaceMethod(host, key, name, make) {
  const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
  if (property === undefined || typeof property.value !== 'function') return;
  const replacement = disguise(make(property.value, writerNumber(name)), property.value);
  install(/** @type {PageObject} */ (host), key, { __proto__: null, ...property, value: replacement });
}
