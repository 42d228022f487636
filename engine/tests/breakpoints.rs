//! The breakpoints that keep functions from being optimised are taken by every session of a page: that of the tab, of a
//! frame in another process, and of a worker. A session refuses them until its debugger is enabled.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::{BoxFuture, FutureExt};
use futures::stream::BoxStream;
use serde_json::Value;

use crate::support::{LIMIT, browser};
use cdp_driver::native::TokioClock;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{
    Event, Offers, Protocol, ProtocolError, SessionFilter, SessionId, Wanted,
};
use engine::ask::{AskRequest, ask};
use querypoint::answer::Status;
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use test_support::server::{Answer, Server};
use tokio::sync::watch;

/// What sessions were attached to, which were let run, and what they said to the breakpoints that they got.
#[derive(Default)]
struct Log {
    kinds: Vec<(SessionId, String)>,
    let_run: Vec<SessionId>,
    breakpoints: usize,
    answers: Vec<(SessionId, Result<Value, ProtocolError>)>,
}

impl Log {
    /// What sessions of this kind said to breakpoints.
    fn said(&self, kind: &str) -> impl Iterator<Item = &Result<Value, ProtocolError>> {
        let is_of = move |session: &SessionId| {
            let mut kinds = self.kinds.iter();
            kinds.any(|(of, its)| of == session && its == kind)
        };
        let answers = self.answers.iter();
        answers.filter_map(move |(session, answer)| is_of(session).then_some(answer))
    }

    /// Whether the frames and workers of so many executions run, and have their breakpoints where there are any.
    fn run_in(&self, executions: usize) -> bool {
        let run = |kind: &str| {
            let sessions = self.kinds.iter().filter(|(_, of)| of == kind);
            sessions.filter(|(it, _)| self.let_run.contains(it)).count()
        };
        let others = ["iframe", "worker"];
        let is_answered = self.breakpoints == self.answers.len();
        is_answered
            && others.iter().all(|kind| run(kind) >= executions)
            && (self.breakpoints == 0 || others.iter().all(|kind| self.said(kind).next().is_some()))
    }
}

/// A connection that keeps what is answered to breakpoints, also where whoever sets one does not wait for that.
struct Watching {
    protocol: &'static dyn Protocol,
    log: Arc<watch::Sender<Log>>,
}

impl Protocol for Watching {
    fn offers(&self) -> Offers {
        self.protocol.offers()
    }

    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        if method == cdp::runtime::RunIfWaitingForDebugger::METHOD {
            self.log
                .send_modify(|log| log.let_run.extend(session.cloned()));
        }
        let Some(session) = session.filter(|_| method == cdp::debugger::SetBreakpointByUrl::METHOD)
        else {
            return self.protocol.send(session, method, params);
        };
        self.log.send_modify(|log| log.breakpoints += 1);
        // An answer that outlives whoever asked; the test is soon over.
        let of: &'static SessionId = Box::leak(Box::new(session.clone()));
        let method = cdp::debugger::SetBreakpointByUrl::METHOD;
        let answer = self.protocol.send(Some(of), method, params).shared();
        let (log, kept) = (self.log.clone(), answer.clone());
        tokio::spawn(async move {
            let answer = kept.await;
            log.send_modify(|log| log.answers.push((of.clone(), answer)));
        });
        answer.boxed()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.protocol.events_of(wanted)
    }
}

const PAGE: &str = "<!doctype html><iframe src='FRAME'></iframe><script>
const cart = { total: 0 };
function add(price) {
  cart.total += price;
}
const worker = new Worker('/worker.js');
worker.onmessage = (message) => {
  add(message.data);
  document.title = cart.total;
};
fetch('/go').then(() => worker.postMessage('go'));
</script>";

const FRAME: &str = "<!doctype html><script>document.title = 'frame';</script>";

const WORKER: &str = "onmessage = () => postMessage(5);";

#[tokio::test]
async fn a_worker_and_a_frame_of_another_site_refuse_no_breakpoint() {
    let browser = browser().await;
    let html = "text/html; charset=utf-8";
    let other = Server::start(move |_| async move { Some(Answer::new(html, FRAME)) }).unwrap();
    let frame = other.url("/frame.html").replace("127.0.0.1", "localhost");
    let page = PAGE.replace("FRAME", &frame);
    let log = Arc::new(watch::Sender::new(Log::default()));
    let (changes, executions) = (log.clone(), AtomicUsize::new(0));
    let server = Server::start(move |asked| {
        let (page, mut changes) = (page.clone(), changes.subscribe());
        let is_held = asked.path == "/go";
        let executions = executions.fetch_add(is_held.into(), Ordering::Relaxed) + 1;
        async move {
            Some(match asked.path.as_str() {
                "/page.html" => Answer::new(html, page),
                "/worker.js" => Answer::new("text/javascript", WORKER),
                // What the page consists of runs then, and nothing ends before its answer.
                "/go" => {
                    let runs = changes.wait_for(|log| log.run_in(executions));
                    drop(runs.await.ok()?);
                    Answer::new("text/plain", "")
                }
                _ => Answer::missing(),
            })
        }
    })
    .unwrap();
    let protocol: &'static Arc<_> = Box::leak(Box::new(browser.protocol()));
    const ATTACHED: &[&str] = &[cdp::target::AttachedToTarget::METHOD];
    let attached = protocol.events_of(Wanted::of(SessionFilter::Every, ATTACHED));
    let watching = Watching {
        protocol: protocol.as_ref(),
        log: log.clone(),
    };
    let kinds = log.clone();
    tokio::spawn(futures::StreamExt::for_each(attached, move |event| {
        if let Some(attached) = event.read::<cdp::target::AttachedToTarget>() {
            let kind = (attached.session_id, attached.target_info.r#type);
            kinds.send_modify(|log| log.kinds.push(kind));
        }
        std::future::ready(())
    }));
    let query = Query::parse("B = lastChange(R:cart.total)").unwrap();
    let request = AskRequest {
        read_ahead: false,
        ..AskRequest::new(
            server.url("/page.html"),
            ReproductionPoint::parse("page.html:9").unwrap(),
            DependencyGraph::new(vec![query]).unwrap(),
            LIMIT,
        )
    };
    let clock = Arc::new(TokioClock::new());
    let answer = ask(Arc::new(watching), clock, &request, &mut |_| {}).await;
    assert_eq!(answer.unwrap().points[1].status, Status::Found);
    let log = log.borrow();
    for (session, answer) in &log.answers {
        let refused = matches!(answer, Err(ProtocolError::Refused { .. }));
        assert!(!refused, "{session}: {answer:?}");
    }
    for kind in ["page", "iframe", "worker"] {
        assert!(
            log.said(kind).any(Result::is_ok),
            "{kind}: {:?} {:?}",
            log.kinds,
            log.answers
        );
    }
}
