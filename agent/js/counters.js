// What is counted.

import { ownKeys, random, realm } from './captured.js';
import { earlier } from './config.js';

// Counts hook calls. Two executions that do the same count the same: the number names an event.
export let sequence = 0;
export const nextEvent = () => ++sequence;
export const takeBackEvent = () => { sequence--; };

// Numbers the objects and variables that answers are about.
export let owners = 0;
export const nextOwner = () => ++owners;

// The number of the activation's variable that is being counted.
export let activation = 0;
/** @param {number} number */
export const countActivation = (number) => { activation = number; };

// Tells the reports of this document from those of others.
export const token = random();

// The names that the global object has before the page's first script.
/** @type {Table<boolean>} */
export const initialGlobals = earlier?.initialGlobals ?? /** @type {Bare} */ ({ __proto__: null });
if (earlier === undefined) for (const key of ownKeys(realm)) initialGlobals[key] = true;
