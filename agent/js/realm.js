// What is watched of the realm itself, and only where a question needs it.

import {
  apply, console, construct, defineProperty, getOwnPropertyDescriptor, includes, Proxy, realm, StringOf,
} from './captured.js';
import { armed, config, earlier, shadowing } from './config.js';
import { sequence, token } from './counters.js';
import { post } from './post.js';
import { tell } from './telling.js';
import { disguise, markDisguised } from './source_text.js';
import { meetProxies, ProxyMark } from './objects.js';
import { summary } from './summaries.js';
import { anyProperty } from './slots.js';
import { install } from './installed.js';
import { stop } from './stops.js';
import { dropWriters } from './live-shadows.js';
import { hits, report } from './reproduction.js';
import { whenLeaving } from './leaving.js';

if (
  (config.standby || config.log || shadowing || (armed && anyProperty)) && earlier === undefined
  && typeof Proxy === 'function'
) {
  // Proxies made from here on are known by their mark: a hook must not run their traps.
  const ProxyOf = Proxy;
  /** @param {PageObject} proxy @param {PageValue} target @param {PageValue} handler */
  const mark = (proxy, target, handler) => {
    meetProxies();
    if (shadowing) dropWriters(/** @type {PageObject} */ (target));
    new ProxyMark(proxy, /** @type {PageObject} */ (target), /** @type {PageObject} */ (handler));
    return proxy;
  };
  const Marked = new ProxyOf(ProxyOf, {
    /** @param {Function} target @param {unknown[]} values @param {Function} newTarget */
    construct(target, values, newTarget) {
      const made = construct(target, values, newTarget === Marked ? target : newTarget);
      return mark(made, values[0], values[1]);
    },
    /** @param {Function} target @param {Key} key */
    get(target, key) {
      return key === 'revocable' ? revocable : /** @type {Table} */ (/** @type {unknown} */ (target))[key];
    },
  });
  const revocable = new ProxyOf(ProxyOf.revocable, {
    /** @param {Function} target @param {PageValue} self @param {ArrayLike<unknown>} values */
    apply(target, self, values) {
      const made = /** @type {{ proxy: PageObject, revoke: () => void }} */ (apply(target, ProxyOf, values));
      mark(made.proxy, values[0], values[1]);
      return made;
    },
  });
  markDisguised(Marked, ProxyOf);
  markDisguised(revocable, ProxyOf.revocable);
  defineProperty(realm, 'Proxy', {
    __proto__: null, value: Marked, writable: true, enumerable: false, configurable: true,
  });
}

if (config.console !== null && typeof console === 'object') {
  let done = false;
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'assert', 'dir', 'table', 'trace']) {
    const original = /** @type {Table} */ (/** @type {unknown} */ (console))[name];
    if (typeof original !== 'function') continue;
    // A proxy of the page's own kind: it has the mark of one.
    const value = disguise(new realm.Proxy(original, {
      /** @param {Function} target @param {PageValue} self @param {ArrayLike<unknown>} values */
      apply(target, self, values) {
        if (!done) {
          let text = '';
          for (let index = 0; index < values.length; index++) {
            const value = values[index];
            text += (index > 0 ? ' ' : '') + (typeof value === 'string' ? value : summary(value).text);
          }
          if (apply(includes, text, [config.console])) {
            done = true;
            stop({ kind: 'console', sequence });
          }
        }
        return apply(target, self, values);
      },
    }), original);
    install(console, name, { __proto__: null, ...getOwnPropertyDescriptor(console, name), value });
  }
}

if (typeof post === 'function') {
  const isFrame = typeof realm.window === 'object';
  tell({
    greeting: {
      document: token,
      realm: {
        url: typeof realm.location === 'object' ? StringOf(realm.location.href) : '',
        top: isFrame && realm.top === /** @type {unknown} */ (realm),
      },
    },
  });
  if (isFrame) {
    // A document that is left reports what it saw.
    whenLeaving(() => { if (hits > 0) tell({ report: report() }); });
  }
}
