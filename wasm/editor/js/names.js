// What a place in the source names, and which names a function has before one of its lines.

import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';

/** @typedef {import('@codemirror/state').EditorState} EditorState */
/** @typedef {import('@lezer/common').SyntaxNode} SyntaxNode */

const NAMES = new Set([
  'VariableName', 'VariableDefinition', 'PropertyName', 'PrivatePropertyName', 'PropertyDefinition', 'this',
]);
const FUNCTIONS = new Set([
  'FunctionDeclaration', 'FunctionExpression', 'ArrowFunction', 'MethodDeclaration', 'StaticBlock', 'Script',
]);
// Nothing is waited for longer, in milliseconds.
const PATIENCE = 50;
// Behind a line no more values are shown, and no longer ones.
const MOST_VALUES = 6;
const LONGEST_VALUE = 60;
// A function that is longer has values around the line alone.
const MOST_LINES = 300;

/**
 * The name at a place: where it stands, and the whole way to it, as it is written.
 *
 * @param {EditorState} state
 * @param {number} at
 * @returns {{ from: number, to: number, text: string } | null}
 */
export function nameAt(state, at) {
  const tree = ensureSyntaxTree(state, Math.min(at + 1, state.doc.length), PATIENCE) ?? syntaxTree(state);
  for (const side of /** @type {const} */ ([1, -1])) {
    const node = tree.resolveInner(at, side);
    const member = node.parent;
    const isKey = (node.name === '[' || node.name === ']') && member?.name === 'MemberExpression';
    if (isKey && member !== null) {
      return { from: member.from, to: member.to, text: state.sliceDoc(member.from, member.to) };
    }
    if (!NAMES.has(node.name)) continue;
    const isProperty = node.name === 'PropertyName' || node.name === 'PrivatePropertyName';
    const from = isProperty && member?.name === 'MemberExpression' ? member.from : node.from;
    return { from: node.from, to: node.to, text: state.sliceDoc(from, node.to) };
  }
  return null;
}

/**
 * What is shown behind the lines of the function that `at` is in, up to its line: the variables that they name, with
 * their values.
 *
 * @param {EditorState} state
 * @param {number} at
 * @param {Record<string, string>} values
 * @returns {Map<number, string>} by the end of the line
 */
export function valuesByLine(state, at, values) {
  /** @type {Map<number, string>} */
  const shown = new Map();
  const line = state.doc.lineAt(at);
  const tree = ensureSyntaxTree(state, line.to, PATIENCE);
  if (tree === null) return shown;
  /** @type {SyntaxNode | null} */
  let around = tree.resolveInner(at, 1);
  while (around !== null && !FUNCTIONS.has(around.name)) around = around.parent;
  if (around === null) return shown;
  const first = state.doc.line(Math.max(state.doc.lineAt(around.from).number, line.number - MOST_LINES)).from;
  /** @type {Map<number, Set<string>>} */
  const names = new Map();
  const own = around.from;
  tree.iterate({
    from: Math.max(around.from, first),
    to: line.to,
    enter(node) {
      // What is inside of another function has variables of its own.
      if (FUNCTIONS.has(node.name) && node.from > own) return node.from <= at && at <= node.to;
      if (node.name !== 'VariableName' && node.name !== 'VariableDefinition') return true;
      const name = state.sliceDoc(node.from, node.to);
      if (!Object.hasOwn(values, name)) return false;
      const { to } = state.doc.lineAt(node.from);
      const there = names.get(to) ?? new Set();
      names.set(to, there.add(name));
      return false;
    },
  });
  for (const [to, of] of names) {
    const told = [...of].slice(0, MOST_VALUES).map((name) => {
      const value = values[name] ?? '';
      return `${name} = ${value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value}`;
    });
    shown.set(to, told.join('  '));
  }
  return shown;
}
