//! Jobs that bring the page to a point again.

use engine::inspected::Inside;
use querypoint::session::messages::Doing;
use querypoint::session::results::{CandidateWrites, Expanded, FrameVariables};
use tokio::sync::oneshot;

use super::{Next, SessionJob};
use crate::failure::Failure;
use crate::sessions::work::{Job, Tell};

/// The page is run to a point and stays paused there.
pub(in crate::sessions::registry::session) struct PauseJob {
    pub(in crate::sessions::registry::session) point: String,
}

impl SessionJob for PauseJob {
    const DOING: Doing = Doing::Pausing;
    type Found = ();

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        job.pause_at(&self.point, tell).await
    }
}

/// The recording is replayed up to a step, and the page is left to the person there.
pub(in crate::sessions::registry::session) struct ReplayUpToJob {
    pub(in crate::sessions::registry::session) number: usize,
}

impl SessionJob for ReplayUpToJob {
    const DOING: Doing = Doing::Pausing;
    type Found = ();

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<(), Failure> {
        job.replay_up_to(self.number, tell).await
    }
}

/// The page is run to a point, to expand an object there.
pub(in crate::sessions::registry::session) struct ExpandJob {
    pub(in crate::sessions::registry::session) point: String,
    pub(in crate::sessions::registry::session) inside: Inside,
}

impl SessionJob for ExpandJob {
    const DOING: Doing = Doing::Expanding;
    type Found = Expanded;

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<Expanded, Failure> {
        let (expanded, notes) = job.expand(&self.point, &self.inside, tell).await?;
        Ok(Expanded {
            variables: expanded.properties,
            of: expanded.of,
            notes,
        })
    }
}

/// The page is run to a point, to read what a frame sees there.
pub(in crate::sessions::registry::session) struct FrameJob {
    pub(in crate::sessions::registry::session) point: String,
    pub(in crate::sessions::registry::session) frame: usize,
}

impl SessionJob for FrameJob {
    const DOING: Doing = Doing::Expanding;
    type Found = FrameVariables;

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<FrameVariables, Failure> {
        let (state, notes) = job.frame(&self.point, self.frame, tell).await?;
        Ok(FrameVariables {
            scopes: state.scopes,
            this: state.this,
            notes,
        })
    }
}

/// The page is run to log the candidate writes of a query.
pub(in crate::sessions::registry::session) struct ExecutionLineJob {
    pub(in crate::sessions::registry::session) point: String,
}

impl SessionJob for ExecutionLineJob {
    const DOING: Doing = Doing::Tracing;
    type Found = CandidateWrites;

    async fn run(
        self,
        job: &mut Job,
        _: &mut Next,
        _: oneshot::Receiver<()>,
        tell: Tell<'_>,
    ) -> Result<CandidateWrites, Failure> {
        let (line, notes) = job.execution_line(&self.point, tell).await?;
        Ok(CandidateWrites {
            execution_line: Box::new(line),
            notes,
        })
    }
}
