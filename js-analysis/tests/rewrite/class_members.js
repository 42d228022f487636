// watch: .p, .q
for (const name of names) {
  list.push(class { [name] = () => 1; static [g()] = 2; ['q']; [name + 1]; [k()]() {} });
}
class K {
  p() {}
  static async q() {}
  get p() { return 1 }
  *[m()]() {}
}
f((a = class { [b] = 1 }) => a);
class Plain { r() {} }
