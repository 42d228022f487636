// What has happened, or is about to, and is told before anything else is: what a form's reset leaves once its event is
// over, and what is written by name on objects of the browser, for which there is no setter to replace.

// Tells what a form's reset has changed; undefined: none is in progress.
/** @type {(() => void) | undefined} */
export let unsettled;
/** @param {() => void} tell */
export function settleLater(tell) {
  unsettled = tell;
}
export function settle() {
  const tell = unsettled;
  unsettled = undefined;
  if (tell !== undefined) tell();
}

// The same of a write by name.
/** @type {(() => void) | undefined} */
let unsettledPart;
/** @param {() => void} tell */
export function settlePartLater(tell) {
  unsettledPart = tell;
}
export function settlePart() {
  const tell = unsettledPart;
  unsettledPart = undefined;
  if (tell !== undefined) tell();
}
