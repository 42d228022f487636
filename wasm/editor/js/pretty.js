// Pretty-prints code whose lines are too long to be read, and says where each character has gone.
//
// Only white space between tokens is added and removed, so each token keeps its text: a place in one text is a place in
// the other.

/** @typedef {import('@lezer/common').Tree} Tree */

/**
 * Positions of the printed text and of the original, in UTF-16 code units from the beginning.
 *
 * @typedef {{ text: string, toOriginal(at: number): number, fromOriginal(at: number): number }} Printed
 */

/** @typedef {{ from: number, to: number, name: string, parent: string, above: string, wide: boolean }} Token */

// What is copied as a whole, whatever it is made of.
const WHOLE = new Set(['String', 'TemplateString', 'RegExp', 'LineComment', 'BlockComment', 'JSXElement', 'Hashbang']);
const BLOCKS = new Set(['Block', 'ClassBody', 'SwitchBody']);
const OBJECTS = new Set(['ObjectExpression', 'ArrayExpression']);
const BETWEEN = new Set(['BinaryExpression', 'ConditionalExpression']);
// What goes on behind the end of a block.
const GOES_ON = new Set(['else', 'catch', 'finally', ',', ';', ')', ']', '.', '(', '?.']);
// An object or a list that is longer has a line for each of its members.
const WIDE = 60;
const INDENT = '  ';
const DEEPEST = 40;

/**
 * The tokens of all scripts in it, in their order; what lies between scripts (markup) is one token of no name.
 *
 * @param {Tree} tree
 * @param {number} length of the text
 */
function tokensOf(tree, length) {
  /** @type {Token[]} */
  const tokens = [];
  /** @type {{ name: string, from: number, to: number, hasChild: boolean }[]} */
  const open = [];
  let outside = 0;
  let scripts = 0;
  const verbatim = (/** @type {number} */ to) => {
    if (to > outside) tokens.push({ from: outside, to, name: '', parent: '', above: '', wide: false });
  };
  tree.iterate({
    enter({ name, from, to }) {
      const parent = open.at(-1);
      if (parent !== undefined) parent.hasChild = true;
      const isScript = name === 'Script' || name === 'SingleExpression';
      if (isScript && scripts === 0) verbatim(from);
      if (isScript) scripts += 1;
      if (WHOLE.has(name) && scripts > 0) {
        tokens.push({ from, to, name, parent: parent?.name ?? '', above: '', wide: false });
        return false;
      }
      open.push({ name, from, to, hasChild: false });
      return true;
    },
    leave({ name, from, to }) {
      const node = open.pop();
      if (name === 'Script' || name === 'SingleExpression') {
        scripts -= 1;
        if (scripts === 0) outside = to;
        return;
      }
      if (scripts === 0 || node === undefined || node.hasChild || from === to) return;
      const parent = open.at(-1);
      const wide = parent !== undefined && parent.to - parent.from > WIDE;
      tokens.push({ from, to, name, parent: parent?.name ?? '', above: open.at(-2)?.name ?? '', wide });
    },
  });
  verbatim(length);
  return tokens;
}

const isWord = (/** @type {string} */ text) => /[\p{ID_Continue}$\u200c\u200d]/u.test(text);

/**
 * @param {string} text
 * @param {Tree} tree its tree, whole
 * @returns {Printed}
 */
export function prettyPrinted(text, tree) {
  const tokens = tokensOf(tree, text.length);
  /** @type {string[]} */
  const parts = [];
  // Where each token begins, here and there.
  const here = [0];
  const there = [0];
  let length = 0;
  let depth = 0;
  let isLineStart = true;
  /** @type {{ hasLines: boolean, isSwitch: boolean }[]} whether what is open has lines of its own */
  const open = [];

  const write = (/** @type {string} */ part) => {
    parts.push(part);
    length += part.length;
  };
  const line = (extra = 0) => {
    if (!isLineStart) write('\n');
    isLineStart = true;
    pending = depth + extra;
  };
  let pending = 0;
  const space = () => {
    if (!isLineStart && !(parts.at(-1) ?? ' ').endsWith(' ')) write(' ');
  };
  const put = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (isLineStart) {
      const isInCase = open.at(-1)?.isSwitch === true
        && !/^(case|default|\})$/.test(text.slice(from, Math.min(to, from + 8)));
      write(INDENT.repeat(Math.min(pending + (isInCase ? 1 : 0), DEEPEST)));
    }
    isLineStart = false;
    here.push(length);
    there.push(from);
    write(text.slice(from, to));
  };

  for (let index = 0; index < tokens.length; index += 1) {
    const token = /** @type {Token} */ (tokens[index]);
    const { from, to, name, parent, above } = token;
    const before = tokens[index - 1];
    const next = tokens[index + 1];
    // What no grammar knows is there all the same.
    const gap = before === undefined ? '' : text.slice(before.to, from);
    if (gap.trim() !== '' && before !== undefined) put(before.to, from);
    if (name === '') {
      line();
      isLineStart = false;
      pending = 0;
      here.push(length);
      there.push(from);
      write(text.slice(from, to));
      isLineStart = text[to - 1] === '\n';
      continue;
    }
    const nextText = next === undefined ? '' : text.slice(next.from, next.to);
    if (name === '{' || name === '[') {
      const isBlock = BLOCKS.has(parent);
      const hasLines = nextText !== '}' && nextText !== ']' && (isBlock || (OBJECTS.has(parent) && token.wide));
      if (isBlock) space();
      put(from, to);
      open.push({ hasLines, isSwitch: parent === 'SwitchBody' });
      if (hasLines) {
        depth += 1;
        line();
      } else if (isBlock && nextText !== '}') space();
    } else if (name === '}' || name === ']') {
      const hadLines = open.pop()?.hasLines === true;
      if (hadLines) {
        depth = Math.max(0, depth - 1);
        line();
      }
      put(from, to);
      if (BLOCKS.has(parent) && !GOES_ON.has(nextText)) line();
      else if (/^(else|catch|finally)$/.test(nextText)) space();
    } else if (name === ';') {
      put(from, to);
      if (parent === 'ForSpec' || above === 'ForSpec') space();
      else line();
    } else if (name === ',') {
      put(from, to);
      const isStatement = parent === 'SequenceExpression' && /Statement$/.test(above);
      if (OBJECTS.has(parent) && open.at(-1)?.hasLines === true) line();
      else if (isStatement || (parent === 'VariableDeclaration' && above !== 'ForSpec')) line(1);
      else space();
    } else if (name === 'Equals' || name === 'UpdateOp' || name === 'Arrow') {
      space();
      put(from, to);
      space();
    } else if (/Op$/.test(name) && BETWEEN.has(parent)) {
      space();
      put(from, to);
      space();
    } else if (name === ':') {
      put(from, to);
      if (parent === 'CaseLabel' || parent === 'DefaultLabel') line();
      else space();
    } else if (name === 'LineComment' || name === 'Hashbang') {
      space();
      put(from, to);
      line();
    } else if (name === 'BlockComment') {
      space();
      put(from, to);
      if (gap.includes('\n')) line();
      else space();
    } else {
      const isKeyword = /^[a-z]+$/.test(name);
      const last = parts.at(-1)?.at(-1) ?? '';
      const first = text[from] ?? '';
      if (!isLineStart && isWord(last) && (isWord(first) || first === '#')) space();
      if (!isLineStart && last === ')' && isWord(first)) space();
      // Two signs that would be read as one.
      if ((last === '+' || last === '-' || last === '/') && last === first) space();
      put(from, to);
      if (isKeyword && isWord(name) && nextText !== '' && !/^[;,).\]:(}]/.test(nextText)) space();
      if (/^(if|for|while|switch|catch|with|return|case|await|typeof|of|in|instanceof|throw)$/.test(name)
        && !/^[;,).\]:}]/.test(nextText)) {
        space();
      }
    }
  }
  const printed = parts.join('');
  return {
    text: printed,
    toOriginal: (at) => moved(here, there, at, text.length),
    fromOriginal: (at) => moved(there, here, at, printed.length),
  };
}

/**
 * @param {number[]} from where tokens begin, in their order
 * @param {number[]} to where the same begin in the other text
 * @param {number} at
 * @param {number} end of the other text
 */
function moved(from, to, at, end) {
  let low = 0;
  let high = from.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (from[middle]) <= at) low = middle;
    else high = middle;
  }
  const next = to[low + 1] ?? end;
  const start = /** @type {number} */ (to[low]);
  // The white space behind a token is no longer than what there is of it.
  return Math.min(start + (at - /** @type {number} */ (from[low])), Math.max(next, start));
}
