// watch: .p, x
function f(x, g = () => x = 1) { g(); }
try { } catch ({ x, g = () => x++ }) { }
