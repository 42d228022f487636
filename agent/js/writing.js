// What is written into the document. A text is replaced as markup. Where a script comes in pieces
// (`write('<script>')`, `write('f()')`, …), the first ones are in its element when its end tag comes, or the parser
// holds them (which of the two is a matter of milliseconds): just before that, what is in the element is replaced, and
// what the parser holds is enclosed so that it does nothing. The script's first line puts all of it back.

import {
  apply, Document, document, HTMLCollection, includes, indexOf, Node, setAdd, setHas, SetOf, slice, startsWith, String,
} from './captured.js';
import { append } from './basics.js';
import { listenAgain } from './listeners.js';
import { hand, once } from './code.js';
import { putBackBefore, restoreWhole } from './document_text.js';
import {
  accessor, data, exec, isConnected, lastIndexOf, lower, protoOf, replaceMember, replacesMarkup,
} from './nodes.js';
import { goalOf, mayHoldHandlers, textsOf } from './insertion.js';

if (replacesMarkup) {
  const SCRIPT = '<script';
  const END = '</script';
  const { endsWith } = String.prototype;
  const allScripts = accessor(protoOf(Document), 'scripts').get;
  const countOf = accessor(protoOf(HTMLCollection), 'length').get;
  const itemOf = /** @type {(index: number) => Element} */ (protoOf(HTMLCollection).item);
  const { appendChild } = protoOf(Node);
  const { createTextNode } = protoOf(Document);

  // What was written last of a tag or a script that has no end yet, and the script's element once the parser has made
  // it.
  let unfinished = '';
  /** @type {PageObject | undefined} */
  let open;

  // As long as `text`, so that places in one are places in the other.
  /** @param {string} text */
  const inSmallLetters = (text) => {
    const small = lower(text);
    return small.length === text.length ? small : undefined;
  };
  // How much of the end may be the start of a script's tag.
  /** @param {string} small */
  const startOfTag = (small) => {
    for (let length = SCRIPT.length - 1; length > 0; length--) {
      if (apply(endsWith, small, [apply(slice, SCRIPT, [0, length])])) return length;
    }
    return 0;
  };

  // What is to be written for `text` where no script is open.
  /** @param {string} text */
  const asMarkup = (text) => {
    const begun = unfinished;
    unfinished = '';
    const whole = begun + text;
    const small = inSmallLetters(whole);
    if (small === undefined) return text;
    const lastEnd = apply(lastIndexOf, small, ['>']);
    const closed = lastEnd < 0 ? -1 : apply(lastIndexOf, small, [END, lastEnd]);
    const opened = apply(indexOf, small, [SCRIPT, closed + 1]);
    const end = opened < 0 ? whole.length : opened;
    unfinished = apply(slice, whole, [opened < 0 ? whole.length - startOfTag(small) : opened]);
    const ready = apply(slice, whole, [0, end]);
    if (closed < 0 && !mayHoldHandlers(ready)) return text;
    const ours = once('markup', ready, () => hand({ kind: 'markup', text: ready, code: undefined }));
    // What was begun is written already.
    if (ours === null || !apply(startsWith, ours, [begun])) return text;
    return apply(slice, ours, [begun.length]) + apply(slice, whole, [end]);
  };

  const TAG = /^<script(?:[^"'>]|"[^"]*"|'[^']*')*>/i;
  /** @param {PageObject} script */
  const textIn = (script) => {
    const nodes = textsOf(script);
    let text = '';
    for (let index = 0; index < nodes.length; index++) text += apply(data.get, nodes[index], []);
    return text;
  };
  // Where in what is unfinished the text of `script` begins: undefined if what is in the element is no part of it.
  /** @param {PageObject} script */
  const startOfText = (script) => {
    const tag = apply(exec, TAG, [unfinished]);
    if (tag === null || !apply(isConnected, script, [])) return undefined;
    const start = tag[0].length;
    return apply(startsWith, apply(slice, unfinished, [start]), [textIn(script)]) ? start : undefined;
  };

  // Encloses `held`, what the parser will put behind a script's text: what is to be written before it and behind it.
  // Undefined where nothing can. The mark is where `authorText` ends; the line's end ends a comment of the page.
  const LINE_ENDS = /[\n\u2028\u2029]/;
  /** @param {string} held @param {boolean} isInTag */
  const enclosed = (held, isInTag) => {
    if (held === '') return { start: '', end: '' };
    if (isInTag) return apply(exec, LINE_ENDS, [held]) === null ? { start: '\v\n//', end: '' } : undefined;
    if (!apply(includes, held, ['*/'])) return { start: '\v\n/*', end: '*/\f' };
    // A template with a tag: no backslash in it is an error.
    return apply(exec, /\x60|\$\{/, [held]) === null ? { start: '\v\n;(() => {})\x60', end: ' \x60\f' } : undefined;
  };

  // Replaces `text`, the whole of a script that ends now and of which `begun` is written already. Gives what is to be
  // written before its end tag; undefined if it stays as it is.
  /** @param {PageObject} script @param {string} text @param {string} begun @param {boolean} isInTag */
  const replaceWritten = (script, text, begun, isInTag) => {
    const goal = goalOf(script);
    // After such a comment, `</script` may not end it.
    if (goal === undefined || apply(exec, /<!--|[\r\0\v\f]/, [text]) !== null) return undefined;
    const there = textIn(script);
    const held = apply(slice, begun, [there.length]);
    const around = enclosed(held, isInTag);
    if (around === undefined) return undefined;
    const { start, end } = around;
    const after = start + held + end;
    const code = once(`written ${goal}`, `${text}\0${after}`, () => hand({
      kind: 'script', module: goal === 'module', place: undefined, written: true, after, text, code: undefined,
    }));
    if (code === null) return undefined;
    if (begun === '') return code;
    const nodes = textsOf(script);
    const first = code + start;
    if (nodes.length === 0) apply(appendChild, script, [apply(createTextNode, document, [first])]);
    for (let index = 0; index < nodes.length; index++) apply(data.set, nodes[index], [index === 0 ? first : '']);
    return end;
  };

  // What is to be written for `text`.
  /** @param {string} text */
  const replacedMarkup = (text) => {
    if (open === undefined) return asMarkup(text);
    const whole = unfinished + text;
    const written = unfinished.length;
    const start = startOfText(open);
    const small = inSmallLetters(whole);
    if (start === undefined || small === undefined) {
      beginAnew();
      return asMarkup(text);
    }
    const closed = apply(indexOf, small, [END, start]);
    const end = closed < 0 ? 0 : apply(indexOf, whole, ['>', closed]) + 1;
    if (end === 0) {
      unfinished = whole;
      return text;
    }
    const begun = apply(slice, whole, [start, closed < written ? closed : written]);
    const ours = replaceWritten(open, apply(slice, whole, [start, closed]), begun, closed < written);
    beginAnew();
    const rest = ours === undefined || closed < written
      ? apply(slice, whole, [written, end]) : ours + apply(slice, whole, [closed, end]);
    return rest + asMarkup(apply(slice, whole, [end]));
  };

  const scriptsNow = () => {
    const all = apply(allScripts, document, []);
    /** @type {PageObject[]} */
    const found = [];
    for (let index = 0; index < apply(countOf, all, []); index++) append(found, apply(itemOf, all, [index]));
    return found;
  };
  // The last script that is not among those before, if what is in it was written last.
  /** @param {PageObject[]} before */
  const begunSince = (before) => {
    const known = new SetOf();
    for (let index = 0; index < before.length; index++) apply(setAdd, known, [before[index]]);
    const all = scriptsNow();
    for (let index = all.length - 1; index >= 0; index--) {
      const script = all[index];
      if (apply(setHas, known, [script])) continue;
      return startOfText(script) === undefined ? undefined : script;
    }
    return undefined;
  };

  /** @param {AnyFunction} original @param {string} text @param {string} end */
  const writing = (original, text, end) => {
    const ours = replacedMarkup(text + end);
    const given = apply(endsWith, ours, [end]) ? apply(slice, ours, [0, ours.length - end.length]) : text;
    const nowOpen = open;
    const nowUnfinished = unfinished;
    const isBegun = nowOpen === undefined && apply(startsWith, lower(nowUnfinished), [SCRIPT]);
    const before = isBegun ? scriptsNow() : [];
    // A script that runs now may write as well.
    beginAnew();
    try {
      return apply(original, document, [given]);
    } finally {
      listenAgain();
      unfinished = nowUnfinished;
      open = isBegun ? begunSince(before) : nowOpen;
      restoreWhole(open);
    }
  };
  const beginAnew = () => {
    unfinished = '';
    open = undefined;
  };
  for (const [name, end] of [['write', ''], ['writeln', '\n']]) {
    replaceMember(protoOf(Document), name, (original) => ({
      /** @param {...unknown} values */
      [name](...values) {
        if (values.length === 0 || /** @type {unknown} */ (this) !== document) return apply(original, this, values);
        let text = '';
        for (let index = 0; index < values.length; index++) text += `${values[index]}`;
        return writing(original, text, end);
      },
    })[name]);
  }
  replaceMember(protoOf(Document), 'open', (original) => ({
    /** @param {...unknown} values */
    open(...values) {
      const result = apply(original, this, values);
      if (this === document) {
        beginAnew();
        listenAgain();
      }
      return result;
    },
  }).open);
  putBackBefore(beginAnew);
}
