// What comes of a query, before it is told.

import { setPrototypeOf } from './captured.js';
import { isObject } from './basics.js';
import { followsAll, readsAhead } from './read-ahead.js';
import { summary } from './summaries.js';
import { writerAt } from './records.js';

// The result of one query, and those of others: a list, for V8 makes room for many where a number is the key.
export class Asked {
  query; result; next;
  /** @param {number} query @param {Result} result @param {Asked | undefined} next */
  constructor(query, result, next) { this.query = query; this.result = result; this.next = next; }
}

// Of what was asked at a change only what is asked at it as the answer to this query. The rest belongs to other queries
// for the same name; and where one asks for the change before, all changes would depend on one another.
/** @param {Query} query @param {Asked | undefined} all */
export function askedBy(query, all) {
  /** @type {Asked | undefined} */
  let own;
  for (let asked = all; asked !== undefined; asked = asked.next) {
    if (isListed(query.askedThere, asked.query)) own = new Asked(asked.query, asked.result, own);
  }
  return own;
}

/** @param {ArrayLike<unknown>} list @param {PageValue} wanted */
export function isListed(list, wanted, before = list.length) {
  for (let index = 0; index < before; index++) {
    if (list[index] === wanted) return true;
  }
  return false;
}

// Without a prototype of the page's, and fast: of a literal without a prototype V8 makes a table.
class Found {
  status = /** @type {'found'} */ ('found');
  sequence; site; by; owner; changes; value; raw; askedThere; captured; exact;
  /** @type {boolean | undefined} */
  same = undefined;
  /** @param {ChangeRecord} record @param {PageValue} current */
  constructor(record, current) {
    const { t, e } = record;
    this.sequence = record.s;
    this.site = t > 0 ? t : undefined;
    this.by = writerAt(t);
    this.owner = record.i;
    this.changes = record.n;
    // What cannot change is put into words when it is told.
    this.value = isObject(current) ? summary(current) : undefined;
    this.raw = current;
    this.askedThere = record.k;
    this.captured = record.c;
    this.exact = e === undefined || (readsAhead && !followsAll()) ? undefined
      : { last: e.last, changes: e.n, blind: e.blind, setter: e.setter === true };
  }
}
setPrototypeOf(Found.prototype, null);

/** @type {(record: ChangeRecord, current: PageValue) => Result} */
export const found = (record, current) => new Found(record, current);

// Something else may have written it.
/** @type {(value: PageValue) => Result} */
export const notObserved = (value) => ({ status: 'unseen', value: summary(value), raw: value });
