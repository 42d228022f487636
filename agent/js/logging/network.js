// What the page sends, and what it gets for it.

import {
  apply, getOwnPropertyDescriptor, getPrototypeOf, realm, String, URL, weakGet, WeakMapOf, weakSet,
} from '../captured.js';
import { isObject } from '../basics.js';
import { getterOf, prototypeOf } from '../dom-platform.js';
import { ProxyMark } from '../objects.js';
import { settings } from './settings.js';
import { GONE, UNTOLD } from './values.js';
import { encoder, safely } from './running.js';
import { siteOfCall } from './calls.js';
import { replace } from './replaced.js';
import { awaitResponse } from './responses.js';

const requestPrototype = prototypeOf('Request');
const urlPrototype = prototypeOf('URL');
const addressOfRequest = getterOf('Request', 'url');
const methodOfRequest = getterOf('Request', 'method');
const hrefOf = getterOf('URL', 'href');
const baseOf = getterOf('Node', 'baseURI');
const addressOfSocket = getterOf('WebSocket', 'url');
const readyState = getterOf('XMLHttpRequest', 'readyState');
const statusOf = getterOf('XMLHttpRequest', 'status');
const responseType = getterOf('XMLHttpRequest', 'responseType');
const responseText = getterOf('XMLHttpRequest', 'responseText');
const { toUpperCase } = String.prototype;

let requests = 0;

/** @param {PageObject} object @param {PageObject | undefined} prototype */
const isOf = (object, prototype) =>
  prototype !== undefined && !ProxyMark.is(object) && getPrototypeOf(object) === prototype;

// An address as the browser asks for it. An object's text is its own affair, so of others there is none.
/** @param {unknown} given @returns {string} */
function addressOf(given) {
  if (isObject(given)) {
    const get = isOf(given, requestPrototype) ? addressOfRequest : isOf(given, urlPrototype) ? hrefOf : undefined;
    return get === undefined ? '' : apply(get, given, []);
  }
  if (typeof given !== 'string') return '';
  try {
    const base = typeof realm.document === 'object' ? apply(baseOf, realm.document, []) : realm.location.href;
    return apply(hrefOf, new URL(given, base), []);
  } catch {
    return given;
  }
}

// A member of options, if it is a plain one.
/** @param {unknown} options @param {string} key */
function memberOf(options, key) {
  if (!isObject(options) || ProxyMark.is(options)) return undefined;
  return getOwnPropertyDescriptor(options, key)?.value;
}

/** @param {string} method @param {string} address @param {unknown} body */
function tellRequest(method, address, body) {
  encoder.request(siteOfCall(), ++requests, `${method} ${address}`, body === undefined ? GONE : body);
  return requests;
}

if (settings.tellsPage) {
  replace(realm, 'fetch', (original) => ({
    /** @param {unknown} target @param {unknown} options */
    fetch(target, options) {
      safely(() => {
        const isRequest = isObject(target) && isOf(target, requestPrototype);
        const own = memberOf(options, 'method');
        const method = typeof own === 'string' ? apply(toUpperCase, own, [])
          : isRequest ? apply(methodOfRequest, target, []) : 'GET';
        const address = addressOf(target);
        const number = tellRequest(method, address, memberOf(options, 'body'));
        awaitResponse(number, address);
      });
      return apply(original, this, arguments);
    },
  }).fetch);
  if (typeof realm.navigator === 'object') {
    replace(prototypeOf('Navigator'), 'sendBeacon', (original) => ({
      /** @param {unknown} target @param {unknown} body */
      sendBeacon(target, body) {
        safely(() => tellRequest('POST', addressOf(target), body));
        return apply(original, this, arguments);
      },
    }).sendBeacon);
  }
  replace(prototypeOf('WebSocket'), 'send', (original) => ({
    /** @param {unknown} message */
    send(message) {
      safely(() => tellRequest('SEND', apply(addressOfSocket, this, []), message));
      return apply(original, this, arguments);
    },
  }).send);
  watchRequests();
}

function watchRequests() {
  const host = prototypeOf('XMLHttpRequest');
  if (host === undefined) return;
  const listen = realm.EventTarget.prototype.addEventListener;
  /** @typedef {{ __proto__: null, method: string, address: string, number: number }} Sent */
  /** @type {WeakMap<object, Sent>} */
  const sent = new WeakMapOf();
  /** @param {object} request @param {Sent} about */
  const told = (request, about) => {
    if (about.number === 0 || apply(readyState, request, []) !== 4) return;
    const { number } = about;
    about.number = 0;
    const type = apply(responseType, request, []);
    const body = type === '' || type === 'text' ? apply(responseText, request, []) : UNTOLD;
    encoder.response(number, apply(statusOf, request, []), body);
  };
  replace(host, 'open', (original) => ({
    /** @param {unknown} method @param {unknown} target */
    open(method, target) {
      const result = apply(original, this, arguments);
      safely(() => {
        const known = apply(weakGet, sent, [this]);
        /** @type {Sent} */
        const about = known ?? { __proto__: null, method: '', address: '', number: 0 };
        about.method = typeof method === 'string' ? apply(toUpperCase, method, []) : '';
        about.address = addressOf(target);
        about.number = 0;
        if (known !== undefined) return;
        apply(weakSet, sent, [this, about]);
        // Here, for most pages listen later.
        apply(listen, this, ['readystatechange', () => safely(() => told(this, about))]);
      });
      return result;
    },
  }).open);
  replace(host, 'send', (original) => ({
    /** @param {unknown} body */
    send(body) {
      safely(() => {
        const about = apply(weakGet, sent, [this]);
        if (about !== undefined) about.number = tellRequest(about.method, about.address, body);
      });
      return apply(original, this, arguments);
    },
  }).send);
}
