// Reports are posted by a binding, which is taken off the realm at once.

import { realm } from './captured.js';
import { config } from './config.js';

export const post = /** @type {((text: string) => void) | undefined} */ (
  typeof config.post === 'string' ? realm[config.post] : undefined);
if (typeof post === 'function') delete realm[/** @type {string} */ (config.post)];
