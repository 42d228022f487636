//! Why something did not happen, in the panel: the decisions as rows and as balloons behind their lines, the lines that
//! did not run in grey, and what is asked from there.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use serde_json::json;

use crate::at_panel::AtPanel;
use crate::loopback::*;
use crate::panel::BackEnd;
use crate::panel_points::{MENU, place_in_source};

/// The rows of the decisions: what kind, the text, how it came out and where, without what is below.
const ROWS: &str = "[...document.querySelectorAll('.decisions .hop:not(.operand)')].map((it) => \
    ['.kind', 'code', '.outcome', '.place'].map((part) => it.querySelector(part).textContent))";

/// The lines in grey.
async fn grey_lines(panel: &AtPanel) -> Vec<String> {
    let texts = "[...document.querySelectorAll('.lines .cm-line.not-run')].map((it) => it.textContent.trim())";
    let texts = panel.user.look(texts).await;
    let texts = texts.as_array().unwrap().iter();
    texts.map(|it| it.as_str().unwrap().to_owned()).collect()
}

async fn has_rows(panel: &AtPanel, number: usize) {
    panel
        .user
        .until(&format!("{ROWS}.length === {number}"))
        .await;
}

#[tokio::test]
async fn what_was_not_done_to_an_object_is_shown_with_what_kept_it_from_being_done() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel
        .enters("#page", "../test-pages/file-lister/index.html")
        .await;
    panel.stops_at_end().await;
    panel.enters("#query", "omitted(R:list.files)").await;
    panel.sees("B", 24).await;
    has_rows(&panel, 2).await;
    let rows = json!([
        [
            "branch",
            "this.filter.accepts(name)",
            "did not hold 3 times",
            "lister.js:24 in FileList.add"
        ],
        [
            "kept from happening",
            "list.files.push(name)",
            "",
            "lister.js:25"
        ],
    ]);
    assert_eq!(panel.user.look(ROWS).await, rows);
    // The page is a file: it was run again with the decision turned round.
    assert_eq!(
        panel.text(".decisions .note").await,
        "turned round, it happens: (1) [\"c.txt\"]"
    );
    assert_eq!(
        panel.text(".point[aria-current] .change").await,
        "did not hold 3 times"
    );
    // What is known of it is a balloon behind its line.
    assert_eq!(
        panel.text(".lines .cm-line.chosen .balloon").await,
        "did not hold 3 times: no list.files.push(name)"
    );
    // Neither the operation nor the loop over the empty list ran.
    let grey = [
        "this.files.push(name);",
        "const item = document.createElement(\"li\");",
        "item.textContent = name;",
        "element.append(item);",
    ];
    assert_eq!(grey_lines(&panel).await, grey);
    assert_eq!(panel.barriers().await, [""; 0]);
    // The picture is the same wherever the project is.
    let path = "document.querySelector('#page').value = 'test-pages/file-lister/index.html'";
    panel.user.look(path).await;
    panel.picture("panel-why-not.png").await;

    // A press on a row shows its line; the balloon stays where it is.
    panel
        .user
        .clicks_on("document.querySelectorAll('.decisions .hop:not(.operand)')[1]")
        .await;
    panel.sees("B", 25).await;
    assert_eq!(panel.text(".lines .cm-line.chosen .balloon").await, "");
    assert!(
        panel
            .text(".lines .balloon")
            .await
            .starts_with("did not hold")
    );

    // From the decision it is one question to the defect.
    panel
        .enters("#query", "lastChange(B:this.filter.active)")
        .await;
    panel.sees("C", 9).await;
}

/// A cart that is closed before anything is put into it.
const CLOSED: &str = "<!doctype html><script>
const cart = { items: [], active: true };
function close() {
  cart.active = false;
}
function add(item) {
  if (cart.active) {
    cart.items.push(item);
  }
}
function reset() {
  if (cart.items.length > 2) {
    cart.items.length = 0;
  }
}
close();
add('a');
add('b');
reset();
document.title = cart.items.length;
</script>";

#[tokio::test]
async fn why_a_line_did_not_run_is_asked_by_a_right_click_and_followed_to_its_cause() {
    let folder = Folder::new();
    let page = folder.0.join("closed.html");
    fs::write(&page, CLOSED).unwrap();
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", page.to_str().unwrap()).await;
    panel.enters("#at", "closed.html:20").await;
    panel.sees("R", 20).await;
    // What ran is not known before that is asked.
    assert_eq!(grey_lines(&panel).await, [""; 0]);
    let menu = async |line: u32, text: &str| {
        let (x, y) = place_in_source(&panel, line, text).await;
        panel.user.press(x, y, "right", 1).await;
        panel
            .user
            .until("document.activeElement.role === 'menuitem'")
            .await;
    };
    menu(8, "push(item);").await;
    assert_eq!(
        panel.user.look(MENU).await,
        json!(["Use line 8 as reproduction point", "Why did this not run?"])
    );
    panel.user.key("ArrowDown", "").await;
    panel.user.types("\n").await;
    panel.sees("B", 7).await;
    has_rows(&panel, 1).await;
    let rows = json!([[
        "branch",
        "cart.active",
        "did not hold 2 times",
        "closed.html:7 in add"
    ]]);
    assert_eq!(panel.user.look(ROWS).await, rows);
    assert_eq!(
        panel.text(".point[aria-current] .query").await,
        "whyNot(closed.html:8)"
    );
    assert_eq!(
        panel.text(".decisions .note").await,
        "turned round, it happens"
    );
    // R is before its line has run.
    let grey = [
        "cart.items.push(item);",
        "cart.items.length = 0;",
        "document.title = cart.items.length;",
    ];
    assert_eq!(grey_lines(&panel).await, grey);
    // Of a line that ran it is not asked why it did not.
    menu(4, "false;").await;
    assert_eq!(
        panel.user.look(MENU).await,
        json!(["Use line 4 as reproduction point"])
    );
    panel.user.key("Escape", "").await;

    // The values that decided lead on.
    panel.presses(".decisions .operand").await;
    panel.sees("C", 4).await;
    assert_eq!(
        panel.text(".point[aria-current] .query").await,
        "lastChange(B:cart.active)"
    );
    // It was no decision that led there.
    has_rows(&panel, 0).await;

    // Each other decision can be asked at, too.
    panel.enters("#query", "D = omitted(R:cart.items)").await;
    panel.sees("D", 7).await;
    has_rows(&panel, 4).await;
    panel.presses(".decisions .ask-there").await;
    panel.sees("E", 12).await;
    let query = panel.text(".point[aria-current] .query").await;
    assert!(query.starts_with("trace(line(closed.html:12:"), "{query}");
    assert_eq!(panel.barriers().await, [""; 0]);
}
