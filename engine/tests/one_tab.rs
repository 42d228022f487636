//! Whole questions over a connection that has the sessions of one tab and nothing of the browser around it, as
//! `chrome.debugger` has.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::support::{LIMIT, browser, serve};
use cdp_driver::native::{Browser, TokioClock};
use cdp_driver::protocol::{Event, Missing, Offers, Protocol, ProtocolError, SessionId, Wanted};
use engine::ask::{AskRequest, ask};
use querypoint::answer::{Answer, Status};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;

/// One tab of a browser.
struct OneTab {
    protocol: Arc<dyn Protocol>,
    session: Mutex<Option<SessionId>>,
    target_id: String,
    /// What was sent to the browser itself.
    sent_to_browser: Mutex<Vec<String>>,
}

impl OneTab {
    /// A tab of this browser's, in a context of its own.
    async fn of(browser: &Browser) -> Arc<Self> {
        let protocol = browser.protocol();
        let sent = async |method: &str, params: Value| {
            let answer = protocol.send(None, method, params).await.unwrap();
            move |name: &str| answer[name].as_str().unwrap().to_owned()
        };
        let context = sent("Target.createBrowserContext", json!({})).await("browserContextId");
        let tab = json!({ "url": "about:blank", "browserContextId": context });
        let target_id = sent("Target.createTarget", tab).await("targetId");
        Arc::new(Self {
            protocol: protocol.clone(),
            session: Mutex::default(),
            target_id,
            sent_to_browser: Mutex::default(),
        })
    }
}

impl Protocol for OneTab {
    fn offers(&self) -> Offers {
        Offers::one_tab(self.target_id.clone())
    }

    fn renew_tab(&self) -> BoxFuture<'_, Result<SessionId, ProtocolError>> {
        let before = self.session.lock().take();
        let detach = json!({ "sessionId": before });
        let attach = json!({ "targetId": self.target_id, "flatten": true });
        Box::pin(async move {
            if before.is_some() {
                let detached = self.protocol.send(None, "Target.detachFromTarget", detach);
                detached.await?;
            }
            let attached = self.protocol.send(None, "Target.attachToTarget", attach);
            let session = SessionId(attached.await?["sessionId"].as_str().unwrap().to_owned());
            *self.session.lock() = Some(session.clone());
            Ok(session)
        })
    }

    fn send<'a>(
        &'a self,
        session: Option<&'a SessionId>,
        method: &'a str,
        params: Value,
    ) -> BoxFuture<'a, Result<Value, ProtocolError>> {
        if session.is_none() {
            self.sent_to_browser.lock().push(method.to_owned());
        }
        self.protocol.send(session, method, params)
    }

    fn events_of(&self, wanted: Wanted) -> BoxStream<'static, Event> {
        let events = self.protocol.events_of(wanted);
        let of_tab = |event: &Event| futures::future::ready(event.session.is_some());
        events.filter(of_tab).boxed()
    }
}

async fn asked(tab: &Arc<OneTab>, html: &str, at: &str, queries: &[&str]) -> Answer {
    let kind = "text/html; charset=utf-8";
    let origin = serve(&[("/page.html", 200, kind, html)]).await;
    let parsed = queries.iter().map(|text| Query::parse(text).unwrap());
    let request = AskRequest::new(
        format!("{origin}/page.html"),
        ReproductionPoint::parse(at).unwrap(),
        DependencyGraph::new(parsed.collect()).unwrap(),
        LIMIT,
    );
    let clock = Arc::new(TokioClock::new());
    let answer = ask(tab.clone(), clock, &request, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(*tab.sent_to_browser.lock(), [""; 0]);
    answer
}

const CARTS: &str = "<!doctype html><script>
const one = { total: 0 };
function add(cart, item) {
  cart.total += item.price;
}
const item = { price: 0 };
item.price = 5;
add(one, item);
document.title = one.total;
</script>";

#[tokio::test]
async fn a_chain_is_answered_in_the_one_tab_and_says_what_that_lacks() {
    let browser = browser().await;
    let tab = OneTab::of(&browser).await;
    let queries = [
        "B = lastChange(R:one.total)",
        "C = lastChange(B:item.price)",
    ];
    // The next question has the same tab.
    for _ in 0..2 {
        let answer = asked(&tab, CARTS, "page.html:9", &queries).await;
        let lines = answer.points.iter().map(|point| {
            assert_eq!(point.status, Status::Found, "{answer:#?}");
            point.location.as_ref().unwrap().line
        });
        assert_eq!(lines.collect::<Vec<_>>(), [9, 4, 7]);
        assert_eq!(answer.executions, 1, "they are read where they happen");
        for missing in [Missing::OwnContexts, Missing::Targets, Missing::Browser] {
            let said = missing.to_string();
            let notes = &answer.consistency.notes;
            assert!(notes.contains(&said), "{said}: {notes:#?}");
        }
    }
}

const COUNTS: &str = "<!doctype html><script>
const raw = { value: 1 };
const view = new Proxy(raw, { get(target, key) {
  localStorage.reads = Number(localStorage.reads ?? 0) + 1;
  return [target].map((it) => it[key])[0];
} });
raw.value = 7;
console.log('reads', localStorage.reads);
</script>";

/// The tab's storage is the person's: nothing that writes to it runs for an answer.
#[tokio::test]
async fn a_trap_with_side_effects_does_not_run_in_the_one_tab() {
    let browser = browser().await;
    let tab = OneTab::of(&browser).await;
    let answer = asked(&tab, COUNTS, "page.html:8", &["lastChange(R:view.value)"]).await;
    let point = &answer.points[1];
    assert_eq!(point.location.as_ref().unwrap().line, 7, "{answer:#?}");
    let note = point.note.as_deref().unwrap_or_default();
    assert!(note.contains("it may have side effects"), "{answer:#?}");
    // It is left blank, with nothing of ours in it.
    let session = tab.renew_tab().await.unwrap();
    let value = async |expression: &str| {
        let evaluate = json!({ "expression": expression, "returnByValue": true });
        let answer = tab.send(Some(&session), "Runtime.evaluate", evaluate).await;
        answer.unwrap()["result"]["value"].clone()
    };
    assert_eq!(value("location.href").await, "about:blank");
    let there = json!({ "url": answer.page });
    let gone = tab.send(Some(&session), "Page.navigate", there).await;
    gone.unwrap();
    let kept = "`${location.pathname} ${localStorage.reads} ${Object.keys(globalThis).filter((it) => /Qp/.test(it))}`";
    assert_eq!(value(kept).await, "/page.html undefined ");
}
