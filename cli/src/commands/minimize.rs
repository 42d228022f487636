//! `querypoint minimize`: which steps of a recording are needed to come to a point with the same values.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskRequest, ask};
use querypoint::answer::{Answer, Location, PointAnswer, Status, Value};
use recording::{Minimizer, Recording, StepKind};

use super::output;
use crate::arguments::MinimizeArguments;
use crate::exit::NO_ANSWER;
use crate::progress::ProgressReport;
use crate::render;
use app::browser::{open_browser, purpose};
use app::failure::Failure;
use app::page::Page;
use app::progress::Reporter;
use app::question::Question;
use app::recording_file::{completed, copy_responses, recording_as_written, save};

/// A trial may take so many times as long as the replay of all steps…
const PATIENCE: u32 = 3;
/// …and this, for the replay of all steps may have been a fast one.
const MORE_PATIENCE: Duration = Duration::from_secs(3);

/// Minimizes, says what is left and gives the exit status.
///
/// # Errors
/// If something that was typed or named is wrong, if the point is not reached with all steps, if the browser is lost,
/// or on Ctrl-C.
pub(crate) async fn run(arguments: &MinimizeArguments) -> Result<ExitCode, Failure> {
    let written = recording_as_written(&arguments.recording)?;
    let (filled, _files) = completed(&written, &arguments.recording)?;
    let question = Question::read::<String>(&arguments.at, &[], &arguments.watches)?;
    let address = address(arguments, &written)?;
    let browser = arguments.browser.options();
    let page = Page::open(&address, &browser.connect).await?;
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let purpose = purpose(&browser, Some(&filled));
    let mut search = Search {
        responses_beside: filled.responses.is_some().then_some(&*arguments.recording),
        written,
        filled,
        request,
        out: &arguments.out,
        report: ProgressReport::new(),
        trials: 0,
    };
    search.report.stage("starting the browser");
    let start = Instant::now();
    let outcome = open_browser(&browser, purpose)
        .await?
        .run_until_interrupted(async |browser| search.run(browser).await)
        .await;
    let Search { report, trials, .. } = search;
    drop(report);
    let (left, is_sure) = outcome.ok_or(Failure::Interrupted)??;
    let source = &arguments.recording;
    output::print(&described(&left, arguments, trials, start.elapsed()))?;
    if !is_sure {
        anstream::eprintln!(
            "with these steps the page does not come there each time: something else in it varies; \
             `querypoint replay {} --runs 20` shows how often",
            source.display()
        );
        return Ok(ExitCode::from(NO_ANSWER));
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the page is: as given, or where the recording goes first.
fn address(arguments: &MinimizeArguments, recording: &Recording) -> Result<String, Failure> {
    let navigation = recording.steps.iter().find_map(|step| match &step.kind {
        StepKind::Navigate { url } => Some(url.clone()),
        _ => None,
    });
    arguments.page.clone().or(navigation).ok_or_else(|| {
        let file = arguments.recording.display();
        Failure::NotPossible(format!(
            "{file} does not say on which page it is; name one with --page PAGE"
        ))
    })
}

/// What is there at the reproduction point.
#[derive(PartialEq)]
struct There {
    location: Option<Location>,
    values: Vec<Value>,
}

impl There {
    /// `None`: the point was not reached.
    fn of(answer: &Answer) -> Option<Self> {
        let point = answer.points.first()?;
        if point.status == Status::NotReached {
            return None;
        }
        let watches = point.watches.iter();
        Some(Self {
            location: point.location.clone(),
            values: watches.map(|watch| watch.value.clone()).collect(),
        })
    }
}

struct Search<'a> {
    /// What is shortened.
    written: Recording,
    /// The same with its secrets, which is replayed.
    filled: Recording,
    /// The recording whose responses are still to be put beside what is written.
    responses_beside: Option<&'a Path>,
    request: AskRequest,
    out: &'a Path,
    report: ProgressReport,
    trials: u32,
}

impl Search<'_> {
    /// What is left, and whether it came to the point once more when nothing more could be dropped.
    async fn run(&mut self, browser: &Browser) -> Result<(Recording, bool), Failure> {
        self.report.stage("replaying all steps");
        let optional = self.filled.steps_after_opening();
        let started = Instant::now();
        let answer = self.ask(browser, self.filled.clone()).await?;
        let wanted = There::of(&answer).ok_or_else(|| not_reached(answer.points.first()))?;
        let limit = started.elapsed() * PATIENCE + MORE_PATIENCE;
        self.request.timeout = limit.min(self.request.timeout);

        let mut minimizer = Minimizer::new(optional.clone());
        while let Some(trial) = minimizer.next_trial() {
            let recording = self.filled.with_steps(&optional, trial);
            self.show(optional.len(), minimizer.needed().len());
            let is_enough = self.comes_to(browser, recording, &wanted).await?;
            minimizer.tell(is_enough);
            if is_enough {
                let left = self.written.with_steps(&optional, minimizer.needed());
                self.save(&left)?;
            }
        }
        let needed = minimizer.needed();
        let left = self.written.with_steps(&optional, needed);
        // Also where nothing could be dropped.
        self.save(&left)?;
        self.report.stage("replaying once more what is left");
        let recording = self.filled.with_steps(&optional, needed);
        let is_sure = self.comes_to(browser, recording, &wanted).await?;
        Ok((left, is_sure))
    }

    /// Writes what is left so far; its responses come first, for without them it cannot be replayed.
    fn save(&mut self, left: &Recording) -> Result<(), Failure> {
        if let Some(of) = self.responses_beside.take() {
            copy_responses(of, self.out)?;
        }
        save(left, self.out)
    }

    /// Says how far it is.
    fn show(&mut self, of: usize, left: usize) {
        self.trials += 1;
        let plural = if of == 1 { "" } else { "s" };
        self.report
            .part(&format!("{left} of {of} step{plural} left"), of - left, of);
    }

    /// Whether these steps lead to the same. A step that cannot be done leads nowhere.
    async fn comes_to(
        &self,
        browser: &Browser,
        recording: Recording,
        wanted: &There,
    ) -> Result<bool, Failure> {
        match self.ask(browser, recording).await {
            Ok(answer) => Ok(There::of(&answer).as_ref() == Some(wanted)),
            Err(failure) => match failure.is_loss_of_browser() {
                true => Err(failure),
                false => Ok(false),
            },
        }
    }

    async fn ask(&self, browser: &Browser, recording: Recording) -> Result<Answer, Failure> {
        let request = AskRequest {
            recording: Some(recording),
            ..self.request.clone()
        };
        let clock = Arc::new(TokioClock::new());
        Ok(ask(browser.protocol(), clock, &request, &mut |_| ()).await?)
    }
}

fn not_reached(point: Option<&PointAnswer>) -> Failure {
    let note = point.and_then(|point| point.note.as_deref());
    Failure::NotReached(note.unwrap_or("it was never reached").to_owned())
}

/// What is left, in words.
fn described(
    left: &Recording,
    arguments: &MinimizeArguments,
    trials: u32,
    time: Duration,
) -> String {
    let all = left.steps.len();
    let plural = if all == 1 { "" } else { "s" };
    let mut text = format!(
        "{all} step{plural} lead to {} ({trials} trials, {:.1} s)\n",
        arguments.at,
        time.as_secs_f64()
    );
    for (index, step) in left.steps.iter().enumerate() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "  {:>3}  {}",
            index + 1,
            render::printable(&step.describe())
        );
    }
    let _ = writeln!(text, "in {}", arguments.out.display());
    text
}
