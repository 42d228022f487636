//! The view of source, as `wasm/editor` makes it of CodeMirror. There is one.

use std::cell::RefCell;

use serde_json::json;
use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

#[wasm_bindgen(raw_module = "./editor.js")]
extern "C" {
    type Editor;

    #[wasm_bindgen(constructor)]
    fn new(
        parent: &HtmlElement,
        heard: &JsValue,
        value_of: &JsValue,
        last_change: &str,
        hint: &str,
    ) -> Editor;

    #[wasm_bindgen(method)]
    fn show(this: &Editor, url: &str, text: &str, name: &str);

    #[wasm_bindgen(method)]
    fn annotate(this: &Editor, annotations: &str);

    #[wasm_bindgen(method)]
    fn reveal(this: &Editor, line: u32, column: u32);

    #[wasm_bindgen(method, js_name = isPretty)]
    fn is_pretty(this: &Editor) -> bool;

    #[wasm_bindgen(method, js_name = switchPretty)]
    fn switch_pretty(this: &Editor);

    #[wasm_bindgen(method)]
    fn find(this: &Editor);

    #[wasm_bindgen(method, js_name = goToLine)]
    fn go_to_line(this: &Editor);
}

thread_local! {
    static EDITOR: RefCell<Option<Editor>> = const { RefCell::new(None) };
}

/// What a person did in the source. Lines and columns are 1-based, of the original text, columns in UTF-16 code units;
/// places on the screen are in CSS pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// They asked what can be done there. What is pointed at is a name with the way to it, as it is written, or what
    /// they selected; empty: nothing is.
    Menu {
        line: u32,
        text: String,
        place: (i32, i32),
    },
    /// They pressed the number of a line.
    Gutter { line: u32, place: (i32, i32) },
    /// They pressed the mark of a point.
    Point(String),
    /// They pressed the mark of several points.
    Points {
        names: Vec<String>,
        place: (i32, i32),
    },
    /// They asked for the last change of a name.
    LastChange(String),
    /// The caret is there now.
    Caret { line: u32, column: u32 },
}

impl Event {
    fn read(kind: &str, line: u32, column: u32, text: String, place: (i32, i32)) -> Option<Self> {
        Some(match kind {
            "menu" => Self::Menu { line, text, place },
            "gutter" => Self::Gutter { line, place },
            "point" => Self::Point(text),
            "points" => Self::Points {
                names: text.split(',').map(str::to_owned).collect(),
                place,
            },
            "last-change" => Self::LastChange(text),
            "caret" => Self::Caret { line, column },
            _ => return None,
        })
    }
}

/// A place in a file, 1-based.
pub(crate) type SourcePosition = (u32, u32);

/// What is said of lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Annotations {
    /// The place of the point that is looked at.
    pub(crate) chosen: Option<SourcePosition>,
    /// The points that are in the file, with their places.
    pub(crate) marks: Vec<(String, SourcePosition)>,
    /// The lines with breakpoints.
    pub(crate) breakpoints: Vec<u32>,
    /// What is said behind lines, in balloons.
    pub(crate) balloons: Vec<(u32, String)>,
    /// Lines that did not run, as stretches from the first to the last.
    pub(crate) not_run: Vec<(u32, u32)>,
    /// Variables that are seen from the point, with previews of their values.
    pub(crate) values: Vec<(String, String)>,
}

/// Puts the view into an element.
pub(crate) fn put_into(
    parent: &HtmlElement,
    heard: impl Fn(Event) + 'static,
    value_of: impl Fn(String) -> Option<String> + 'static,
    last_change: &str,
    hint: &str,
) {
    let heard = Closure::<dyn Fn(String, u32, u32, String, f64, f64)>::new(
        move |kind: String, line, column, text, x: f64, y: f64| {
            let place = (x as i32, y as i32);
            if let Some(event) = Event::read(&kind, line, column, text, place) {
                heard(event);
            }
        },
    );
    let value_of = Closure::<dyn Fn(String) -> Option<String>>::new(value_of);
    let (heard, value_of) = (heard.into_js_value(), value_of.into_js_value());
    let editor = Editor::new(parent, &heard, &value_of, last_change, hint);
    EDITOR.set(Some(editor));
}

/// Shows a file, by its address and its text; `name` is what it is called aloud.
pub(crate) fn show(url: &str, text: &str, name: &str) {
    with(|editor| editor.show(url, text, name));
}

/// Shows what is said of its lines.
pub(crate) fn annotate(annotations: &Annotations) {
    let place = |(line, column): &SourcePosition| json!({ "line": line, "column": column });
    let marks = annotations.marks.iter();
    let marks =
        marks.map(|(name, (line, column))| json!({ "name": name, "line": line, "column": column }));
    let values = annotations.values.iter();
    let values = values.map(|(name, value)| (name.clone(), value.as_str().into()));
    let text = json!({
        "chosen": annotations.chosen.as_ref().map(place),
        "marks": marks.collect::<Vec<_>>(),
        "breakpoints": annotations.breakpoints,
        "balloons": annotations.balloons,
        "notRun": annotations.not_run,
        "values": serde_json::Map::from_iter(values),
    });
    with(|editor| editor.annotate(&text.to_string()));
}

/// Has a place be seen.
pub(crate) fn reveal((line, column): SourcePosition) {
    with(|editor| editor.reveal(line, column));
}

/// Whether the file is shown pretty-printed.
pub(crate) fn is_pretty() -> bool {
    EDITOR.with_borrow(|editor| editor.as_ref().is_some_and(Editor::is_pretty))
}

/// Pretty-prints the file, or shows it as it is.
pub(crate) fn switch_pretty() {
    with(Editor::switch_pretty);
}

/// Asks for a text to look for.
pub(crate) fn find() {
    with(Editor::find);
}

/// Asks for a line to go to.
pub(crate) fn go_to_line() {
    with(Editor::go_to_line);
}

fn with(done: impl FnOnce(&Editor)) {
    EDITOR.with_borrow(|editor| {
        if let Some(editor) = editor {
            done(editor);
        }
    });
}
