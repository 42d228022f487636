// Gives the element that holds a child frame, in an isolated world.

import { everyElement } from './elements.js';

/** @param {number} index as `window.frames` counts them */
export function querypointFrame(index) {
  const wanted = window.frames[index];
  for (const element of everyElement(document)) {
    if (wanted && 'contentWindow' in element && element.contentWindow === wanted) return element;
  }
  return undefined;
}
