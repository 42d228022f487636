// Reading ahead: the execution that finds the changes also stops at those that may be the ones asked for, and at the
// hits that may be the last. Where all that is asked was read, the page need not run again.
//
// Which change is the last is known only at the end. So each costs: what may be spent is a share of the page's time.

import { now } from './captured.js';
import { config } from './config.js';

export const readsAhead = config.readAhead;
// So many stops are free, and as many again once the user does the last thing; those after them may take this share of
// the time that the page has had.
const FREE_STOPS = 16;
const SHARE_OF_STOPS = 0.2;
const MOST_HITS = 40;
// How often an owner may be looked at for what a write does to it, and how long trees may be read.
const MOST_LOOKS = 30_000;
const FREE_TREES_MS = 20;
const SHARE_OF_TREES = 0.1;

const begun = readsAhead ? now() : 0;
let free = FREE_STOPS;
let isLast = false;
let stops = 0;
let stopped = 0;
let hits = 0;
let looks = 0;
let reading = 0;
let following = readsAhead;

// Whether every owner has been followed exactly from its first write.
export const followsAll = () => following;

// It costs too much: from here on nothing is read ahead.
export function giveUp() {
  following = false;
}

// Whether the page may stop once more.
export function mayStop() {
  return following && (stops < free || stopped < SHARE_OF_STOPS * (now() - begun - stopped));
}

// The user does the last thing: what is asked for most often comes of that.
export function beginLast() {
  if (!isLast) free = stops + FREE_STOPS;
  isLast = true;
}

/** @param {number} took In milliseconds. */
export function hasStopped(took) {
  stops++;
  stopped += took;
}

// Whether it stops at this hit of the reproduction point; `only`: it is the one that is asked for.
/** @param {boolean} only */
export function stopsAtHit(only) {
  if (!readsAhead) return false;
  return only || (hits++ < MOST_HITS && mayStop());
}

// An owner is looked at; whether it may be.
export function mayLook() {
  if (following && looks++ >= MOST_LOOKS) giveUp();
  return following;
}

// Whether a tree may be read.
export function mayReadTree() {
  if (following && reading > FREE_TREES_MS + SHARE_OF_TREES * (now() - begun)) giveUp();
  return following;
}

/** @param {number} took In milliseconds. */
export function hasReadTree(took) {
  reading += took;
}
