// What the agent of one more question uses of the realm's first agent: it takes the place of `persistent.js`.

import { earlier } from './config.js';

export const { isHanding, wasPaused } = /** @type {Shared} */ (earlier);
