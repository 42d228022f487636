//! The panel in a browser, by clicks and keys alone: down to the defect line, kept sessions, cancel, a back end that is
//! killed, and that what comes from a page is text.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::at_panel::{AtPanel, NOT_OF_THE_PANEL, PARTLY_BLIND};
use crate::loopback::*;
use crate::panel::BackEnd;
use cdp_driver::native::{Browser, LaunchOptions, Purpose};
use end_to_end::repository;
use serde_json::{Value, json};

#[tokio::test]
async fn by_clicks_and_keys_to_the_defect_line() {
    let folder = Folder::new();
    let browser = Browser::launch(LaunchOptions::of(Purpose::Everything))
        .await
        .unwrap();
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
        // They think, which is recorded: the page's clock goes on.
        let now = panel.user.look("performance.now()").await.as_f64().unwrap();
        let thought = format!("performance.now() > {}", now + 300.0);
        panel.user.until(&thought).await;
    }
    panel.user.turns_to(&panel.url).await;
    panel.ends_recording(2).await;
    let think_time = "/^click .*, after \\d+\\.\\d s$/.test([...document.querySelectorAll('.steps \
        li')].at(-1).textContent)";
    panel.user.until(think_time).await;

    panel.presses(".replay").await;
    panel.is_told("The replay did what was recorded.").await;
    panel.presses(".said .dismiss").await;

    panel.enters("#at", "index.html:22").await;
    panel.sees("R", 22).await;
    panel
        .enters("#query", "lastChange(R:myObject.myProperty)")
        .await;
    panel.sees("B", 29).await;
    panel.presses(".replay").await;
    panel
        .is_told("Every question has the same answer as before.")
        .await;
    panel.presses(".said .dismiss").await;
    assert_eq!(panel.text("p.change").await, "2 → 0");
    // What can be asked there is offered while one types, and taken with the arrow keys.
    panel.fills("#query", "lastchange(b:").await;
    let offered = "[...document.querySelectorAll('#query-list [role=option]')].slice(0, 2).map((it) => it.textContent)";
    let first = json!(["lastChange(B:condition)", "lastChange(B:moods)"]);
    assert_eq!(panel.user.look(offered).await, first);
    assert_eq!(panel.barriers().await, [""; 0]);
    for key in ["ArrowDown", "ArrowDown", "Enter"] {
        panel.user.key(key, "").await;
    }
    panel
        .user
        .until(
            "document.querySelector('#query').value === 'lastChange(B:moods)' && \
            document.querySelector('#query-list').hidden",
        )
        .await;
    panel
        .enters("#query", "lastChange(B:myCondition.value)")
        .await;
    panel.sees("C", 35).await;
    let line = panel.chosen_line().await;
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
    let condition = "[...document.querySelectorAll('.state .variable')].find((it) => it.dataset.expression === \
        'condition')";
    panel
        .user
        .clicks_on(&format!("{condition}.querySelector('.last-change')"))
        .await;
    panel.sees("D", 26).await;
    // In the graph it begins a lane beside the chain of R, B and C.
    let lefts = "[...document.querySelectorAll('.point')].map((it) => [it.querySelector('b').textContent, \
        it.getBoundingClientRect().left > 10])";
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

#[tokio::test]
async fn sessions_are_kept_and_taken_up_again() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/one.html", html(PARTLY_BLIND)),
        ("/two.html", html(PARTLY_BLIND)),
    ]);
    let (one, two) = (site.url("/one.html"), site.url("/two.html"));
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &one).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    let shows = async |page: &str, points: usize| {
        panel
            .user
            .until(&format!(
                "document.querySelector('#page').value === '{page}' && document.querySelectorAll('.point').length === \
                 {points}"
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
    panel.stops_at_end().await;

    list(&[&one, &two]).await;
    let of_one = format!(
        "[...document.querySelectorAll('.session')].find((it) => it.textContent.startsWith('{one}'))"
    );
    panel.user.clicks_on(&of_one).await;
    shows(&one, 2).await;
    // It is the one that the panel has when it is loaded again.
    panel.user.send("Page.reload", json!({})).await;
    panel.user.until("document.querySelector('.link')?.textContent === '' && document.querySelector('#page').value \
        !== ''").await;
    shows(&one, 2).await;

    // One that was deleted is there again, at once or from the list.
    list(&[&one, &two]).await;
    panel.presses(".delete").await;
    shows("", 0).await;
    panel.is_told("Undo brings it back").await;
    panel.presses(".undo").await;
    shows(&one, 2).await;
    list(&[&one, &two]).await;
    panel.presses(".delete").await;
    shows("", 0).await;
    list(&[&one, &two]).await;
    let deleted = "[...document.querySelectorAll('.session')].filter((it) => it.textContent.includes('deleted, 1 \
        question'))";
    panel.user.until(&format!("{deleted}.length === 1")).await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel.user.clicks_on(&format!("{deleted}[0]")).await;
    shows(&one, 2).await;
}

#[tokio::test]
async fn what_is_taken_away_is_undone_by_a_press() {
    let folder = Folder::new();
    // Before a page has a body, nothing of it is drawn.
    let with_body = PARTLY_BLIND.replacen("<script>", "<body><script>", 1);
    let page = folder.file("index.html", &with_body);
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", page.to_str().unwrap()).await;
    let is_off = "['.undo', '.redo'].map((it) => document.querySelector(it).disabled)";
    assert_eq!(panel.user.look(is_off).await, json!([true, true]));
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    panel.enters("#query", "lastChange(B:box.a)").await;
    panel.sees("C", 4).await;
    // Its script runs while the document is read: not in a frame that is being made.
    let picture = "document.querySelector('img.picture[alt$=\"at C\"]')";
    panel
        .user
        .until(&format!("{picture}?.naturalWidth > 0"))
        .await;
    // The whole chain goes with its first point, and comes back.
    panel
        .user
        .clicks_on("document.querySelectorAll('.point')[1]")
        .await;
    panel.sees("B", 5).await;
    panel.presses(".remove").await;
    panel.has_points(1).await;
    panel.presses(".undo").await;
    panel.has_points(3).await;
    panel
        .user
        .clicks_on("document.querySelectorAll('.point')[2]")
        .await;
    panel.sees("C", 4).await;
    panel.presses(".redo").await;
    panel.has_points(1).await;
    assert_eq!(panel.user.look(is_off).await, json!([false, true]));
    // What is done then does not take away what was undone.
    panel.presses(".undo").await;
    panel.has_points(3).await;
    panel.enters("#watch", "box.a").await;
    panel
        .user
        .until("document.querySelectorAll('.unwatch').length === 1")
        .await;
    panel.presses(".undo").await;
    panel
        .user
        .until("document.querySelectorAll('.unwatch').length === 0")
        .await;
    panel.has_points(3).await;
    panel.presses(".undo").await;
    panel.has_points(1).await;
}

#[tokio::test]
async fn the_example_is_tried_and_the_steps_of_its_recording_are_changed() {
    let folder = Folder::new();
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    let user = &panel.user;
    panel.is_linked().await;
    panel.presses(".example").await;
    panel.sees("R", 22).await;
    panel.is_told("shows 0 after the second").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    panel
        .enters("#query", "lastChange(R:myObject.myProperty)")
        .await;
    panel.sees("B", 29).await;
    let becomes = async |old: &str, new: &str| {
        let change = "document.querySelector('p.change')?.textContent";
        user.until(&format!("{change} === '{old} → {new}'")).await;
    };
    becomes("2", "0").await;
    // With one click less the number is right, and all that was asked is asked again.
    let chooses = async |step: usize, item: &str| {
        let step = format!("document.querySelectorAll('.step')[{step}]");
        user.until(&format!("{step} && !document.querySelector('.cancel')"))
            .await;
        user.clicks_on(&step).await;
        let first = "document.querySelector('[role=menuitem]')?.textContent";
        user.until(&format!("{first} === 'Replay up to here'"))
            .await;
        user.clicks_on(&format!(
            "[...document.querySelectorAll('[role=menuitem]')].find((it) => it.textContent === '{item}')"
        ))
        .await;
    };
    chooses(2, "Delete all steps after this one").await;
    panel.is_told("Undo brings the steps back").await;
    becomes("0", "1").await;
    let steps = "document.querySelectorAll('.step').length";
    assert_eq!(user.look(steps).await, json!(3));
    panel.presses(".undo").await;
    user.until(&format!("{steps} === 4")).await;
    becomes("2", "0").await;
    chooses(3, "Delete this step").await;
    becomes("0", "1").await;
    panel.presses(".undo").await;
    user.until(&format!("{steps} === 4")).await;
    // What is no step stays to be repaired.
    chooses(3, "Edit this step").await;
    let field = "document.querySelector('.edited-step textarea')";
    user.until(&format!("{field}?.value.includes('\"click\"')"))
        .await;
    user.look(&format!(
        "void ({field}.value = {field}.value.replace('\"click\"', '\"fly\"'))"
    ))
    .await;
    panel.presses(".save-step").await;
    panel.is_told("fly").await;
    assert_eq!(panel.barriers().await, [""; 0]);
    user.look(&format!(
        "void ({field}.value = {field}.value.replace('\"fly\"', '\"doubleClick\"'))"
    ))
    .await;
    panel.presses(".save-step").await;
    panel.is_told("Undo brings the steps back").await;
    let last = "document.querySelectorAll('.step')[3].textContent";
    let shown = user.look(last).await;
    assert!(shown.as_str().unwrap().starts_with("double"), "{shown}");
    assert_eq!(user.look(&format!("{field} === null")).await, json!(true));
}

#[tokio::test]
async fn another_page_does_not_take_the_place_of_what_was_asked() {
    let folder = Folder::new();
    let site = Site::new(&[
        ("/one.html", html(PARTLY_BLIND)),
        ("/two.html", html(PARTLY_BLIND)),
    ]);
    let (one, two) = (site.url("/one.html"), site.url("/two.html"));
    let back_end = BackEnd::start(&folder, &[]);
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", &one).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.b)").await;
    panel.sees("B", 5).await;
    panel.enters("#page", &two).await;
    panel.is_told("the one before is kept").await;
    panel.has_points(0).await;
    // It is the one that the panel has when it is loaded again.
    panel.user.send("Page.reload", json!({})).await;
    let is_two = format!("document.querySelector('#page')?.value === '{two}'");
    panel.user.until(&is_two).await;
    panel
        .user
        .clicks_on("document.querySelector('.sessions summary')")
        .await;
    let of_one = format!(
        "[...document.querySelectorAll('.session')].find((it) => it.textContent.startsWith('{one}'))"
    );
    panel.user.until(&format!("{of_one} !== undefined")).await;
    panel.user.clicks_on(&of_one).await;
    panel.has_points(2).await;
    let is_one = format!("document.querySelector('#page').value === '{one}'");
    panel.user.until(&is_one).await;
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
    let panel = AtPanel::in_browser(&back_end).await;
    panel.enters("#page", page.to_str().unwrap()).await;
    panel.stops_at_end().await;
    panel.enters("#query", "lastChange(R:box.text)").await;
    panel.sees("B", 3).await;
    panel.enters("#watch", "'<b>bold</b>'").await;
    panel
        .user
        .until("document.querySelector('.state td')?.textContent.includes('<b>bold</b>')")
        .await;
    assert!(panel.text("p.change").await.contains("<img src=x"));
    assert!(
        panel
            .text(".lines")
            .await
            .contains("// <img src=x onerror=hacked=1>")
    );
    let made = format!(
        "[document.querySelectorAll('{NOT_OF_THE_PANEL}, b:not(.point b, .group b, .change b), \
        script:not([src])').length, typeof hacked]"
    );
    assert_eq!(panel.user.look(&made).await, json!([0, "undefined"]));
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
    let panel = AtPanel::in_browser(&back_end).await;
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
    panel.user.until("document.querySelector('.link')?.textContent === '' && document.querySelector('#page').value \
        !== ''").await;
}

/// The folder that the command beside this test shows.
fn package() -> std::path::PathBuf {
    let command = end_to_end::querypoint_command().unwrap();
    command.parent().unwrap().join("panel")
}

/// What is downloaded, the whole extension as a store has it, is no more than 600 kB, and as much as the document
/// says.
#[test]
fn it_is_small_and_the_document_says_how_small() {
    let archive = package().with_file_name("querypoint-extension.zip");
    let compressed = fs::metadata(archive)
        .expect("`cargo xtask extension` packs the panel")
        .len();
    assert!(compressed <= 600_000, "{compressed} bytes");
    let document = fs::read_to_string(repository().join("docs/reference/panel.md")).unwrap();
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
