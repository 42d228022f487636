// The agent of one more question, in a realm that has an agent already. Bundled, it is a function of its configuration,
// which is called while the page is paused, and takes over the names that rewritten scripts call. What the one before
// has put in the place of built-ins is taken away first; what makes code, and feeds the recorded inputs, stays.
//
// It is built with the condition `rearmed`, for which `#persistent` is `shared.js`.

export * from './question.js';
