//! A call that is asked about, and what came of a session, drawn for a terminal.

use std::fmt::Write as _;

use diagnosis::{CallView, Ended, Named};
use querypoint::answer::Value;
use querypoint::diagnosis::{
    AnsweredBy, CallAnswer, CallChange, Diagnosis, FoundCall, JudgedCall, PageEffectKind,
};

use super::events::said;
use super::places::Places;
use super::style::{FAINT, NEW, OLD, PLACE, QUERY, WARNING};
use super::text::printable;

/// A value takes at most so many columns.
const WIDEST: usize = 160;

fn place(page: &str, call: &FoundCall) -> String {
    let nothing = |_: &str, _: u32| None;
    let places = Places::new(page, &nothing);
    let of_loop = call.iteration.as_ref().and_then(|it| it.location.as_ref());
    let place = of_loop
        .or(call.location.as_ref())
        .map(|it| places.place(it));
    printable(&place.unwrap_or_default(), WIDEST)
}

/// The name of a function, with the iteration of a loop in it.
fn name(call: &FoundCall) -> String {
    let function = printable(&call.function, WIDEST);
    match &call.iteration {
        Some(it) => format!(
            "{function}, {} from iteration {} on",
            printable(&it.text, WIDEST),
            it.number
        ),
        None => function,
    }
}

fn value(value: Option<&Value>) -> String {
    match value {
        Some(value) => printable(&value.text, WIDEST),
        None => "not recorded".to_owned(),
    }
}

/// A call, with its number among the questions and how many calls are suspicious.
pub(crate) fn call(view: &CallView, page: &str, number: usize, suspicious: usize) -> String {
    let mut text = String::new();
    let calls = match suspicious {
        1 => "1 call is suspicious".to_owned(),
        count => format!("{count} calls are suspicious"),
    };
    let _ = writeln!(text, "\n{FAINT}Question {number}, {calls}{FAINT:#}");
    let _ = writeln!(
        text,
        "{QUERY}{}{QUERY:#}  {PLACE}{}{PLACE:#}{FAINT}{}{FAINT:#}",
        name(&view.call),
        place(page, &view.call),
        from(view, page)
    );
    let row = |text: &mut String, label: &str, rest: &str| {
        let _ = writeln!(text, "  {FAINT}{label:<9}{FAINT:#} {rest}");
    };
    if let Some(this) = &view.this {
        row(&mut text, "this", &value(Some(this)));
    }
    let argument = match view.call.iteration {
        Some(_) => "variable",
        None => "argument",
    };
    for it in &view.arguments {
        row(&mut text, argument, &named(it));
    }
    for local in &view.locals {
        row(&mut text, "local", &named(local));
    }
    for it in &view.changes {
        row(&mut text, "changed", &change(it));
    }
    if view.more_changes > 0 {
        row(
            &mut text,
            "changed",
            &format!("and {} more", view.more_changes),
        );
    }
    for effect in &view.page {
        let label = match effect.kind {
            PageEffectKind::Document => "document",
            PageEffectKind::Storage => "storage",
            PageEffectKind::Network => "network",
        };
        row(&mut text, label, &printable(&effect.text, WIDEST));
    }
    match &view.ended {
        Ended::Returned(it) => row(&mut text, "returned", &value(it.as_ref())),
        Ended::AtTheEnd => {}
        Ended::Threw(it) => row(&mut text, "threw", &value(it.as_ref())),
        Ended::Suspended => row(&mut text, "suspended", "it waits"),
        Ended::Open => row(&mut text, "no end", "the log has no end of this call"),
    }
    text
}

fn from(view: &CallView, page: &str) -> String {
    match (&view.caller, &view.called_at, &view.task) {
        (Some(caller), Some(at), _) => {
            let nothing = |_: &str, _: u32| None;
            let at = Places::new(page, &nothing).place(at);
            format!(
                "  called by {} at {}",
                printable(caller, WIDEST),
                printable(&at, WIDEST)
            )
        }
        (Some(caller), None, _) => format!("  called by {}", printable(caller, WIDEST)),
        (None, _, Some(task)) => {
            let task = format!("  in the task {}", printable(task, WIDEST));
            task + &handed_over(view, page).unwrap_or_default()
        }
        (None, _, None) => String::new(),
    }
}

/// Who handed over the function that nobody called.
fn handed_over(view: &CallView, page: &str) -> Option<String> {
    let event = view.handed_over.as_ref()?;
    let nothing = |_: &str, _: u32| None;
    let at = Places::new(page, &nothing).place(event.location.as_ref()?);
    let by = event.function.as_deref().unwrap_or_default();
    Some(format!(
        ", handed over by {} at {}",
        printable(by, WIDEST),
        printable(&at, WIDEST)
    ))
}

fn named(it: &Named) -> String {
    let name = printable(&it.name, WIDEST);
    match (&it.entry, &it.exit) {
        (Some(entry), Some(exit)) => {
            let (entry, exit) = (value(Some(entry)), value(Some(exit)));
            format!("{name} = {OLD}{entry}{OLD:#} → {NEW}{exit}{NEW:#}")
        }
        (entry, exit) => format!("{name} = {}", value(entry.as_ref().or(exit.as_ref()))),
    }
}

/// An answer that nobody had to give.
pub(crate) fn judged(judged: &JudgedCall, page: &str) -> String {
    let call = FoundCall {
        function: judged.function.clone(),
        location: judged.location.clone(),
        call: judged.call,
        iteration: judged.iteration.clone(),
    };
    let mut text = format!(
        "{FAINT}{} {}{FAINT:#} {}  {PLACE}{}{PLACE:#}  {FAINT}#{}{FAINT:#}",
        by(judged.by),
        word(judged.answer),
        name(&call),
        place(page, &call),
        judged.call
    );
    if let Some(why) = &judged.why {
        let _ = write!(text, "  {FAINT}{}{FAINT:#}", printable(why, WIDEST));
    }
    text.push('\n');
    text
}

const fn by(by: AnsweredBy) -> &'static str {
    match by {
        AnsweredBy::Person => "answered:",
        AnsweredBy::Oracle => "by the oracle:",
        AnsweredBy::Same => "as before:",
        AnsweredBy::Trusted => "trusted:",
        AnsweredBy::Test => "by the page:",
    }
}

const fn word(answer: CallAnswer) -> &'static str {
    match answer {
        CallAnswer::Valid => "valid",
        CallAnswer::Invalid => "invalid",
        CallAnswer::Trusted => "trusted",
        CallAnswer::Unknown => "unknown",
        CallAnswer::Inadmissible => "inadmissible",
    }
}

/// What happened in the faulty call, line by line; below each what is another value now than behind the line before,
/// beside what it was when the call began.
fn happened(text: &mut String, diagnosis: &Diagnosis, page: &str) {
    let nothing = |_: &str, _: u32| None;
    let places = Places::new(page, &nothing);
    if !diagnosis.events.is_empty() {
        text.push_str("What happened in it:\n");
    }
    let mut states = diagnosis.states.iter().peekable();
    let mut before: &[CallChange] = &[];
    for event in &diagnosis.events {
        let place = event.location.as_ref().map(|it| places.place(it));
        let place = printable(&place.unwrap_or_default(), WIDEST);
        let _ = writeln!(
            text,
            "  {PLACE}{place}{PLACE:#}  {}  {FAINT}#{}{FAINT:#}",
            said(event, false),
            event.seq
        );
        let Some(state) = states.next_if(|it| it.event == event.seq) else {
            continue;
        };
        let is_new = |it: &&CallChange| !before.contains(it);
        for it in state.changes.iter().filter(is_new) {
            let _ = writeln!(text, "      {}", change(it));
        }
        // What is again as it was.
        let names: Vec<&str> = state.changes.iter().map(|it| it.name.as_str()).collect();
        for it in before
            .iter()
            .filter(|it| !names.contains(&it.name.as_str()))
        {
            let (name, old) = (printable(&it.name, WIDEST), side(it.old.as_ref()));
            let _ = writeln!(text, "      {name}  {OLD}{old}{OLD:#} again");
        }
        before = &state.changes;
    }
}

fn side(side: Option<&Value>) -> String {
    match side {
        Some(it) => printable(&it.text, WIDEST),
        None => "nothing".to_owned(),
    }
}

fn change(it: &CallChange) -> String {
    format!(
        "{}  {OLD}{}{OLD:#} → {NEW}{}{NEW:#}",
        printable(&it.name, WIDEST),
        side(it.old.as_ref()),
        side(it.new.as_ref())
    )
}

/// What came of a session.
pub(crate) fn diagnosis(diagnosis: &Diagnosis, page: &str) -> String {
    let mut text = String::new();
    let line = |text: &mut String, call: &FoundCall| {
        let _ = writeln!(
            text,
            "  {QUERY}{}{QUERY:#}  {PLACE}{}{PLACE:#}  {FAINT}#{}{FAINT:#}",
            name(call),
            place(page, call),
            call.call
        );
    };
    match &diagnosis.found {
        Some(found) => {
            text.push_str(match found.iteration {
                Some(_) => "The faulty iteration: it is wrong; what it called and those behind it are right.\n",
                None => "The faulty call: it is wrong, and all that it called is right.\n",
            });
            line(&mut text, found);
            happened(&mut text, diagnosis, page);
        }
        None if diagnosis.suspicious.is_empty() => {
            text.push_str("No call was said to be wrong.\n");
        }
        None => {
            text.push_str("No call is found. Suspicious is still:\n");
            for call in &diagnosis.suspicious {
                line(&mut text, call);
            }
        }
    }
    let answers = |count: u32| match count {
        1 => "1 answer".to_owned(),
        count => format!("{count} answers"),
    };
    let automatic = match diagnosis.automatic {
        0 => String::new(),
        count => format!(", {count} by itself"),
    };
    let _ = writeln!(
        text,
        "{FAINT}{}{automatic}, of {} calls{FAINT:#}",
        answers(diagnosis.asked),
        diagnosis.nodes
    );
    for note in &diagnosis.notes {
        let _ = writeln!(text, "{WARNING}{}{WARNING:#}", printable(note, 400));
    }
    text
}
