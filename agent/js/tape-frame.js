// The tape alone, where there is no agent: while recording, and in a replay that asks nothing. A classic script that
// runs before any of the page's; the parts are put in by `engine/tape/script.rs`. Of the names here the parts make use.

const __QP__Z = (() => {
  'use strict';
  const { apply, construct, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
  const functionText = Function.prototype.toString;
  const bindTo = Function.prototype.bind;
  const { includes, indexOf, slice } = String.prototype;
  const { stringify } = JSON;
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const append = (list, value) => defineProperty(list, list.length, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
  class Base { constructor(object) { return object; } }
  // What is told goes by a binding, which is taken off the realm at once.
  const post = globalThis['__QP__B'];
  delete globalThis['__QP__B'];

  const earlier = undefined;
  // PART source_text
  // PART timers
  // PART tape
  return Z;
})();
