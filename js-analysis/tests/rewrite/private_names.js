// watch: .\0#p
class A {
  #p = 1;
  static #p2 = 2;
  m(other) {
    this.#p = 3;
    other.#p += 1;
    this.#p++;
    [this.#p] = [4];
    this.p = 5;
  }
}
