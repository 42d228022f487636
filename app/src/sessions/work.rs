//! What is done with a page for a session: recorded, replayed, asked, brought to a point.

mod log;
mod recordings;

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cdp_driver::native::{Browser, TokioClock};
use cdp_driver::protocol::Protocol;
use engine::ask::{AskError, AskRequest, Asked, Progress, ask_and_keep, ask_line};
use engine::inspected::{ExpandError, Expansion, FrameState, Inside, expand, frame_state};
use engine::pausing::{HeldFor, Hold, PauseError, PausedPage};
use querypoint::answer::Answer;
use querypoint::execution_line::ExecutionLine;
use querypoint::session::Session;
use querypoint::session::differences::is_same_moment;
use querypoint::session::excerpt::short_name;
use querypoint::session::messages::News;
use recording::{Har, Live, Recording};

use super::browsers::Browsers;
use super::store::SourceTexts;
use crate::chosen_files::ChosenFiles;
use crate::failure::Failure;
use crate::page::Page;
use crate::question::{Question, Turning};
use crate::recording_file::{completed, recording};

/// How long a server may take to send its code.
const RENEWING_LIMIT: Duration = Duration::from_secs(15);

/// How news gets to the panels.
pub(super) type Tell<'t> = &'t mut (dyn FnMut(News) + Send);

/// An answer, and the way back to its points, with the files that the recording chooses there.
pub(super) struct Answered {
    pub(super) asked: Asked,
    _files: Option<ChosenFiles>,
}

/// Where the last one is kept, in memory only; empty: the session was asked before the back end was started, or is
/// another one since.
pub(super) type LastAnswered = Arc<Mutex<Option<Arc<Answered>>>>;

/// Reads something where a page is paused.
type Reading<'r, T> = Pin<Box<dyn Future<Output = Result<T, ExpandError>> + Send + 'r>>;

/// What work is about.
pub(super) struct Job {
    /// The session, as it is to be.
    pub(super) session: Session,
    /// Its page.
    pub(super) page: Arc<Page>,
    /// The file of its recording.
    pub(super) recording: Option<PathBuf>,
    /// Its responses, where they are others than those in the file.
    pub(super) responses: Option<Arc<Har>>,
    /// The recording itself, where it is another one than in its file.
    pub(super) edited: Option<Recording>,
    /// How it was answered last.
    pub(super) answered: LastAnswered,
    /// Where it is done.
    pub(super) browsers: Arc<Browsers>,
}

impl Job {
    /// Runs the page for the session's queries. With the answer come the texts of the files that it is about.
    ///
    /// # Errors
    /// If what was typed is wrong, or the page or the browser is lost.
    pub(super) async fn ask(&self, tell: Tell<'_>) -> Result<(Answered, SourceTexts), Failure> {
        begins(tell, "starting the browser");
        let browser = self.browser().await?;
        let answered = self.ask_in(&browser, &mut |it| tell(told(it))).await?;
        self.browsers.give_back(browser).await;
        let asked = &answered.asked;
        let urls = addresses(&asked.answer).into_iter();
        let texts = urls.filter_map(|url| asked.source(&url).map(|text| (url, text)));
        let texts = texts.collect();
        Ok((answered, texts))
    }

    /// Runs the page once more and leaves it paused at the point `name`, in a browser that a person sees, until its
    /// tab is closed.
    ///
    /// # Errors
    /// If the page does not come there again, or the page or the browser is lost.
    pub(super) async fn pause_at(&self, name: &str, tell: Tell<'_>) -> Result<(), Failure> {
        begins(tell, "starting the browser");
        let browser = self.browsers.for_a_person().await?;
        let tell = Mutex::new(tell);
        let say = |news: News| tell.lock()(news);
        let hold: Hold<'_> = Arc::new(|paused: PausedPage| {
            say(begun(&paused_text(name, &paused)));
            Box::pin(std::future::pending())
        });
        self.reach(name, &browser, HeldFor::Person, hold, &mut |it| {
            say(told(it))
        })
        .await?;
        browser.close().await;
        Ok(())
    }

    /// Runs the page once more, up to the point `name`, and reads what an object has inside there; and says how the
    /// page was another one than in the answer.
    ///
    /// # Errors
    /// If the page does not come there again, the expression cannot be evaluated, or the page or the browser is lost.
    pub(super) async fn expand(
        &self,
        name: &str,
        inside: &Inside,
        tell: Tell<'_>,
    ) -> Result<(Expansion, Vec<String>), Failure> {
        self.read_at(name, tell, move |protocol, paused_page| {
            Box::pin(async move { expand(protocol.as_ref(), &paused_page, inside).await })
        })
        .await
    }

    /// The same for what a frame sees there.
    ///
    /// # Errors
    /// If the page does not come there again, has no such frame, or the page or the browser is lost.
    pub(super) async fn frame(
        &self,
        name: &str,
        frame: usize,
        tell: Tell<'_>,
    ) -> Result<(FrameState, Vec<String>), Failure> {
        self.read_at(name, tell, move |protocol, paused_page| {
            Box::pin(async move { frame_state(protocol.as_ref(), &paused_page, frame).await })
        })
        .await
    }

    /// What is read at the point `name`, and how the page was another one there than in the answer.
    async fn read_at<'r, T: Send>(
        &self,
        name: &str,
        tell: Tell<'_>,
        read: impl Fn(Arc<dyn Protocol>, PausedPage) -> Reading<'r, T> + Send + Sync + 'r,
    ) -> Result<(T, Vec<String>), Failure> {
        begins(tell, "starting the browser");
        let browser = self.browser().await?;
        let found = Mutex::new(None);
        let hold: Hold<'_> = Arc::new(|paused_page: PausedPage| {
            let differences = paused_page.differences.clone();
            let (reading, found) = (read(browser.protocol(), paused_page), &found);
            Box::pin(async move {
                let read = reading.await;
                *found.lock() = Some((read, differences));
            })
        });
        self.reach(name, &browser, HeldFor::Program, hold, &mut |it| {
            tell(told(it))
        })
        .await?;
        self.browsers.give_back(browser).await;
        let found = found.into_inner();
        let (read, notes) = found.ok_or_else(|| wrong(ExpandError::Elsewhere))?;
        Ok((read.map_err(wrong)?, notes))
    }

    /// Runs the page again up to the point `name` of the answer, for `hold`. Where the way there was not kept, or leads
    /// there no more, the session's queries are asked anew.
    async fn reach(
        &self,
        name: &str,
        browser: &Browser,
        held_for: HeldFor,
        hold: Hold<'_>,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(), Failure> {
        let mut kept = self.last_answered().clone();
        loop {
            let was_kept = kept.is_some();
            let answered = match kept.take() {
                Some(answered) => answered,
                None => Arc::new(self.ask_in(browser, progress).await?),
            };
            *self.last_answered() = Some(answered.clone());
            let asked = &answered.asked;
            // It may have found another moment than the one that the session shows.
            let another = self.another(name, &asked.answer);
            let hold: Hold<'_> = Arc::new(|mut paused: PausedPage| {
                paused.differences.splice(0..0, another.clone());
                hold(paused)
            });
            let coming = asked.pause_at(browser.protocol(), name, held_for, hold, progress);
            match coming.await {
                Err(AskError::Pause(PauseError::NotMet { .. } | PauseError::Varies { .. }))
                    if was_kept => {}
                come => return Ok(come?),
            }
        }
    }

    fn last_answered(&self) -> MutexGuard<'_, Option<Arc<Answered>>> {
        self.answered.lock()
    }

    /// Asks the session's queries.
    async fn ask_in(
        &self,
        browser: &Browser,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answered, Failure> {
        let (mut request, files) = self.request()?;
        request.takes_pictures = true;
        let clock = Arc::new(TokioClock::new());
        let asked = ask_and_keep(browser.protocol(), clock, &request, progress).await?;
        Ok(Answered {
            asked,
            _files: files,
        })
    }

    /// Asks once more, and logs what the query of the point `name` looks through; says if the page reached another
    /// moment than in the answer.
    ///
    /// # Errors
    /// If what the query looks through cannot be logged, or the page or the browser is lost.
    pub(super) async fn execution_line(
        &self,
        name: &str,
        tell: Tell<'_>,
    ) -> Result<(ExecutionLine, Vec<String>), Failure> {
        let (request, _files) = self.request()?;
        begins(tell, "starting the browser");
        let browser = self.browsers.take(request.recording.as_ref()).await?;
        let clock = Arc::new(TokioClock::new());
        let mut progress = |progress: Progress| tell(told(progress));
        let asked = ask_line(browser.protocol(), clock, &request, name, &mut progress);
        let (answer, line) = asked.await?;
        self.browsers.give_back(browser).await;
        Ok((line, self.another(name, &answer).into_iter().collect()))
    }

    /// That the page, which was asked once more, reached another moment than the one that the session shows.
    fn another(&self, name: &str, now: &Answer) -> Option<String> {
        let called = |answer: &Answer| answer.points.iter().find(|it| it.name == name).cloned();
        let shown = self.session.answer.as_ref().and_then(called)?;
        let is_same = called(now).is_some_and(|now| is_same_moment(&shown, &now));
        (!is_same).then(|| {
            format!(
                "the page varies: {name} is another moment now than the one that is shown; \
                 ask again"
            )
        })
    }

    /// What the session asks, of its page, with the files that its recording chooses.
    fn request(&self) -> Result<(AskRequest, Option<ChosenFiles>), Failure> {
        let session = &self.session;
        let at = session.point().map_err(wrong)?.to_string();
        let question = Question::read(&at, &session.queries, &session.evaluated())?;
        let (recording, files) = self.recording()?.unzip();
        let question = question.with_recording(recording);
        let question = question.turning_round(Turning::default(), &self.page);
        let page = self.page.url().to_string();
        Ok((question.into_request(page, self.browsers.limit()), files))
    }

    /// A browser for the session's page and recording.
    async fn browser(&self) -> Result<Browser, Failure> {
        let (recording, _files) = self.recording()?.unzip();
        self.browsers.take(recording.as_ref()).await
    }

    fn recording(&self) -> Result<Option<(Recording, ChosenFiles)>, Failure> {
        let Some(path) = self.recording.as_deref() else {
            return Ok(None);
        };
        let (mut recording, files) = match &self.edited {
            Some(edited) => completed(edited, path)?,
            None => recording(path, Live::default())?,
        };
        if self.responses.is_some() {
            recording.responses.clone_from(&self.responses);
        }
        Ok(Some((recording, files)))
    }
}

/// The addresses of all files that an answer is about.
fn addresses(answer: &Answer) -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    for point in &answer.points {
        let frames = point.stack.iter().map(|frame| &frame.location);
        let hops = point.hops.iter().map(|hop| &hop.location);
        let end = point.end.iter().filter_map(|end| end.location.as_ref());
        let decisions = point.candidates.iter().flat_map(|candidate| {
            let operation = candidate.operation.iter().map(|it| &it.location);
            operation.chain([&candidate.location])
        });
        let all = point.location.iter().chain(frames).chain(hops);
        urls.extend(all.chain(end).chain(decisions).map(|it| it.url.clone()));
    }
    urls
}

/// What the driver does, as news.
fn told(progress: Progress) -> News {
    match progress {
        Progress::Execution { number, purpose } => News::Progress {
            stage: format!("execution {number}: {purpose}"),
            done: None,
            of: None,
        },
        Progress::Step {
            step,
            steps,
            description,
        } => News::Progress {
            stage: description,
            done: Some(step),
            of: Some(steps),
        },
    }
}

/// Where the page is paused, in words.
fn paused_text(name: &str, paused: &PausedPage) -> String {
    let place = paused.location.as_ref().map_or_else(String::new, |at| {
        format!(" at {}:{}", short_name(&at.url), at.line)
    });
    let text = format!("the page is paused at {name}{place}; step on in its developer tools");
    match paused.differences.as_slice() {
        [] => text,
        differences => format!(
            "{text}. This is not quite the moment of the answer: {}",
            differences.join("; ")
        ),
    }
}

fn begins(tell: Tell<'_>, stage: &str) {
    tell(begun(stage));
}

/// That something is being done now, which has no parts to count.
fn begun(stage: &str) -> News {
    News::Progress {
        stage: stage.to_owned(),
        done: None,
        of: None,
    }
}

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::NotPossible(error.to_string())
}
