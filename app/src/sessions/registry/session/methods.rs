//! What a session does for each method that is about it, with the result that belongs to that method.

use std::sync::Arc;

use engine::inspected::Inside;
use engine::record::tab::TabRecording;
use querypoint::session::messages::{Refusal, RefusalCode, ResponseOutcome};
use querypoint::session::methods::{
    Again, Ask, At, Call, Cancel, CommandLine, Delete, DeleteTabRecording, EditStep, EndAfter,
    Example, ExecutionLine, Expand, Frame, Html, Method, Page, PauseAt, Picture, Record, RecordTab,
    Redo, Remove, Rename, Replay, ReplayUpTo, Source, StepText, Stop, TakeRecording, Undo, Unwatch,
    Watch,
};
use querypoint::session::results::{Asked, Moved, Nothing, Replayed};
use recording::{EditError, Recording};

use super::jobs::{
    Asking, ExecutionLineJob, ExpandJob, FrameJob, PauseJob, RecordJob, RecordedFrom, ReplayJob,
    ReplayUpToJob, TabJob,
};
use super::{Done, LiveSession, Reply};
use crate::sessions::store::Way;

/// A method that is about one session.
pub(super) trait InSession: Method {
    /// Does it, or begins to. What changes the session is refused while a job runs for it.
    fn reply(self, session: &Arc<LiveSession>) -> impl Future<Output = TypedReply<Self>> + Send;
}

/// A reply whose result is that of the method.
pub(super) type TypedReply<M> = Reply<Result<<M as Method>::Result, Refusal>>;

impl LiveSession {
    /// Does what the call is for, or begins to. What changes the session is refused while a job runs for it.
    ///
    /// `tab` is what is recorded of the tab that is debugged, where one is.
    pub async fn reply(self: &Arc<Self>, call: Call, tab: Option<&TabRecording>) -> Reply {
        match call {
            Call::RecordTab(RecordTab {}) => as_outcome::<RecordTab>(match tab.cloned() {
                Some(tab) => self.start(
                    |session| {
                        Ok((
                            session.clone(),
                            TabJob {
                                tab,
                                from: RecordedFrom::NextLoad,
                            },
                        ))
                    },
                    |(), session| Moved { session },
                ),
                None => no_tab(),
            }),
            Call::TakeRecording(TakeRecording {}) => {
                as_outcome::<TakeRecording>(match tab.cloned() {
                    Some(tab) => self.start(
                        |session| {
                            Ok((
                                session.clone(),
                                TabJob {
                                    tab,
                                    from: RecordedFrom::LastLoad,
                                },
                            ))
                        },
                        |(), session| Moved { session },
                    ),
                    None => no_tab(),
                })
            }
            Call::DeleteTabRecording(method) => {
                if let Some(tab) = tab {
                    tab.delete();
                }
                self.outcome(method).await
            }
            Call::Record(method) => self.outcome(method).await,
            Call::Replay(method) => self.outcome(method).await,
            Call::PauseAt(method) => self.outcome(method).await,
            Call::Expand(method) => self.outcome(method).await,
            Call::Frame(method) => self.outcome(method).await,
            Call::ExecutionLine(method) => self.outcome(method).await,
            Call::Log(method) => self.outcome(method).await,
            Call::Logs(method) => self.outcome(method).await,
            Call::DeleteLog(method) => self.outcome(method).await,
            Call::Calls(method) => self.outcome(method).await,
            Call::Events(method) => self.outcome(method).await,
            Call::EventPoint(method) => self.outcome(method).await,
            Call::CompareLogs(method) => self.outcome(method).await,
            Call::Diagnose(method) => self.outcome(method).await,
            Call::Judge(method) => self.outcome(method).await,
            Call::TakeBack(method) => self.outcome(method).await,
            Call::ShowCall(method) => self.outcome(method).await,
            Call::At(method) => self.outcome(method).await,
            Call::Ask(method) => self.outcome(method).await,
            Call::Again(method) => self.outcome(method).await,
            Call::Watch(method) => self.outcome(method).await,
            Call::Page(method) => self.outcome(method).await,
            Call::Example(method) => self.outcome(method).await,
            Call::StepText(method) => self.outcome(method).await,
            Call::EditStep(method) => self.outcome(method).await,
            Call::EndAfter(method) => self.outcome(method).await,
            Call::Picture(method) => self.outcome(method).await,
            Call::ReplayUpTo(method) => self.outcome(method).await,
            Call::Unwatch(method) => self.outcome(method).await,
            Call::Rename(method) => self.outcome(method).await,
            Call::Remove(method) => self.outcome(method).await,
            Call::Delete(method) => self.outcome(method).await,
            Call::Undo(method) => self.outcome(method).await,
            Call::Redo(method) => self.outcome(method).await,
            Call::Stop(method) => self.outcome(method).await,
            Call::Cancel(method) => self.outcome(method).await,
            Call::Source(method) => self.outcome(method).await,
            Call::CommandLine(method) => self.outcome(method).await,
            Call::Html(method) => self.outcome(method).await,
            Call::Sessions(_) | Call::Open(_) | Call::EndBackEnd(_) => {
                not_of_session("all sessions")
            }
            Call::Attach(_)
            | Call::Detach(_)
            | Call::Break(_)
            | Call::SelectElement(_)
            | Call::EndSelecting(_)
            | Call::Unbreak(_)
            | Call::Look(_)
            | Call::Live(_)
            | Call::LookInside(_)
            | Call::Answered(_)
            | Call::Event(_) => not_of_session("the debugged tab"),
        }
    }

    /// The same for one method: only a result of its own can be in the outcome.
    async fn outcome<M: InSession>(self: &Arc<Self>, method: M) -> Reply {
        as_outcome::<M>(method.reply(self).await)
    }
}

/// The reply of a method as any reply.
fn as_outcome<M: Method>(reply: TypedReply<M>) -> Reply {
    let outcome = |done: Done<_>| done.map(ResponseOutcome::of::<M>);
    match reply {
        Reply::Ready(done) => Reply::Ready(outcome(done)),
        Reply::Pending(job) => Reply::Pending(Box::pin(async move { outcome(job.await) })),
    }
}

/// Nobody debugs a tab through this panel.
fn no_tab<R>() -> Reply<Result<R, Refusal>> {
    let message = "no tab is debugged through this panel; attach first";
    ready(Err(Refusal::new(RefusalCode::NotNow, message)))
}

/// A front end sends such a call elsewhere.
fn not_of_session(what: &str) -> Reply {
    let message = format!("this method is about {what}, not about one session");
    let refusal = Refusal::new(RefusalCode::NoRequest, message);
    Reply::Ready(Done {
        outcome: ResponseOutcome::Error(refusal),
        beside: None,
    })
}

/// What is done at once, in the session itself.
pub(super) fn ready<R>(result: Result<R, Refusal>) -> Reply<Result<R, Refusal>> {
    Reply::Ready(Done::of(result.map(|result| (result, None))))
}

/// The result of a job that only changes the session.
fn nothing((): (), _: Option<String>) -> Nothing {
    Nothing {}
}

impl InSession for Record {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let job = RecordJob {
            in_open_tab: self.in_open_tab,
        };
        session.start(
            |session| Ok((session.clone(), job)),
            |(), session| Moved { session },
        )
    }
}

impl InSession for Replay {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let job = ReplayJob {
            at_recorded_pace: self.at_recorded_pace,
        };
        session.start(|session| Ok((session.clone(), job)), |replayed, _| replayed)
    }
}

impl InSession for PauseAt {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self { point } = self;
        session.start(
            |session| {
                session.can_pause_at(&point)?;
                Ok((session.clone(), PauseJob { point }))
            },
            nothing,
        )
    }
}

impl InSession for ReplayUpTo {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self { number } = self;
        session.start(
            |session| Ok((session.clone(), ReplayUpToJob { number })),
            nothing,
        )
    }
}

impl InSession for Expand {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self {
            point,
            expression,
            frame,
            from,
            filter,
        } = self;
        session.start(
            |session| {
                session.can_expand(&point, &expression)?;
                let inside = Inside {
                    expression,
                    frame,
                    from,
                    filter,
                };
                Ok((session.clone(), ExpandJob { point, inside }))
            },
            |expanded, _| expanded,
        )
    }
}

impl InSession for Frame {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self { point, frame } = self;
        session.start(
            |session| {
                session.can_pause_at(&point)?;
                Ok((session.clone(), FrameJob { point, frame }))
            },
            |state, _| state,
        )
    }
}

impl InSession for ExecutionLine {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self { point } = self;
        session.start(
            |session| {
                session.lining(&point)?;
                Ok((session.clone(), ExecutionLineJob { point }))
            },
            |writes, _| writes,
        )
    }
}

impl InSession for At {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.start(
            |session| Asking::again(session.stopped_at(&self.point)?),
            nothing,
        )
    }
}

impl InSession for Ask {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.start(
            |session| {
                let (session, point) = match self.at {
                    Some(at) => session.asking_at(&at, &self.query)?,
                    None => session.asking(&self.query)?,
                };
                Asking::one_more(session, point)
            },
            |point, session| Asked { point, session },
        )
    }
}

impl InSession for Again {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.start(|session| Asking::again(session.clone()), nothing)
    }
}

impl InSession for Watch {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.start(
            |session| Asking::again(session.watching(&self.expression)?),
            nothing,
        )
    }
}

impl InSession for Page {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        Reply::Ready(Done::of(session.turn_to(&self.page).await))
    }
}

impl InSession for Example {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        Reply::Ready(Done::of(session.turn_to_example().await))
    }
}

impl InSession for StepText {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.step(self.number))
    }
}

impl InSession for Picture {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.picture(&self.point))
    }
}

impl InSession for EditStep {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        let Self { number, step } = self;
        session.edit(|recording| match step {
            Some(step) => recording.with_step(number, &step),
            None => recording.without_step(number),
        })
    }
}

impl InSession for EndAfter {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.edit(|recording| recording.up_to_step(self.number))
    }
}

impl LiveSession {
    /// Has the recording be another one, and asks again what was asked.
    fn edit(
        self: &Arc<Self>,
        edit: impl FnOnce(&Recording) -> Result<Recording, EditError>,
    ) -> Reply<Result<Replayed, Refusal>> {
        match self.edited(edit) {
            Ok(job) => self.start(|session| Ok((session.clone(), job)), |replayed, _| replayed),
            Err(refusal) => ready(Err(refusal)),
        }
    }
}

impl InSession for Unwatch {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.change(|session| Ok(session.without_watch(&self.expression))))
    }
}

impl InSession for Rename {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.change(|session| session.renamed(&self.point, &self.to)))
    }
}

impl InSession for Remove {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.change(|session| session.without(&self.point)))
    }
}

impl InSession for Delete {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.delete())
    }
}

impl InSession for DeleteTabRecording {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.delete_tab_recording())
    }
}

impl InSession for Undo {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.go(Way::Undo))
    }
}

impl InSession for Redo {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.go(Way::Redo))
    }
}

impl InSession for Stop {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.stop())
    }
}

impl InSession for Cancel {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        session.cancel();
        ready(Ok(Nothing {}))
    }
}

impl InSession for Source {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.source(&self.url, self.log))
    }
}

impl InSession for CommandLine {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.command_line())
    }
}

impl InSession for Html {
    async fn reply(self, session: &Arc<LiveSession>) -> TypedReply<Self> {
        ready(session.html())
    }
}
