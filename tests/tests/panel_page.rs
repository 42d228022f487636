//! The panel in a browser, by clicks and keys alone: down to the defect line, watched expressions, cancel, a back end that is killed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod at_panel;
mod loopback;
mod panel;
mod user;

use std::fs;
use std::io::Write;

use at_panel::AtPanel;
use cdp_driver::native::{Browser, LaunchOptions};
use end_to_end::repository;
use loopback::*;
use panel::BackEnd;
use serde_json::{Value, json};
use user::soon;

#[tokio::test]
async fn by_clicks_and_keys_to_the_defect_line() {
    let folder = Folder::new();
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let panel = AtPanel::of(browser, &back_end).await;
    // The secret is not left in the address.
    assert_eq!(panel.user.look("location.href").await, json!(panel.url));
    panel.picture("panel-empty.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);

    let counter = fs::read_to_string(repository().join("test-pages/counter/index.html")).unwrap();
    let site = Site::new(&[("/index.html", html(&counter))]);
    let page = site.url("/index.html");
    panel.enters("#page", &page).await;
    panel.presses(".record").await;
    panel.user.turns_to(&page).await;
    for shown in ["1", "0"] {
        panel.user.clicks_on("myButton").await;
        panel
            .user
            .until(&format!("myButton.textContent === '{shown}'"))
            .await;
    }
    panel.user.turns_to(&panel.url).await;
    panel
        .user
        .until("[...document.querySelectorAll('.steps li')].filter((step) => step.textContent.startsWith('click')).length === 2")
        .await;
    panel.presses(".record[aria-pressed=true]").await;
    panel
        .user
        .until("document.querySelector('.record').getAttribute('aria-pressed') === 'false'")
        .await;

    panel.presses(".replay").await;
    panel.is_told("The replay went as it was recorded.").await;
    panel.presses(".said .dismiss").await;

    panel.enters("#at", "index.html:22").await;
    panel.sees("R", 22).await;
    panel
        .enters("#query", "lastChange(R:myObject.myProperty)")
        .await;
    panel.sees("B", 29).await;
    assert_eq!(panel.text("dl.change").await, "was2became0");
    // What can be asked there is offered while one types.
    let offered =
        "[...document.querySelector('#query').list.options].slice(0, 2).map((it) => it.value)";
    let first = json!(["lastChange(B:condition)", "lastChange(B:moods)"]);
    assert_eq!(panel.user.look(offered).await, first);
    panel
        .enters("#query", "lastChange(B:myCondition.value)")
        .await;
    panel.sees("C", 35).await;
    let line = panel.text(".lines .chosen code").await;
    assert_eq!(line, "  myCondition.value = moods[clicks];");
    panel.picture("panel.png").await;
    assert_eq!(panel.barriers().await, [""; 0]);

    // Back to a point by its mark in the source, and on from there by one click on a value.
    panel
        .user
        .clicks_on(
            "[...document.querySelectorAll('.mark')].find((mark) => mark.textContent === 'B')",
        )
        .await;
    panel.sees("B", 29).await;
    let condition = "[...document.querySelectorAll('.state th')].find((name) => name.textContent === 'condition')";
    panel
        .user
        .clicks_on(&format!(
            "{condition}.closest('tr').querySelector('button')"
        ))
        .await;
    panel.sees("D", 26).await;
    // In the graph it begins a lane beside the chain of R, B and C.
    let lefts = "[...document.querySelectorAll('.point')].map((it) => [it.querySelector('b').textContent, it.getBoundingClientRect().left > 10])";
    let graph = json!([["R", false], ["B", false], ["C", false], ["D", true]]);
    assert_eq!(panel.user.look(lefts).await, graph);

    // What is watched is there at each point, after the page was run again.
    panel.enters("#watch", "typeof clicks").await;
    panel
        .user
        .until("document.querySelector('.state td')?.textContent === '\"number\"'")
        .await;
    // A query that is wrong is shown where it is wrong.
    panel.enters("#query", "lastChange(R:myObject.").await;
    panel
        .user
        .until("document.querySelector('.said pre.error')?.textContent.includes('^')")
        .await;
    panel.presses(".said .dismiss").await;
    panel
        .user
        .until("document.querySelector('.said pre') === null")
        .await;

    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    panel.user.send("Emulation.setEmulatedMedia", dark).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-dark.png").await;
}

/// A page with a script that nobody can see into.
const PARTLY_BLIND: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
CSS.paintWorklet.addModule('paint.js');
</script>";

#[tokio::test]
async fn points_are_renamed_and_removed_the_command_is_copied_and_notes_are_dismissed() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/", html(PARTLY_BLIND)),
        (
            "/paint.js",
            script("registerPaint('mine', class { paint() {} });"),
        ),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", &site.url("/")).await;
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    panel.enters("#query", "lastChange(B:box.a)").await;
    panel.sees("C", 4).await;

    // What could not be seen is said until it was read.
    let note = panel.text(".notes li span").await;
    assert!(note.contains("paint.js: it runs in a worklet"), "{note}");
    panel.presses(".notes .dismiss").await;
    panel
        .user
        .until("document.querySelector('.notes') === null")
        .await;

    // A name that is taken is refused; another is the point's wherever it is used.
    panel
        .user
        .clicks_on("document.querySelectorAll('.point')[1]")
        .await;
    panel.sees("B", 5).await;
    panel.enters("#name", "C").await;
    panel.is_told("C").await;
    panel.presses(".said .dismiss").await;
    panel.enters("#name", "doubled").await;
    panel.sees("doubled", 5).await;
    let queries = "[...document.querySelectorAll('.point .query')].map((it) => it.textContent)";
    let asked = ["", "lastChange(R:box.b)", "lastChange(doubled:box.a)"];
    assert_eq!(panel.user.look(queries).await, json!(asked));

    // The command is said, and in the clipboard where the browser lets it be written.
    panel.user.permits("clipboard-write", "denied").await;
    panel.presses(".copy").await;
    panel
        .is_told("The browser does not let the panel write to the clipboard; the command is:")
        .await;
    panel.is_told("querypoint ask http").await;
    panel.user.permits("clipboard-write", "granted").await;
    panel.user.permits("clipboard-read", "granted").await;
    panel.presses(".copy").await;
    panel.is_told("The command is in the clipboard.").await;
    let read = json!({ "expression": "navigator.clipboard.readText()", "awaitPromise": true });
    let read = panel.user.send("Runtime.evaluate", read).await;
    let copied = read["result"]["value"].as_str().unwrap().to_owned();
    assert!(copied.starts_with("querypoint ask http"), "{read}");
    let (_, said) = panel
        .text(".said pre")
        .await
        .split_once('\n')
        .map(|(head, rest)| (head.to_owned(), rest.to_owned()))
        .unwrap();
    assert_eq!(said, copied);

    // The answer is saved as a page.
    let saved = folder.0.join("saved");
    let to = json!({ "behavior": "allow", "downloadPath": saved });
    let protocol = panel.user.browser().protocol();
    let set = protocol.send(None, "Browser.setDownloadBehavior", to).await;
    set.unwrap();
    panel.presses(".save").await;
    let page = soon("the page", async || {
        fs::read_to_string(saved.join("querypoint.html")).ok()
    })
    .await;
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(page.contains("lastChange(doubled:box.a)"), "{page}");

    // With a point goes what hangs on it.
    panel.presses(".remove").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    assert_eq!(panel.text(".point[aria-current] b").await, "R");
}

/// The place on the screen of a part of a line of the source.
async fn place_in_source(panel: &AtPanel, line: u32, text: &str) -> (i32, i32) {
    let text = json!(text);
    let place = format!(
        "(() => {{ const text = document.querySelector('.lines [data-line=\"{line}\"] code').firstChild; const range = document.createRange(); \
         const at = text.data.indexOf({text}); range.setStart(text, at); range.setEnd(text, at + {text}.length); \
         const {{ right, top, height }} = range.getBoundingClientRect(); return [Math.floor(right) - 2, Math.floor(top + height / 2)]; }})()"
    );
    let place = panel.user.look(&place).await;
    let at = |index: usize| i32::try_from(place[index].as_i64().unwrap()).unwrap();
    (at(0), at(1))
}

/// The items of the menu, without blanks at their ends.
const MENU: &str =
    "[...document.querySelectorAll('[role=menu] [role=menuitem]')].map((it) => it.textContent)";

#[tokio::test]
async fn what_a_name_in_the_source_means_is_asked_by_a_right_click_or_by_keys() {
    let folder = Folder::new();
    let site = Site::new(&[("/shop.html", html(PARTLY_BLIND))]);
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", &site.url("/shop.html")).await;
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;

    let (x, y) = place_in_source(&panel, 5, "= box.a").await;
    panel.user.press(x, y, "right", 1).await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    let items = [
        "last change of box.a",
        "Watch box.a",
        "Stop at line 5 instead",
    ];
    assert_eq!(panel.user.look(MENU).await, json!(items));
    assert_eq!(panel.user.look("String(getSelection())").await, json!("a"));
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-menu.png").await;
    panel.user.types("\n").await;
    panel.sees("C", 4).await;
    assert_eq!(
        panel.text(".point[aria-current] .query").await,
        "lastChange(B:box.a)"
    );

    // By keys alone: the second name of the point's line, and the second item.
    panel
        .user
        .look("document.querySelector('.lines').focus()")
        .await;
    for key in [
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "ArrowRight",
        "Enter",
    ] {
        panel.user.key(key, "").await;
    }
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    let items = [
        "last change of box.a",
        "Watch box.a",
        "Stop at line 4 instead",
    ];
    assert_eq!(panel.user.look(MENU).await, json!(items));
    panel.user.key("ArrowDown", "").await;
    panel.user.types("\n").await;
    panel
        .user
        .until("document.querySelector('.state td')?.textContent === '0'")
        .await;
    // What was selected is so still, and the lines have the focus, although there is another answer.
    assert_eq!(panel.user.look("String(getSelection())").await, json!("a"));
    for key in ["ArrowDown", "Enter"] {
        panel.user.key(key, "").await;
    }
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    panel.user.key("Escape", "").await;
    panel
        .user
        .until("document.querySelector('[role=menu]') === null")
        .await;
    assert_eq!(
        panel.user.look("document.activeElement.className").await,
        json!("lines")
    );

    // What is selected is taken as it is; where nothing is pointed at there is still the line.
    let (x, y) = place_in_source(&panel, 7, ");").await;
    panel.user.press(x, y, "right", 1).await;
    panel
        .user
        .until("document.activeElement.role === 'menuitem'")
        .await;
    assert_eq!(
        panel.user.look(MENU).await,
        json!(["Stop at line 7 instead"])
    );
    panel.user.types("\n").await;
    panel
        .user
        .until("document.querySelector('.point .place').textContent.includes('shop.html:7')")
        .await;
    assert_eq!(
        panel.user.look("document.querySelector('#at').value").await,
        json!("shop.html:7")
    );
}

#[tokio::test]
async fn sessions_are_kept_and_taken_up_again() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/one.html", html(PARTLY_BLIND)),
        ("/two.html", html(PARTLY_BLIND)),
    ]);
    let (one, two) = (site.url("/one.html"), site.url("/two.html"));
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", &one).await;
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    let shows = async |page: &str, points: usize| {
        panel
            .user
            .until(&format!(
                "document.querySelector('#page').value === '{page}' && document.querySelectorAll('.point').length === {points}"
            ))
            .await;
    };
    let list = async |wanted: &[&str]| {
        panel
            .user
            .until("!document.querySelector('.sessions').open")
            .await;
        panel
            .user
            .clicks_on("document.querySelector('.sessions summary')")
            .await;
        let pages = "JSON.stringify([...document.querySelectorAll('.session b')].map((it) => it.textContent).sort())";
        panel
            .user
            .until(&format!("{pages} === '{}'", json!(wanted)))
            .await;
    };
    list(&[&one]).await;
    let outline = panel.text(".session[aria-current] span").await;
    assert!(outline.starts_with("1 question, "), "{outline}");
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.presses(".new-session").await;
    shows("", 0).await;
    panel.enters("#page", &two).await;
    shows(&two, 0).await;

    list(&[&one, &two]).await;
    let of_one = format!(
        "[...document.querySelectorAll('.session')].find((it) => it.textContent.startsWith('{one}'))"
    );
    panel.user.clicks_on(&of_one).await;
    shows(&one, 2).await;
    // It is the one that the panel has when it is loaded again.
    panel.user.send("Page.reload", json!({})).await;
    panel.user.until("document.querySelector('.link')?.textContent === '' && document.querySelector('#page').value !== ''").await;
    shows(&one, 2).await;

    list(&[&one, &two]).await;
    panel.presses(".forget").await;
    shows("", 0).await;
    list(&[&two]).await;
}

/// A page with an object in an object.
const NESTED: &str = "<!doctype html><script>
const cart = { items: [{ price: 1 }], '<b>paid</b>': {} };
function raise(item) {
  item.price += 1;
}
raise(cart.items[0]);
raise(cart.items[0]);
</script>";

#[tokio::test]
async fn values_unfold_as_they_were_at_the_point_and_are_asked_about() {
    let folder = Folder::new();
    let site = Site::new(&[("/nested.html", html(NESTED))]);
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", &site.url("/nested.html")).await;
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel
        .enters("#query", "lastChange(R:cart.items[0].price)")
        .await;
    panel.sees("B", 4).await;

    // Each is read where the page stands just before the change.
    let fold = async |name: &str| {
        let button = format!(
            "[...document.querySelectorAll('.fold')].find((it) => it.getAttribute('aria-label') === 'What is inside of {name}')"
        );
        panel
            .user
            .until(&format!("{button}?.disabled === false"))
            .await;
        panel.user.clicks_on(&button).await;
    };
    let rows = "[...document.querySelectorAll('.state tr:has(.last-change)')].map((row) => [...row.querySelectorAll('code')].map((it) => it.textContent).join(' '))";
    let become_rows = async |wanted: &[&str]| {
        let wanted = json!(wanted).to_string();
        let wanted = json!(wanted);
        panel
            .user
            .until(&format!(
                "JSON.stringify({rows}.filter((it) => !it.startsWith('raise '))) === {wanted}"
            ))
            .await;
    };
    let cart = "cart {items: Array(1), <b>paid</b>: {…}}";
    become_rows(&["item {price: 2}", cart]).await;
    fold("item").await;
    become_rows(&["item {price: 2}", "price 2", cart]).await;
    fold("cart").await;
    fold("cart.items").await;
    fold("cart.items[0]").await;
    let all = [
        "item {price: 2}",
        "price 2",
        cart,
        "items (1) [{…}]",
        "0 {price: 2}",
        "price 2",
        "length 1",
        "<b>paid</b> {}",
    ];
    become_rows(&all).await;
    fold("cart[\"<b>paid</b>\"]").await;
    panel
        .user
        .until("document.querySelector('.state tr .empty, .state td.empty')?.textContent === 'It has no properties of its own.'")
        .await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.picture("panel-inside.png").await;
    fold("cart").await;
    become_rows(&["item {price: 2}", "price 2", cart]).await;

    // A property is asked about like a variable.
    let of_price = "[...document.querySelectorAll('.last-change')].find((it) => it.getAttribute('aria-label') === 'last change of item.price')";
    panel.user.clicks_on(of_price).await;
    panel.sees("C", 4).await;
    let asked = panel.text(".point[aria-current] .query").await;
    assert_eq!(asked, "lastChange(B:item.price)");
}

/// A page whose names, values, source and messages are markup.
const MARKUP: &str =
    "<!doctype html><title>&lt;img src=x onerror=parent.hacked=1&gt;</title><script>
const box = { '<img src=x onerror=hacked=1>': 0, text: '' };
function render(value) { box.text = value; }
render('<img src=x onerror=hacked=1><script>hacked=1</' + 'script>');
// <img src=x onerror=hacked=1>
</script>";

#[tokio::test]
async fn what_comes_from_the_page_is_text() {
    let folder = Folder::new();
    let page = folder.file("<img src=x onerror=hacked=1>.html", MARKUP);
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", page.to_str().unwrap()).await;
    panel.enters("#at", "end").await;
    panel
        .user
        .until("document.querySelectorAll('.point').length === 1")
        .await;
    panel.enters("#query", "lastChange(R:box.text)").await;
    panel.sees("B", 3).await;
    panel.enters("#watch", "'<b>bold</b>'").await;
    panel
        .user
        .until("document.querySelector('.state td')?.textContent.includes('<b>bold</b>')")
        .await;
    assert!(panel.text("dl.change").await.contains("<img src=x"));
    assert!(
        panel
            .text(".lines")
            .await
            .contains("// <img src=x onerror=hacked=1>")
    );
    let made = "[document.querySelectorAll('img, b:not(.point b), script:not([src])').length, typeof hacked]";
    assert_eq!(panel.user.look(made).await, json!([0, "undefined"]));
    // Nor would it run: the document says so itself.
    let blocked = "(() => { const it = document.createElement('script'); it.textContent = 'window.hacked = 1'; document.body.append(it); return typeof hacked; })()";
    assert_eq!(panel.user.look(blocked).await, json!("undefined"));
}

#[tokio::test]
async fn it_finds_a_back_end_that_was_started_anew_and_can_cancel() {
    let folder = Folder::new();
    let site = Site::new(&[
        (
            "/",
            page("<script>const box = { a: 1 }; box.a = 2; fetch('/slow');</script>"),
        ),
        ("/slow", html("slow").after_ms(600_000)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let panel = AtPanel::of(browser, &back_end).await;
    panel.enters("#page", &site.url("/")).await;
    panel.enters("#at", "console:never").await;
    panel.presses(".cancel").await;
    panel
        .user
        .until("document.querySelector('.said pre')?.textContent.includes('cancelled')")
        .await;
    assert_eq!(panel.text(".stage").await, "");

    back_end.kill();
    panel
        .user
        .until("document.querySelector('.link').textContent !== ''")
        .await;
    assert_eq!(
        panel
            .user
            .look("document.querySelector('#page').form.querySelector('button').disabled")
            .await,
        Value::Bool(true)
    );
    let _back_end = BackEnd::start(&folder, &[]);
    panel
        .user
        .until("document.querySelector('.link').textContent === ''")
        .await;
    assert_eq!(
        panel
            .user
            .look("document.querySelector('#page').value")
            .await,
        json!(site.url("/"))
    );
    // Loaded again it is still let in.
    panel.user.send("Page.reload", json!({})).await;
    panel.user.until("document.querySelector('.link')?.textContent === '' && document.querySelector('#page').value !== ''").await;
}

/// The folder that the command beside this test shows.
fn package() -> std::path::PathBuf {
    let command = end_to_end::querypoint_command().unwrap();
    command.parent().unwrap().join("panel")
}

/// What is downloaded is no more than 300 KiB compressed, and as much as docs/panel.md says.
#[test]
fn it_is_small_and_the_document_says_how_small() {
    let mut compressed = 0;
    for entry in fs::read_dir(package()).expect("`cargo xtask panel` builds the panel") {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&bytes).unwrap();
        compressed += encoder.finish().unwrap().len();
    }
    assert!(compressed <= 300 * 1024, "{compressed} bytes");
    let document = fs::read_to_string(repository().join("docs/panel.md")).unwrap();
    let words: Vec<&str> = document.split_whitespace().collect();
    let at = words
        .windows(3)
        .position(|words| words[1] == "kB" && words[2].starts_with("compressed"));
    let said: f64 = words[at.expect("it says so")].parse().unwrap();
    let is = compressed as f64 / 1000.0;
    assert!(
        (is / said - 1.0).abs() < 0.05,
        "{is} kB, and the document says {said}"
    );
}
