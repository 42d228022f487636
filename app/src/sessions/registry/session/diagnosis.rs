//! Declarative debugging over a log of the session: what is asked next, and what was said of calls, which is kept with
//! the log.

use std::sync::Arc;

use diagnosis::{CallView, Interview, LogTree, NodeId, Step, Strategy, UsesOf, call_view};
use engine::logging::{LoggedSource, read_sources};
use event_log::catalogue::missing;
use event_log::model::NONE;
use parking_lot::Mutex;
use querypoint::diagnosis::AnsweredBy;
use querypoint::session::messages::{Refusal, RefusalCode};
use querypoint::session::methods::{Diagnose, Judge, ShowCall, TakeBack};
use querypoint::session::results::{CallShown, Diagnosed};

use super::LiveSession;
use super::logs::{ReadLog, no_such_log};
use super::methods::{InSession, TypedReply};
use super::{Reply, failed};
use crate::diagnosis::session::{KeptAnswers, as_answer};
use crate::diagnosis::{interview_about, uses_of};
use crate::sessions::store::KeptLog;

/// The answers of the log that is asked about, changed by one request after the other.
#[derive(Clone, Default)]
pub(super) struct Answering(Arc<Mutex<()>>);

/// The scripts of a log; a log without them can be asked about all the same.
fn scripts_of(session: &LiveSession, log: &KeptLog) -> Vec<LoggedSource> {
    let text = session.registry.store.log_scripts(log);
    let read = text.and_then(|text| read_sources(&text).ok());
    read.unwrap_or_default()
}

impl LiveSession {
    /// Goes on with the diagnosis of a log: restores what was said, has `change` say more, keeps it, and gives what is
    /// asked next.
    fn diagnosed(
        self: &Arc<Self>,
        number: u32,
        change: impl FnOnce(&LogTree<'_>, &mut Interview<'_>) -> Result<(), Refusal> + Send + 'static,
        strategy: Option<String>,
    ) -> Reply<Result<Diagnosed, Refusal>> {
        let session = self.clone();
        self.with_log(number, move |log| {
            // Two answers at once would each drop the other.
            let _one_after_the_other = session.answering.0.lock();
            let kept = session.registry.store.log(&session.name, number);
            let kept = kept.ok_or_else(no_such_log)?;
            session.go_on(log, &kept, change, strategy)
        })
    }

    fn go_on(
        &self,
        log: &ReadLog,
        kept: &KeptLog,
        change: impl FnOnce(&LogTree<'_>, &mut Interview<'_>) -> Result<(), Refusal>,
        strategy: Option<String>,
    ) -> Result<Diagnosed, Refusal> {
        let store = &self.registry.store;
        let before = store.answers(kept).map_err(|error| failed(&error))?;
        let before = before.unwrap_or_default();
        let word = strategy.or_else(|| before.chosen_by.clone());
        let strategy = match &word {
            Some(word) => word.parse().map_err(|error: diagnosis::UnknownStrategy| {
                Refusal::new(RefusalCode::NotUnderstood, error)
            })?,
            None => Strategy::default(),
        };
        let tree = LogTree::new(&log.model, 0..NONE);
        let scripts = scripts_of(self, kept);
        let uses = uses_of(&scripts);
        let mut interview = interview_about(&tree, &scripts, strategy, &[]);
        before.restore(&tree, &mut interview);
        change(&tree, &mut interview)?;
        let question = answered_by_itself(&mut interview, &uses);
        let mut said = KeptAnswers {
            chosen_by: word,
            ..KeptAnswers::default()
        };
        said.take(&tree, &interview);
        if said != before {
            store
                .keep_answers(kept, &said)
                .map_err(|error| failed(&error))?;
        }
        Ok(Diagnosed {
            strategy: strategy.word().to_owned(),
            question: question.and_then(|node| interview.view(node)).map(Box::new),
            suspicious: interview.remaining(),
            diagnosis: Box::new(interview.diagnosis(missing(&log.model))),
        })
    }
}

/// Takes the answers that nobody has to give; gives the call that is to be asked about.
fn answered_by_itself(interview: &mut Interview<'_>, uses: &UsesOf) -> Option<NodeId> {
    while let Step::Ask(node) = interview.next() {
        if !interview.take_checked(node) && !interview.take_said_before(node, uses) {
            return Some(node);
        }
    }
    None
}

/// The node of the call that begins with an event.
fn node(log: &LogTree<'_>, call: u64) -> Result<NodeId, Refusal> {
    log.node_at(call).ok_or_else(|| {
        let why = format!("no call begins with the event #{call}; choose a row of the call tree");
        Refusal::new(RefusalCode::NotUnderstood, why)
    })
}

/// What is shown of the call that an event is in.
fn shown(log: &LogTree<'_>, event: u64) -> Option<CallView> {
    if let Some(node) = log.node_at(event) {
        return call_view(log, node);
    }
    let of = log.model().events.get(usize::try_from(event).ok()?)?;
    call_view(log, log.node(of.call)?)
}

impl InSession for Diagnose {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.diagnosed(self.log, |_, _| Ok(()), self.strategy)
    }
}

impl InSession for Judge {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let change = move |log: &LogTree<'_>, interview: &mut Interview<'_>| {
            let node = node(log, self.call)?;
            // What is said last counts, with what follows from it.
            interview.take_back(node);
            interview.answer(node, as_answer(self.answer), AnsweredBy::Person, None);
            Ok(())
        };
        session.diagnosed(self.log, change, None)
    }
}

impl InSession for TakeBack {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let change = move |log: &LogTree<'_>, interview: &mut Interview<'_>| {
            let is_gone = match self.call {
                Some(call) => interview.take_back(node(log, call)?),
                None => interview.undo().is_some(),
            };
            match is_gone {
                true => Ok(()),
                false => Err(Refusal::new(
                    RefusalCode::NotNow,
                    "nothing was said that can be taken back",
                )),
            }
        };
        session.diagnosed(self.log, change, None)
    }
}

impl InSession for ShowCall {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.with_log(self.log, move |log| {
            let tree = LogTree::new(&log.model, 0..NONE);
            let view = shown(&tree, self.call);
            view.map(|call| CallShown {
                call: Box::new(call),
            })
            .ok_or_else(|| {
                let why = "this event is in no call; choose one that is";
                Refusal::new(RefusalCode::Failed, why)
            })
        })
    }
}
