// Objects that the browser makes of what came from elsewhere: responses, messages, what was stored. They are new when
// the page first gets them, so what they hold comes from there. Texts and numbers in them have no record of their own.

import {
  apply, Event, getOwnPropertyDescriptor, getPrototypeOf, indexOf, Promise, setAdd, setHas, SetOf, slice, String,
  stringify, weakGet, WeakMapOf, weakSet,
} from './captured.js';
import { armed } from './config.js';
import { append, isObject } from './basics.js';
import { disguise } from './source_text.js';
import { ProxyMark, typedName } from './objects.js';
import { beginningOf } from './beginnings.js';
import { isElementKey, publicSlots, slots } from './slots.js';
import { writerNumber } from './records.js';
import { install, replaceMethod } from './installed.js';
import { prototypeOf } from './dom-platform.js';
import { mapForEach, setForEach } from './entries.js';
import { wroteAll } from './built-in-writes.js';
import { addCreated, keysOf, mapPrototype, setPrototype } from './created-objects.js';

// A name is made for each place in what came, up to here; then one for all of it.
const MOST_PLACES = 300;
let placesNamed = 0;

// The page may have replaced what regular expressions call.
/** @param {string} key */
function isName(key) {
  for (let index = 0; index < key.length; index++) {
    const it = key[index];
    const isLetter = (it >= 'a' && it <= 'z') || (it >= 'A' && it <= 'Z') || it === '_' || it === '$';
    if (!isLetter && (index === 0 || it < '0' || it > '9')) return false;
  }
  return key !== '';
}
/** @param {string} key */
const stepTo = (key) => (isName(key) ? `.${beginningOf(key)}`
  : isElementKey(key) ? `[${key}]` : `[${stringify(beginningOf(key))}]`);

// What of the watched properties is in `root`, which has just come; `from`: where from, in words.
/** @param {PageValue} root @param {string} from */
function tellReceived(root, from) {
  if (!isObject(root) || ProxyMark.is(root)) return;
  const reached = new SetOf();
  /** @type {{ __proto__: null, value: PageObject, path: string }[]} */
  const waiting = [];
  /** @param {PageValue} value @param {string} path */
  const reach = (value, path) => {
    if (!isObject(value) || apply(setHas, reached, [value])) return;
    apply(setAdd, reached, [value]);
    append(waiting, { __proto__: null, value, path });
  };
  let general;
  reach(root, '');
  for (let next = 0; next < waiting.length; next++) {
    const { value: object, path } = waiting[next];
    /** @type {Change[]} */
    const changes = [];
    addCreated(changes, object, publicSlots);
    for (let number = 0; number < changes.length; number++) {
      let by;
      if (placesNamed++ < MOST_PLACES)
        by = writerNumber(`${from}, at ${path}${stepTo(/** @type {string} */ (slots[changes[number].index].key))}`);
      else by = general ??= writerNumber(from);
      wroteAll([changes[number]], by);
    }
    if (apply(typedName, object, []) !== undefined) continue;
    const keys = keysOf(object);
    // All of it is new, so nothing of the page can run here.
    for (let number = 0; number < keys.length; number++)
      reach(/** @type {Table} */ (object)[keys[number]], path + stepTo(keys[number]));
    const prototype = getPrototypeOf(object);
    if (prototype === mapPrototype) {
      apply(mapForEach, object, [(/** @type {PageValue} */ value, /** @type {Key} */ key) => {
        reach(value, `${path}.get(…)`);
        reach(key, `${path}.keys()`);
      }]);
    } else if (prototype === setPrototype) {
      apply(setForEach, object, [(/** @type {PageValue} */ value) => reach(value, `${path}.values()`)]);
    }
  }
}

// The last part of an address, as people call it.
/** @param {string} address */
function fileOf(address) {
  if (typeof address !== 'string') return '';
  const path = apply(slice, address, [apply(lastIndexIn, address, ['/']) + 1]);
  const query = apply(indexOf, path, ['?']);
  const name = query < 0 ? path : apply(slice, path, [0, query]);
  return name === '' ? beginningOf(address) : beginningOf(name);
}
const lastIndexIn = String.prototype.lastIndexOf;
const promiseThen = Promise.prototype.then;

if (armed && publicSlots.length > 0) {
  /** @param {PageObject | undefined} host @param {Key} key */
  const getterIn = (host, key) => (host === undefined ? undefined : getOwnPropertyDescriptor(host, key)?.get);
  /** @param {AnyFunction | undefined} get @param {PageValue} object @returns {string} */
  const asText = (get, object) => {
    try {
      return get === undefined ? '' : /** @type {string} */ (apply(get, object, []));
    } catch {
      return '';
    }
  };
  // What a body becomes is there before the page hears of it.
  for (const [name, kind] of [['Response', 'response'], ['Request', 'request']]) {
    const host = prototypeOf(name);
    const getAddress = getterIn(host, 'url');
    replaceMethod(host, 'json', `${name}.prototype.json`, (original) => ({
      json() {
        const promise = /** @type {Promise<PageValue>} */ (apply(original, this, arguments));
        const file = fileOf(asText(getAddress, this));
        const from = file === '' ? `from a ${kind}` : `from the ${kind} of ${file}`;
        apply(promiseThen, promise, [(/** @type {PageValue} */ value) => tellReceived(value, from), () => undefined]);
        return promise;
      },
    }).json);
  }
  // What a getter gives, the same object each time.
  /** @type {WeakMap<PageObject, true>} */
  const given = new WeakMapOf();
  /**
   * @param {string} name @param {Key} key @param {(of: PageValue) => string} from
   * @param {(of: PageValue) => boolean} isReceived
   */
  const watchGetter = (name, key, from, isReceived = () => true) => {
    const host = prototypeOf(name);
    const property = host === undefined ? undefined : getOwnPropertyDescriptor(host, key);
    if (property === undefined || typeof property.get !== 'function' || !property.configurable) return;
    const original = property.get;
    const replacement = getOwnPropertyDescriptor({
      get accessor() {
        const value = apply(original, this, []);
        if (isObject(value) && apply(weakGet, given, [value]) === undefined) {
          apply(weakSet, given, [value, true]);
          if (isReceived(this)) tellReceived(value, from(this));
        }
        return value;
      },
    }, 'accessor')?.get;
    install(/** @type {PageObject} */ (host), key, {
      __proto__: null, ...property, get: disguise(/** @type {AnyFunction} */ (replacement), original),
    });
  };
  const trusted = typeof Event === 'function' ? getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get : undefined;
  // One that a script makes holds what the script gave it.
  /** @param {PageValue} event */
  const isTrusted = (event) => trusted !== undefined && apply(trusted, event, []) === true;
  const getOrigin = getterIn(prototypeOf('MessageEvent'), 'origin');
  const getUrl = getterIn(prototypeOf('XMLHttpRequest'), 'responseURL');
  watchGetter('XMLHttpRequest', 'response', (/** @type {PageValue} */ request) =>
    `from the response of ${fileOf(asText(getUrl, request))}`);
  watchGetter('MessageEvent', 'data', (/** @type {PageValue} */ event) => {
    const origin = asText(getOrigin, event);
    return origin === '' ? 'from a message' : `from a message of ${beginningOf(origin)}`;
  }, isTrusted);
  watchGetter('PopStateEvent', 'state', () => 'from the state of the history', isTrusted);
  watchGetter('History', 'state', () => 'from the state of the history');
  watchGetter('IDBRequest', 'result', () => 'from IndexedDB');
  watchGetter('IDBCursorWithValue', 'value', () => 'from IndexedDB');
}
