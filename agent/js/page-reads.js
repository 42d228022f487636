// What the page itself reads where a query looks: compared with what was followed without running anything of the page.

// The object in which a query begins.
function rootOf(query, given) {
  const thunk = part(part(given, 'd'), query.dependent);
  if (query.root === 'event') return standing?.owner;
  if (query.root === 'element') return lookUp(query.lookup);
  return typeof thunk === 'function' ? thunk() : undefined;
}
const isEntry = (step) => step !== null && typeof step === 'object' && step.kind !== 'element';
const keyOfStep = (step, given) => (typeof step === 'string' ? step : propertyKey(keyOf(step, given)));
const lastKey = (query, given) => (query.keyed === null ? query.key : propertyKey(keyOf(query.keyed, given)));

// What a read by the page is compared with: `{ ofGetter, doubtful, expected }`.
let comparison;

// The function that the page's own read of what `query` names runs, where it hangs on more than what was followed:
// a trap that was not followed, or a trap or getter that calls something. Undefined: there is none.
function runByRead(query, given) {
  comparison = undefined;
  if (query.variable || isEntry(query.keyed)) return undefined;
  let asked;
  try {
    let base = rootOf(query, given);
    for (let index = 0; index < query.path.length; index++) {
      const step = query.path[index];
      if (!isEntry(step)) asked ??= runBy(base, keyOfStep(step, given), false);
      base = follow(base, step, given);
    }
    const key = lastKey(query, given);
    asked ??= runBy(base, key, true);
    if (asked === undefined) return undefined;
    const property = inspect(base, key);
    const isGetter = property !== undefined && !property.data && !property.native;
    comparison.expected = isGetter && comparison.doubtful === undefined ? UNSURE : lastValue(base, key, 0);
  } catch {
    if (comparison !== undefined) comparison.fails = true;
  }
  return asked;
}

// The function that a read of `object[key]` runs and whose value must be compared; `comparison` says what it is.
function runBy(object, key, isLast) {
  const trap = proxies ? trapOf(object, key) : undefined;
  metEffects = false;
  isDoubtful = undefined;
  if (trap !== undefined) {
    const followed = isLast ? resolveTrap(key, trap, 0) !== undefined
      : copiedBy(trap.get, trap.self, [trap.target, key, trap.receiver], 0) !== UNSURE;
    if (followed && !metEffects) return undefined;
    comparison = { ofGetter: false, doubtful: isDoubtful, expected: UNSURE, fails: false };
    return trap.get;
  }
  if (!isObject(object)) return undefined;
  const property = inspect(object, key);
  if (property === undefined || property.data || property.native || property.get === undefined) return undefined;
  if (isLast) resolveAccessor(key, unwrap(object), property, 0);
  else copiedBy(property.get, object, [], 0);
  if (!metEffects) return undefined;
  comparison = { ofGetter: true, doubtful: isLast ? isDoubtful : false, expected: UNSURE, fails: false };
  return property.get;
}

// What the page reads there. This runs the page's code: the debugger lets it, as far as that has no side effects.
function readAsPage(query, given) {
  let base = rootOf(query, given);
  for (let index = 0; index < query.path.length; index++) {
    const step = query.path[index];
    base = isEntry(step) ? readEntry(step, base, keyOf(step, given)) : base[keyOfStep(step, given)];
  }
  return base[lastKey(query, given)];
}

// Whether that is what we read without running anything of the page.
function agreesWithPage(query, given) {
  const value = readAsPage(query, given);
  if (comparison.fails) return false;
  // That it can be read without side effects is enough where the value is not a copy.
  return comparison.expected === UNSURE || is(unwrap(value), unwrap(comparison.expected));
}
