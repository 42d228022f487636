// Code that the page makes of texts: each text is replaced by the rewritten one just before it becomes code.
//
// The driver rewrites it. To be asked, the page is paused in `hand`, as at a stop: that leaves no trace in the page
// and works wherever code can run. What came back is kept by text, so that a text costs a stop only once.

import {
  apply, construct, defineProperty, evalOf, Function, getOwnPropertyDescriptor, getPrototypeOf, includes, Map, Proxy,
  realm, setPrototypeOf, String, Symbol, TrustedScript,
} from './captured.js';
import { config } from './config.js';
import { isObject } from './basics.js';
import { tell } from './telling.js';
import { disguise } from './source_text.js';
import { written } from './live-doubts.js';

export const driven = config.driven;

// Where the realm has what is found under a name: on itself or on a prototype.
/** @param {string} name */
export function holderOf(name) {
  for (let holder = /** @type {PageObject | null} */ (realm); holder !== null; holder = getPrototypeOf(holder)) {
    if (getOwnPropertyDescriptor(holder, name) !== undefined) return holder;
  }
  return undefined;
}

export const { Ce, Ch, Cs, Cm, Cv, Cb, once, hand, isHanding } = (() => {
  const MapOf = Map;
  const mapGet = MapOf.prototype.get;
  const mapSet = MapOf.prototype.set;
  const isWellFormed = String.prototype.isWellFormed;
  const iterator = Symbol.iterator;
  const marks = '__QP__';
  const trustedText = typeof TrustedScript === 'function' ? TrustedScript.prototype.toString : undefined;

  // What the driver is asked about while the page is paused: the request, and the blob that holds its text.
  /** @type {{ __proto__: null, request: CodeRequest | undefined, blob: Blob | undefined }} */
  const Ch = { __proto__: null, request: undefined, blob: undefined };

  // The driver is told the request, finds the page paused here, and puts what is to be used into `Ch.request.code`.
  /** @param {CodeRequest} request @param {Blob} [blob] */
  function hand(request, blob) {
    Ch.request = request;
    Ch.blob = blob;
    tell({ handed: { __proto__: null, ...request } });
    debugger;
    Ch.request = undefined;
    Ch.blob = undefined;
    return request.code;
  }

  // What texts became, by what makes code of them and then by text; dropped when it gets large.
  const LARGEST = 1 << 24;
  /** @type {Table<Map<string, Code>>} */
  let kept = /** @type {Bare} */ ({ __proto__: null });
  let size = 0;

  // What `make` gave for `text` before, or now. A text in which there are names of ours has been rewritten already, and
  // half a surrogate pair would not survive the way to the driver.
  /** @type {<C extends Code>(origin: string | number, text: string, make: () => C) => C | null} */
  function once(origin, text, make) {
    let known = kept[origin];
    if (known === undefined) {
      known = new MapOf();
      kept[origin] = known;
    }
    let code = apply(mapGet, known, [text]);
    if (code === undefined) {
      // The driver tells by itself which texts have no hooks.
      const isKept = apply(includes, text, [marks]) || !apply(isWellFormed, text, []);
      if (isKept) written();
      code = isKept ? null : make() ?? null;
      size += text.length + (code === null ? 0 : text.length);
      if (size > LARGEST) {
        kept = /** @type {Bare} */ ({ __proto__: null });
        size = 0;
      } else apply(mapSet, known, [text, code]);
    }
    return code;
  }

  // The text of which code would be made of `value`; undefined if none would.
  /** @param {PageValue} value */
  function textOf(value) {
    if (typeof value === 'string') return value;
    if (!isObject(value) || trustedText === undefined) return undefined;
    try {
      return apply(trustedText, value, []);
    } catch {
      return undefined;
    }
  }

  /** @param {string | number} origin @param {'eval' | 'timer'} kind @param {Site} site @param {PageValue} value */
  function replaced(origin, kind, site, value) {
    const text = textOf(value);
    if (text === undefined || text === '') return value;
    return once(origin, text, () => hand({ kind, site, text, code: undefined })) ?? value;
  }

  // ---- eval ----

  // `eval` as a value. A direct call never comes here: it names the built-in.
  const evalValue = !driven ? undefined : disguise(new Proxy(evalOf, {
    __proto__: null,
    /** @param {Function} target @param {PageValue} self @param {unknown[]} values */
    apply(target, self, values) {
      if (values.length > 0) values[0] = replaced(0, 'eval', 0, values[0]);
      return apply(target, self, values);
    },
  }), evalOf);
  let isGiven = false;

  // The first argument of a call of `callee` at a site.
  /** @param {PageValue} callee @param {Site} site @param {PageValue} value */
  const Ce = (callee, site, value) => {
    if (callee !== evalOf) return value;
    if (!driven) written();
    return driven ? replaced(site, 'eval', site, value) : value;
  };

  // All arguments, where the first may be anywhere in what is spread.
  /** @param {PageValue} callee @param {Site} site @param {...unknown} values */
  const Cs = (callee, site, ...values) => {
    if (values.length > 0) values[0] = Ce(callee, site, values[0]);
    let index = 0;
    const next = () => (index < values.length
      ? { __proto__: null, value: values[index++], done: false } : { __proto__: null, value: undefined, done: true });
    return { __proto__: null, [iterator]: () => ({ __proto__: null, next }) };
  };

  // What `object.eval` is, if `object` is the global one.
  /** @param {PageObject} object */
  const Cm = (object) => (driven && object === realm ? getOwnPropertyDescriptor(realm, 'eval')?.value : undefined);

  /** @param {PageValue} value */
  const Cv = (value) => {
    if (!driven && value === evalOf) written();
    if (!driven || value !== evalOf) return value;
    isGiven = true;
    return evalValue;
  };

  // A script may have put what we gave it in the place of the built-in.
  const Cb = () => {
    if (!isGiven) return;
    const property = getOwnPropertyDescriptor(realm, 'eval');
    if (property !== undefined && property.value === evalValue) {
      defineProperty(realm, 'eval', { __proto__: null, value: evalOf });
    }
  };

  if (driven) {
    // ---- Function and its kin ----

    /** @param {AnyFunction} Original @param {string} parameters @param {string} body */
    const tryMaking = (Original, parameters, body) => { construct(Original, [parameters, body]); };
    /** @param {AnyFunction} Original @param {string} open */
    const functionConstructor = (Original, open) => {
      /** @param {unknown[]} values @param {Function} newTarget */
      const make = (values, newTarget) => {
        // As the language does: all become strings, in order, before anything is looked at.
        let parameters = '';
        for (let index = 0; index < values.length - 1; index++) parameters += `${index > 0 ? ',' : ''}${values[index]}`;
        const body = values.length > 0 ? `${values[values.length - 1]}` : '';
        // The key cannot be mistaken: no parameter list that is one holds this.
        const code = /** @type {FunctionCode | null} */ (once(open, `${parameters}\n) {\n${body}`, () => {
          // What it is wrong with it must be said of the text as it is.
          tryMaking(Original, parameters, body);
          return hand({ kind: 'function', open, parameters, body, code: undefined });
        }));
        return construct(Original, code === null ? [parameters, body] : [code.parameters, code.body], newTarget);
      };
      /** @type {AnyFunction} */
      const wrapper = new Proxy(Original, {
        __proto__: null,
        /** @param {Function} target @param {PageValue} self @param {unknown[]} values */
        apply: (target, self, values) => make(values, Original),
        /** @param {Function} target @param {unknown[]} values @param {Function} newTarget */
        construct: (target, values, newTarget) => make(values, newTarget === wrapper ? Original : newTarget),
      });
      return disguise(wrapper, Original);
    };
    /** @param {PageObject} host @param {Key} key @param {PageValue} value */
    const replaceMember = (host, key, value) => {
      defineProperty(host, key, { __proto__: null, ...getOwnPropertyDescriptor(host, key), value });
    };
    const FunctionOf = Function;
    const functionWrapper = functionConstructor(FunctionOf, 'function');
    replaceMember(realm, 'Function', functionWrapper);
    replaceMember(FunctionOf.prototype, 'constructor', functionWrapper);
    /** @type {[PageObject, string][]} */
    const kin = [
      [async () => undefined, 'async function'], [function* () { /* nothing */ }, 'function*'],
      [async function* () { /* nothing */ }, 'async function*'],
    ];
    for (let index = 0; index < kin.length; index++) {
      const prototype = /** @type {PageObject} */ (getPrototypeOf(kin[index][0]));
      const Original = prototype.constructor;
      setPrototypeOf(Original, functionWrapper);
      replaceMember(prototype, 'constructor', functionConstructor(Original, kin[index][1]));
    }

    // ---- timers ----

    for (const name of ['setTimeout', 'setInterval']) {
      // A worker's global object inherits them.
      const holder = holderOf(name);
      const property = holder === undefined ? undefined : getOwnPropertyDescriptor(holder, name);
      if (property === undefined || typeof property.value !== 'function') continue;
      replaceMember(/** @type {PageObject} */ (holder), name, disguise(new Proxy(property.value, {
        __proto__: null,
        /** @param {Function} target @param {PageValue} self @param {unknown[]} values */
        apply(target, self, values) {
          if (values.length > 0 && typeof values[0] !== 'function') {
            // What is no function becomes a string, as it would.
            if (isObject(values[0]) && textOf(values[0]) === undefined) values[0] = `${values[0]}`;
            values[0] = replaced('timer', 'timer', 0, values[0]);
          }
          return apply(target, self, values);
        },
      }), property.value));
    }
  }

  return { Ce, Ch, Cs, Cm, Cv, Cb, once, hand, isHanding: () => Ch.request !== undefined };
})();
