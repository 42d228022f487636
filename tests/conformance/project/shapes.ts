// A small project with something of everything, and two errors that the compiler must find.
export interface Shape { readonly kind: string; area(): number; label?: string }
export enum Unit { Metre = 'm', Foot = 'ft' }
export abstract class Named<T extends Shape = Shape> implements Iterable<T> {
  static #count = 0;
  protected shapes: T[] = [];
  constructor(public name: string, private readonly unit: Unit = Unit.Metre) { Named.#count += 1; }
  static get count(): number { return Named.#count; }
  *[Symbol.iterator](): Iterator<T> { yield* this.shapes; }
  abstract describe(shape: T): string;
  add(...added: T[]): this { this.shapes = [...this.shapes, ...added]; return this; }
  total(): number { let sum = 0; for (const { area } of this.shapes) sum += area(); return sum; }
}
export const circle = (r: number): Shape => ({ kind: 'circle', area: () => Math.PI * r ** 2 });
export function isCircle(shape: Shape | undefined): shape is Shape & { kind: 'circle' } { return shape?.kind === 'circle'; }
const wrong: number = 'text';
