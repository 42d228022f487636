let a = 1;
do {
  const C = class {
    m(x) {
      const u = this;
      return () => u;
    }
  };
  const u = new C();
  log(u.m()() === u);
} while ([a].map((x) => ++x).length < a++);
void 'R';
log(a);
