// What lasts as long as the realm: the agent of one more question has none of its own (`shared.js` takes its place).

import './code.js';
import './with.js';
import './memory.js';
import './document_text.js';
import './insertion.js';
import './markup.js';
import './copies.js';
import './templates.js';
import './writing.js';
import './parsing.js';
import './links.js';

export { Cb, Ce, Ch, Cm, Cs, Cv, isHanding } from './code.js';
export { Ci, Cu } from './memory.js';
export { Cw } from './with.js';
export { C } from './document_text.js';
export { wasPaused, Z } from './recorded-inputs.js';
