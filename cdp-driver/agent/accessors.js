// Accessors: a rewritten getter says what it reads instead of being run (see the module `accessors` of the rewriter), and
// the last change among that is the accessor's.

const GETTER_OPENING = 'if(__QP__Get)return __QP__Get(';

// Whether a function is a getter that says what it reads: its text opens so, behind the mark of inserted text.
function saysWhatItReads(getter) {
  if (typeof getter !== 'function' || ProxyMark.is(getter)) return false;
  const text = apply(functionText, getter, []);
  let at = apply(indexOf, text, ['{']) + 1;
  while (at > 0 && (text[at] === '\v' || text[at] === '\f')) at++;
  return at > 0 && apply(slice, text, [at, at + GETTER_OPENING.length]) === GETTER_OPENING;
}

// What a getter of the page reads, as it says; a text where it cannot say that, but what it returns; else undefined.
function saidBy(getter, owner, values) {
  if (!saysWhatItReads(getter)) return undefined;
  let given;
  __QP__Get = (reads) => { given = reads; };
  try {
    apply(getter, owner, values);
  } finally {
    __QP__Get = undefined;
  }
  return given;
}

function readsOf(getter, owner, values) {
  const said = saidBy(getter, owner, values);
  return isArray(said) ? said : undefined;
}

// Follows what a getter reads. Fills `into`: `{ names, shown, results }`; whether it could.
function followReads(reads, into, depth) {
  for (let index = 0; index < reads.length; index++) {
    if (!followOne(reads[index], into, depth)) return false;
  }
  return true;
}

function followOne(entry, into, depth) {
  const shown = entry[0];
  if (shown === '?') return followChoice(entry, into, depth);
  const root = entry[1];
  if (typeof root === 'string') {
    append(into.names, { kind: 'variable', key: root });
    append(into.shown, shown);
    return true;
  }
  let value = root();
  if (entry.length === 2) {
    append(into.shown, shown);
    if (value instanceof VariablePlace) append(into.results, resolveVariable(value));
    return value instanceof VariablePlace;
  }
  append(into.shown, shown);
  for (let part = 2; part < entry.length; part++) {
    const given = entry[part];
    const key = typeof given === 'function' ? given() : given;
    // A symbol cannot be watched.
    if (typeof key !== 'string' && typeof key !== 'number') return false;
    if (!isObject(value)) return true;
    const name = StringOf(key);
    if (slotOfKey[name] === undefined) append(into.names, { kind: 'property', key: name });
    else append(into.results, resolveProperty({ key: name }, value, depth + 1));
    if (part + 1 < entry.length) value = read(value, name);
  }
  return true;
}

// A test decides which branch counts, as far as it is known.
function followChoice(entry, into, depth) {
  const tests = entry[1];
  const test = tests[tests.length - 1];
  // What only the arguments decide, and whether one of them has a property.
  if (test[0] === '~' || test[0] === '~in') {
    const holds = test[0] === '~' ? test[1]() : inspect(test[1](), test[2]()) !== undefined;
    const taken = holds ? entry[2] : entry[3];
    return taken !== 0 && followReads(taken, into, depth);
  }
  if (typeof test[1] === 'string') return true;
  let value = test[1]();
  if (value instanceof VariablePlace) value = value.get();
  for (let part = 2; part < test.length; part++) {
    const key = typeof test[part] === 'function' ? test[part]() : test[part];
    if (typeof key === 'string' && apply(startsWith, key, ['\0'])) return false;
    value = read(value, key);
  }
  const branch = value ? entry[2] : entry[3];
  return branch !== 0 && followReads(branch, into, depth);
}

const MOST_ACCESSORS_IN_A_ROW = 8;

// `key` of `owner` is an accessor of the page.
function resolveAccessor(key, owner, property, depth) {
  const refused = { status: 'accessor', message: `${key} is an accessor property whose getter could not be followed: ask for the value that it reads` };
  if (depth > MOST_ACCESSORS_IN_A_ROW) return refused;
  const into = { names: [], shown: [], results: [] };
  let followed = false;
  try {
    const said = saidBy(property.get, owner, []);
    if (typeof said === 'string') {
      refused.message = `${key} is an accessor property whose getter returns ${said}, which could not be followed: ask for the value that this reads`;
    }
    followed = isArray(said) && followReads(said, into, depth);
  } catch { /* a reference that has no value */ }
  return followed ? lastOfReads(into, refused, `${key} is an accessor; its getter reads`) : refused;
}

// The last change among what was read; `refused` where that cannot be said.
function lastOfReads(into, refused, opening) {
  let last;
  for (let index = 0; index < into.results.length; index++) {
    const result = into.results[index];
    if (result.status === 'accessor') {
      if (result.reads === undefined) return refused;
      for (let name = 0; name < result.reads.length; name++) append(into.names, result.reads[name]);
    } else if (result.status === 'unseen' || (result.status === 'found' && !result.same)) {
      return { status: 'unseen', value: result.value, raw: result.raw };
    } else if (result.status !== 'found' && result.status !== 'never') return refused;
    else if (result.status === 'found' && (last === undefined || result.sequence > last.sequence)) last = result;
  }
  if (into.names.length > 0) return { ...refused, reads: into.names };
  let texts = into.shown.length === 0 ? 'nothing that can change' : '';
  for (let index = 0; index < into.shown.length; index++) {
    texts += `${index === 0 ? '' : ', '}${into.shown[index]}`;
  }
  const accessor = `${opening} ${texts}`;
  if (last !== undefined) return { ...last, accessor };
  const only = into.results.length === 1 ? into.results[0] : undefined;
  return { status: 'never', value: only?.value ?? { type: 'accessor', text: '(…)' }, raw: only?.raw, accessor };
}
