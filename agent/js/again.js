// The agent of one more question, in a realm that has an agent already: a function of its configuration, which is
// called while the page stands, and takes over the names that rewritten scripts call. What the one before has put in
// the place of built-ins is taken away first; what makes code, and feeds the tape, stays.

((given) => {
__QP__E.disarm();
({
  W: __QP__W, L: __QP__L, O: __QP__O, Y: __QP__Y, F: __QP__F, D: __QP__D, M: __QP__M, I: __QP__I, X: __QP__X,
  V: __QP__V, U: __QP__U, G: __QP__G, N: __QP__N, H: __QP__H, J: __QP__J, K: __QP__K, R: __QP__R, S: __QP__S,
  B: __QP__B, P: __QP__P, Q: __QP__Q, E: __QP__E, Tt: __QP__Tt, Tr: __QP__Tr,
} = (() => {
  // PART body
})());
__QP__A = true;
})
