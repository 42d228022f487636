// Which grammar a file is read with, and what can be folded in it.

import { LRLanguage, foldInside, foldNodeProp } from '@codemirror/language';
import { parser as cssParser } from '@lezer/css';
import { configureNesting, parser as htmlParser } from '@lezer/html';
import { parser as jsParser } from '@lezer/javascript';

const FOLDS = foldNodeProp.add({
  'Block ClassBody SwitchBody EnumBody ObjectExpression ArrayExpression ObjectType': foldInside,
  BlockComment: (node) => ({ from: node.from + 2, to: node.to - 2 }),
});

/** @param {string} dialect */
const script = (dialect) => LRLanguage.define({
  name: dialect || 'js', parser: jsParser.configure({ dialect, props: [FOLDS] }),
});

export const JAVASCRIPT = script('jsx');
const TYPESCRIPT = script('ts');
const TYPESCRIPT_JSX = script('ts jsx');
const CSS = LRLanguage.define({
  name: 'css', parser: cssParser.configure({ props: [foldNodeProp.add({ Block: foldInside })] }),
});

const OTHER_SCRIPT = /json|template|text|shader/;

export const HTML = LRLanguage.define({
  name: 'html',
  parser: htmlParser.configure({
    props: [foldNodeProp.add({
      Element(node) {
        const { firstChild, lastChild } = node;
        if (firstChild?.name !== 'OpenTag' || lastChild === null) return null;
        return { from: firstChild.to, to: lastChild.name === 'CloseTag' ? lastChild.from : node.to };
      },
    })],
    wrap: configureNesting([
      { tag: 'script', attrs: ({ lang }) => lang === 'ts', parser: TYPESCRIPT.parser },
      { tag: 'script', attrs: ({ type }) => !OTHER_SCRIPT.test(type ?? ''), parser: JAVASCRIPT.parser },
      { tag: 'style', parser: CSS.parser },
    ]),
  }),
});

const BY_ENDING = new Map([
  ['html', HTML], ['htm', HTML], ['xhtml', HTML], ['vue', HTML], ['svelte', HTML], ['css', CSS],
  ['ts', TYPESCRIPT], ['mts', TYPESCRIPT], ['cts', TYPESCRIPT], ['tsx', TYPESCRIPT_JSX],
]);

/**
 * The language of a file: by the ending of its address, else by how its text begins.
 *
 * @param {string} url
 * @param {string} text
 */
export function languageOf(url, text) {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return BY_ENDING.get(ending) ?? (/^\s*</.test(text.slice(0, 200)) ? HTML : JAVASCRIPT);
}
