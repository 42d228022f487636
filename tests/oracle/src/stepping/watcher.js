// Looks at values while the page stands still, and remembers at which stop each had its present value first.
//
// It runs in the page's realm, on behalf of the debugger only: no script of the page holds it. It reads
// property descriptors, so it runs no getter.
((globalNames) => {
  'use strict';
  const { ownKeys, getOwnPropertyDescriptor, has } = Reflect;
  const { is, hasOwn } = Object;
  const functionText = Function.prototype.toString;
  const realm = globalThis;
  const globalsBefore = new Set(globalNames);
  const TOKEN = /^me\d+$/;
  // What is no value: a property that is not there, a binding that is not initialised, an accessor.
  const ABSENT = { absent: true };
  const UNSET = { unset: true };
  const ACCESSOR = { accessor: true };

  // owner (an object, or what stands for a scope) -> { since, line, several, entries: name -> { value, stop, first,
  // from } }
  const objects = new Map();
  const scopes = new Map();
  let tokens = 0;
  let stop = 0;
  let before = new Map();

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isHost = (object) => object === realm || object instanceof EventTarget;

  function history(table, key, line) {
    let found = table.get(key);
    if (found === undefined) {
      found = { since: stop, line, entries: new Map(), several: false };
      table.set(key, found);
    }
    return found;
  }

  function note(owner, name, value) {
    const last = owner.entries.get(name);
    if (last === undefined) {
      const isFirst = owner.since === stop;
      owner.entries.set(name, { value, stop, first: isFirst, changed: !isFirst, appeared: !isFirst });
    } else if (!is(last.value, value)) {
      last.value = value;
      last.stop = stop;
      last.first = false;
      last.changed = true;
      last.appeared = false;
    }
  }

  const valueOf = (object, name) => {
    const property = getOwnPropertyDescriptor(object, name);
    if (property === undefined) return ABSENT;
    return hasOwn(property, 'value') ? property.value : ACCESSOR;
  };
  // A variable: reading one that is not initialised throws.
  const variableOf = (scope, name) => {
    try {
      return valueOf(scope, name);
    } catch {
      return UNSET;
    }
  };

  function lookAtObject(object, queue) {
    const owner = history(objects, object, undefined);
    for (const name of ownKeys(object)) {
      if (typeof name === 'symbol') continue;
      if (typeof object === 'function' && (name === 'arguments' || name === 'caller')) continue;
      const value = valueOf(object, name);
      note(owner, name, value);
      if (isObject(value)) queue.push(value);
    }
    for (const name of owner.entries.keys()) {
      if (!hasOwn(object, name)) note(owner, name, ABSENT);
    }
  }

  function scopeOf(scope, type, place) {
    if (type === 'script') return history(scopes, type, undefined);
    if (type === 'module') return history(scopes, `module ${place.script}`, undefined);
    for (const name of ownKeys(scope)) {
      const value = TOKEN.test(name) ? variableOf(scope, name) : UNSET;
      if (value !== UNSET) return history(scopes, value, place.line);
    }
    return undefined;
  }

  // Without a token the place of a scope stands for it, as long as there is one of it only.
  function scopeAt(place, depth, isFresh) {
    const key = `${place.script}:${place.line}:${place.column}`;
    const owner = history(scopes, key, place.line);
    const known = before.get(key);
    if (place.type !== 'closure') {
      const again = owner.since !== stop && (known === undefined || known !== depth || isFresh);
      if (again || now.has(key)) owner.several = true;
      now.set(key, depth);
    }
    return owner;
  }
  let now = new Map();

  // The token of the activation that a frame is: it stands in its local scope, or in the block around the whole body,
  // where the parameters have a scope of their own.
  function tokenOf(frame, scopes) {
    let token;
    for (let index = 0; index < scopes.length; index++) {
      const { type } = frame.scopes[index];
      if (type !== 'block' && type !== 'local') continue;
      for (const name of ownKeys(scopes[index])) {
        const value = TOKEN.test(name) ? variableOf(scopes[index], name) : UNSET;
        if (value !== UNSET) token = value;
      }
      if (type === 'local') return token;
    }
    return undefined;
  }

  const parameters = new Map();
  function ofParameters(place, token) {
    if (place.type !== 'local' || token === undefined) return undefined;
    if (!parameters.has(token)) parameters.set(token, { of: token });
    return history(scopes, parameters.get(token), place.line);
  }

  // A number for each activation. Before its token is there it is that of its place; where the token is gone, at the
  // return, it is the one that stood there at the stop before.
  const activations = new Map();
  const places = new Map();
  let stood = new Map();
  function numberOf(table, key) {
    if (!table.has(key)) table.set(key, ++tokens);
    return table.get(key);
  }
  function activation(frame, depth, token, standing) {
    const local = frame.scopes.find((place) => place.type === 'local');
    if (local === undefined) return 0;
    const key = `${local.script}:${local.line}:${local.column}`;
    const last = stood.get(depth);
    const known = token ?? (frame.isReturn && last?.key === key && !frame.isFresh ? last.token : undefined);
    standing.set(depth, { key, token: known });
    return known === undefined ? numberOf(places, key) : numberOf(activations, known);
  }

  // `frames`: the newest first, `{ scopes: [{ type, script, line, column }], isFresh, isReturn }`; `values`: per frame
  // its `this`, then its scopes; and the value that is being returned last.
  function look(frames, values) {
    stop++;
    now = new Map();
    const queue = [];
    const numbers = [];
    const standing = new Map();
    let at = 0;
    frames.forEach((frame, index) => {
      const depth = frames.length - index;
      if (isObject(values[at]) && !isHost(values[at])) queue.push(values[at]);
      at++;
      const token = tokenOf(frame, values.slice(at, at + frame.scopes.length));
      for (const place of frame.scopes) {
        const scope = values[at++];
        if (place.type === 'with') {
          queue.push(scope);
          continue;
        }
        const owner = scopeOf(scope, place.type, place) ?? ofParameters(place, token)
          ?? scopeAt(place, depth, frame.isFresh);
        for (const name of ownKeys(scope)) {
          const value = variableOf(scope, name);
          note(owner, name, value);
          if (isObject(value) && !isHost(value)) queue.push(value);
        }
      }
      const number = activation(frame, depth, token, standing);
      numbers.push(number);
    });
    if (isObject(values[at]) && !isHost(values[at])) queue.push(values[at]);
    const global = history(objects, realm, undefined);
    for (const name of ownKeys(realm)) {
      if (typeof name === 'symbol' || globalsBefore.has(name)) continue;
      const value = valueOf(realm, name);
      note(global, name, value);
      if (isObject(value) && !isHost(value)) queue.push(value);
    }
    for (const object of objects.keys()) if (object !== realm) queue.push(object);
    const seen = new Set();
    while (queue.length > 0) {
      const object = queue.pop();
      if (seen.has(object) || object === ABSENT || object === UNSET || object === ACCESSOR) continue;
      seen.add(object);
      lookAtObject(object, queue);
    }
    before = now;
    stood = standing;
    return numbers;
  }

  const text = (value) => {
    if (isObject(value)) return undefined;
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return undefined;
    return is(value, -0) ? '-0' : String(value);
  };

  const sight = (reference, owner, name, isVariable) => {
    const entry = owner.entries.get(name);
    const { value, stop: at, first, changed, appeared } = entry;
    const deleted = value === ABSENT;
    return {
      reference, isVariable, deleted, stop: at, first, changed, appeared,
      line: owner.line, several: owner.several, text: deleted ? 'undefined' : text(value),
      isFunction: typeof value === 'function',
      isClass: typeof value === 'function' && /^class\b/.test(functionText.call(value)),
      isGlobal: owner === objects.get(realm),
      unset: value === UNSET, accessor: value === ACCESSOR,
    };
  };

  const SKIPPED = new Set(['name', 'prototype', 'constructor', '__proto__']);
  const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
  const segment = (name) => (IDENTIFIER.test(name) ? `.${name}`
    : /^(0|[1-9]\d{0,8})$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`);

  function properties(reference, object, depth, sights) {
    const owner = objects.get(object);
    if (owner === undefined) return;
    for (const [name, entry] of owner.entries) {
      const part = segment(name);
      if (SKIPPED.has(name) || (name === 'length' && typeof object === 'function')) continue;
      // What is inherited is another owner's.
      if (entry.value === ABSENT && has(object, name)) continue;
      sights.push(sight(reference + part, owner, name, false));
      if (depth > 1 && isObject(entry.value) && objects.has(entry.value)) {
        properties(reference + part, entry.value, depth - 1, sights);
      }
    }
  }

  // Everything that can be named in the newest frame, as it stands now.
  function sights(frame, values) {
    const found = [];
    const hidden = new Set();
    const self = values[0];
    const token = tokenOf(frame, values.slice(1));
    if (isObject(self) && !isHost(self)) properties('this', self, 1, found);
    frame.scopes.forEach((place, index) => {
      const scope = values[index + 1];
      const owner = scopeOf(scope, place.type, place)
        ?? ofParameters(place, token) ?? scopes.get(`${place.script}:${place.line}:${place.column}`);
      for (const name of ownKeys(scope)) {
        if (hidden.has(name)) continue;
        hidden.add(name);
        if (owner === undefined || TOKEN.test(name) || !owner.entries.has(name) || !IDENTIFIER.test(name)) continue;
        found.push(sight(name, owner, name, true));
        // What the history holds may be the value of another activation.
        const value = variableOf(scope, name);
        if (isObject(value) && objects.has(value)) properties(name, value, 2, found);
      }
    });
    const global = objects.get(realm);
    for (const [name, { value }] of global.entries) {
      if (hidden.has(name) || value === ABSENT || !IDENTIFIER.test(name)) continue;
      found.push(sight(name, global, name, true));
      if (isObject(value) && objects.has(value)) properties(name, value, 2, found);
    }
    return found;
  }

  return { look, sights };
})
