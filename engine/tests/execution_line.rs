//! The execution line: everything that a query looked through, with why each event was not the one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;

use crate::support::{LIMIT, browser, click, recording, serve};
use cdp_driver::native::TokioClock;
use engine::ask::{AskError, AskRequest, ask, ask_line};
use querypoint::answer::{Answer, Status};
use querypoint::execution_line::{ExecutionLine, NoLine};
use querypoint::graph::DependencyGraph;
use querypoint::point::ReproductionPoint;
use querypoint::query::Query;
use recording::Recording;
use serde_json::json;

fn request(page: &str, at: &str, queries: &[&str], recording: Option<Recording>) -> AskRequest {
    let queries = queries.iter().map(|text| Query::parse(text).unwrap());
    AskRequest {
        recording,
        ..AskRequest::new(
            page.to_owned(),
            ReproductionPoint::parse(at).unwrap(),
            DependencyGraph::new(queries.collect()).unwrap(),
            LIMIT,
        )
    }
}

/// The line of the query `name` on a page of this HTML.
async fn line_on(
    html: &str,
    at: &str,
    queries: &[&str],
    recording: Option<Recording>,
    name: &str,
) -> Result<(Answer, ExecutionLine), AskError> {
    let browser = browser().await;
    let kind = "text/html; charset=utf-8";
    let page = serve(&[("/page.html", 200, kind, html)]).await;
    let request = request(&format!("{page}/page.html"), at, queries, recording);
    let clock = Arc::new(TokioClock::new());
    ask_line(browser.protocol(), clock, &request, name, &mut |_| {}).await
}

/// The lines of the events, with their verdicts: `5o 6f`.
fn shown(line: &ExecutionLine) -> String {
    let places = line
        .place_of
        .iter()
        .map(|place| &line.places[*place as usize]);
    let shown = places.zip(line.verdicts.chars()).map(|(place, letter)| {
        let number = place.location.as_ref().map(|it| it.line.to_string());
        let by = place.by.clone();
        format!("{}{letter}", number.or(by).unwrap_or_default())
    });
    shown.collect::<Vec<_>>().join(" ")
}

const CARTS: &str = "<!doctype html><script>
const one = { total: 0 };
const two = { total: 0 };
function add(cart, n) {
  cart.total += n;
}
add(one, 1);
add(two, 5);
add(one, 0);
add(one, 2);
add(two, 7);
console.log('here');
add(one, 9);
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn writes_to_other_objects_of_the_same_value_earlier_and_later_are_told_apart() {
    let asked = ["B = lastChange(R:one.total)"];
    let (answer, line) = line_on(CARTS, "page.html:12", &asked, None, "B")
        .await
        .unwrap();
    assert_eq!(shown(&line), "2e 3o 5e 5o 5s 5f 5o 5a");
    assert_eq!(line.event, "write(.total)");
    assert_eq!((line.reproduction, line.left_out), (7, 0));
    assert_eq!(
        (line.asked_at.before, line.asked_at.text.as_str()),
        (7, "R")
    );
    let points: Vec<_> = line
        .points
        .iter()
        .map(|it| (it.before, it.text.as_str()))
        .collect();
    assert_eq!(points, [(5, "B")]);
    let objects: std::collections::BTreeSet<_> = line.object_of.iter().collect();
    assert_eq!(objects.len(), 2);
    // What counts the events is no point of the answer.
    let names: Vec<_> = answer.points.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["R", "B"]);
    assert_eq!(answer.points[1].status, Status::Found);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_can_be_asked_for() {
    let browser = browser().await;
    let kind = "text/html; charset=utf-8";
    let page = format!(
        "{}/page.html",
        serve(&[("/page.html", 200, kind, CARTS)]).await
    );
    let asked = ["B = lastChange(R:one.total)"];
    let clock = Arc::new(TokioClock::new());
    let first = request(&page, "page.html:12", &asked, None);
    let (_, line) = ask_line(browser.protocol(), clock.clone(), &first, "B", &mut |_| {})
        .await
        .unwrap();
    for (index, new) in [(0, "0"), (3, "5"), (4, "1"), (6, "12"), (7, "12")] {
        let query = format!("C = {}", line.query_for(index));
        let again = request(&page, "page.html:12", &[asked[0], &query], None);
        let answer = ask(browser.protocol(), clock.clone(), &again, &mut |_| {})
            .await
            .unwrap();
        let point = &answer.points[2];
        let place = &line.places[line.place_of[index] as usize];
        assert_eq!(point.location, place.location, "{query}");
        assert_eq!(point.new.as_ref().unwrap().text, new, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn activations_of_a_variable_are_told_apart() {
    const COUNTERS: &str = "<!doctype html><script>
function counter() {
  let count = 0;
  return () => { count += 1; return count; };
}
const a = counter(), b = counter();
a(); b(); a(); b();
function shows(count) { return count; }
a.shows = () => shows(a());
console.log('here');
</script>";
    let asked = [
        "B = lastChange(R:a)",
        "C = trace(assign(count), index 4)",
        "D = lastChange(C:count)",
    ];
    let (answer, line) = line_on(COUNTERS, "page.html:10", &asked, None, "D")
        .await
        .unwrap();
    assert_eq!(answer.points[3].location.as_ref().unwrap().line, 4);
    // The third `count += 1` is of `a`; before it, `a` had one, and each of both was made once.
    assert_eq!(shown(&line), "3e 3o 4f 4o 4a 4a");
    assert_eq!(
        (line.asked_at.before, line.asked_at.text.as_str()),
        (4, "C")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_built_ins_and_longer_arrays_write_is_on_the_line() {
    const LISTS: &str = "<!doctype html><script>
const list = [], other = [];
list.push(1);
list[1] = 2;
other.push(3);
list.length = 1;
console.log('here');
</script>";
    let asked = ["B = lastChange(R:list.length)"];
    let (_, line) = line_on(LISTS, "page.html:7", &asked, None, "B")
        .await
        .unwrap();
    let by: Vec<_> = line
        .places
        .iter()
        .filter_map(|it| it.by.as_deref())
        .collect();
    assert_eq!(by, ["Array.prototype.push"], "{}", shown(&line));
    assert!(
        shown(&line).ends_with("Array.prototype.pushe 4e Array.prototype.pusho 6f"),
        "{}",
        shown(&line)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_did_is_marked() {
    const CLICKED: &str = "<!doctype html><button id=a>a</button><button id=b>b</button><script>
const box = { n: 0 };
document.querySelector('#a').onclick = () => { box.n = 1; };
document.querySelector('#b').onclick = () => { box.n = 1; box.n = 2; };
</script>";
    let steps = recording(json!([
        { "type": "navigate", "url": "http://127.0.0.1/page.html" },
        click(json!([["#a"]])), click(json!([["#b"]])),
    ]));
    let asked = ["B = lastChange(R:box.n)"];
    let (_, line) = line_on(CLICKED, "end", &asked, Some(steps), "B")
        .await
        .unwrap();
    assert_eq!(shown(&line), "2e 3e 4s 4f");
    let actions: Vec<_> = line
        .actions
        .iter()
        .map(|it| (it.before, it.text.as_str()))
        .collect();
    assert_eq!(actions, [(1, "mousedown on #a"), (2, "mousedown on #b")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_events_come_whole() {
    const MANY: &str = "<!doctype html><script>
const dots = [{ x: 0 }, { x: 0 }];
for (let i = 1; i <= 100000; i++) dots[i % 2].x = i >> 2;
console.log('here');
</script>";
    let asked = ["B = lastChange(R:dots[0].x)"];
    let (_, line) = line_on(MANY, "page.html:4", &asked, None, "B")
        .await
        .unwrap();
    assert_eq!(line.verdicts.len(), 100_002);
    assert_eq!(
        (line.place_of.len(), line.object_of.len(), line.left_out),
        (100_002, 100_002, 0)
    );
    let of = |letter| line.verdicts.matches(letter).count();
    // Each number comes twice to each dot.
    assert_eq!((of('f'), of('a'), of('o')), (1, 0, 50_001));
    assert!(
        line.verdicts.rfind('f') == Some(100_001),
        "{:?}",
        line.verdicts.rfind('f')
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_line_is_refused_before_the_page_is_run() {
    let asked = [
        "B = lastChange(R:one.total)",
        "C = lastCondition(B)",
        "D = lastChange(R:one[two])",
    ];
    for name in ["C", "D"] {
        let refused = line_on(CARTS, "page.html:12", &asked, None, name).await;
        let Err(AskError::Line(NoLine::NotOfWrites(of))) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(of, name);
    }
    let refused = line_on(CARTS, "page.html:12", &asked, None, "Z").await;
    assert!(
        matches!(refused, Err(AskError::Line(NoLine::NoQuery(_)))),
        "{refused:?}"
    );
}

const THROUGH_SORT: &str = "<!doctype html><script>
const rates = { home: 2 };
rates.home = 3;
const priced = (price) => ({ gross: price * rates.home });
const list = [5, 20].map((price) => priced(price)).sort((one, other) => other.gross - one.gross);
rates.home = 7;
document.title = list[0].gross;
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_where_an_event_log_ends_has_its_line_there() {
    let queries = [
        "C = origin(R:list[0].gross)",
        "D = lastChange(C:rates.home)",
    ];
    let (answer, line) = line_on(THROUGH_SORT, "page.html:7", &queries, None, "D")
        .await
        .unwrap();
    assert_eq!(answer.points[1].location.as_ref().unwrap().line, 4);
    assert_eq!(answer.points[2].location.as_ref().unwrap().line, 3);
    assert_eq!(
        (line.point.as_str(), line.asked_at.text.as_str()),
        ("D", "C")
    );
    // The write behind the point is not what was asked for.
    assert_eq!(shown(&line), "2e 3f 6a");
}
