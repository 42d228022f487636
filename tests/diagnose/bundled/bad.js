var shop = (() => {
  var __create = Object.create;
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __getProtoOf = Object.getPrototypeOf;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __name = (target, value) => __defProp(target, "name", { value, configurable: true });
  var __commonJS = (cb, mod) => function __require() {
    try {
      return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
    } catch (e) {
      throw mod = 0, e;
    }
  };
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
    // If the importer is in node compatibility mode or this is not an ESM
    // file that has been converted to a CommonJS file using a Babel-
    // compatible transform (i.e. "__esModule" has not been set), then set
    // "default" to the CommonJS "module.exports" for node compatibility.
    isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
    mod
  ));
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // cart.cjs
  var require_cart = __commonJS({
    "cart.cjs"(exports) {
      exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);
      exports.tax = (sum) => sum * 0.2;
    }
  });

  // main.js
  var main_exports = {};
  __export(main_exports, {
    receipt: () => receipt
  });
  var import_cart = __toESM(require_cart());

  // labels.js
  var labels_exports = {};
  __export(labels_exports, {
    Line: () => Line,
    label: () => label
  });
  var label = /* @__PURE__ */ __name((name, sum) => `${name}: ${sum.toFixed(2)}`, "label");
  var Line = class _Line {
    static {
      __name(this, "Line");
    }
    static from(name, prices) {
      return new _Line(name, prices);
    }
    constructor(name, prices) {
      this.name = name;
      this.prices = prices;
    }
  };

  // main.js
  function receipt(name, prices) {
    const line = Line.from(name, prices);
    const sum = import_cart.default.total(line.prices);
    return label(line.name, sum + import_cart.default.tax(sum));
  }
  __name(receipt, "receipt");
  document.title = receipt("Cup", [4, 6]);
  console.log(Object.keys(labels_exports));
  return __toCommonJS(main_exports);
})();
//# sourceMappingURL=bad.js.map
