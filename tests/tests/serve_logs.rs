//! Event logs of a session: recorded by the back end, opened row by row, asked, compared, and led back from to a point.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use querypoint::events::{CallRow, DifferenceKind};
use querypoint::session::messages::{Doing, News, RefusalCode};
use querypoint::session::methods;

const SHOP: &str = "<!doctype html><output id=out></output><script>
class Item { constructor(price) { this.price = price; } }
const cart = { total: 0 };
function add(item) {
  cart.total += item.price;
  show();
}
function show() {
  out.textContent = cart.total;
}
add(new Item(2));
add(new Item(3));
for (let i = 0; i < 300; i++) show();
</script>";

fn words(rows: &[CallRow]) -> Vec<String> {
    let rows = rows.iter();
    let worded = rows.map(|row| {
        format!(
            "{}: {} of {}",
            row.event.words().text,
            row.children,
            row.calls
        )
    });
    worded.collect()
}

const fn calls(log: u32, of: Option<u64>, from: usize) -> methods::Calls {
    methods::Calls { log, of, from }
}

fn events(log: u32, query: &str) -> methods::Events {
    methods::Events {
        log,
        query: query.to_owned(),
        from: 0,
    }
}

#[tokio::test]
async fn an_execution_is_recorded_opened_and_asked() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(SHOP))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    assert_eq!(
        panel.refused(methods::Log {}).await.code,
        RefusalCode::NotNow
    );
    panel.goes_to(site.url("/shop.html")).await;
    assert_eq!(panel.done(methods::Logs {}).await.logs, []);
    let recorded = panel.done(methods::Log {}).await;
    assert_eq!(
        (recorded.log.log, recorded.notes.as_slice()),
        (1, [].as_slice())
    );
    assert!(
        recorded.log.events > 600 && recorded.log.bytes > 0,
        "{:?}",
        recorded.log
    );
    assert_eq!(panel.done(methods::Logs {}).await.logs, [recorded.log]);

    // The call tree, from the task down; its rows come in pages.
    let root = panel.done(calls(1, None, 0)).await;
    assert_eq!(
        (words(&root.rows), root.of),
        (vec!["task script: 1 of 307".to_owned()], 1)
    );
    let top = panel.done(calls(1, Some(root.rows[0].event.seq), 0)).await;
    assert_eq!(words(&top.rows), ["(top level): 304 of 306"]);
    let of = Some(top.rows[0].event.seq);
    let page = panel.done(calls(1, of, 0)).await;
    assert_eq!((page.rows.len(), page.of), (200, 304));
    let first = words(&page.rows[..2]);
    assert_eq!(first[0], "Item(2) → undefined: 0 of 0");
    assert!(
        first[1].starts_with("add(Item #") && first[1].ends_with(" → undefined: 1 of 1"),
        "{first:?}"
    );
    assert_eq!(panel.done(calls(1, of, 200)).await.rows.len(), 104);
    assert_eq!(panel.done(calls(1, Some(1 << 40), 0)).await.of, 0);

    // Questions: what is wrong with one is said with its place; `R` is the point of the session.
    let history = panel.done(events(1, "history(R:cart.total)")).await;
    let written: Vec<_> = history
        .events
        .iter()
        .map(|it| it.words().new.unwrap_or_default())
        .collect();
    assert_eq!(
        (written.as_slice(), history.complete),
        (["0", "2", "5"].map(str::to_owned).as_slice(), true)
    );
    let many = panel.done(events(1, "argumentsOf(show)")).await;
    assert_eq!((many.events.len(), many.total), (200, 302));
    let rest = methods::Events {
        from: 200,
        ..events(1, "argumentsOf(show)")
    };
    assert_eq!(panel.done(rest).await.events.len(), 102);
    for (query, why) in [
        ("histor(R:x)", "did you mean \"history\"?"),
        ("history(R:", "^"),
        ("locals(#99999999)", "there is no event"),
    ] {
        let refusal = panel.refused(events(1, query)).await;
        assert_eq!(refusal.code, RefusalCode::NotUnderstood, "{query}");
        assert!(
            refusal.message.contains(why),
            "{query}: {}",
            refusal.message
        );
    }

    // An event is a point, at which everything else is asked: the second time that the line was reached.
    let second = history.events[2].seq;
    let point = panel
        .done(methods::EventPoint {
            log: 1,
            event: second,
            of_call: None,
        })
        .await
        .text;
    assert_eq!(point, "shop.html:5:3#1");
    panel.stops_at(&point).await;
    let answer = panel.session().0.answer.unwrap();
    let item = answer.points[0]
        .scopes
        .iter()
        .flat_map(|it| &it.variables)
        .find(|it| it.name == "item");
    assert_eq!(item.unwrap().value.text, "Item {price: 3}");
    // Asked from there, `R` is that moment in the log, too.
    let before = panel.done(events(1, "state(R:cart)")).await;
    assert_eq!(before.events[0].words().new.unwrap(), "2");
    let task = root.rows[0].event.seq;
    let refusal = panel
        .refused(methods::EventPoint {
            log: 1,
            event: task,
            of_call: None,
        })
        .await;
    assert_eq!(refusal.code, RefusalCode::Failed);

    // Of a call its first and last places are points, too.
    let call = panel.done(events(1, "argumentsOf(add)")).await.events[0].seq;
    let mut ends = Vec::new();
    for end in [methods::CallEnd::Begin, methods::CallEnd::End] {
        let point = methods::EventPoint {
            log: 1,
            event: call,
            of_call: Some(end),
        };
        ends.push(panel.done(point).await.text);
    }
    assert_eq!(ends, ["shop.html:5:3#0", "shop.html:7:1#0"]);

    // The texts of its files are kept with it, whatever the page becomes.
    let url = site.url("/shop.html");
    site.answers(&[("/shop.html", html("<!doctype html>another page"))]);
    let source = |log| methods::Source {
        url: url.clone(),
        log,
    };
    assert_eq!(panel.done(source(Some(1))).await.text, SHOP);
    assert_eq!(
        panel.refused(source(Some(2))).await.code,
        RefusalCode::Failed
    );

    // It is there when the back end is started again, until it is removed.
    back_end.kill();
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    assert_eq!(panel.done(methods::Logs {}).await.logs.len(), 1);
    assert_eq!(
        panel.done(events(1, "wasCalled(add)")).await.holds,
        Some(true)
    );
    panel.does(methods::DeleteLog { log: 1 }).await;
    assert_eq!(panel.done(methods::Logs {}).await.logs, []);
    for call in [
        methods::Call::from(methods::DeleteLog { log: 1 }),
        events(1, "callTree(R)").into(),
        calls(1, None, 0).into(),
    ] {
        assert_eq!(panel.refused(call).await.code, RefusalCode::NotNow);
    }
}

#[tokio::test]
async fn two_executions_are_compared_and_a_question_of_the_project_is_asked() {
    let folder = Folder::new();
    let page = folder.file("shop.html", SHOP);
    folder.file(
        "querypoint.queries",
        "define above(limit) = argumentsOf(add) when arguments[0] != limit\n",
    );
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    let log = async |panel: &mut Panel| panel.done(methods::Log {}).await.log.log;
    assert_eq!((log(&mut panel).await, log(&mut panel).await), (1, 2));
    let compare = |left, right| methods::CompareLogs { left, right };
    let same = panel.done(compare(1, 2)).await;
    assert_eq!(
        (same.comparison.differs, same.notes.as_slice()),
        (false, [].as_slice())
    );

    fs::write(&page, SHOP.replace("+= item.price", "-= item.price")).unwrap();
    assert_eq!(log(&mut panel).await, 3);
    let other = panel.done(compare(2, 3)).await.comparison;
    let first = other.first.unwrap();
    assert_eq!(first.kind, DifferenceKind::Data);
    let new = |event: Option<querypoint::events::LoggedEvent>| event.unwrap().words().new.unwrap();
    assert_eq!(
        (new(first.left), new(first.right)),
        ("2".to_owned(), "-2".to_owned())
    );
    assert_eq!(panel.refused(compare(2, 9)).await.code, RefusalCode::NotNow);

    let listed = panel.done(methods::Logs {}).await;
    assert_eq!(
        (listed.questions, listed.unusable),
        (vec!["above(limit)".to_owned()], None)
    );
    assert_eq!(panel.done(events(3, "above(1)")).await.total, 2);
    folder.file("querypoint.queries", "define (\n");
    let listed = panel.done(methods::Logs {}).await;
    assert!(listed.unusable.unwrap().contains("querypoint.queries"));
    assert_eq!(panel.done(events(3, "argumentsOf(add)")).await.total, 2);
}

#[tokio::test]
async fn recording_can_be_cancelled_and_leaves_nothing() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/shop.html", html("<script src=/slow.js></script>")),
        ("/slow.js", script("1").after_ms(600_000)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/shop.html")).await;
    let job = panel.begin(methods::Log {}).await;
    let is_begun = |news: &News| matches!(news, News::Progress { stage, .. } if stage.contains("recording the log"));
    let is_doing = |news: &News| {
        matches!(
            news,
            News::Session {
                doing: Some(Doing::Logging),
                ..
            }
        )
    };
    panel.hears(is_doing).await;
    panel.hears(is_begun).await;
    let busy = panel.refused(methods::Again {}).await;
    assert!(busy.message.contains("event log"), "{}", busy.message);
    panel.does(methods::Cancel {}).await;
    let outcome = panel.outcome(job).await;
    assert_eq!(
        outcome.into_result::<methods::Log>().unwrap_err().code,
        RefusalCode::Cancelled
    );
    assert_eq!(panel.done(methods::Logs {}).await.logs, []);
}

/// Places of every kind in a loop: a call in the arguments of another one, a write behind `&&`, one in the head of a
/// loop, a property of what is made, a callback, a recursion.
const PLACES: &str = "<!doctype html><script>
const seen = [];
let last = 0;
function twice(n) { return n * 2; }
function keep(a, b) { seen.push(a + b); }
class Point { constructor(n) { this.n = n; } }
function down(n) { if (n > 0) { last = n; down(n - 1); } }
for (let i = 0; i < 4; i++) {
  keep(i, twice(i));
  i > 1 && (last = i);
  keep(new Point(i).n, [i].map((it) => { last = it; return it; })[0]);
}
for (let k = 0, m = 9; k < 3; k++, m = k) keep(k, m);
down(3);
</script>";

#[tokio::test]
async fn the_point_of_each_event_leads_to_that_event() {
    let folder = Folder::new();
    let site = Site::new(&[("/places.html", html(PLACES))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/places.html")).await;
    panel.does(methods::Log {}).await;
    // What is asked, which of its events, and what a variable is where that leads to.
    for (query, index, variable, value) in [
        ("argumentsOf(twice)", 0, "i", "0"),
        ("argumentsOf(twice)", 1, "i", "1"),
        ("argumentsOf(twice)", 3, "i", "3"),
        ("returnsOf(twice)", 2, "n", "2"),
        ("wasAssigned(last, 2)", 0, "i", "2"),
        ("wasAssigned(last, 2)", 1, "it", "2"),
        ("wasAssigned(last, 2)", 2, "n", "2"),
        ("wasAssigned(.n, 3)", 0, "n", "3"),
        ("argumentsOf(keep)", 2, "i", "1"),
        ("argumentsOf(keep)", 9, "k", "1"),
        ("argumentsOf(down)", 2, "n", "2"),
    ] {
        let event = panel.done(events(1, query)).await.events[index].clone();
        let line = event.location.as_ref().unwrap().line;
        let event = event.seq;
        let of_call = None;
        let at = methods::EventPoint {
            log: 1,
            event,
            of_call,
        };
        let point = panel.done(at).await.text;
        panel.stops_at(&point).await;
        let answer = panel.session().0.answer.unwrap();
        let there = &answer.points[0];
        let about = format!("{query} {index}: {point}");
        assert_eq!(there.location.as_ref().unwrap().line, line, "{about}");
        let variables = there.scopes.iter().flat_map(|it| &it.variables);
        let found = variables.clone().find(|it| it.name == variable);
        assert_eq!(found.unwrap().value.text, value, "{about}");
    }
}
