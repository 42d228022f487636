// watch: x, y
do {
  const keep = () => { let x = 1; return () => x; };
} while ([1].some((y) => { let x = y; return () => x; }));
