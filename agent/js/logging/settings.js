// What the driver says of the log, and how much of one value is recorded.

import { config } from '../config.js';

export const settings = /** @type {import('../generated.d.ts').AgentLog} */ (config.log);
// More arguments, or entries of a collection, are not recorded.
export const MOST_VALUES = 64;
export const MOST_ENTRIES = 100;
