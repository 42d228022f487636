//! Which steps of a recording are needed to reach a point with the same values: it is replayed with fewer and fewer.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cdp_driver::native::{Browser, TokioClock};
use engine::ask::{AskRequest, ask};
use querypoint::answer::{Answer, Location, PointAnswer, Status, Value};
use recording::{Minimizer, Recording, StepKind};

use crate::browser::{BrowserOptions, in_browser, purpose};
use crate::cancelling::Cancellation;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::Reporter;
use crate::question::Question;
use crate::recording_file::{completed, copy_responses, recording_as_written, save};

/// A trial may take so many times as long as the replay of all steps…
const PATIENCE: u32 = 3;
/// …and this, for the replay of all steps may have been a fast one.
const MORE_PATIENCE: Duration = Duration::from_secs(3);

/// Which recording is minimized, and what the steps that remain must lead to.
#[derive(Clone, Copy, Debug)]
pub struct MinimizeRequest<'r> {
    /// The file of the recording.
    pub recording: &'r Path,
    /// The page to replay on instead of the one that it was recorded on.
    pub page: Option<&'r str>,
    /// The reproduction point that must be reached.
    pub at: &'r str,
    /// Expressions that must have the same values there.
    pub watches: &'r [String],
    /// The file that the shorter recording is written to.
    pub out: &'r Path,
}

/// What is left of a recording.
#[derive(Clone, Debug)]
pub struct Minimized {
    /// The recording with the steps that are needed. It is in the file, too.
    pub recording: Recording,
    /// How many replays with fewer steps it took.
    pub trials: u32,
    /// How long all of it took.
    pub time: Duration,
    /// Whether these steps reached the point with the same values once more.
    pub is_reproducible: bool,
}

/// Minimizes a recording, in a browser that is gone when this returns. After each success the file has the shortest
/// recording so far, so that it has one if this is cancelled.
///
/// # Errors
/// If something that was typed or named is wrong, if the point is not reached with all steps, if the browser is lost,
/// or if it is cancelled.
pub async fn minimize(
    request: &MinimizeRequest<'_>,
    browser: &BrowserOptions,
    cancellation: &Cancellation,
    reporter: &mut dyn Reporter,
) -> Result<Minimized, Failure> {
    let written = recording_as_written(request.recording)?;
    let (filled, _files) = completed(&written, request.recording)?;
    let question = Question::read::<String>(request.at, &[], request.watches)?;
    let page = Page::open(address(request, &written)?, &browser.connect).await?;
    let purpose = purpose(browser, Some(&filled));
    let mut search = Search {
        responses_beside: filled.responses.is_some().then_some(request.recording),
        out: request.out,
        request: question.into_request(page.url().to_string(), browser.timeout),
        written: written.clone(),
        filled,
        reporter,
        trials: 0,
    };
    search.reporter.stage("starting the browser");
    let start = Instant::now();
    let searching = async |browser: &Browser| search.run(browser).await;
    let (recording, is_reproducible) =
        in_browser(browser, purpose, cancellation, searching).await?;
    Ok(Minimized {
        recording,
        trials: search.trials,
        time: start.elapsed(),
        is_reproducible,
    })
}

/// Where the page is: as given, or where the recording goes first.
fn address<'a>(
    request: &MinimizeRequest<'a>,
    recording: &'a Recording,
) -> Result<&'a str, Failure> {
    let navigation = recording.steps.iter().find_map(|step| match &step.kind {
        StepKind::Navigate { url } => Some(url.as_str()),
        _ => None,
    });
    request.page.or(navigation).ok_or_else(|| {
        let file = request.recording.display();
        Failure::NotPossible(format!(
            "{file} does not say on which page it is; name one with --page PAGE"
        ))
    })
}

/// What is there at the reproduction point.
#[derive(PartialEq)]
struct Reached {
    location: Option<Location>,
    values: Vec<Value>,
}

impl Reached {
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
    reporter: &'a mut dyn Reporter,
    trials: u32,
}

impl Search<'_> {
    /// What is left, and whether it reached the point once more when nothing more could be dropped.
    async fn run(&mut self, browser: &Browser) -> Result<(Recording, bool), Failure> {
        self.reporter.stage("replaying all steps");
        let optional = self.filled.steps_after_opening();
        let started = Instant::now();
        let answer = self.ask(browser, self.filled.clone()).await?;
        let wanted = Reached::of(&answer).ok_or_else(|| not_reached(answer.points.first()))?;
        let limit = started.elapsed() * PATIENCE + MORE_PATIENCE;
        self.request.timeout = limit.min(self.request.timeout);

        let mut minimizer = Minimizer::new(optional.clone());
        while let Some(trial) = minimizer.next_trial() {
            let recording = self.filled.with_steps(&optional, trial);
            self.show(optional.len(), minimizer.needed().len());
            let is_enough = self.reaches(browser, recording, &wanted).await?;
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
        self.reporter.stage("replaying once more what is left");
        let recording = self.filled.with_steps(&optional, needed);
        let is_reproducible = self.reaches(browser, recording, &wanted).await?;
        Ok((left, is_reproducible))
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
        self.reporter
            .part(&format!("{left} of {of} step{plural} left"), of - left, of);
    }

    /// Whether these steps lead to the same. A step that cannot be done leads nowhere.
    async fn reaches(
        &self,
        browser: &Browser,
        recording: Recording,
        wanted: &Reached,
    ) -> Result<bool, Failure> {
        match self.ask(browser, recording).await {
            Ok(answer) => Ok(Reached::of(&answer).as_ref() == Some(wanted)),
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
