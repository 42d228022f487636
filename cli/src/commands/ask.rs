//! `querypoint ask`: understands what was typed, has the driver find the answer, shows it.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use cdp_driver::engine::ask::{AskRequest, Reproduce};
use cdp_driver::engine::collection::Instrument;
use querypoint::answer::{Answer, Status, Timing};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::recording::Recording;

use super::browser::{find_answer, unless_interrupted};
use super::question::{collection_plan, dependency_graph, reproduction_point};
use super::recording_file::recording;
use super::runs::{Repeated, find_answers};
use super::{keeping, output, pause};
use crate::arguments::{AskArguments, FormatChoice, InstrumentChoice, ReproduceChoice};
use crate::failure::{Failure, INTERRUPTED, write_file};
use crate::page::Page;
use crate::render;

/// What is asked of a page, checked as far as it can be without a browser.
#[derive(Debug)]
pub(crate) struct Question {
    pub(super) at: ReproductionPoint,
    pub(super) graph: DependencyGraph,
    pub(super) watches: Vec<String>,
    pub(super) recording: Option<Recording>,
    pub(super) instrument: InstrumentChoice,
    pub(super) reproduce: ReproduceChoice,
}

impl Question {
    /// Understands the texts of a question.
    ///
    /// # Errors
    /// [`Failure::NotUnderstood`] with a caret under the place.
    pub(crate) fn read<Text: AsRef<str>>(
        at: &str,
        queries: &[Text],
        watches: &[Text],
    ) -> Result<Self, Failure> {
        let at = reproduction_point(at)?;
        let graph = dependency_graph(queries)?;
        let watches: Vec<String> = watches
            .iter()
            .map(|watch| watch.as_ref().to_owned())
            .collect();
        // The driver plans as well; here it is done so that wrong usage ends before a browser starts.
        collection_plan(&graph, &watches)?;
        Ok(Self {
            at,
            graph,
            watches,
            recording: None,
            instrument: InstrumentChoice::Query,
            reproduce: ReproduceChoice::Replay,
        })
    }

    /// The same question after these actions.
    pub(crate) fn with_recording(self, recording: Option<Recording>) -> Self {
        Self { recording, ..self }
    }

    /// The question as the driver takes it.
    pub(crate) fn into_request(self, page: String, timeout: Duration) -> AskRequest {
        AskRequest {
            page,
            recording: self.recording,
            at: self.at,
            graph: self.graph,
            watches: self.watches,
            instrument: match self.instrument {
                InstrumentChoice::Query => Instrument::Query,
                InstrumentChoice::Standby => Instrument::Standby,
            },
            reproduce: match self.reproduce {
                ReproduceChoice::Replay => Reproduce::Replay,
                ReproduceChoice::Callstack => Reproduce::CallStack,
                ReproduceChoice::Auto => Reproduce::Auto,
            },
            timeout,
        }
    }

    fn reproduced(self, reproduce: ReproduceChoice) -> Self {
        Self { reproduce, ..self }
    }

    fn with_instrument(self, instrument: InstrumentChoice) -> Self {
        Self { instrument, ..self }
    }
}

/// Asks, prints the answer and gives the exit status.
///
/// # Errors
/// If something that was typed or named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &AskArguments) -> Result<ExitCode, Failure> {
    let recording = match &arguments.recording {
        Some(path) => Some(recording(path, arguments.live)?),
        None => None,
    };
    let (recording, _files) = recording.unzip();
    let question = Question::read(&arguments.at, &arguments.queries, &arguments.watches)?
        .with_recording(recording)
        .with_instrument(arguments.instrument)
        .reproduced(arguments.reproduce);
    let page = Page::open(&arguments.page, &arguments.browser.connect).await?;
    if let Some(name) = &arguments.pause {
        pause::check(name, &question)?;
        let show = |answer: &Answer| show(arguments, &page, answer);
        return pause::ask_and_pause(&page, question, name, &arguments.browser, show).await;
    }
    let Some(runs) = arguments.runs else {
        let answer = ask_once(arguments, &page, question).await?;
        show(arguments, &page, &answer)?;
        return Ok(ExitCode::from(answer.exit_status()));
    };
    let Repeated {
        answer,
        is_interrupted,
    } = find_answers(&page, question, &arguments.browser, runs).await?;
    show(arguments, &page, &answer)?;
    Ok(ExitCode::from(match is_interrupted {
        true => INTERRUPTED,
        false => answer.exit_status(),
    }))
}

/// The answer: the one that was kept when the same was asked before, or a new one.
async fn ask_once(
    arguments: &AskArguments,
    page: &Page,
    question: Question,
) -> Result<Answer, Failure> {
    let start = Instant::now();
    let place = keeping::place(arguments, page, question.recording.as_ref());
    let kept = unless_interrupted(place).await?;
    if let Some(kept) = kept.as_ref().filter(|_| !arguments.fresh)
        && let Some(mut answer) = keeping::kept_answer(kept, page)
    {
        answer.timing_ms = Timing {
            total: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            ..Timing::default()
        };
        return Ok(answer);
    }
    let (answer, reach) = find_answer(page, question, &arguments.browser).await?;
    if let Some(kept) = &kept {
        keeping::keep(kept, page, &answer, &reach);
    }
    Ok(answer)
}

/// Prints the answer, and writes it to the file that was named.
fn show(arguments: &AskArguments, page: &Page, answer: &Answer) -> Result<(), Failure> {
    let source = |url: &str, line| page.source_line(&page.as_now(&answer.page, url), line);
    let format = match arguments.json {
        true => FormatChoice::Json,
        false => arguments.format,
    };
    if format == FormatChoice::Html {
        let html = render::html(answer, &source);
        match &arguments.out {
            Some(path) => write_file(path, &html)?,
            None => output::print_script(&html)?,
        }
        return Ok(());
    }
    let json = output::json(answer);
    if let Some(path) = &arguments.out {
        write_file(path, &json)?;
    }
    if format == FormatChoice::Json {
        output::print(&json)?;
        // The answer says it too, but to a program.
        if let Some(point) = answer.points.first()
            && point.status == Status::NotReached
        {
            let why = point.note.as_deref().unwrap_or("it was never passed");
            anstream::eprintln!("the reproduction point was not reached: {why}");
        }
    } else {
        output::print(&render::answer(answer, &source))?;
    }
    Ok(())
}
