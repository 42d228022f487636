// The writes whose hooks are measured. Each loop writes `p` (or the variable `v`) once a turn, each time another value;
// what it makes is kept, so that the engine cannot do without it.
//
// The lines marked `// the write` are where breakpoints are set.

// What was made last. A variable, because the elements of an array have hooks of their own.
let kept;

function Made(p) {
  this.p = p;
  this.q = 1;
}

class WithField {
  p = 1;
}

SHAPES

function oldObject(turns) {
  const object = { q: 1, p: -1 };
  kept = object;
  for (let turn = 0; turn < turns; turn++) {
    object.p = turn; // the write
  }
  return object.p;
}

function oldObjects(turns) {
  const objects = [];
  for (let count = 0; count < 1000; count++) objects.push({ q: 1, p: -1 });
  kept = objects;
  let at = 0;
  for (let turn = 0; turn < turns; turn++) {
    objects[at].p = turn;
    at = at === 999 ? 0 : at + 1;
  }
}

function oldShapes(turns) {
  const objects = constructors.map((Constructor) => new Constructor(-1));
  kept = objects;
  let at = 0;
  for (let turn = 0; turn < turns; turn++) {
    objects[at].p = turn;
    at = at === 19 ? 0 : at + 1;
  }
}

function sameValue(turns) {
  const object = { q: 1, p: 7 };
  kept = object;
  for (let turn = 0; turn < turns; turn++) {
    object.p = 7;
  }
}

function freshLiteral(turns) {
  for (let turn = 0; turn < turns; turn++) {
    kept = { p: turn, q: 1 };
  }
}

function freshAdded(turns) {
  for (let turn = 0; turn < turns; turn++) {
    const object = { q: 1 };
    object.p = turn;
    kept = object;
  }
}

function freshMade(turns) {
  for (let turn = 0; turn < turns; turn++) {
    kept = new Made(turn);
  }
}

function freshField(turns) {
  for (let turn = 0; turn < turns; turn++) {
    kept = new WithField();
  }
}

function freshShapes(turns) {
  let at = 0;
  for (let turn = 0; turn < turns; turn++) {
    kept = new constructors[at](turn);
    at = at === 19 ? 0 : at + 1;
  }
}

function localVariable(turns) {
  let v = -1;
  let sum = 0;
  for (let turn = 0; turn < turns; turn++) {
    v = turn;
    sum += v & 3;
  }
  return sum;
}

function closureVariable(turns) {
  let v = -1;
  const set = (to) => {
    v = to;
  };
  kept = [() => v, set];
  for (let turn = 0; turn < turns; turn++) set(turn);
  return v;
}

// A million objects that live, each written once.
let population = [];
function populate(count) {
  population = [];
  for (let number = 0; number < count; number++) population.push(new Made(number));
  return population.length;
}

// How many turns are worth measuring, after about as many to warm up.
function warmUp(loop) {
  let turns = 10000;
  for (;;) {
    const start = performance.now();
    loop(turns);
    if (performance.now() - start >= 30) return 4 * turns;
    turns *= 2;
  }
}

function run(loop, turns) {
  loop(turns);
  return turns;
}

// Nanoseconds for each of so many turns, once.
function measureTurns(loop, turns) {
  const start = performance.now();
  loop(turns);
  return (performance.now() - start) * 1e6 / turns;
}
