'use strict';
const sheet = new Map();
const running = [];
let runs = 0;
class Cell {
  users = new Set();
  uses = new Set();
  constructor(name, formula) {
    this.name = name;
    this.formula = formula;
    this.isDirty = true;
    this.value = undefined;
  }
  get() {
    const user = running[running.length - 1];
    if (user) {
      this.users.add(user);
      user.uses.add(this);
    }
    if (this.isDirty) this.update();
    return this.value;
  }
  update() {
    if (running.includes(this)) throw new RangeError(`${this.name} needs itself`);
    for (const used of this.uses) used.users.delete(this);
    this.uses.clear();
    running.push(this);
    try {
      this.value = this.formula();
      this.isDirty = false;
      runs++;
    } finally {
      running.pop();
    }
  }
  set(formula) {
    this.formula = formula;
    this.invalidate();
  }
  invalidate() {
    if (this.isDirty) return;
    this.isDirty = true;
    for (const user of this.users) user.invalidate();
  }
}
const value = (name) => sheet.get(name).get();
const between = (from, to) => (name) => name >= from && name <= to;
function range(from, to) {
  return [...sheet.keys()].filter(between(from, to)).map(value);
}
const sum = (values) => values.reduce((total, it) => total + it, 0);
const average = (values) => (values.length === 0 ? 0 : sum(values) / values.length);
function define(name, formula) {
  if (sheet.has(name)) sheet.get(name).set(formula);
  else sheet.set(name, new Cell(name, formula));
}
define('a1', () => 3);
define('a2', () => 5);
define('a3', () => value('a1') * value('a2'));
define('b1', () => sum(range('a1', 'a3')));
define('b2', () => average(range('a1', 'a3')));
define('c1', () => (value('b1') > 20 ? value('a1') : value('b2')));
const seen = [];
const show = () => seen.push([...sheet.values()].map((cell) => cell.get()), runs);
show();
define('a1', () => 2);
show();
define('a2', () => 9);
show();
define('a1', () => value('c1'));
try {
  show();
} catch (error) {
  seen.push(error.message);
}
const report = { seen };
