// Values that modules import from others.
import main, { exported, renamed as ours, behind } from './lib.js';
import * as all from './lib.js';
const out = {};
out.named = exported;
out.renamed = ours;
out.default = main;
out.behind = behind;
out.namespace = all.exported;
console.log('asked here');
