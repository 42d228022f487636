// The panel's view of a source file. What it is given is text, and stays text.

import { defaultKeymap } from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from '@codemirror/language';
import {
  closeSearchPanel, findNext, findPrevious, highlightSelectionMatches, openSearchPanel, search,
} from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  EditorView, drawSelection, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, showDialog,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

import { annotated, annotations } from './annotations.js';
import { languageOf } from './languages.js';
import { nameAt } from './names.js';
import { prettyPrinted } from './pretty.js';

/** @typedef {import('./annotations.js').Annotations} Annotations */
/** @typedef {import('./annotations.js').Place} Place */

// A line that is longer nobody reads as one.
const LONG_LINE = 1000;
// A text that is longer is not pretty-printed unless somebody asks for it.
const MOST_PRINTED = 1_500_000;
// The text that is read aloud and searched for a name on a line of which there is no tree yet.
const CONTEXT = 500;

/**
 * What was done, where, and to what: `menu` at a name or a selection (`text`; empty: at the line), `gutter` on the
 * number of a line, `point` on the mark of a point, `points` on the marks of several (their names, with commas),
 * `caret` when the caret is somewhere else. Lines and columns are 1-based, of the original text; `x` and `y` are where
 * it is on the screen, in CSS pixels.
 *
 * @typedef {(event: string, line: number, column: number, text: string, x: number, y: number) => void} Heard
 */

/** What is between the text that is shown and the original. */
class Shown {
  /**
   * @param {string} url
   * @param {string} text
   * @param {boolean | null} pretty whether to print it; null: if it has long lines
   */
  constructor(url, text, pretty) {
    this.url = url;
    this.original = EditorState.create({ doc: text }).doc;
    this.language = languageOf(url, text);
    const isLong = () => {
      if (text.length > MOST_PRINTED) return false;
      for (const line of this.original.iterLines()) if (line.length > LONG_LINE) return true;
      return false;
    };
    this.isPretty = pretty ?? isLong();
    // Ends of lines count as one, like in the document.
    const plain = this.original.toString();
    this.printed = this.isPretty ? prettyPrinted(plain, this.language.parser.parse(plain)) : null;
    this.text = this.printed?.text ?? plain;
  }

  /**
   * @param {Place} place
   * @param {EditorState} state
   */
  locate({ line, column }, state) {
    const { original, printed } = this;
    const there = original.line(Math.min(Math.max(line, 1), original.lines));
    const at = Math.min(there.from + Math.max(column - 1, 0), there.to);
    return Math.min(printed?.fromOriginal(at) ?? at, state.doc.length);
  }

  /**
   * @param {number} at
   * @returns {Place}
   */
  place(at) {
    const { original, printed } = this;
    const there = Math.min(printed?.toOriginal(at) ?? at, original.length);
    const { number, from } = original.lineAt(there);
    return { line: number, column: there - from + 1 };
  }

  /**
   * What stands beside a line of the shown text: the number of the original line, once.
   *
   * @param {number} number
   * @param {EditorState} state
   */
  numberOf(number, state) {
    if (this.printed === null || number > state.doc.lines) return String(number);
    const { line } = this.place(state.doc.line(number).from);
    const isFirst = number === 1 || this.place(state.doc.line(number - 1).from).line !== line;
    return isFirst ? String(line) : '-';
  }
}

export class Editor {
  /** @type {Shown} */
  #shown = new Shown('', '', false);
  // As it was given.
  #text = '';
  /** @type {Annotations | null} */
  #annotations = null;
  /** @type {Heard} */
  #heard;
  /** @type {(expression: string) => string | undefined} */
  #valueOf;
  #lastChange;
  #hint;
  #view;

  /**
   * @param {HTMLElement} parent where it is put
   * @param {Heard} heard
   * @param {(expression: string) => string | undefined} valueOf the value of a name or a way to a property
   * @param {string} lastChange what the question for it is called
   * @param {string} hint what keys do in it
   */
  constructor(parent, heard, valueOf, lastChange, hint) {
    this.#heard = heard;
    this.#valueOf = valueOf;
    this.#lastChange = lastChange;
    this.#hint = hint;
    this.#view = new EditorView({ parent, state: this.#state() });
  }

  /**
   * Shows a file. The same one stays as it is, with what is selected and folded in it.
   *
   * @param {string} url
   * @param {string} text
   * @param {string} name what it is called aloud
   */
  show(url, text, name) {
    if (url === this.#shown.url && text === this.#text) return;
    this.#text = text;
    this.#shown = new Shown(url, text, null);
    this.#view.setState(this.#state(name));
    this.#annotate();
  }

  /** @param {string} json {@link Annotations} */
  annotate(json) {
    this.#annotations = JSON.parse(json);
    this.#annotate();
  }

  /**
   * Has a place be seen, and puts the caret there.
   *
   * @param {number} line
   * @param {number} column
   */
  reveal(line, column) {
    const at = this.#shown.locate({ line, column }, this.#view.state);
    this.#view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: 'center', x: 'nearest', xMargin: 80 }),
    });
  }

  /** Whether it is shown pretty-printed. */
  isPretty() {
    return this.#shown.isPretty;
  }

  /** Prints it, or shows the original again. The caret stays at its place. */
  switchPretty() {
    const { url, original, isPretty } = this.#shown;
    const place = this.#shown.place(this.#view.state.selection.main.head);
    this.#shown = new Shown(url, original.toString(), !isPretty);
    this.#view.setState(this.#state(this.#view.contentDOM.getAttribute('aria-label') ?? ''));
    this.#annotate();
    this.reveal(place.line, place.column);
  }

  find() {
    openSearchPanel(this.#view);
  }

  goToLine() {
    goToLine(this.#view, this.#shown, (line, column) => this.reveal(line, column));
  }

  focus() {
    this.#view.focus();
  }

  destroy() {
    this.#view.destroy();
  }

  #annotate() {
    if (this.#annotations === null) return;
    const shown = this.#shown;
    const locate = shown.locate.bind(shown);
    this.#view.dispatch({ effects: annotated(this.#annotations, locate) });
  }

  /** @param {string} [name] */
  #state(name = '') {
    const shown = this.#shown;
    return EditorState.create({
      doc: shown.text,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({
          'aria-label': name, 'aria-description': this.#hint, tabindex: '0', spellcheck: 'false',
        }),
        shown.language.extension,
        syntaxHighlighting(classHighlighter),
        annotations((names, event) => this.#pressed(names, event)),
        lineNumbers({
          formatNumber: (number, state) => shown.numberOf(number, state),
          domEventHandlers: {
            mousedown: (_, { from }, event) => {
              if (!(event instanceof MouseEvent) || event.button !== 0) return false;
              const { line, column } = shown.place(from);
              this.#heard('gutter', line, column, '', event.clientX, event.clientY);
              return true;
            },
          },
        }),
        foldGutter({ openText: '▾', closedText: '▸' }),
        codeFolding({ placeholderDOM: placeholder }),
        highlightSpecialChars(),
        drawSelection(),
        bracketMatching(),
        highlightSelectionMatches(),
        search({ top: true }),
        hoverTooltip((view, at) => this.#hovered(view, at)),
        EditorView.domEventHandlers({ contextmenu: (event, view) => this.#menuByMouse(event, view) }),
        EditorView.updateListener.of((update) => {
          if (!update.selectionSet) return;
          const { line, column } = shown.place(update.state.selection.main.head);
          this.#heard('caret', line, column, '', 0, 0);
        }),
        keymap.of([
          { key: 'Mod-f', run: openSearchPanel, stopPropagation: true },
          { key: 'F3', run: findNext, shift: findPrevious, preventDefault: true },
          { key: 'Escape', run: closeSearchPanel },
          { key: 'Mod-g', run: () => (this.goToLine(), true), stopPropagation: true },
          { key: 'Enter', run: (view) => this.#menuByKey(view) },
          { key: 'Shift-F10', run: (view) => this.#menuByKey(view) },
          { key: 'ContextMenu', run: (view) => this.#menuByKey(view) },
          ...foldKeymap,
          ...defaultKeymap,
        ]),
        // The keys of the search panel and of dialogs.
        keymap.of([{ key: 'Enter', scope: 'search-panel', run: findNext, shift: findPrevious }]),
        keymap.of([{ key: 'Escape', scope: 'search-panel', run: closeSearchPanel }]),
      ],
    });
  }

  /**
   * @param {string[]} names
   * @param {MouseEvent} event
   */
  #pressed(names, { clientX, clientY }) {
    this.#heard(names.length === 1 ? 'point' : 'points', 0, 0, names.join(), clientX, clientY);
  }

  /**
   * @param {MouseEvent} event
   * @param {EditorView} view
   */
  #menuByMouse(event, view) {
    if (event.shiftKey) return false;
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    const { main } = view.state.selection;
    const isSelected = !main.empty && main.from <= at && at <= main.to;
    if (!isSelected) {
      const name = nameAt(view.state, at);
      view.dispatch({ selection: name === null ? { anchor: at } : { anchor: name.from, head: name.to } });
    }
    event.preventDefault();
    return this.#menu(view, at, event.clientX, event.clientY);
  }

  /** @param {EditorView} view */
  #menuByKey(view) {
    const { main } = view.state.selection;
    if (main.empty) {
      const name = nameAt(view.state, main.head);
      if (name !== null) view.dispatch({ selection: { anchor: name.from, head: name.to } });
    }
    const at = view.state.selection.main.from;
    const place = view.coordsAtPos(at) ?? view.contentDOM.getBoundingClientRect();
    return this.#menu(view, at, place.left, place.bottom);
  }

  /**
   * @param {EditorView} view
   * @param {number} at
   * @param {number} x
   * @param {number} y
   */
  #menu(view, at, x, y) {
    const { main } = view.state.selection;
    const { line, column } = this.#shown.place(at);
    const name = main.empty ? null : nameAt(view.state, main.from);
    const isName = name !== null && name.from === main.from && name.to === main.to;
    const text = isName ? name.text : view.state.sliceDoc(main.from, Math.min(main.to, main.from + CONTEXT)).trim();
    this.#heard('menu', line, column, text, x, y);
    return true;
  }

  /**
   * @param {EditorView} view
   * @param {number} at
   */
  #hovered(view, at) {
    const name = nameAt(view.state, at);
    if (name === null) return null;
    const value = this.#valueOf(name.text);
    if (value === undefined) return null;
    const { line, column } = this.#shown.place(name.from);
    return {
      pos: name.from,
      end: name.to,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'hovered';
        const shown = document.createElement('code');
        shown.textContent = `${name.text} = ${value}`;
        const ask = document.createElement('button');
        ask.type = 'button';
        ask.textContent = this.#lastChange;
        ask.addEventListener('click', () => this.#heard('last-change', line, column, name.text, 0, 0));
        dom.append(shown, ask);
        return { dom };
      },
    };
  }
}

/**
 * What stands for folded lines. It opens where the mouse is pressed: what the press selects is drawn anew, and if that
 * is before the release, the browser makes no click of it.
 * @param {EditorView} view
 * @param {(event: Event) => void} open
 */
function placeholder(view, open) {
  const element = document.createElement('span');
  element.className = 'cm-foldPlaceholder';
  element.textContent = '…';
  element.title = view.state.phrase('unfold');
  element.setAttribute('aria-label', view.state.phrase('folded code'));
  element.addEventListener('mousedown', (event) => {
    if (event.button === 0) open(event);
  });
  return element;
}

/**
 * @param {EditorView} view
 * @param {Shown} shown
 * @param {(line: number, column: number) => void} reveal
 */
function goToLine(view, shown, reveal) {
  const { line } = shown.place(view.state.selection.main.head);
  const { result } = showDialog(view, {
    label: 'Go to line or line:column',
    input: { type: 'text', name: 'line', value: String(line) },
    submitLabel: 'Go',
    focus: true,
    top: true,
  });
  void result.then((form) => {
    const field = form?.elements.namedItem('line');
    const asked = field instanceof HTMLInputElement ? /^\s*(\d+)(?::(\d+))?\s*$/.exec(field.value) : null;
    if (asked !== null) reveal(Number(asked[1]), Number(asked[2] ?? 1));
    view.focus();
  });
}
