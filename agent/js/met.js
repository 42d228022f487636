// What was met on the way to what is being resolved.

export const met = {
  __proto__: null,
  // Whether a trap that could not be followed was met.
  trap: false,
  // Whether a function was met that says nothing as long as only getters do.
  call: false,
  // The private fields, whose values are known only where they are watched.
  /** @type {NeededName[]} */
  private: [],
  // Whether a function was followed that does more than read: what it does may change what it gives.
  effects: false,
  // Whether what was followed last ended in a value that was not changed since it was made: perhaps it is still to be
  // computed.
  /** @type {boolean | undefined} */
  doubtful: undefined,
};
