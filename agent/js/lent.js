// What the agent of one more question uses of the realm's first agent: it stands in the place of `lasting.js`.

import './listeners.js';
import { earlier } from './config.js';

export const { isHanding, wasPaused } = /** @type {Lent} */ (earlier);
