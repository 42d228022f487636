// The recorded inputs alone, where there is no agent: while recording, and in a replay that asks nothing. Bundled, it
// is a classic script that runs before any of the page's.

export { Z } from './recorded-inputs.js';
