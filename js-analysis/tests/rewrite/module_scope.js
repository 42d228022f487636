// watch: .p, x module
import { y } from "m";
export let x = 1;
x = y;
export function f() { x++; }
export default () => x = 2;
