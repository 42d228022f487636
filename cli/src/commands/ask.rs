//! `querypoint ask`: understands what was typed, has the driver find the answer, shows it.

use std::process::ExitCode;

use app::ask::{Keeping, ask_once};
use app::cancelling::Cancellation;
use app::failure::Failure;
use app::files::write_file;
use app::keeping::Typed;
use app::page::Page;
use app::pausing::check_pause;
use app::question::{Question, Turning};
use app::recording_file::recording;
use app::runs::{Repeated, find_answers};
use engine::ask::{Flips, OriginLimits};
use querypoint::answer::{Answer, Status, WholeAnswer};

use super::{output, pause, query};
use crate::arguments::{AskArguments, FormatChoice, InstrumentChoice, ReproduceChoice};
use crate::exit::INTERRUPTED;
use crate::progress::ProgressReport;
use crate::render;

/// Asks, prints the answer and gives the exit status.
///
/// # Errors
/// If something that was typed or named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &AskArguments) -> Result<ExitCode, Failure> {
    let recording = match &arguments.recording {
        Some(path) => Some(recording(path, arguments.left_to_vary())?),
        None => None,
    };
    let (recording, _files) = recording.unzip();
    let limits = OriginLimits::default();
    let definitions = query::known(&arguments.definitions)?;
    let (at, watches) = (&arguments.at, &arguments.watches);
    let question = Question::read_with_log(at, &arguments.queries, watches, &definitions)?
        .with_recording(recording)
        .with_instrument(arguments.instrument.into())
        .reproduced(arguments.reproduce.into())
        .within(OriginLimits {
            max_executions: arguments.max_executions.unwrap_or(limits.max_executions),
            max_with_log: arguments.max_executions.unwrap_or(limits.max_with_log),
            through: arguments.through,
            flips: Flips::No,
        })
        .answered_live(arguments.asks_live())
        .read_twice(arguments.twice);
    if arguments.instrument == InstrumentChoice::Live
        && (arguments.pause.is_some() || arguments.reproduce != ReproduceChoice::Replay)
    {
        return Err(Failure::NotPossible(
            "--instrument live runs the page once and goes with neither --pause nor --reproduce"
                .to_owned(),
        ));
    }
    if question.log.is_some() {
        alone(arguments)?;
    }
    let browser = arguments.browser.options();
    let page = Page::open(&arguments.page, &browser.connect).await?;
    let turning = match (arguments.no_flip, arguments.flip) {
        (true, _) => Turning::Never,
        (false, true) => Turning::Always,
        (false, false) => Turning::default(),
    };
    let question = question.turning_round(turning, &page);
    if let Some(name) = &arguments.pause {
        check_pause(name, &question)?;
        let show = |answer: &Answer| show(arguments, &page, &answer.clone().into());
        return pause::run(&page, question, name, &browser, &show).await;
    }
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let Some(runs) = arguments.runs else {
        let keeping = (!arguments.no_keep).then_some(Keeping {
            typed: Typed {
                recording: arguments.recording.as_deref(),
                at: &arguments.at,
                queries: &arguments.queries,
                watches: &arguments.watches,
                live: arguments.left_to_vary(),
            },
            fresh: arguments.fresh,
        });
        let answer = ask_once(&page, question, &browser, keeping, &end, &mut report).await?;
        drop(report);
        show(arguments, &page, &answer)?;
        return Ok(ExitCode::from(answer.exit_status()));
    };
    let Repeated {
        answer,
        is_interrupted,
    } = find_answers(&page, question, &browser, runs, &end, &mut report).await?;
    drop(report);
    let answer = answer.into();
    show(arguments, &page, &answer)?;
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false => answer.exit_status(),
    }))
}

/// What cannot go with questions to a log.
fn alone(arguments: &AskArguments) -> Result<(), Failure> {
    let other = [
        (arguments.pause.is_some(), "--pause"),
        (arguments.runs.is_some(), "--runs"),
        (arguments.asks_live(), "--live"),
        (
            arguments.instrument == InstrumentChoice::Live,
            "--instrument live",
        ),
    ];
    match other.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::NotPossible(format!(
            "{option} does not go with questions to a log; ask them apart, or record the log with `querypoint log`"
        ))),
    }
}

/// Prints the answer, and writes it to the file that was named.
fn show(arguments: &AskArguments, page: &Page, whole: &WholeAnswer) -> Result<(), Failure> {
    let answer = &whole.answer;
    let source = |url: &str, line| page.source_line(&page.as_now(&answer.page, url), line);
    let format = match arguments.json {
        true => FormatChoice::Json,
        false => arguments.format,
    };
    if format == FormatChoice::Html {
        let html = render::html(whole, &source);
        match &arguments.out {
            Some(path) => write_file(path, &html)?,
            None => output::print_script(&html)?,
        }
        return Ok(());
    }
    let json = output::json(whole);
    if let Some(path) = &arguments.out {
        write_file(path, &json)?;
    }
    if format == FormatChoice::Json {
        output::print(&json)?;
        // The answer says it too, but to a program.
        if let Some(point) = answer.points.first()
            && point.status == Status::NotReached
        {
            let why = point.note.as_deref().unwrap_or("it was never reached");
            anstream::eprintln!("the reproduction point was not reached: {why}");
        }
    } else {
        output::print(&render::whole_answer(whole, &source, arguments.whole_tree))?;
    }
    Ok(())
}
