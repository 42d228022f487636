// Nodes that a call makes of markup, or copies: what they hold comes from that call.
//
// Each is told as a change of what is asked about, from nothing to what it has; what is empty or not set is as no
// markup would have it, so nothing is told of it. Nodes of the document's own text are the parser's: nobody changed
// them.

import { apply } from './captured.js';
import { isObject } from './basics.js';
import { replaceMethod } from './installed.js';
import { domFollowed, domLive, newMarkupWatched } from './dom-slots.js';
import {
  getFirstChild, getLastChild, getNextSibling, nameOf, nodeGetter, parentOf, prototypeOf,
} from './dom-platform.js';
import { read } from './following.js';
import { bornLive } from './live-dom.js';
import { tellNewTree } from './dom-changes.js';

// The children of `parent` between two of its children (null: from the first, to the last) will be new when the call
// ends.
/**
 * @param {Scene} noted @param {PageObject | null} parent @param {PageObject | null} after
 * @param {PageObject | null} before
 */
export function makes(noted, parent, after, before) {
  if (parent !== null) noted.made = { parent, after, before, next: noted.made };
}

/** @param {Scene} noted @param {PageObject} self */
export function makesInside(noted, self) {
  const content = nameOf(self) === 'template' ? read(self, 'content') : undefined;
  makes(noted, isObject(content) ? content : self, null, null);
}

/** @param {Scene} noted @param {PageObject} self */
export const makesInstead = (noted, self) =>
  makes(noted, parentOf(self), apply(getPrevious, self, []), apply(getNextSibling, self, []));

/** @param {Scene} noted @param {PageObject} self @param {string} place */
export function makesAdjacent(noted, self, place) {
  switch (place) {
    case 'beforebegin': return makes(noted, parentOf(self), apply(getPrevious, self, []), self);
    case 'afterbegin': return makes(noted, self, null, apply(getFirstChild, self, []));
    case 'beforeend': return makes(noted, self, apply(getLastChild, self, []), null);
    case 'afterend': return makes(noted, parentOf(self), self, apply(getNextSibling, self, []));
  }
}

const getPrevious = nodeGetter('previousSibling');

// Calls that give what they make.
/** @param {string} name @param {string} key */
function watchCreator(name, key) {
  const host = prototypeOf(name);
  if (host === undefined) return;
  replaceMethod(host, key, `${name}.prototype.${key}`, (original, by) => {
    const from = { site: -by, context: undefined };
    return {
      method() {
        const made = apply(original, this, arguments);
        if (isObject(made) && domLive) bornLive(made, from.site);
        else if (isObject(made)) tellNewTree(made, from);
        return made;
      },
    }.method;
  });
}
if (domFollowed && newMarkupWatched) {
  for (const [name, key] of [
    ['Node', 'cloneNode'], ['Document', 'importNode'], ['Range', 'createContextualFragment'],
    ['Range', 'cloneContents'],
    ['DOMParser', 'parseFromString'],
  ]) watchCreator(name, key);
}
