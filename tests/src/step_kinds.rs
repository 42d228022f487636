//! What is recorded, as which step, and the test that proves it: the table in `docs/reference/recordings.md`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use recording::{Drag, Files, History, StepKind, Wheel};
use serde_json::Value;

/// The test programs whose tests are named in the table.
const PROGRAMS: [&str; 2] = ["recording", "recording_effects"];

/// Where the table is in the file.
const BEGIN: &str = "<!-- step kinds -->\n";
const END: &str = "<!-- end of step kinds -->\n";

/// How something is in a recording.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// A step of Recorder's.
    Recorders(&'static str),
    /// A custom step of ours.
    Ours(&'static str),
    /// A member that steps of any kind have: what it is called, and where it is.
    Member(&'static str, &'static str),
}

struct Row {
    act: &'static str,
    form: Form,
    holds: &'static str,
    test: &'static str,
}

const fn row(act: &'static str, form: Form, holds: &'static str, test: &'static str) -> Row {
    Row {
        act,
        form,
        holds,
        test,
    }
}

use Form::{Member, Ours, Recorders};

const ROWS: &[Row] = &[
    row(
        "give the window a size",
        Recorders("setViewport"),
        "its width and height, and device pixels in a CSS pixel",
        "the_window_and_its_address",
    ),
    row(
        "open a page, reload it, type an address",
        Recorders("navigate"),
        "the address",
        "the_window_and_its_address",
    ),
    row(
        "go where a click or a script leads",
        Member("`assertedEvents`", "/assertedEvents/0/url"),
        "address and title of the page that the step led to",
        "links_and_frames",
    ),
    row(
        "click with any button",
        Recorders("click"),
        "the place in the element, the button, with what (mouse, pen, finger), how long if longer than 50 ms",
        "clicks_of_every_kind",
    ),
    row(
        "click twice",
        Recorders("doubleClick"),
        "as a click",
        "clicks_of_every_kind",
    ),
    row(
        "press, move and release: draw, drag a slider, select text",
        Ours(Drag::NAME),
        "as a click, with `path`: places `[x, y, ms]` from where and when it was pressed",
        "drawing_on_a_canvas",
    ),
    row(
        "draw on a page that draws at once, or once a frame",
        Ours(Drag::NAME),
        "`querypoint.noFrames` where the page asked for no animation frame meanwhile: then the places come faster \
         than frames",
        "strokes_come_as_often_as_the_page_looks_at_them",
    ),
    row(
        "drag an element, a text or an image and drop it",
        Member("`onto` of `querypoint/drag`", "/parameters/onto/selectors"),
        "the element that it was dropped on and where in it; the data is made by the page again",
        "dragging_and_dropping",
    ),
    row(
        "let the pointer rest where that makes something appear, and press that",
        Recorders("hover"),
        "what made it appear; whatever else the pointer passes is left out",
        "menus_that_open_when_the_pointer_comes_over_them",
    ),
    row(
        "type into a field, choose from a list, set a slider by key or a color",
        Recorders("change"),
        "the value that the field has in the end",
        "fields_that_are_not_typed_into",
    ),
    row(
        "type what is secret",
        Member("`querypoint.secret` of `change`", "/querypoint/secret"),
        "the environment variable from which it is taken",
        "secrets_are_left_out_and_given_when_it_is_replayed",
    ),
    row(
        "choose files in the browser's dialog",
        Ours(Files::NAME),
        "of each its name, type, time and contents",
        "choosing_files",
    ),
    row(
        "press any other key, and shortcuts: what does more than type",
        Recorders("keyDown"),
        "the key, as in `KeyboardEvent.key`; Shift, Control, Alt and Meta are keys of their own",
        "typing_keys_and_shortcuts",
    ),
    row(
        "let go of it",
        Recorders("keyUp"),
        "the key",
        "typing_keys_and_shortcuts",
    ),
    row(
        "scroll the page or a part of it",
        Recorders("scroll"),
        "the position in the end",
        "scrolling_and_a_wheel_that_the_page_takes",
    ),
    row(
        "turn the wheel where the page does something of its own with it",
        Ours(Wheel::NAME),
        "the place, `deltaX` and `deltaY`",
        "scrolling_and_a_wheel_that_the_page_takes",
    ),
    row(
        "answer a dialog: `alert`, `confirm`, `prompt`, leaving a page",
        Member("`querypoint.dialogs`", "/querypoint/dialogs/0/type"),
        "in the step that caused it: `type`, `message`, whether it was accepted, the `text` of a prompt",
        "dialogs_and_how_they_are_answered",
    ),
    row(
        "go back or forward with the browser's buttons",
        Ours(History::NAME),
        "`delta`, as in `history.go()`",
        "back_and_forward",
    ),
    row(
        "act in a tab that the page opened",
        Member("`target`", "/target"),
        "the address that the tab shows; `main` for the page itself",
        "tabs_that_the_page_opens",
    ),
    row(
        "close such a tab",
        Recorders("close"),
        "its address, as `target`",
        "tabs_that_the_page_opens",
    ),
    row(
        "act in a frame",
        Member("`frame`", "/frame/0"),
        "the numbers of the child frames that lead there, of whatever site they are",
        "frames_of_other_sites",
    ),
];

/// Recorder's steps that are replayed, but that nothing a user does becomes.
const ONLY_REPLAYED: [&str; 3] = [
    "emulateNetworkConditions",
    "waitForElement",
    "waitForExpression",
];

impl Form {
    fn is_in(self, step: &Value) -> bool {
        match self {
            Self::Recorders(kind) => step["type"] == kind,
            Self::Ours(name) => step["name"] == name,
            // What every step has says nothing.
            Self::Member(_, pointer) => step.pointer(pointer).is_some_and(|value| value != "main"),
        }
    }
}

/// What of the steps that a test recorded is missing, as the table says that the test proves it.
///
/// # Errors
/// In words.
pub fn check_proof(test: &str, steps: &[Value]) -> Result<(), String> {
    let claimed: Vec<&Row> = ROWS.iter().filter(|row| row.test == test).collect();
    if claimed.is_empty() {
        return Err(format!("{test} is not in the table of step kinds"));
    }
    let missing = claimed
        .iter()
        .find(|row| !steps.iter().any(|step| row.form.is_in(step)));
    match missing {
        None => Ok(()),
        Some(row) => Err(format!(
            "{test} recorded nothing of the form {:?}",
            row.form
        )),
    }
}

/// The text of `docs/reference/recordings.md` with the table as it must be.
///
/// # Errors
/// In words: a kind of step that is in no row, a test that does not exist or proves nothing, a file that cannot be
/// read.
pub fn with_table(text: &str, repository: &Path) -> Result<String, String> {
    let before = text.split_once(BEGIN);
    let after = text.split_once(END);
    let (Some((before, _)), Some((_, after))) = (before, after) else {
        return Err("docs/reference/recordings.md has no place for the table".to_owned());
    };
    Ok(format!("{before}{BEGIN}{}{END}{after}", table(repository)?))
}

fn table(repository: &Path) -> Result<String, String> {
    let has = |form: &str| {
        let is_it = |row: &Row| matches!(row.form, Recorders(name) | Ours(name) if name == form);
        ONLY_REPLAYED.contains(&form) || ROWS.iter().any(is_it)
    };
    let customs = [Drag::NAME, Wheel::NAME, Files::NAME, History::NAME];
    let known = StepKind::KNOWN
        .iter()
        .copied()
        .filter(|kind| *kind != "customStep");
    if let Some(missing) = known.chain(customs).find(|form| !has(form)) {
        return Err(format!("{missing} is not in the table of step kinds"));
    }
    let mut programs = Vec::new();
    for name in PROGRAMS {
        let path = format!("tests/tests/{name}.rs");
        let source = fs::read_to_string(repository.join(&path));
        programs.push((path, source.map_err(|error| error.to_string())?));
    }
    let mut text = "| what you do | step | format | what is recorded | shown by |\n| --- | --- | --- | --- | --- \
        |\n".to_owned();
    for Row {
        act,
        form,
        holds,
        test,
    } in ROWS
    {
        let proves = |source: &str| {
            source.contains(&format!("async fn {test}()"))
                && source.contains(&format!("\"{test}\""))
        };
        let program = programs.iter().find(|(_, source)| proves(source));
        let (path, _) = program.ok_or_else(|| format!("no test {test} proves what it records"))?;
        let (step, format) = match form {
            Recorders(kind) => (format!("`{kind}`"), "Recorder"),
            Ours(name) => (format!("`customStep` `{name}`"), "ours"),
            Member(name, pointer) => {
                let is_ours = ["/querypoint", "/parameters"];
                let is_ours = is_ours.iter().any(|ours| pointer.starts_with(ours));
                (
                    (*name).to_owned(),
                    if is_ours { "ours" } else { "Recorder" },
                )
            }
        };
        let shown = test.replace('_', " ");
        let _ = writeln!(
            text,
            "| {act} | {step} | {format} | {holds} | [{shown}](../../{path}) |"
        );
    }
    Ok(text)
}
