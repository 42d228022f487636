//! A diagnosis that is kept in a folder: begun there, and gone on with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnosis::{Interview, Known, LogTree, Said, Strategy, UsesOf, carried};
use engine::logging::LoggedSource;
use event_log::model::Model;
use querypoint::diagnosis::AnsweredBy;
use url::Url;

use super::{DiagnoseRequest, Execution};
use crate::diagnosis::functions::is_function_file;
use crate::diagnosis::session::{KeptDiagnosis, KeptExecution, SESSION_SCHEMA, SessionFolder};
use crate::diagnosis::uses_of;
use crate::failure::Failure;
use crate::recording_file::recording_digest;

/// What is asked: what was typed, and what is kept where nothing was.
pub(super) struct AskedDiagnosis {
    pub(super) page: String,
    pub(super) recording: Option<PathBuf>,
    /// What tells the recording from others, where it is replayed.
    pub(super) recording_digest: Option<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) strategy: Strategy,
    pub(super) trust: Vec<String>,
    /// Whether chains of recursive calls are asked about as one.
    pub(super) compress: bool,
    /// Whether each iteration of a loop is asked about.
    pub(super) expand_loops: bool,
    /// What the page's clock says when it is opened.
    pub(super) started_ms: f64,
}

/// A session in a folder.
pub(super) struct KeptSession {
    folder: SessionFolder,
    kept: KeptDiagnosis,
    /// What tells the recording that is replayed from others.
    recording_digest: Option<String>,
    /// Whether the last execution is another one than before, so that answers are carried on to it.
    is_new: bool,
    /// What is kept already.
    written: Option<KeptDiagnosis>,
}

/// What is asked, and the session that it is kept in, if one was named.
///
/// # Errors
/// If what is kept cannot be used, or there is none and no page was named.
pub(super) fn asked(
    request: &DiagnoseRequest<'_>,
    now_ms: f64,
) -> Result<(Option<KeptSession>, AskedDiagnosis), Failure> {
    let opened = match request.session {
        Some(folder) => Some(SessionFolder::open(folder, request.page.is_some())?),
        None => None,
    };
    let before = opened.as_ref().and_then(|(_, kept)| kept.as_ref());
    let or_kept = |typed: Option<&str>, kept: fn(&KeptDiagnosis) -> &Option<String>| {
        typed.map(str::to_owned).or_else(|| kept(before?).clone())
    };
    let mut trust = before.map_or_else(Vec::new, |it| it.trust.clone());
    let more = request.trust.iter().filter(|it| !trust.contains(it));
    let more: Vec<String> = more.cloned().collect();
    trust.extend(more);
    let strategy = request.strategy.or_else(|| before?.strategy.parse().ok());
    let typed = request.page.map(from_the_root);
    let Some(page) = typed.or_else(|| Some(before?.page.clone())) else {
        return Err(Failure::NotPossible("name a page".to_owned()));
    };
    let recording = match request.recording {
        Some(path) => Some(absolute(path)),
        None => before.and_then(|it| it.recording.clone()),
    };
    // Without a page nothing is replayed, but for a good version.
    let is_replayed = request.page.is_some()
        || request.simulate.is_some()
        || request.oracles.iter().any(|it| !is_function_file(it));
    let recording_digest = match recording.as_deref().filter(|_| is_replayed) {
        Some(path) if request.recording.is_none() && !path.is_file() => {
            let path = path.display();
            let why = format!("its recording {path} is gone; name one with --recording");
            return Err(Failure::NotPossible(format!("the session: {why}")));
        }
        Some(path) => Some(recording_digest(path)?),
        None => None,
    };
    let asked = AskedDiagnosis {
        page,
        recording,
        recording_digest,
        from: or_kept(request.from, |it| &it.from),
        to: or_kept(request.to, |it| &it.to),
        strategy: strategy.unwrap_or(Strategy::Suspicion),
        trust,
        compress: request.compress || before.is_some_and(|it| it.compress),
        expand_loops: request.expand_loops || before.is_some_and(|it| it.expand_loops),
        started_ms: before.map_or(now_ms, |it| it.started_ms),
    };
    let session = opened.map(|(folder, kept)| KeptSession {
        folder,
        kept: KeptDiagnosis {
            schema: SESSION_SCHEMA.to_owned(),
            page: asked.page.clone(),
            recording: asked.recording.clone(),
            from: asked.from.clone(),
            to: asked.to.clone(),
            strategy: asked.strategy.word().to_owned(),
            trust: asked.trust.clone(),
            compress: asked.compress,
            expand_loops: asked.expand_loops,
            started_ms: asked.started_ms,
            executions: kept.map_or_else(Vec::new, |it| it.executions),
        },
        recording_digest: asked.recording_digest.clone(),
        is_new: false,
        written: None,
    });
    Ok((session, asked))
}

/// A page as it can be opened from any folder.
fn from_the_root(page: &str) -> String {
    match Url::parse(page) {
        Ok(url) if matches!(url.scheme(), "http" | "https" | "data" | "about" | "file") => {
            page.to_owned()
        }
        _ => absolute(Path::new(page)).to_string_lossy().into_owned(),
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl KeptSession {
    /// Takes an execution of the page as it is now. Where its code and the recording are as they were in one that is
    /// kept, that one is gone on with.
    ///
    /// # Errors
    /// If what is kept cannot be read, or the execution cannot be kept.
    pub(super) fn begin(&mut self, new: Execution, log: &[u8]) -> Result<Execution, Failure> {
        for index in (0..self.kept.executions.len()).rev() {
            let Some(former) = self.kept.executions.get(index) else {
                continue;
            };
            if self.is_of_recording(former)
                && code_of(&self.folder.scripts(former)?) == code_of(&new.sources)
            {
                let same = self.kept.executions.remove(index);
                self.kept.executions.push(same);
                let mut last = self.last()?;
                let note = "the code is as it was before: what was recorded then is gone on with";
                last.notes.push(note.to_owned());
                return Ok(last);
            }
        }
        let kept = self.folder.keep_execution(
            &new.address,
            log,
            &new.sources,
            self.recording_digest.as_deref(),
            &new.notes,
        )?;
        self.kept.executions.push(kept);
        self.is_new = true;
        Ok(new)
    }

    /// The execution that is kept.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn last(&self) -> Result<Execution, Failure> {
        let Some(last) = self.kept.executions.last() else {
            let why = "the session has no execution; name the page to run it".to_owned();
            return Err(Failure::NotPossible(why));
        };
        let (model, sources) = self.folder.execution(last)?;
        Ok(as_execution(last, model, sources))
    }

    /// Whether the recording is the one that was replayed for an execution, as far as that is known.
    fn is_of_recording(&self, execution: &KeptExecution) -> bool {
        execution.recording.is_none() || execution.recording == self.recording_digest
    }

    /// Whether a good version that replays the recording runs what was recorded.
    ///
    /// # Errors
    /// If the recording has changed since.
    pub(super) fn expect_same_recording(&self) -> Result<(), Failure> {
        let last = self.kept.executions.last();
        match last.is_none_or(|last| self.is_of_recording(last)) {
            true => Ok(()),
            false => Err(Failure::NotPossible(
                "the recording has changed since the session's page ran, so a good version would do something else; \
                 name the page to run it with the recording as it is"
                    .to_owned(),
            )),
        }
    }

    /// Says again what was said, as far as it holds; gives what is to be noted.
    ///
    /// # Errors
    /// If a former execution cannot be read.
    pub(super) fn restore(
        &self,
        log: &LogTree<'_>,
        uses: &UsesOf,
        interview: &mut Interview<'_>,
    ) -> Result<Vec<String>, Failure> {
        let Some((last, former)) = self.kept.executions.split_last() else {
            return Ok(Vec::new());
        };
        if !self.is_new {
            last.said.restore(log, interview);
            return Ok(Vec::new());
        }
        // What was said last counts. It is applied last, too: the search goes on where it was.
        let mut answered = BTreeSet::new();
        let mut holding = Vec::new();
        for execution in former.iter().rev() {
            let (model, sources) = self.folder.execution(execution)?;
            let its_uses = uses_of(&sources);
            let its_log = LogTree::new(&model, 0..u32::MAX);
            let answers = execution.said.judged(&its_log);
            let its = Known {
                log: &its_log,
                uses: &its_uses,
            };
            let found = carried(its, &answers, Known { log, uses });
            let mut own = Vec::new();
            for it in found {
                let call = answers.get(it.index).and_then(|it| its_log.call(it.node));
                let number = call.map_or(0, |it| it.enter);
                if answered.insert(it.judged.node) {
                    let why = format!("it was said of the call #{number} of a former execution");
                    own.push((it.judged, why));
                }
            }
            holding.push(own);
        }
        for (judged, why) in holding.into_iter().rev().flatten() {
            let said = Said {
                by: AnsweredBy::Same,
                why: Some(why),
                before: None,
            };
            interview.take(judged.node, judged.answer, said);
        }
        let mut notes = Vec::new();
        if !former.is_empty() {
            let what = match former.iter().any(|it| self.is_of_recording(it)) {
                true => "the code of the page has changed",
                false => "the recording is another than before",
            };
            notes.push(format!(
                "{what}: {} of the answers hold; of the others the function, what it was given or what it did is \
                 another",
                answered.len()
            ));
        }
        Ok(notes)
    }

    /// Keeps what was said so far.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn keep(
        &mut self,
        log: &LogTree<'_>,
        interview: &Interview<'_>,
    ) -> Result<(), Failure> {
        if let Some(last) = self.kept.executions.last_mut() {
            last.said.take(log, interview);
        }
        if self.written.as_ref() != Some(&self.kept) {
            self.folder.keep(&mut self.kept)?;
            self.written = Some(self.kept.clone());
        }
        Ok(())
    }
}

fn as_execution(of: &KeptExecution, model: Model, sources: Vec<LoggedSource>) -> Execution {
    Execution {
        address: of.address.clone(),
        model,
        sources,
        notes: of.notes.clone(),
    }
}

/// The texts of scripts with the paths of their addresses: the port of a page that we serve is another each time.
fn code_of(sources: &[LoggedSource]) -> BTreeSet<(String, &str)> {
    let path = |address: &str| match Url::parse(address) {
        Ok(url) => url.path().to_owned(),
        Err(_) => address.to_owned(),
    };
    let sources = sources.iter();
    sources
        .map(|it| (path(&it.url), it.text.as_str()))
        .collect()
}
