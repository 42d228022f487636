// Objects as they are, without running anything of the page: proxies by their mark, properties by their descriptors.

const isObject = (value) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
  || (typeof value === 'undefined' && value !== undefined); // document.all

// A part of what a hook hands over: where it has none, nothing of the page's prototypes is read instead.
const part = (given, key) => (given !== undefined && hasOwn(given, key) ? given[key] : undefined);

// Whether there are proxies: where there are none, a fresh object need not be asked whether it is one.
let proxies = earlier !== undefined;
class Base { constructor(object) { return object; } }

// A proxy's target and handler, kept on the proxy itself, for proxies made while we look.
const ProxyMark = earlier?.ProxyMark ?? class extends Base {
  #__QP__t; #__QP__h;
  constructor(proxy, target, handler) { super(proxy); this.#__QP__t = target; this.#__QP__h = handler; }
  static is(value) { return #__QP__t in value; }
  static target(value) { return value.#__QP__t; }
  static handler(value) { return value.#__QP__h; }
};

const unwrap = (value) => {
  while (isObject(value) && ProxyMark.is(value)) value = ProxyMark.target(value);
  return value;
};

// Whether a function is the browser's own. One of the page that was bound has such a text too, but no name in it.
const isNative = (fn) => {
  if (typeof fn !== 'function' || ProxyMark.is(fn)) return false;
  const text = apply(functionText, undisguised(fn), []);
  return apply(slice, text, [-17]) === '{ [native code] }' && !apply(startsWith, text, ['function () {']);
};

// The property as it is, without running anything: `{ holder, own, data, value, writable, configurable }`, or
// `{ holder, own, data, native, get, set, configurable }`.
function inspect(object, key) {
  let holder = unwrap(object);
  let own = true;
  for (let depth = 0; isObject(holder) && depth < 1000; depth++) {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor !== undefined) {
      if (hasOwn(descriptor, 'value')) {
        const { value, writable, configurable } = descriptor;
        return { holder, own, data: true, value, writable, configurable };
      }
      const native = (descriptor.get === undefined || isNative(descriptor.get))
        && (descriptor.set === undefined || isNative(descriptor.set));
      const { get, set, configurable } = descriptor;
      return { holder, own, data: false, native, get, set, configurable };
    }
    own = false;
    holder = unwrap(getPrototypeOf(holder));
  }
  return undefined;
}

// Reads `object.key` as far as that runs none of the page's code.
function read(object, key) {
  if (typeof object === 'string' && key === 'length') return object.length;
  if (!isObject(object)) throw new ErrorOf(`there is no property ${StringOf(key)} on ${primitiveText(object)}`);
  return valueAt(object, key, 0);
}

const toKey = (key) => ownKeys({ [key]: 0 })[0];
