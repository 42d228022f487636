//! The breakpoints that keep functions from being optimised are taken by every session of a page: that of the tab, of a
//! frame in another process, and of a worker. A session refuses them until its debugger is enabled.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use futures::stream::BoxStream;
use parking_lot::Mutex;
use serde_json::Value;

use crate::support::{LIMIT, browser, serve};
use cdp_driver::native::TokioClock;
use cdp_driver::protocol::generated as cdp;
use cdp_driver::protocol::{Event, Offers, Protocol, ProtocolError, SessionId, Wanted};
use engine::ask::{AskRequest, OriginLimits, Reproduce, ask};
use engine::collection::Instrument;
use querypoint::answer::Status;
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;

/// What a session was attached to, and what it said to the breakpoints that it got.
#[derive(Default)]
struct Log {
    kinds: Vec<(SessionId, String)>,
    answers: Vec<(SessionId, Result<Value, ProtocolError>)>,
}

/// A connection that keeps what is answered to breakpoints, also where whoever sets one does not wait for that.
struct Watching {
    protocol: &'static dyn Protocol,
    log: Arc<Mutex<Log>>,
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
        let Some(session) = session.filter(|_| method == cdp::debugger::SetBreakpointByUrl::METHOD)
        else {
            return self.protocol.send(session, method, params);
        };
        // An answer that outlives whoever asked; the test is soon over.
        let of: &'static SessionId = Box::leak(Box::new(session.clone()));
        let method = cdp::debugger::SetBreakpointByUrl::METHOD;
        let answer = self.protocol.send(Some(of), method, params).shared();
        let (log, kept) = (self.log.clone(), answer.clone());
        tokio::spawn(async move {
            let answer = kept.await;
            log.lock().answers.push((of.clone(), answer));
        });
        answer.boxed()
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        self.protocol.events_of(wanted)
    }
}

const PAGE: &str = "<!doctype html><iframe src='OTHER/frame.html'></iframe><script>
const cart = { total: 0 };
function add(price) {
  cart.total += price;
}
const worker = new Worker('/worker.js');
worker.onmessage = (message) => {
  add(message.data);
  document.title = cart.total;
};
</script>";

const FRAME: &str = "<!doctype html><script>document.title = 'frame';</script>";

const WORKER: &str = "setTimeout(() => postMessage(5), 300);";

#[tokio::test]
async fn a_worker_and_a_frame_of_another_site_refuse_no_breakpoint() {
    let browser = browser().await;
    let html = "text/html; charset=utf-8";
    let other = serve(&[("/frame.html", 200, html, FRAME)]).await;
    let page = PAGE.replace("OTHER", &other.replace("127.0.0.1", "localhost"));
    let script = "text/javascript";
    let origin = serve(&[
        ("/page.html", 200, html, &page),
        ("/worker.js", 200, script, WORKER),
    ])
    .await;
    let log = Arc::new(Mutex::new(Log::default()));
    let protocol: &'static Arc<_> = Box::leak(Box::new(browser.protocol()));
    let attached = protocol.events_of(Wanted::methods(&[cdp::target::AttachedToTarget::METHOD]));
    let watching = Watching {
        protocol: protocol.as_ref(),
        log: log.clone(),
    };
    let kinds = log.clone();
    tokio::spawn(futures::StreamExt::for_each(attached, move |event| {
        if let Some(attached) = event.read::<cdp::target::AttachedToTarget>() {
            let kind = (attached.session_id, attached.target_info.r#type);
            kinds.lock().kinds.push(kind);
        }
        std::future::ready(())
    }));
    let query = Query::parse("B = lastChange(R:cart.total)").unwrap();
    let request = AskRequest {
        page: format!("{origin}/page.html"),
        recording: None,
        at: ReproductionPoint::parse("page.html:9").unwrap(),
        graph: DependencyGraph::new(vec![query]).unwrap(),
        watches: Vec::new(),
        instrument: Instrument::Query,
        reproduce: Reproduce::Replay,
        timeout: LIMIT,
        limits: OriginLimits::default(),
        read_ahead: false,
    };
    let clock = Arc::new(TokioClock::new());
    let answer = ask(Arc::new(watching), clock, &request, &mut |_| {}).await;
    assert_eq!(answer.unwrap().points[1].status, Status::Found);
    let log = log.lock();
    for (session, answer) in &log.answers {
        let refused = matches!(answer, Err(ProtocolError::Refused { .. }));
        assert!(!refused, "{session}: {answer:?}");
    }
    for kind in ["page", "iframe", "worker"] {
        let is_taken = log.answers.iter().any(|(session, answer)| {
            answer.is_ok() && log.kinds.contains(&(session.clone(), kind.to_owned()))
        });
        assert!(is_taken, "{kind}: {:?} {:?}", log.kinds, log.answers);
    }
}
