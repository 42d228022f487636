import { Named, Shape, Unit, circle, isCircle } from './shapes';
class Drawing extends Named<Shape> {
  describe(shape: Shape) { switch (shape.kind) { case 'circle': return `a circle of ${shape.area().toFixed(2)}`; default: return shape.label ?? 'something'; } }
  async save(to: (text: string) => Promise<void>) { try { for (const shape of this) await to(this.describe(shape)); } catch { return false; } return true; }
}
const drawing = new Drawing('first', Unit.Foot).add(circle(1), { kind: 'box', area() { return 4; } });
const { name, ...rest } = { name: drawing.name, total: drawing.total(), ok: [...drawing].filter(isCircle).length };
let { total = 0, ok: [first] = [1] } = rest as any; total ||= 1; first ??= total **= 2;
label: for (let i = 0, n = rest.ok; i < n; i++) { if (i % 2) continue label; else break; }
drawing.nowhere();
export default drawing;
