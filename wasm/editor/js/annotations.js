// What the panel says about lines: the point that is looked at, the visited points, breakpoints, values.

import { syntaxTreeAvailable } from '@codemirror/language';
import { RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, WidgetType, gutter, gutterLineClass } from '@codemirror/view';

import { nameAt, valuesByLine } from './names.js';

/** @typedef {import('@codemirror/state').EditorState} EditorState */

/**
 * Lines and columns are 1-based, of the original text.
 *
 * @typedef {{ line: number, column: number }} Place
 * @typedef {{ name: string, line: number, column: number }} Mark
 * @typedef {{
 *   chosen: Place | null, marks: Mark[], breakpoints: number[], values: Record<string, string>, breakpoint: string,
 *   balloons: [number, string][], notRun: [number, number][],
 * }} Annotations
 */

/** @type {Annotations} */
const NOTHING = {
  chosen: null, marks: [], breakpoints: [], values: {}, breakpoint: '', balloons: [], notRun: [],
};

/**
 * Where the places of the original text are in the text that is shown.
 *
 * @typedef {(place: Place, state: EditorState) => number} Locate
 */

/** @type {import('@codemirror/state').StateEffectType<{ annotations: Annotations, locate: Locate }>} */
const setAnnotations = StateEffect.define();

class Names extends GutterMarker {
  /** @param {string[]} names */
  constructor(names) {
    super();
    this.names = names;
  }

  /** @param {Names} other */
  eq(other) {
    return this.names.join() === other.names.join();
  }

  toDOM() {
    const [first = '', ...more] = this.names;
    const all = document.createElement('span');
    all.className = 'marks';
    all.title = this.names.join(', ');
    const mark = document.createElement('span');
    mark.className = 'mark';
    mark.textContent = first;
    all.append(mark);
    if (more.length > 0) {
      const rest = document.createElement('span');
      rest.className = 'mark more';
      rest.textContent = `+${more.length}`;
      all.append(rest);
    }
    return all;
  }
}

class LineClass extends GutterMarker {
  /** @param {string} name */
  constructor(name) {
    super();
    this.elementClass = name;
  }

  /** @param {LineClass} other */
  eq(other) {
    return this.elementClass === other.elementClass;
  }
}

const CHOSEN = new LineClass('chosen');
const BREAKPOINT = new LineClass('breakpoint');
const BOTH = new LineClass('chosen breakpoint');

const NOT_RUN = Decoration.line({ class: 'not-run' });

class Values extends WidgetType {
  /**
   * @param {string} text
   * @param {string} kind
   */
  constructor(text, kind = 'values') {
    super();
    this.text = text;
    this.kind = kind;
  }

  /** @param {Values} other */
  eq(other) {
    return this.text === other.text && this.kind === other.kind;
  }

  toDOM() {
    const shown = document.createElement('span');
    shown.className = this.kind;
    shown.textContent = this.text;
    return shown;
  }
}

/**
 * `waitsFor`: up to where the text is to be parsed before names in it are known; null: it is.
 *
 * @typedef {{
 *   annotations: Annotations, locate: Locate, names: Map<number, string[]>,
 *   decorations: import('@codemirror/view').DecorationSet,
 *   lines: import('@codemirror/state').RangeSet<GutterMarker>, waitsFor: number | null,
 * }} Drawn
 */

/**
 * @param {EditorState} state
 * @param {Annotations} annotations
 * @param {Locate} locate
 * @returns {Drawn}
 */
function drawn(state, annotations, locate) {
  const { chosen, marks, breakpoints, values, balloons = [], notRun = [] } = annotations;
  const at = chosen === null ? null : locate(chosen, state);
  const chosenLine = at === null ? null : state.doc.lineAt(at);
  /** @type {Map<number, string[]>} */
  const names = new Map();
  for (const mark of marks) {
    const { from } = state.doc.lineAt(locate(mark, state));
    const there = names.get(from) ?? [];
    names.set(from, there);
    there.push(mark.name);
  }
  const stops = new Set(breakpoints.map((line) => state.doc.lineAt(locate({ line, column: 1 }, state)).from));

  /** @type {import('@codemirror/state').Range<Decoration>[]} */
  const decorations = [];
  if (at !== null && chosen !== null && chosenLine !== null) {
    const attributes = { 'aria-current': 'location', 'data-line': String(chosen.line) };
    decorations.push(Decoration.line({ class: 'chosen', attributes }).range(chosenLine.from));
    for (const [end, text] of valuesByLine(state, at, values)) {
      decorations.push(Decoration.widget({ widget: new Values(text), side: 1 }).range(end));
    }
    // After the values, which wait for the tree as well: a name before there is a tree would stay one character long.
    const name = nameAt(state, at);
    const to = Math.min(Math.max(name?.from === at ? name.to : at + 1, at + 1), chosenLine.to);
    if (to > at) decorations.push(Decoration.mark({ class: 'at-point' }).range(at, to));
  }
  for (const [line, text] of balloons) {
    const { to } = state.doc.lineAt(locate({ line, column: 1 }, state));
    decorations.push(Decoration.widget({ widget: new Values(text, 'balloon'), side: 0 }).range(to));
  }
  for (const [first, last] of notRun) {
    for (let line = first; line <= last; line += 1) {
      const { from } = state.doc.lineAt(locate({ line, column: 1 }, state));
      decorations.push(NOT_RUN.range(from));
    }
  }
  const lines = new RangeSetBuilder();
  const ofLines = new Set([...stops, ...(chosenLine === null ? [] : [chosenLine.from])]);
  for (const from of [...ofLines].sort((one, other) => one - other)) {
    const isChosen = from === chosenLine?.from;
    lines.add(from, from, isChosen && stops.has(from) ? BOTH : isChosen ? CHOSEN : BREAKPOINT);
  }
  const isKnown = chosenLine === null || syntaxTreeAvailable(state, chosenLine.to);
  return {
    annotations, locate, names, waitsFor: isKnown ? null : chosenLine.to,
    decorations: Decoration.set(decorations, true),
    lines: /** @type {import('@codemirror/state').RangeSet<GutterMarker>} */ (lines.finish()),
  };
}

/** @type {StateField<Drawn>} */
const field = StateField.define({
  create: (state) => drawn(state, NOTHING, () => 0),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setAnnotations)) return drawn(transaction.state, effect.value.annotations, effect.value.locate);
    }
    const { waitsFor, annotations: of, locate } = value;
    if (waitsFor === null || !syntaxTreeAvailable(transaction.state, waitsFor)) return value;
    return drawn(transaction.state, of, locate);
  },
  provide: (of) => [
    EditorView.decorations.from(of, ({ decorations }) => decorations),
    gutterLineClass.from(of, ({ lines }) => lines),
  ],
});

/**
 * What to give a state so that it shows these.
 *
 * @param {Annotations} annotations
 * @param {Locate} locate
 */
export const annotated = (annotations, locate) => setAnnotations.of({ annotations, locate });

/**
 * The extension that shows them. A press on a name chooses it, or offers all of the line.
 *
 * @param {(names: string[], event: MouseEvent) => void} pressed
 */
export const annotations = (pressed) => [
  field,
  gutter({
    class: 'cm-points',
    lineMarker(view, { from }) {
      const names = view.state.field(field).names.get(from);
      return names === undefined ? null : new Names(names);
    },
    lineMarkerChange: ({ startState, state }) => startState.field(field) !== state.field(field),
    domEventHandlers: {
      mousedown(view, { from }, event) {
        const names = view.state.field(field).names.get(from);
        if (names === undefined || !(event instanceof MouseEvent) || event.button !== 0) return false;
        const isRest = event.target instanceof Element && event.target.classList.contains('more');
        pressed(isRest ? names : names.slice(0, 1), event);
        return true;
      },
    },
  }),
];
