//! The back end of panels: a session from the first click to the defect, replays, several panels.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::path::Path;
use std::time::Duration;

use crate::loopback::*;
use crate::panel::{BackEnd, COUNTING, Panel, place, places};
use crate::user::{User, find_target, soon, target_of};
use cdp_driver::native::{Browser, LaunchOptions};
use cdp_driver::protocol::SessionId;
use end_to_end::repository;
use futures::StreamExt;
use querypoint::session::differences::PointDifference;
use querypoint::session::messages::{Doing, News, RefusalCode, ResponseOutcome};
use querypoint::session::methods;
use serde_json::{Value, json};

#[tokio::test]
async fn from_the_first_click_to_the_defect() {
    let folder = Folder::new();
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "tab-1").await;
    let page = repository().join("test-pages/counter/index.html");
    panel.goes_to(&page).await;

    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    let user = User::looking_at(browser, "/index.html").await;
    for clicks in 1..=2 {
        user.clicks_on("myButton").await;
        let step =
            move |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
        panel.hears(step).await;
        let shown = if clicks == 1 { "1" } else { "0" };
        user.until(&format!("myButton.textContent === '{shown}'"))
            .await;
    }
    panel.done(methods::Stop {}).await;
    panel.outcome(recording).await;
    let (session, doing) = panel.session();
    assert_eq!(doing, None);
    let steps = session.recording.unwrap().steps;
    assert_eq!(steps[2..].len(), 2, "{steps:?}");

    // What is so there is known before anything is asked.
    panel.stops_at("index.html:22").await;
    let (session, _) = panel.session();
    assert_eq!(places(&session), [place("R", 22, "updateButton")]);
    // So is which document it is of, which nobody watches.
    let document = session.document.unwrap();
    assert!(document.url.ends_with("/index.html"), "{document:?}");
    assert_eq!(session.answer.as_ref().unwrap().points[0].watches, []);
    let scopes = json!(session.answer.unwrap().points[0].scopes).to_string();
    assert!(scopes.contains("myObject"), "{scopes}");

    assert_eq!(panel.asks("lastChange(R:myObject.myProperty)").await, "B");
    let query = "lastChange(B:myCondition.value)";
    assert_eq!(panel.asks(query).await, "C");
    let (session, _) = panel.session();
    let found = [
        place("R", 22, "updateButton"),
        place("B", 29, "bar"),
        place("C", 35, "nextMood"),
    ];
    assert_eq!(places(&session), found);
    assert!(session.answer.as_ref().unwrap().executions <= 2);
    let stages = panel.stages().join("\n");
    assert!(
        stages.contains("execution 1: ") && stages.contains("click"),
        "{stages}"
    );

    // What else a panel shows of it.
    let url = session.answer.as_ref().unwrap().points[1].location.as_ref();
    let url = url.unwrap().url.clone();
    let source = panel.done(methods::Source { url, log: None }).await.text;
    assert_eq!(source, std::fs::read_to_string(&page).unwrap());
    let html = panel.done(methods::Html {}).await.text;
    assert!(html.contains("moods[clicks]"));
    let replayed = panel
        .done(methods::Replay {
            at_recorded_pace: false,
        })
        .await;
    assert_eq!(replayed.notes, [""; 0]);

    // The same, typed.
    let line = panel.done(methods::CommandLine {}).await.text;
    let answer = typed_as_json(&line);
    let points = answer["points"].as_array().unwrap().iter();
    let lines: Vec<&Value> = points.map(|point| &point["location"]["line"]).collect();
    assert_eq!(lines, [22, 29, 35]);
}

/// A page that says later that it was pressed: a person may end the recording before.
const SLOW: &str = "<!doctype html><title>Slow</title><button id=more>0</button><script>
more.onclick = () => {
  for (const end = performance.now() + 200; performance.now() < end; );
  console.log('pressed');
};
</script>";

#[tokio::test]
async fn what_a_click_is_still_doing_when_a_recording_ends_belongs_to_it() {
    let folder = Folder::new();
    let page = folder.file("index.html", SLOW);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    let user = User::looking_at(browser, "/index.html").await;
    let stops = async {
        let clicked =
            |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
        panel.hears(clicked).await;
        panel.done(methods::Stop {}).await;
    };
    tokio::join!(user.clicks_on("more"), stops);
    panel.outcome(recording).await;
    let replayed = panel
        .done(methods::Replay {
            at_recorded_pace: false,
        })
        .await;
    assert_eq!(replayed.notes, [""; 0]);
}

/// A page that adds up what is pressed.
const ADDS: &str = "<!doctype html><title>Adds</title><button id=more>0</button><script>
const cart = { total: 0 };
function add(price) {
  cart.total = cart.total + price;
}
more.onclick = (event) => { add(2); event.target.textContent = cart.total; };
</script>";

#[tokio::test]
async fn a_replay_asks_again_and_tells_what_differs() {
    let folder = Folder::new();
    let page = folder.file("index.html", ADDS);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    let user = User::looking_at(browser, "/index.html").await;
    user.clicks_on("more").await;
    let clicked =
        |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
    panel.hears(clicked).await;
    panel.done(methods::Stop {}).await;
    panel.outcome(recording).await;
    let replay = methods::Replay {
        at_recorded_pace: false,
    };
    // Nothing was asked yet.
    let replayed = panel.done(replay).await;
    assert_eq!((replayed.notes, replayed.differences), (Vec::new(), None));
    panel.stops_at("index.html:4").await;
    panel.asks("lastChange(R:cart.total)").await;
    panel.stops_at("end").await;
    let replayed = panel.done(replay).await;
    assert_eq!(replayed.differences, Some(Vec::new()));

    // The author repairs it.
    let repaired = ADDS.replace("+ price;", "+ price * 10;");
    let repaired = repaired.replace("function add", "\nfunction add");
    std::fs::write(&page, repaired).unwrap();
    let replayed = panel.done(replay).await;
    assert_eq!(replayed.notes, [""; 0]);
    let differences = replayed.differences.unwrap();
    let of_total = differences.iter().find(|it| it.point == "B").unwrap();
    assert_eq!(of_total.was, "index.html:4 add 0 → 2");
    assert_eq!(of_total.is, "index.html:5 add 0 → 20");
    let (session, doing) = panel.session();
    assert_eq!(doing, None);
    let shown = session.answer.unwrap().points[1].new.clone();
    assert_eq!(shown.unwrap().text, "20");
    let replayed = panel.done(replay).await;
    assert_eq!(replayed.differences, Some(Vec::new()));
}

/// A page whose script and whose prices come from a server.
const FROM_SERVER: &str =
    "<!doctype html><title>Shop</title><button id=more>0</button><script src=/app.js></script>";
const SCRIPT: &str = "const cart = { total: 0 };
function add(price) {
  cart.total = cart.total + price;
}
more.onclick = async () => {
  const price = await (await fetch('/price.json', { method: 'POST' })).json();
  add(price);
  more.textContent = cart.total;
};";

#[tokio::test]
async fn a_replay_runs_what_the_server_sends_now_and_asks_it_nothing_else() {
    let folder = Folder::new();
    let price = |price: &str| Reply::new("application/json", price);
    let site = Site::new(&[
        ("/", html(FROM_SERVER)),
        ("/app.js", script(SCRIPT)),
        ("/price.json", price("2")),
    ]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    let user = User::looking_at(browser, &site.url("/")).await;
    user.clicks_on("more").await;
    user.until("more.textContent === '2'").await;
    panel.done(methods::Stop {}).await;
    panel.outcome(recording).await;
    panel.stops_at("end").await;
    panel.asks("lastChange(R:cart.total)").await;
    let (asked, _) = panel.session();
    let replay = methods::Replay {
        at_recorded_pace: false,
    };
    let replayed = panel.done(replay).await;
    assert_eq!(replayed.notes, [""; 0]);
    assert_eq!(replayed.differences, Some(Vec::new()));

    // The author repairs the script; the price has changed as well, and that is of another day.
    let repaired = SCRIPT.replace("+ price;", "+ price * 10;");
    let repaired = repaired.replace("function add", "\nfunction add");
    site.answers(&[
        ("/", html(FROM_SERVER)),
        ("/app.js", script(&repaired)),
        ("/price.json", price("7")),
    ]);
    site.requests();
    let replayed = panel.done(replay).await;
    let notes = replayed.notes.join("\n");
    assert!(notes.contains("and that is run: app.js;"), "{notes}");
    let of_total = |differences: Option<Vec<PointDifference>>| {
        let mut differences = differences.unwrap().into_iter();
        let of_total = differences.find(|it| it.point == "B").unwrap();
        (of_total.was, of_total.is)
    };
    let places = [
        "app.js:3 add 0 → 2".to_owned(),
        "app.js:4 add 0 → 20".to_owned(),
    ];
    let [was, is] = places.clone();
    assert_eq!(of_total(replayed.differences), (was, is));
    let mut requests = site.requests();
    requests.retain(|path| path != "/favicon.ico");
    requests.sort();
    assert_eq!(requests, ["/", "/app.js"]);
    // What is asked from now on is asked of it, also if the server is not there.
    let gone = || html("gone").status(404);
    site.answers(&[("/", gone()), ("/app.js", gone())]);
    panel.done(methods::Again {}).await;
    let new = panel.session().0.answer.unwrap().points[1].new.clone();
    assert_eq!(new.unwrap().text, "20");
    let replayed = panel.done(replay).await;
    let notes = replayed.notes.join("\n");
    assert!(
        notes.contains("run as it was recorded")
            && notes.contains("/app.js could not be loaded (status 404)"),
        "{notes}"
    );
    assert_eq!(replayed.differences, Some(Vec::new()));

    // Undone, it is what was recorded.
    while panel.session().0.is_another_than(&asked) {
        panel.done(methods::Undo {}).await;
    }
    site.answers(&[("/", html(FROM_SERVER)), ("/app.js", script(SCRIPT))]);
    let replayed = panel.done(replay).await;
    assert_eq!(replayed.notes, [""; 0]);
    assert_eq!(replayed.differences, Some(Vec::new()));
}

/// What the shell gets for a command line of `querypoint`, with `--json` after it.
fn typed_as_json(line: &str) -> Value {
    let program = command(&[]);
    let folder = Path::new(program.get_program()).parent().unwrap();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![folder.to_owned()];
    folders.extend(std::env::split_paths(&inherited));
    let ran = std::process::Command::new("sh")
        .args(["-c", &format!("{line} --json")])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output()
        .unwrap();
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {line}: {ran:?}"))
}

#[tokio::test]
async fn points_are_watched_renamed_and_removed_before_all_panels() {
    let folder = Folder::new();
    let page = folder.file("index.html", COUNTING);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    let mut other = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.b)").await;
    panel.asks("lastChange(B:box.a)").await;
    let expression = "box.a".to_owned();
    panel.done(methods::Watch { expression }).await;
    let (session, _) = panel.session();
    let watched = session.answer.as_ref().unwrap().points[1].watches[0].clone();
    assert_eq!(watched.value.text, "2");

    let (point, to) = ("B".to_owned(), "doubled".to_owned());
    panel.done(methods::Rename { point, to }).await;
    let (session, _) = panel.session();
    let queries = [
        "doubled = lastChange(R:box.b)",
        "C = lastChange(doubled:box.a)",
    ];
    assert_eq!(session.queries, queries);
    // Asked anew, it is the same.
    panel.done(methods::Again {}).await;
    let (again, _) = panel.session();
    assert_eq!(places(&again), places(&session));
    let query = "lastChange(doubled:box.".to_owned();
    let refusal = panel.refused(methods::Ask { query, at: None }).await;
    assert_eq!(refusal.code, RefusalCode::NotUnderstood);
    assert!(refusal.message.contains('^'), "{}", refusal.message);
    let query = "lastChange(B:box.a)".to_owned();
    let refusal = panel.refused(methods::Ask { query, at: None }).await;
    assert!(
        refusal.message.contains("none is called \"B\""),
        "{}",
        refusal.message
    );

    let point = "doubled".to_owned();
    panel.done(methods::Remove { point }).await;
    let (session, doing) = panel.session();
    assert_eq!((session.queries.len(), doing), (0, None));
    assert_eq!(places(&session), [place("R", 0, "")]);

    // The other has heard it all, in the same words.
    let mine = session;
    other.done(methods::Sessions {}).await;
    let (theirs, _) = other.session();
    assert_eq!(theirs, mine);
    let asking = |news: &News| {
        matches!(
            news,
            News::Session {
                doing: Some(Doing::Asking),
                ..
            }
        )
    };
    assert!(other.heard.iter().any(asking));

    panel.done(methods::Delete {}).await;
    let kept = other.done(methods::Sessions {}).await.sessions;
    assert_eq!(kept, []);
    assert_eq!(back_end.interrupt(), Some(0));
}

#[tokio::test]
async fn the_tab_that_shows_the_page_already_is_recorded() {
    let folder = Folder::new();
    let site = Site::new(&[(
        "/",
        page("<button id=more onclick='this.textContent = localStorage.count = 1'>0</button>")
            .after_ms(400),
    )]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    // There is none yet.
    let call = methods::Record { in_open_tab: true };
    let refusal = panel.refused(call).await;
    assert_eq!(refusal.code, RefusalCode::Failed, "{}", refusal.message);
    assert_eq!(panel.session().1, None);

    let protocol = browser.protocol();
    let opened = json!({ "url": site.url("/") });
    let made = protocol.send(None, "Target.createTarget", opened).await;
    made.unwrap();
    // It is on its way there still.
    let recording = panel.begin(call).await;
    let user = User::looking_at(browser, &site.url("/")).await;
    user.until("performance.getEntriesByType('navigation')[0].type === 'reload' && document.readyState === \
        'complete'").await;
    user.clicks_on("more").await;
    let clicked =
        |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
    panel.hears(clicked).await;
    panel.done(methods::Stop {}).await;
    panel.outcome(recording).await;
    let steps = panel.session().0.recording.unwrap().steps;
    assert!(
        steps.iter().any(|step| step.starts_with("click")),
        "{steps:?}"
    );
    // The tab is the user's: it stays, with what they did, and is loaded again without what had recorded it.
    user.until("more.textContent === '0' && localStorage.count === '1'")
        .await;
}

#[tokio::test]
async fn the_page_is_paused_at_a_point_until_that_is_cancelled() {
    let folder = Folder::new();
    let site = Site::new(&[("/", html(COUNTING))]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("end").await;
    panel.asks("B = lastChange(R:box.b)").await;
    let pause = |point: &str| methods::PauseAt {
        point: point.to_owned(),
    };
    for (point, why) in [("R", "no script runs"), ("C", "there is no point C")] {
        let refusal = panel.refused(pause(point)).await;
        assert!(refusal.message.contains(why), "{}", refusal.message);
    }
    let pausing = panel.begin(pause("B")).await;
    let there = |news: &News| {
        matches!(news, News::Progress { stage, .. } if stage.starts_with("the page is paused at \
        B"))
    };
    let News::Progress { stage, .. } = panel.hears(there).await else {
        panic!();
    };
    assert!(stage.contains(":5; step on"), "{stage}");
    // Another debugger sees it pause there, and can step on.
    let protocol = browser.protocol();
    let (url, mut events) = (site.url("/"), protocol.events());
    let target = target_of(&browser, "page", |it| it == url).await;
    let params = json!({ "targetId": target, "flatten": true });
    let attached = protocol.send(None, "Target.attachToTarget", params).await;
    let session = SessionId(attached.unwrap()["sessionId"].as_str().unwrap().to_owned());
    let enabled = protocol.send(Some(&session), "Debugger.enable", json!({}));
    enabled.await.unwrap();
    let paused = async {
        loop {
            let event = events.next().await.unwrap();
            if event.is(&session, "Debugger.paused") {
                return event.text("/callFrames/0/functionName").to_owned();
            }
        }
    };
    let paused = tokio::time::timeout(Duration::from_secs(30), paused).await;
    assert_eq!(paused.unwrap(), "count");
    panel.done(methods::Cancel {}).await;
    let ResponseOutcome::Error(refusal) = panel.outcome(pausing).await else {
        panic!();
    };
    assert_eq!(refusal.code, RefusalCode::Cancelled);
    let gone = async || {
        find_target(&browser, "page", |it| it == url)
            .await
            .is_none()
    };
    soon("the tab is closed", async || gone().await.then_some(())).await;
    let (session, doing) = panel.session();
    assert_eq!((session.queries.len(), doing), (1, None));
}
