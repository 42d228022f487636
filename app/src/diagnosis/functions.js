// Runs in a realm of its own: rebuilds what a call was given and what came of it, and has functions judge it.
// The data is described in `diagnosis/src/call_data.rs`.
(async (source) => {
  class NotRecorded extends Error {}
  const notRecorded = () => {
    throw new NotRecorded("it was not recorded");
  };
  const classes = new Map();

  /** The prototype of objects of a class of the page: it has the name, and no methods. */
  const prototypeOf = (name) => {
    if (!classes.has(name)) {
      const prototype = Object.create(Object.prototype, {
        constructor: { value: { name } },
        [Symbol.toStringTag]: { value: name },
      });
      classes.set(name, prototype);
    }
    return classes.get(name);
  };

  /** Puts a value where it belongs; what was not recorded throws where it is read. */
  const put = (target, key, [kind, of], object) => {
    const own = { enumerable: true, configurable: true };
    if (kind === "?") {
      Object.defineProperty(target, key, { ...own, get: notRecorded });
    } else {
      const value = valueOf(kind, of, object);
      Object.defineProperty(target, key, { ...own, writable: true, value });
    }
  };

  const valueOf = (kind, of, object) => {
    switch (kind) {
      case "z":
        return null;
      case "b":
        return of;
      case "n":
        return Number(of);
      case "s":
        return of;
      case "i":
        return BigInt(of);
      case "f":
        return notRecorded;
      case "o":
        return object(of);
      default:
        return undefined;
    }
  };

  /** The key of an entry: the log has its text alone, so what may be more than a text is not known. */
  const entryKey = (text) => {
    const words = ["true", "false", "null", "undefined", ""];
    const mayBeAnother = words.includes(text) || String(Number.parseFloat(text)) === text;
    return mayBeAnother || / #\d+$|^\d+n$|^ƒ |^Symbol\(/.test(text) ? undefined : { key: text };
  };

  /** An object of a class without anything in it. */
  const empty = (name) => {
    switch (name) {
      case "Array":
        return [];
      case "Map":
        return new Map();
      case "Set":
        return new Set();
      case "Object":
        return {};
      default:
        return Object.create(prototypeOf(name));
    }
  };

  /** The objects of one side, made where they are first asked for. */
  const objectsOf = (described) => {
    const made = new Map();
    const object = (number) => {
      if (!made.has(number)) {
        make(number, described[number] ?? { class: "Object", whole: false, fields: [] });
      }
      return made.get(number);
    };
    const make = (number, { class: name, whole, fields, inner }) => {
      if (name === "Date" && inner !== undefined) {
        made.set(number, new Date(inner));
        return;
      }
      const entries = fields
        .filter(([[kind]]) => kind === "e")
        .map(([[, key], value]) => [entryKey(key), value]);
      const isList = name === "Array";
      const isKeyed = name === "Map" || name === "Set";
      const target = empty(name);
      const isKnown = ([key, [kind]]) => key && kind !== "?";
      const isComplete = whole && (isKeyed || entries.length === 0) && entries.every(isKnown);
      made.set(number, isComplete ? target : new Proxy(target, incomplete));
      if (inner !== undefined) {
        put(target, "message", ["s", inner], object);
      }
      for (const [[kind, key], value] of fields) {
        if (kind === "p" && !(isList && key === "length")) {
          put(target, key, value, object);
        }
      }
      if (isComplete) {
        for (const [{ key }, [kind, of]] of entries) {
          if (name === "Map") {
            target.set(key, valueOf(kind, of, object));
          } else {
            target.add(key);
          }
        }
      }
    };
    return object;
  };

  /** Of an object that the log has not all of, only what it has can be read. */
  const incomplete = {
    get(target, key) {
      const isCollection = Array.isArray(target) || target instanceof Map || target instanceof Set;
      const isOwn = Object.hasOwn(target, key);
      const isKnown = isCollection ? isOwn && key !== "length" : isOwn || typeof key === "symbol";
      return isKnown ? target[key] : notRecorded();
    },
    has: (target, key) => Object.hasOwn(target, key) || notRecorded(),
    ownKeys: notRecorded,
  };

  const callOf = ({ function: name, url, line, ended, entry, exit }) => {
    const call = { function: name, url, line, ended, after: {} };
    for (const [side, target] of [
      [entry, call],
      [exit, call.after],
    ]) {
      const object = objectsOf(side.objects);
      put(target, "this", side.this, object);
      if (side.arguments) {
        target.arguments = [];
        side.arguments.forEach((value, index) => put(target.arguments, index, value, object));
      } else {
        put(target, "arguments", ["?"], object);
      }
      if (side.value && (ended === "returned" || ended === "threw")) {
        put(call, ended, side.value, object);
      }
    }
    return call;
  };

  const module = await import(`data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`);
  const functions = module.default;
  const names = [];
  for (const [name, judge] of Object.entries(functions ?? {})) {
    if (typeof judge !== "function") {
      throw new TypeError(`${name} is no function`);
    }
    names.push(name);
  }
  if (names.length === 0) {
    throw new TypeError("it exports no functions: export default { name(call) { … } }");
  }

  globalThis.judgeCall = (text) => {
    const data = JSON.parse(text);
    let said;
    try {
      said = functions[data.function](callOf(data));
    } catch (error) {
      if (error instanceof NotRecorded) {
        return { unknown: "it reads what was not recorded" };
      }
      throw error;
    }
    if (typeof said === "boolean") {
      return { answer: said ? "valid" : "invalid" };
    }
    if (said === undefined) {
      return { unknown: "it says nothing" };
    }
    const { answer, why } = typeof said === "string" ? { answer: said } : (said ?? {});
    return { answer: String(answer), why: why === undefined ? undefined : String(why) };
  };
  return names;
})
