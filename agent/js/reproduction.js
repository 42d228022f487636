// The reproduction point, and what the driver calls.

let lastHit;
// How often the reproduction point was passed before the task under way.
let hitsBefore = 0;

function hit(given) {
  if (domWatched) settle();
  lastHit = { __proto__: null, hit: hits - 1, sequence, time: now(), results: resolveAll(config.roots, given, undefined) };
  if (config.capture) lastHit.captured = capture(given, ABSENT, ABSENT, undefined, true);
  return lastHit;
}

// The page came by a requested place, which is an event of the slots `counted`.
const R = (point, context, counted) => {
  const number = hits++;
  if (config.standby && task === 0) {
    markTask();
    hitsBefore = number;
  }
  countedHere = counted;
  if (config.hit === -1 || config.hit === number) hit(context === 0 ? undefined : context());
  if (config.postEachTask && !posting) postAfterTask();
  if (config.stopAtHit === number) stop({ kind: 'point', hit: number, sequence, index: number - hitsBefore });
  countedHere = undefined;
};

// Stands where armed code never comes: a breakpoint there keeps the function around it from being optimised.
const S = () => undefined;

// JSON of our own data, past any `toJSON` of the page.
function toJson(value) {
  if (typeof value === 'number') return value - value === 0 ? StringOf(value) : 'null';
  if (typeof value !== 'object' || value === null) return stringify(value);
  const list = isArray(value);
  const keys = ownKeys(value);
  let text = '';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key === 'symbol' || (list && key === 'length')) continue;
    const part = toJson(value[key]);
    if (part === undefined && !list) continue;
    text += `${text === '' ? '' : ','}${list ? part ?? 'null' : `${stringify(key)}:${part}`}`;
  }
  return list ? `[${text}]` : `{${text}}`;
}

// What the driver calls: at a pause, and when the replay is over.
const strip = (results) => {
  const out = { __proto__: null };
  for (let asked = results; asked !== undefined; asked = asked.next) {
    const result = { __proto__: null, ...asked.result };
    if (result.value === undefined && hasOwn(result, 'raw')) result.value = summary(result.raw);
    if (hasOwn(result, 'stack')) result.stack = framesOf(result.stack);
    if (hasOwn(result, 'lacks') && result.lacks !== undefined) {
      result.absent = { __proto__: null, name: result.lacked, among: namesOn(result.lacks) };
    }
    out[asked.query] = { ...result, raw: undefined, lacks: undefined, kids: result.kids === undefined ? undefined : strip(result.kids) };
  }
  return out;
};
const report = () => {
  if (isLogging) handOverLog();
  return reported();
};
const reported = () => (lastHit === undefined ? { document: token, hits, sequence }
  : { document: token, hits, sequence, hit: { ...lastHit, results: strip(lastHit.results) }, counts: countsByQuery() });
const E = freeze({
  // Resolves the queries at R, which is here and now, and counts it as a hit.
  at(context) {
    hits++;
    hit(context === undefined ? undefined : context());
    return toJson(report());
  },
  // Resolves single queries here and now, in a frame that only a debugger can reach.
  late(queries, context) {
    return toJson(strip(resolveAll(queries, context(), standing?.owner)));
  },
  // How the page itself reads what a query names, where a trap or getter of its own decides.
  runByRead: (query, context) => runByRead(query, context()),
  readAsPage: (query, context) => readAsPage(query, context()),
  isOfGetter: () => comparison?.ofGetter === true,
  isDoubtful: () => comparison?.doubtful === true,
  agreesWithPage: (query, context) => agreesWithPage(query, context()),
  report: () => toJson(report()),
  // What the page has put on the global object, as far as that is data.
  globals() {
    let count = 0;
    let room = MOST_READ;
    const own = { __proto__: null };
    const keys = ownKeys(realm);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      if (typeof key === 'symbol' || initialGlobals[key] === true) continue;
      const descriptor = getOwnPropertyDescriptor(realm, key);
      if (descriptor === undefined || !hasOwn(descriptor, 'value')) continue;
      const { value } = descriptor;
      const sent = beginning(value, room);
      if (typeof sent === 'string' && sent !== value) room -= value.length;
      own[beginningOf(key)] = sent;
      if (++count === 200) break;
    }
    return own;
  },
  // Variables of scopes that the debugger has, and single values, as they are to be sent.
  scopes: (...scopes) => beginnings(scopes),
  beginning: (value) => beginning(value, MOST_READ),
  // What a rewritten module begins with.
  module: linkModule,
  // The event at which the page stands, and numbers by which objects are compared.
  event: () => standing,
  // That of a call and of a line is the `this` there, which only the debugger can hand over.
  receives(object) {
    if (standing !== undefined && standing.owner === undefined) standing.owner = object;
  },
  identity,
  element: lookUp,
  // An exception, at which the debugger stands: how many there were, and that it is looked at.
  threw,
  standAt,
  // Nothing stops the page any more.
  release() {
    released = true;
  },
  // What the agent of another question in this realm builds on; what must be as it was for that; and the end of this
  // one.
  lent: { __proto__: null, initialGlobals, undisguised, markDisguised, ProxyMark, relied, isHanding: () => isHanding(),
    stoodStill: (milliseconds) => stoodStill(milliseconds) },
  isReplaced,
  isStanding: () => standing !== undefined || isHanding(),
  disarm() {
    released = true;
    takeAway();
  },
  // The event being dispatched.
  cause: () => cause(),
  // Gives the task under way a number, if it has none.
  beginTask() {
    if (task === 0) markTask();
    return task;
  },
  // The number of the task under way; 0: it has none.
  task: () => task,
});
