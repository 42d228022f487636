// watch: .p, x
const x = 1;
try { x = 2; } catch { }
class C { }
