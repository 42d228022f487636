// What the driver is told: JSON, posted or handed back.

import { isArray, ownKeys, stringify, StringOf } from './captured.js';
import { post } from './post.js';

// JSON of our own data, past any `toJSON` of the page.
/** @param {PageValue} value @returns {string} */
export function toJson(value) {
  if (typeof value === 'number') return value - value === 0 ? StringOf(value) : 'null';
  if (typeof value !== 'object' || value === null) return stringify(value);
  const list = isArray(value);
  const keys = ownKeys(value);
  let text = '';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index];
    if (typeof key === 'symbol' || (list && key === 'length')) continue;
    const part = toJson(/** @type {Table} */ (value)[key]);
    if (part === undefined && !list) continue;
    text += `${text === '' ? '' : ','}${list ? part ?? 'null' : `${stringify(key)}:${part}`}`;
  }
  return list ? `[${text}]` : `{${text}}`;
}

// Tells the driver.
/** @param {Message} message */
export const tell = (message) => /** @type {(text: string) => void} */ (post)(textOf(message));
// The text of what it is told: what it asks gives such a text too.
/** @param {Message} message */
export const textOf = (message) => toJson(message);
