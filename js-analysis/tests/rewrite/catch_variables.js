// watch: .p, x
try { f(); } catch (x) { x = 1; }
try { f(); } catch ({ message: x }) { var x = 2; }
try { f(); } catch { let x = 3; }
