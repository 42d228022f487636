//! What the back end reads of a page at a point of an answer: one run of the page for each, by the way that the answer
//! came, or by one that is found anew.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use querypoint::session::messages::RefusalCode;
use querypoint::session::methods;
use serde_json::json;

/// A page with an object in an object, of which a part is only had by a call.
const NESTED: &str = "<!doctype html><script>
const cart = { items: [{ price: 1 }], get sum() { called = true; return 1; } };
var called = false;
function raise(item) {
  item.price += 1;
}
raise(cart.items[0]);
raise(cart.items[0]);
</script>";

#[tokio::test]
async fn values_are_looked_into_as_they_were_at_a_point() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(NESTED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:cart.items[0].price)").await;
    let expand = |point: &str, expression: &str| methods::Expand {
        point: point.to_owned(),
        expression: expression.to_owned(),
        ..Default::default()
    };
    let inside = async |panel: &mut Panel, expression: &str| {
        let given = panel.done(expand("B", expression)).await;
        assert_eq!(given.notes, [""; 0]);
        let variables = given.variables;
        let shown = variables
            .iter()
            .map(|it| format!("{}: {}", it.name, it.value.text));
        shown.collect::<Vec<_>>().join(", ")
    };
    // Before the last change, not at the end; the way there is known.
    panel.heard.clear();
    assert_eq!(inside(&mut panel, "item").await, "price: 2");
    assert_eq!(executions(&panel), ["2: running to the point again"]);
    assert_eq!(
        inside(&mut panel, "cart").await,
        "items: (1) [{…}], sum: (…)"
    );
    assert_eq!(
        inside(&mut panel, "cart.items").await,
        "0: {price: 2}, length: 1"
    );
    assert_eq!(inside(&mut panel, "cart.items[0].price").await, "");
    for (point, expression, code, why) in [
        ("R", "cart", RefusalCode::NotNow, "no script runs"),
        (
            "C",
            "cart",
            RefusalCode::NotUnderstood,
            "there is no point C",
        ),
        ("B", "raise(item)", RefusalCode::NotUnderstood, "^"),
        (
            "B",
            "nothing",
            RefusalCode::NotUnderstood,
            "nothing cannot be evaluated there: ReferenceError",
        ),
        (
            "B",
            "cart.sum",
            RefusalCode::NotUnderstood,
            "cart.sum cannot be evaluated there",
        ),
    ] {
        let refusal = panel.refused(expand(point, expression)).await;
        assert_eq!(refusal.code, code, "{refusal:?}");
        assert!(refusal.message.contains(why), "{}", refusal.message);
    }
    let (session, doing) = panel.session();
    assert_eq!((session.queries.len(), doing), (1, None));
}

/// What each execution was for that was heard of.
fn executions(panel: &Panel) -> Vec<&str> {
    let stages = panel.stages().into_iter();
    stages
        .filter_map(|stage| stage.strip_prefix("execution "))
        .collect()
}

/// The way to a point is that of an answer to what the session asks now, of its page as it is now; the files that a
/// recording chooses are there on each way.
#[tokio::test]
async fn the_way_to_a_point_is_found_anew_where_it_may_be_another() {
    let chosen = "<!doctype html><input type=file id=field><script>const box = { text: 'none' };
field.onchange = async () => { box.text = await field.files[0].text(); };</script>";
    let folder = Folder::new();
    let site = Site::new(&[("/", html(chosen))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    let recording = json!({ "title": "files", "steps": [
        { "type": "navigate", "url": site.url("/") },
        { "type": "customStep", "name": "querypoint/files",
          "parameters": { "selectors": [["#field"]], "files": [{ "name": "a.csv", "contents": "YSxi" }] } },
        { "type": "waitForExpression", "expression": "box.text == 'a,b'" },
    ] });
    folder.file("state/sessions/one/recording.json", &recording.to_string());
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.text)").await;
    let inside = async |panel: &mut Panel, point: &str| {
        panel.heard.clear();
        let expand = methods::Expand {
            point: point.to_owned(),
            expression: "box".to_owned(),
            ..Default::default()
        };
        let given = panel.done(expand).await;
        assert_eq!(given.notes, [""; 0]);
        given.variables[0].value.text.clone()
    };
    let asked_anew = ["1: finding the events", "2: running to the point again"];
    assert_eq!(inside(&mut panel, "B").await, "\"none\"");
    assert_eq!(executions(&panel), asked_anew[1..]);
    let (point, to) = ("B".to_owned(), "C".to_owned());
    panel.done(methods::Rename { point, to }).await;
    assert_eq!(inside(&mut panel, "C").await, "\"none\"");
    assert_eq!(executions(&panel), asked_anew);
    assert_eq!(inside(&mut panel, "C").await, "\"none\"");
    assert_eq!(executions(&panel), asked_anew[1..]);

    // The author has changed the file: that the moment is another one is said.
    let changed = chosen.replace("{ text: 'none' }", "{ text: 'other' }");
    site.answers(&[("/", html(&changed))]);
    let expand = methods::Expand {
        point: "C".to_owned(),
        expression: "box".to_owned(),
        ..Default::default()
    };
    let given = panel.done(expand).await;
    assert_eq!(given.variables[0].value.text, "\"other\"");
    let notes = given.notes.join("; ");
    assert!(
        notes.contains("the old value is \"other\" here and \"none\" in the answer"),
        "{notes}"
    );
}

/// A function without a name, in which a built-in makes the change.
const PUSHED: &str = "<!doctype html><script>
const list = [];
const first = 'the page', item = 'not this';
const adds = [(item) => {
  list.push(item);
}];
adds[0]({ price: 2 });
</script>";

#[tokio::test]
async fn where_a_built_in_makes_the_change_the_pages_own_frame_is_looked_into() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(PUSHED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:list[0])").await;
    let expand = methods::Expand {
        point: "B".to_owned(),
        expression: "item".to_owned(),
        ..Default::default()
    };
    let variables = panel.done(expand).await.variables;
    let shown = variables
        .iter()
        .map(|it| (it.name.as_str(), it.value.text.as_str()));
    assert_eq!(shown.collect::<Vec<_>>(), [("price", "2")]);
}

#[tokio::test]
async fn that_a_value_is_of_another_moment_is_said() {
    let folder = Folder::new();
    let varying = "<!doctype html><script>const box = { at: 0 }; function set(at) { box.at = at; }\n\
        set({ now: performance.timeOrigin });</script>";
    let site = Site::new(&[("/", html(varying))]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.at)").await;
    let expand = methods::Expand {
        point: "B".to_owned(),
        expression: "at".to_owned(),
        ..Default::default()
    };
    let given = panel.done(expand).await;
    assert_eq!(given.variables[0].name, "now");
    let notes = given.notes.join("; ");
    assert!(notes.contains("the new value is {now: "), "{notes}");
}
