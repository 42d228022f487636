//! All words of the panel, in one place.

mod decisions;

use querypoint::answer::{BlindSpot, Cause, LastWriter};
use querypoint::events::DifferenceKind;
use querypoint::execution_line::Verdict;
use querypoint::session::differences::PointDifference;
use querypoint::session::excerpt::short_name;
use querypoint::session::results::LogOutline;
use querypoint::session::tab::{Other, Part};

pub(crate) use decisions::*;

pub(crate) const TITLE: &str = "Querypoint";
pub(crate) const CONNECTING: &str = "connecting to the back end";
pub(crate) const LOST: &str =
    "the back end is gone; start `querypoint serve` again, the session is kept";
pub(crate) const NO_SECRET: &str =
    "open the panel at the address that `querypoint serve` prints; it has the secret";
pub(crate) const BAD_SECRET: &str = "the back end does not let this panel in; open it at the address that `querypoint \
    serve` prints";

pub(crate) const FORMER_BACK_END: &str = "the back end is of an earlier version than this panel and does not understand \
    it; install the `querypoint` of this version, run `querypoint install-host` for the extension, or open the panel at \
    the address that `querypoint serve` prints";

pub(crate) const PAGE: &str = "Page";
pub(crate) const PAGE_HINT: &str = "a URL, or a path to an HTML file";
pub(crate) const OPEN: &str = "Open";
pub(crate) const RECORD: &str = "Record";
pub(crate) const STOP: &str = "Stop";
pub(crate) const REPLAY: &str = "Replay";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const REPRODUCTION_POINT: &str = "Reproduction point";
pub(crate) const REPRODUCTION_POINT_HINT: &str = "app.js:22, exception, console:TEXT or end";
pub(crate) const RUN_TO: &str = "Run to";

pub(crate) const SESSIONS: &str = "Sessions";
pub(crate) const NEW_SESSION: &str = "New session";
pub(crate) const DELETE_SESSION: &str = "Delete this one";
pub(crate) const DELETED: &str = "The session is deleted; Undo brings it back.";
pub(crate) const WAS_DELETED: &str = "deleted, ";
pub(crate) const UNDO: &str = "Undo";
pub(crate) const REDO: &str = "Redo";
pub(crate) const IN_NEW_SESSION: &str = "A new session; the one before is kept.";
pub(crate) const OF_ANOTHER_PAGE: &str = "The tab shows another page; this is its session.";
pub(crate) const BACK: &str = "Back to the one before";
pub(crate) const BACK_END: &str = "Back end";
pub(crate) const END_BACK_END: &str = "End it";
pub(crate) const ENDED: &str = "The back end is ended. Its sessions are kept.";
pub(crate) const START_BACK_END: &str = "Start it again";
pub(crate) const BACK_END_ADDRESS: &str = "Another back end";
pub(crate) const BACK_END_ADDRESS_HINT: &str = "http://127.0.0.1:…/#secret=…";
pub(crate) const USE_BACK_END: &str = "Use it";
pub(crate) const FOUND_BACK_END: &str = "Use the one that the browser finds";
pub(crate) const NO_BACK_END_ADDRESS: &str =
    "That is not the address of a panel. Copy the one that `querypoint serve` prints.";

/// Which back end it is.
pub(crate) fn back_end(version: &str, in_background: bool) -> String {
    match in_background {
        true => format!("Back end {version}, started by the browser"),
        false => format!("Back end {version}, started with `querypoint serve`"),
    }
}

pub(crate) const NO_PAGE: &str = "(no page)";

/// What is recorded of the tab, in the bar.
pub(crate) fn recorded(steps: usize, is_full: bool) -> String {
    match (steps, is_full) {
        (steps, true) => format!("{steps} steps, the first ten minutes"),
        (steps, false) => format!("{steps} steps"),
    }
}

pub(crate) const NO_STEPS_YET: &str = "no steps";
pub(crate) const RECORDED_TAB: &str = "Recorded in this tab since its page was loaded";
pub(crate) const TAKE_RECORDING: &str = "Use recording";
pub(crate) const DELETE_TAB_RECORDING: &str = "Delete";
pub(crate) const TAB_RECORDING_DELETED: &str =
    "What was recorded in this tab is removed, with its cookies. Load the page again to record it.";
pub(crate) const LIVE_ON: &str = "Reload to see who wrote each value";
pub(crate) const LIVE_OFF: &str = "Reload without last writers";
pub(crate) const LIVE_SINCE_NOW: &str = "The page is loaded again. Wherever it pauses from now on, each value says which line wrote it \
     last.";
pub(crate) const LIVE_NO_MORE: &str = "The page is loaded again, as the server sends it.";
/// The mark before the line that wrote a value.
pub(crate) const WRITTEN_MARK: &str = "←";
pub(crate) const STEPS: &str = "Recorded steps";
pub(crate) const NO_STEPS: &str = "Nothing is recorded: the page is only loaded.";
pub(crate) const EDIT_STEP: &str = "Edit this step";
pub(crate) const DELETE_STEP: &str = "Delete this step";
pub(crate) const PICTURE: &str = "Page at this point";
pub(crate) const REPLAY_UP_TO_STEP: &str = "Replay up to here";
pub(crate) const DELETE_STEPS_AFTER: &str = "Delete all steps after this one";
pub(crate) const SAVE_STEP: &str = "Save (Ctrl+Enter)";
pub(crate) const STEPS_CHANGED: &str = "The recording is changed; Undo brings the steps back.";
pub(crate) const POINTS: &str = "Points";
pub(crate) const SOURCE: &str = "Source";
pub(crate) const OPEN_IN_SOURCES: &str = "Open in Sources";
pub(crate) const NO_SOURCE: &str = "There is no text to show here.";
pub(crate) const TOO_LARGE: &str = "this is more than can be sent to the back end";
pub(crate) const PAUSED_AT: &str = "The page is paused at";
pub(crate) const USE_AS_POINT: &str = "Use as reproduction point";
pub(crate) const USE_EXCEPTION: &str = "Use this exception";
pub(crate) const FOLLOW: &str = "Follow debugger";
pub(crate) const TRACE_DATA: &str = "State at the point";
pub(crate) const STACK: &str = "Call stack";
pub(crate) const SCOPES: &str = "Scope";
pub(crate) const READ_FRAME: &str = "Read its variables";
pub(crate) const MORE: &str = "more";
pub(crate) const FILTER: &str = "filter";
pub(crate) const WATCHES: &str = "Watch expressions";
pub(crate) const WATCH_HINT: &str = "an expression, evaluated at each point";
pub(crate) const WATCH: &str = "Watch";
pub(crate) const UNWATCH: &str = "Stop watching";
pub(crate) const TOP_LEVEL: &str = "(top level)";
/// The way a value took, above its hops.
pub(crate) const PATH: &str = "Where it comes from";
pub(crate) const MADE_BY: &str = "made by";

/// The question for the whole way of a value.
pub(crate) fn where_from(expression: &str) -> String {
    format!("Where does {expression} come from?")
}

/// The decisions that kept something from happening, above their rows.
pub(crate) const DECISIONS: &str = "What kept it from happening";
pub(crate) const ASK_AT_DECISION: &str = "Ask at this decision";
/// The question for the decision that kept a line from running.
pub(crate) const WHY_NOT: &str = "Why did this not run?";
pub(crate) const NOT_COMPLETE: &str = "Not all that could have led there was looked at.";

/// The question for the last change of something.
pub(crate) fn last_change_of(expression: &str) -> String {
    format!("{LAST_CHANGE} {OF} {expression}")
}

/// A value's, which is asked for before its last change.
pub(crate) const ORIGIN: &str = "origin";
pub(crate) const LAST_CHANGE: &str = "last change";
pub(crate) const EXPAND: &str = "Expand";
pub(crate) const NOTHING_INSIDE: &str = "It has no properties of its own.";
pub(crate) const LAST_CONDITION: &str = "last condition";
pub(crate) const EXCEPTION_AFTER: &str = "exception after";

/// The mark before a value that is another one at another point.
pub(crate) const ELSEWHERE_MARK: &str = "≠";
/// The marks before an object that is expanded, and before one that is not.
pub(crate) const OPEN_MARK: &str = "▾";
pub(crate) const CLOSED_MARK: &str = "▸";
pub(crate) const OF: &str = "of";
pub(crate) const NAME_AT_CURSOR: &str = "Name at the cursor";
pub(crate) const SOURCE_HINT: &str = "Read-only. Enter or a right click asks about the name at the caret. \
    Ctrl+F finds, Ctrl+G goes to a line.";
pub(crate) const PRETTY_PRINT: &str = "Pretty-print";
pub(crate) const PRETTY_PRINT_MARK: &str = "{ }";

pub(crate) const COMMANDS: &str = "Commands (Ctrl+K)";
pub(crate) const COMMANDS_HINT: &str = "what to do";
pub(crate) const ASK_QUERY: &str = "Ask a query";
pub(crate) const CHOOSE_PAGE: &str = "Open a page";
pub(crate) const CHOOSE_POINT: &str = "Choose a reproduction point";
pub(crate) const ADD_WATCH: &str = "Watch an expression";
pub(crate) const FIND: &str = "Find in the source (Ctrl+F)";
pub(crate) const GO_TO_LINE: &str = "Go to a line (Ctrl+G)";
pub(crate) const SIZE_OF_POINTS: &str = "Size of the points";
pub(crate) const SIZE_OF_STATE: &str = "Size of the state";

pub(crate) const ELEMENT: &str = "Selected element";
pub(crate) const FROM_TEXT: &str = "where its text comes from";
pub(crate) const OF_TEXT: &str = "last change of its text";
pub(crate) const OF_VALUE: &str = "last change of its value";
pub(crate) const ATTRIBUTE: &str = "Attribute";
pub(crate) const STYLE: &str = "Style";
pub(crate) const CREATED_AS: &str = "created as";
pub(crate) const ASK: &str = "Ask";
pub(crate) const QUERY: &str = "Query";
pub(crate) const QUERY_HINT: &str = "lastChange(R:cart.total)";
pub(crate) const PAUSE_HERE: &str = "Pause here";
pub(crate) const RENAME: &str = "Rename";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const NEW_NAME: &str = "New name";
pub(crate) const COPY_COMMAND: &str = "Copy as command line";
pub(crate) const COPIED: &str = "The command is in the clipboard.";
pub(crate) const NOT_COPIED: &str =
    "The browser does not let the panel write to the clipboard; the command is:";

pub(crate) const SAVE_HTML: &str = "Save as HTML";
/// What the file is called that an answer is saved in.
pub(crate) const HTML_FILE: &str = "querypoint.html";
pub(crate) const NOT_SAVED: &str = "The browser does not let the panel save a file.";

const IN_TAB: &str = "The answer is not about what the tab shows: the page was run again for it.";
const MISSING: &str = "nothing";
const NOT_RECORDED: &str = "Nothing is recorded: it was only opened, without your login.";
const RECORDED_ANOTHER_WAY: &str = "The recording does not lead there.";
pub(crate) const RECORD_TAB: &str = "Record what you do, and ask again";
pub(crate) const NOTES: &str = "Notes";
pub(crate) const DISMISS: &str = "Dismiss";
pub(crate) const DISAGREE: &str = "The executions differ.";
const AS_RECORDED: &str = "The replay did what was recorded.";
const AS_ANSWERED: &str = "Every question has the same answer as before.";
const OTHERWISE: &str = "These questions have other answers:";
pub(crate) const OLD_VALUE: &str = "old value";
pub(crate) const NEW_VALUE: &str = "new value";
pub(crate) const IS: &str = "is";
pub(crate) const BY_USER: &str = "by the user";

pub(crate) const CANDIDATE_WRITES: &str = "Candidate writes";
pub(crate) const ACTIONS: &str = "the user's actions";
pub(crate) const EVENT: &str = "Event";
pub(crate) const EVENT_HINT: &str =
    "Arrow keys choose an event, + and - zoom, Enter uses it as reproduction point.";
pub(crate) const LOOK_HERE: &str = "Use as reproduction point";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const ZOOM_IN: &str = "Zoom in";
pub(crate) const ZOOM_OUT: &str = "Zoom out";
pub(crate) const ALL: &str = "All";
/// Where `R` is, at the end of a replay.
pub(crate) const AFTER_LAST_STEP: &str = "After the last step";
pub(crate) const R_NOT_REACHED: &str =
    "R was not reached. Press Record and do what leads there, or choose another point.";
/// What the browser's own bar means, that is there while the panel is.
pub(crate) const BAR_EXPLAINED: &str = "The browser says that Querypoint is debugging it while this panel follows the \
    tab. Cancel there, and pauses are not followed.";
pub(crate) const UNDERSTOOD: &str = "Understood";
pub(crate) const FIRST_STEPS: [&str; 3] = [
    "Open a page, press Record and do what goes wrong.",
    "Say where it is wrong: a line, an exception, or end. That is the reproduction point, R.",
    "Ask for the last change of what is wrong there, and go on from its line.",
];
pub(crate) const NOWHERE: &str = "(no line)";
pub(crate) const RELOAD: &str = "Reload with Querypoint";
pub(crate) const PICK: &str = "Pick what is wrong";
pub(crate) const TRY_EXAMPLE: &str = "Try the example";
/// What is to be seen in the example.
pub(crate) const EXAMPLE: &str = "A button counts its clicks, and shows 0 after the second. R is the line that shows \
    it; that line is right. Ask for the last change of myObject.myProperty, and go on from there.";
pub(crate) const PICKED_ELSEWHERE: &str =
    "That element is in another frame or gone. Pick one of the page itself.";

/// Whether an event was the one, and why not.
pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Found => "the last change",
        Verdict::Earlier => "an earlier change",
        Verdict::SameValue => "the same value",
        Verdict::OtherObject => "another object",
        Verdict::After => "after the point",
    }
}

/// An event of an execution line: which, where, and what it was.
pub(crate) fn event_in_words(
    number: usize,
    place: &str,
    verdict: &str,
    object: u32,
    action: Option<&str>,
) -> String {
    let after = action.map_or_else(String::new, |action| format!(", after {action}"));
    format!("{number}: {place}, {verdict}, object {object}{after}")
}

/// How a replay went, and what became of what was asked.
pub(crate) fn replayed(notes: &[String], differences: Option<&[PointDifference]>) -> String {
    let mut lines: Vec<String> = notes.to_vec();
    if lines.is_empty() {
        lines.push(AS_RECORDED.to_owned());
    }
    match differences {
        None => {}
        Some([]) => lines.push(AS_ANSWERED.to_owned()),
        Some(differences) => {
            lines.push(OTHERWISE.to_owned());
            let told = differences.iter();
            lines.extend(told.map(|it| format!("{}: was {}; is {}", it.point, it.was, it.is)));
        }
    }
    lines.join("\n")
}

/// What a point was before a replay.
pub(crate) fn before(was: &str) -> String {
    format!("{ELSEWHERE_MARK} before: {was}")
}

/// There is nobody who could find the back end.
pub(crate) fn no_host(why: &str) -> String {
    format!(
        "The back end could not be found. Type `querypoint install-host` once, then this panel finds it by itself. \
         The browser says: {why}"
    )
}

/// No element can be picked.
pub(crate) fn not_picking(why: &str) -> String {
    format!("No element can be picked: {why}")
}

/// Pauses are not followed.
pub(crate) fn not_following(why: &str) -> String {
    format!("Pauses are not followed: {why}")
}

/// `R` is another moment than the one that the person asked from.
pub(crate) fn another_time(names: &[String]) -> String {
    let names = names.join(", ");
    format!("You paused at another hit of this line: {names} had another value.")
}

/// `R` is to be the hit with this number, from 1.
pub(crate) fn use_hit(hit: u64) -> String {
    format!("Use hit {hit}")
}

/// A step of a recording, as people call what was done: the name of a button is in quotes.
pub(crate) fn step(step: &str) -> String {
    let Some((action, rest)) = step.split_once(" aria/") else {
        return step.to_owned();
    };
    let (name, pause) = match rest.rfind(", after ") {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    format!("{action} \"{name}\"{pause}")
}

/// Why fields and global variables do not say who wrote them.
pub(crate) fn unhooked(spot: &BlindSpot) -> String {
    format!(
        "Who wrote fields and global variables is not known here: code runs without hooks ({}: {}).",
        short_name(&spot.url),
        spot.reason
    )
}

/// Where a value was written last, whole.
pub(crate) fn written_at(writer: &LastWriter) -> String {
    let task = writer.task();
    let task = if task.is_empty() {
        task
    } else {
        format!(", {task}")
    };
    match &writer.location {
        Some(location) => format!(
            "written at {}:{}:{}{task}",
            location.url, location.line, location.column
        ),
        None => format!("{BY_USER}{task}"),
    }
}

/// Who or what had it happen: `in click on #add`, `in timeout`.
pub(crate) fn caused_by(cause: &Cause) -> String {
    match &cause.target {
        Some(target) => format!("in {} on {target}", cause.kind),
        None => format!("in {}", cause.kind),
    }
}

/// A step of a recording, from 1.
pub(crate) fn step_number(number: usize) -> String {
    format!("Step {number}, as Chrome's Recorder writes it")
}

/// How the tab is another one than the page that was run for an answer.
pub(crate) fn in_tab(others: &[Other], is_recorded: bool) -> String {
    let mut lines = vec![IN_TAB.to_owned()];
    lines.extend(others.iter().map(|other| {
        let what = match other.what {
            Part::Value => "value",
            Part::Address => "address",
            Part::Title => "title",
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| MISSING.to_owned());
        format!(
            "{what}: {} in the tab; {} in the answer",
            text(&other.in_tab),
            text(&other.in_run)
        )
    }));
    let why = if is_recorded {
        RECORDED_ANOTHER_WAY
    } else {
        NOT_RECORDED
    };
    lines.push(why.to_owned());
    lines.join("\n")
}

/// How much of an object is shown.
pub(crate) fn shown_of(shown: usize, of: usize) -> String {
    format!("{shown} of {of}")
}

/// Frames that nobody debugs.
pub(crate) fn library_frames(count: usize) -> String {
    match count {
        1 => "1 frame of a library".to_owned(),
        count => format!("{count} frames of libraries"),
    }
}

/// A file is to be taken for a library.
pub(crate) fn library(name: &str) -> String {
    format!("{name} is a library")
}

/// A file is to be taken for a person's own code.
pub(crate) fn own_code(name: &str) -> String {
    format!("{name} is my own code")
}

/// An answer has the variables of the newest frame alone.
pub(crate) fn frame_not_read(place: &str) -> String {
    format!(
        "The answer has the variables of the newest frame. Those at {place} take one more run of the page."
    )
}

/// A point is to be looked at.
pub(crate) fn go_to(point: &str) -> String {
    format!("Go to {point}")
}

/// Where the caret is in the source.
pub(crate) fn line_and_column(line: u32, column: u32) -> String {
    format!("Line {line}, column {column}")
}

/// A line of the source.
pub(crate) fn line(line: u32) -> String {
    format!("Line {line}")
}

/// The reproduction point is to be there.
pub(crate) fn stop_at_line(line: u32) -> String {
    format!("Use line {line} as reproduction point")
}

/// A breakpoint of the tab that is debugged.
pub(crate) fn breakpoint_at_line(line: u32, is_set: bool) -> String {
    match is_set {
        true => format!("Remove the breakpoint at line {line}"),
        false => format!("Set a breakpoint at line {line}"),
    }
}

/// What is told of a session that is kept.
pub(crate) fn asked_and_changed(queries: usize, changed: &str) -> String {
    match queries {
        1 => format!("1 question, {changed}"),
        queries => format!("{queries} questions, {changed}"),
    }
}

/// What a picture of the page at a point shows, for those who do not see it.
pub(crate) fn page_at(point: &str) -> String {
    format!("The page as it was at {point}")
}

/// What a value was at another point.
pub(crate) fn at_point(point: &str, value: &str) -> String {
    format!("{value} at {point}")
}

/// What the developer tools call a scope.
pub(crate) const fn scope_kind(kind: querypoint::answer::ScopeKind) -> &'static str {
    use querypoint::answer::ScopeKind;
    match kind {
        ScopeKind::Local => "Local",
        ScopeKind::Block => "Block",
        ScopeKind::Closure => "Closure",
        ScopeKind::Catch => "Catch",
        ScopeKind::With => "With",
        ScopeKind::Module => "Module",
        ScopeKind::Script => "Script",
        ScopeKind::Global => "Global",
    }
}

/// What a status means to a person.
pub(crate) const fn status(status: querypoint::answer::Status) -> &'static str {
    use querypoint::answer::Status;
    match status {
        Status::Found => "found",
        Status::NeverChanged => "never changed",
        Status::NotReached => "not reached",
        Status::Diverged => "the runs disagree",
        Status::Blind => "not observed",
    }
}

/// A script that could not be seen.
pub(crate) fn blind_spot(url: &str, reason: &str) -> String {
    format!("Not seen: {url}: {reason}")
}

pub(crate) const EXECUTION: &str = "Everything that happened";
pub(crate) const RECORD_EXECUTION: &str = "Record the execution";
pub(crate) const NO_EXECUTION: &str = "Press Record the execution: the page runs once, and every call, write and \
    variable is kept here to be asked about.";
pub(crate) const LOG: &str = "Event log";
pub(crate) const COMPARE_WITH: &str = "Compare with";
pub(crate) const DELETE_LOG: &str = "Delete log";
pub(crate) const CALL_TREE: &str = "Call tree";
pub(crate) const LOG_QUERY: &str = "Question to the event log";
pub(crate) const LOG_QUERY_HINT: &str = "history(R:cart.total), argumentsOf(add)";
/// Between a value before and the one that is written.
pub(crate) const BECOMES: &str = "→";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const COMPARISON: &str = "Where the executions part";
pub(crate) const NOT_PARTED: &str = "The executions do not part.";
pub(crate) const ENDED_THERE: &str = "has ended, or does something here that is not shown";

/// A log: which, and of what.
pub(crate) fn log(log: &LogOutline) -> String {
    let of = log
        .first_action
        .as_deref()
        .map_or_else(String::new, |action| format!(", {}", step(action)));
    format!("Log {}: {} events{of}", log.log, log.events)
}

/// A log by its number alone.
pub(crate) fn log_number(log: u32) -> String {
    format!("Log {log}")
}

/// The function that an event is in.
pub(crate) fn within(function: &str) -> String {
    format!("in {function}")
}

/// How many calls are below one.
pub(crate) fn calls_below(calls: u64) -> String {
    format!("{calls} calls below")
}

/// How many events a question found, and whether it holds.
pub(crate) fn events_found(holds: Option<bool>, total: u64) -> String {
    let count = match total {
        0 => "no event".to_owned(),
        1 => "1 event".to_owned(),
        total => format!("{total} events"),
    };
    match holds {
        Some(true) => format!("yes, {count}"),
        Some(false) => format!("no, {count}"),
        None => count,
    }
}

/// In what two executions part.
pub(crate) const fn parted(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Control => "They part in what is done.",
        DifferenceKind::Data => "They part in a value.",
    }
}

pub(crate) const FIND_FAULTY_CALL: &str = "Find the faulty call";
pub(crate) const DIAGNOSIS: &str = "The faulty call";
pub(crate) const FAULTY_CALL: &str =
    "The faulty call: it is wrong, and all that it called is right.";
pub(crate) const NOTHING_WRONG: &str = "No call was said to be wrong.";
pub(crate) const NOT_TOLD_APART: &str = "No call is found. Suspicious is still:";
pub(crate) const IS_RIGHT: &str = "Right";
pub(crate) const IS_WRONG: &str = "Wrong";
pub(crate) const IS_TRUSTED: &str = "Trust the function";
pub(crate) const IS_INADMISSIBLE: &str = "Should not be called like this";
pub(crate) const IS_UNKNOWN: &str = "Don't know";
pub(crate) const CALL_IS_RIGHT: &str = "This call is right";
pub(crate) const CALL_IS_WRONG: &str = "This call is wrong";
pub(crate) const TAKE_BACK: &str = "Take back";
pub(crate) const CHOSEN_CALL: &str = "The chosen call";
pub(crate) const HAPPENED: &str = "What happened in it";
pub(crate) const NEXT_QUESTION: &str = "Next question";
pub(crate) const BY_HALVES: &str = "Leaves the fewest to ask";
pub(crate) const BY_SUSPICION: &str = "Most suspicious code";
pub(crate) const BY_EDGES: &str = "By branches that ran";
pub(crate) const BY_USES: &str = "By values that were used";
pub(crate) const BY_CALLS: &str = "Half of the calls";
pub(crate) const BY_WEIGHT: &str = "Most calls first";
pub(crate) const FROM_THE_TOP: &str = "From the top";
pub(crate) const ITS_CALLS: &str = "Its calls";
pub(crate) const CHANGED: &str = "changed";
pub(crate) const IN_THE_DOCUMENT: &str = "document";
pub(crate) const IN_STORAGE: &str = "storage";
pub(crate) const SENT: &str = "network";
pub(crate) const RETURNED: &str = "returned";
pub(crate) const THREW: &str = "threw";
pub(crate) const SUSPENDED: &str = "suspended: it waits";
pub(crate) const NO_END: &str = "the log has no end of this call";
pub(crate) const VALUE_NOT_RECORDED: &str = "not recorded";
pub(crate) const NOTHING: &str = "nothing";

/// What has again the value that it had at the beginning.
pub(crate) fn again(value: &str) -> String {
    format!("{value} again")
}

/// What is asked of a call, where so many are suspicious.
pub(crate) fn is_it_right(suspicious: usize) -> String {
    match suspicious {
        1 => "Did this call do what it should? It is the last that is suspicious.".to_owned(),
        count => format!("Did this call do what it should? {count} calls are suspicious."),
    }
}

/// Who called it.
pub(crate) fn called_by(caller: &str) -> String {
    format!("called by {caller}")
}

/// What it is part of, where nobody called it.
pub(crate) fn in_task(task: &str) -> String {
    format!("in the task {task}")
}

/// Who handed over the function that nobody called; where follows.
pub(crate) fn handed_over_by(function: &str) -> String {
    format!(", handed over by {function} ")
}

/// How many more there are than are shown.
pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}
