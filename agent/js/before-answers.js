// What is done before the agent answers the driver: the log of events is handed over.

/** @type {(() => void) | undefined} */
let handOver;
/** @param {() => void} first */
export function beforeAnswers(first) {
  handOver = first;
}
export const handOverFirst = () => { if (handOver !== undefined) handOver(); };
