// Scripts that a page keeps in memory, under addresses that begin with `blob:` or `data:`: they come in no response.
// Where such an address is used to run what it names (by a script element, `import()`, a worker, a worklet,
// `importScripts`), it is replaced by that of the rewritten text. Whatever else is done with it finds what the page
// has put there, and the replacement is used up at once or put back.

import {
  apply, AudioWorklet, Blob, construct, defineProperty, Document, document, FileReaderSync, getOwnPropertyDescriptor,
  getPrototypeOf, Map, Node, Proxy, realm, startsWith, Symbol, toPrimitive, TrustedScriptURL, URL, Worklet,
} from './captured.js';
import { append, isObject } from './basics.js';
import { disguise } from './source_text.js';
import { inspect } from './objects.js';
import { driven, hand, holderOf } from './code.js';

export const { Ci, Cu, inMemory } = (() => {
  if (!driven || typeof URL !== 'function' || typeof Blob !== 'function') {
    /** @type {<T extends PageValue>(value: T) => T} */
    const same = (value) => value;
    return { Ci: same, Cu: same, inMemory: same };
  }
  /** @type {<T extends object, K extends keyof T & string>(holder: T, name: K) => (() => T[K]) | undefined} */
  const accessor = (holder, name) => /** @type {Accessor<never> | undefined} */ (
    getOwnPropertyDescriptor(holder, name))?.get;
  const MapOf = Map;
  const {
    get: mapGet, set: mapSet, delete: mapDelete,
  } = /** @type {{ get: GetIn, set: SetIn, delete: AnyHas }} */ (/** @type {unknown} */ (MapOf.prototype));
  const URLOf = URL;
  const { createObjectURL, revokeObjectURL } = URLOf;
  const BlobOf = Blob;
  const typeOfBlob = accessor(BlobOf.prototype, 'type');
  const trusted = typeof TrustedScriptURL === 'function' ? TrustedScriptURL.prototype.toString : undefined;
  const Reader = typeof FileReaderSync === 'function' ? FileReaderSync : undefined;
  const readAsText = Reader?.prototype.readAsText;
  const inDocument = typeof document === 'object';
  const page = inDocument ? document : undefined;
  const characterSet = inDocument ? accessor(Document.prototype, 'characterSet') : undefined;
  const baseAddress = inDocument ? accessor(Node.prototype, 'baseURI') : undefined;
  const textOfAddress = accessor(URLOf.prototype, 'href');
  const { iterator } = Symbol;

  // What the browser is to go through, without the page's iterator of arrays.
  /** @type {(value: PageValue) => Bare} */
  const only = (value) => /** @type {Bare} */ ({
    __proto__: null,
    [iterator]: () => {
      let done = false;
      return {
        __proto__: null,
        next: () => {
          const step = { __proto__: null, value: done ? undefined : value, done };
          done = true;
          return step;
        },
      };
    },
  });

  // The page's blobs that have an address, and what addresses were replaced by, as classic scripts and as modules.
  /** @type {Map<string, Blob>} */
  const blobs = new MapOf();
  /** @type {Map<string, string>} */
  const scripts = new MapOf();
  /** @type {Map<string, string>} */
  const modules = new MapOf();
  /** @type {Map<string, string>} */
  const originals = new MapOf();

  /**
   * @template R @param {((...values: never[]) => R) | undefined} fn @param {PageValue} self @param {unknown[]} values
   */
  const attempt = (fn, self, values) => {
    try {
      return apply(fn, self, values);
    } catch {
      return undefined;
    }
  };
  // The address that a value is, without running anything of the page.
  /** @param {PageValue} value */
  const addressOf = (value) => {
    if (typeof value === 'string') return value;
    return isObject(value) && trusted !== undefined ? attempt(trusted, value, []) : undefined;
  };

  // What is to be used instead of `value`: itself, if it is no such address or stays as it is.
  /** @type {<T extends PageValue>(value: T, isModule: boolean) => T | string} */
  function inMemory(value, isModule) {
    const address = addressOf(value);
    if (address === undefined) return value;
    const isBlob = apply(startsWith, address, ['blob:']);
    if (!isBlob && !apply(startsWith, address, ['data:'])) return value;
    const known = isModule ? modules : scripts;
    let ours = apply(mapGet, known, [address]);
    if (ours === undefined) {
      ours = made(address, isModule, isBlob) ?? address;
      apply(mapSet, known, [address, ours]);
      if (ours !== address) apply(mapSet, originals, [ours, address]);
    }
    return ours === address ? value : /** @type {string} */ (ours);
  }

  // The same for what becomes a string where it is used: the page's code for that runs there, once.
  /** @param {PageValue} value @param {boolean} isModule */
  const whenUsed = (value, isModule) => (isObject(value) && addressOf(value) === undefined
    ? { __proto__: null, [toPrimitive]: () => inMemory(`${value}`, isModule) } : inMemory(value, isModule));

  /** @param {string} address @param {boolean} isModule @param {boolean} isBlob */
  function made(address, isModule, isBlob) {
    // What is ours comes back where a script hands on the address of its module or worker.
    if (apply(mapGet, originals, [address]) !== undefined) return undefined;
    const blob = isBlob ? apply(mapGet, blobs, [address]) : undefined;
    if (isBlob && blob === undefined) return undefined;
    /** @type {CodeRequest & { imports: [string, string][] }} */
    const request = {
      __proto__: null, kind: 'memory', module: isModule, address: isBlob ? '' : address,
      type: isBlob ? apply(typeOfBlob, blob, []) : '', encoding: inDocument ? apply(characterSet, page, []) : 'utf-8',
      document: inDocument && !isModule, text: undefined, imports: [], code: undefined,
    };
    // In a worker a blob can be read at once; in a document only the driver can.
    if (isBlob && Reader !== undefined) request.text = attempt(readAsText, new Reader(), [blob, 'utf-8']);
    let code = /** @type {MemoryCode | undefined} */ (hand(request, blob));
    if (code !== undefined && code.imports !== undefined) {
      // Modules in memory that it imports by their addresses: each must be the one that others import.
      for (let index = 0; index < code.imports.length; index++) {
        append(request.imports, [code.imports[index], inMemory(code.imports[index], true)]);
      }
      code = /** @type {MemoryCode | undefined} */ (hand(request, blob));
    }
    if (code === undefined) return undefined;
    return code.address
      ?? apply(createObjectURL, URLOf, [new BlobOf(only(code.text), { __proto__: null, type: code.type })]);
  }

  /** @param {PageObject} holder @param {string} name @param {(original: AnyFunction) => AnyFunction} value */
  const replaceMember = (holder, name, value) => {
    const property = getOwnPropertyDescriptor(holder, name);
    const original = property?.value;
    if (typeof original !== 'function') return;
    defineProperty(holder, name, { __proto__: null, ...property, value: disguise(value(original), original) });
  };

  replaceMember(URLOf, 'createObjectURL', (/** @type {AnyFunction} */ original) => ({
    /** @param {...unknown} values */
    createObjectURL(...values) {
      const address = apply(original, this, values);
      if (attempt(typeOfBlob, values[0], []) !== undefined) apply(mapSet, blobs, [address, values[0]]);
      return address;
    },
  }).createObjectURL);
  replaceMember(URLOf, 'revokeObjectURL', (/** @type {AnyFunction} */ original) => ({
    /** @param {...unknown} values */
    revokeObjectURL(...values) {
      const result = apply(original, this, values);
      const address = addressOf(values[0]);
      if (address === undefined || apply(mapGet, blobs, [address]) === undefined) return result;
      apply(mapDelete, blobs, [address]);
      const ours = [apply(mapGet, scripts, [address]), apply(mapGet, modules, [address])];
      for (let index = 0; index < ours.length; index++) {
        if (ours[index] !== undefined && ours[index] !== address) apply(revokeObjectURL, URLOf, [ours[index]]);
      }
      return result;
    },
  }).revokeObjectURL);

  // A worker is made of a module if its options say so.
  /** @param {unknown[]} values */
  const makesModule = (values) => isObject(values[1]) && inspect(values[1], 'type')?.value === 'module';
  const names = ['Worker', 'SharedWorker'];
  for (let index = 0; index < names.length; index++) {
    replaceMember(realm, names[index], (/** @type {AnyFunction} */ original) => {
      /** @type {AnyFunction} */
      const wrapper = new Proxy(original, {
        __proto__: null,
        /** @param {Function} target @param {unknown[]} values @param {Function} newTarget */
        construct(target, values, newTarget) {
          if (values.length > 0) values[0] = whenUsed(values[0], makesModule(values));
          return construct(target, values, newTarget === wrapper ? original : newTarget);
        },
      });
      const { prototype } = original;
      defineProperty(prototype, 'constructor', {
        __proto__: null, ...getOwnPropertyDescriptor(prototype, 'constructor'), value: wrapper,
      });
      return wrapper;
    });
  }
  // Of the worklets, only that for audio runs where there is an agent. What another adds must stay as it is.
  const forAudio = typeof AudioWorklet === 'function' ? AudioWorklet.prototype : undefined;
  /** @param {string} address */
  const runElsewhere = (address) => {
    try {
      const whole = apply(textOfAddress, new URLOf(address, apply(baseAddress, page, [])), []);
      hand({ kind: 'workletModule', address: whole, code: undefined });
    } catch {
      // It is no address, as the worklet will say.
    }
    return address;
  };
  /** @param {PageValue} value */
  const stays = (value) => (isObject(value) && addressOf(value) === undefined
    ? { __proto__: null, [toPrimitive]: () => runElsewhere(`${value}`) } : runElsewhere(addressOf(value) ?? value));
  if (typeof Worklet === 'function' && inDocument) {
    replaceMember(Worklet.prototype, 'addModule', (/** @type {AnyFunction} */ original) => new Proxy(original, {
      __proto__: null,
      /** @param {Function} target @param {PageValue} self @param {unknown[]} values */
      apply(target, self, values) {
        const isAudio = isObject(self) && getPrototypeOf(self) === forAudio;
        if (values.length > 0) values[0] = isAudio ? whenUsed(values[0], true) : stays(values[0]);
        return apply(target, self, values);
      },
    }));
  }
  const importer = holderOf('importScripts');
  if (importer !== undefined) {
    replaceMember(importer, 'importScripts', (/** @type {AnyFunction} */ original) => new Proxy(original, {
      __proto__: null,
      /** @param {Function} target @param {PageValue} self @param {unknown[]} values */
      apply(target, self, values) {
        for (let index = 0; index < values.length; index++) values[index] = whenUsed(values[index], false);
        return apply(target, self, values);
      },
    }));
  }

  return {
    /** @param {PageValue} specifier */
    Ci: (specifier) => whenUsed(specifier, true),
    // The address that a module has for itself.
    /** @param {string} address @returns {string} */
    Cu: (address) => apply(mapGet, originals, [address]) ?? address,
    inMemory,
  };
})();
