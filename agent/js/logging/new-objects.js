// Objects that the log meets for the first time and that no literal or constructor of the page made: what code without
// hooks gave, passed or threw, what a pattern or a rest parameter made. The log has what is in plain objects and
// collections then, as it has that of a literal; and responses of the network.

import { getOwnPropertyDescriptor, getPrototypeOf, isArray, ObjectOf, ownKeys } from '../captured.js';
import { append, isObject } from '../basics.js';
import { ProxyMark } from '../objects.js';
import { MOST_ENTRIES, settings } from './settings.js';
import { GETTER, isResponse, kindOf } from './values.js';
import { encoder, tellInsideBy } from './running.js';
import { tellInnerState } from './inner-state.js';
import { contents } from './contents.js';
import { tellResponse } from './responses.js';
import { tellPrototype } from './prototypes.js';

// Of what is inside one another no more objects are told at once.
const MOST_OBJECTS = 10_000;
const plain = ObjectOf.prototype;
const { tellsNew, tellsPage } = settings;

/** @param {number} site @param {object} [own] it is told otherwise */
export function tellNew(site, own) {
  if (tellsNew) tellAll(site, own);
}
tellInsideBy(tellNew);

// Where results alone are told: what else was new before one is not told.
export function beforeResult() {
  if (!tellsNew && encoder.hasNew()) encoder.takeNew();
}
/** @param {number} site */
export function tellResult(site) {
  if (encoder.hasNew()) tellAll(site);
}

/** @param {number} site @param {object} [own] */
function tellAll(site, own) {
  let told = 0;
  while (encoder.hasNew()) {
    const objects = encoder.takeNew();
    for (let index = 0; index < objects.length; index++) {
      if (++told > MOST_OBJECTS) {
        encoder.takeNew();
        return;
      }
      if (objects[index] !== own) tell(site, objects[index]);
    }
  }
}

/** @param {number} site @param {unknown} value */
function tell(site, value) {
  if (!isObject(value) || ProxyMark.is(value)) return;
  const prototype = getPrototypeOf(value);
  if (prototype === null || prototype === plain) {
    tellProperties(value);
  } else if (isArray(value) || kindOf(value) !== '') {
    contents(value);
  } else if (tellsPage && isResponse(value)) {
    tellResponse(value);
  } else if (site !== 0) {
    // A write has a place.
    tellInnerState(site, value);
  }
  if (site !== 0) tellPrototype(site, value);
}

/** @param {object} owner */
function tellProperties(owner) {
  /** @type {unknown[]} */
  const entries = [];
  const keys = ownKeys(owner);
  for (let index = 0; index < keys.length && index < MOST_ENTRIES; index++) {
    const property = getOwnPropertyDescriptor(owner, keys[index]);
    if (property === undefined) continue;
    append(entries, keys[index]);
    append(entries, 'value' in property ? property.value : GETTER);
  }
  encoder.contents(owner, keys.length, entries);
}
