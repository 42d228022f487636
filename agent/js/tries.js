// Entries of `try` blocks, and the task that is under way: what an exception must be inside of to come after a point.

let entries = 0;

// A `try` block is entered: which time this is, of all.
export const Tt = () => ++entries;

// The task under way at a stop; 0: it has ended.
export let task = 0;
let tasks = 0;

// Gives the task under way a number. The stack is empty before the first microtask, so then it has ended.
export async function markTask() {
  task = ++tasks;
  const mine = task;
  await undefined;
  if (task === mine) task = 0;
}
