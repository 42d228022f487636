const inner = 'renamed on its way';
export const exported = 'exported';
export { inner as renamed };
export * from './deep.js';
export default 'by default';
