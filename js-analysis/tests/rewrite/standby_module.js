// standby module
import d, * as n from "m";
export const a = await d.x;
export { a as b };
export default class { p = n; }
