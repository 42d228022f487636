// Entries of `try` blocks, and the current task: in what an exception must be to come after a point.

let entries = 0;

// A `try` block is entered: which time this is, of all.
export const Tt = () => ++entries;

// The current task at a stop; 0: it has ended.
export let task = 0;
let tasks = 0;

// Gives the current task a number. The stack is empty before the first microtask, so then it has ended.
export async function markTask() {
  task = ++tasks;
  const mine = task;
  await undefined;
  if (task === mine) task = 0;
}
