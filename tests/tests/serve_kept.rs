//! What was done in a session is never discarded by going on: not by another page, another stop or another recording,
//! nor by a full disk.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use crate::user::User;
use cdp_driver::native::{Browser, LaunchOptions};
use querypoint::session::messages::{News, RefusalCode, ResponseOutcome};
use querypoint::session::methods::{self, Call};

/// A page that counts by itself.
const COUNTING: &str = "<!doctype html><script>
const box = { a: 0, b: 0 };
function count() {
  box.a += 1;
  box.b = box.a * 2;
}
count();
count();
</script>";

/// The folders of the sessions that are kept.
fn kept(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.0.join("state/sessions")).unwrap();
    let mut names: Vec<String> = entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn another_page_and_another_stop_leave_what_was_asked() {
    let folder = Folder::new();
    let page = folder.file("index.html", COUNTING);
    let other_page = folder.file("other.html", COUNTING);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    assert_eq!(kept(&folder), [""; 0]);
    panel.goes_to(&page).await;
    panel.stops_at("end").await;
    panel.asks("lastChange(R:box.b)").await;
    panel.asks("lastChange(B:box.a)").await;
    let (chain, _) = panel.session();
    let mut other = Panel::with(&back_end, "one").await;

    // From another stop, also if it is the same that is asked.
    let ask = |query: &str| methods::Ask {
        query: query.to_owned(),
        at: Some("index.html:5".to_owned()),
    };
    let refusal = panel.refused(ask("lastChange(")).await;
    assert_eq!(refusal.code, RefusalCode::NotUnderstood);
    let given = panel.done(ask("lastChange(R:box.b)")).await;
    assert_eq!(given.session.as_deref(), Some("one-2"));
    assert_eq!(given.point, "B");
    assert_eq!(panel.name(), "one-2");
    let (asked, doing) = panel.session();
    assert_eq!(asked.at.as_deref(), Some("index.html:5"));
    assert_eq!((asked.queries.len(), doing), (1, None));
    assert_eq!(asked.answer.unwrap().points.len(), 2);
    // A question more at the same stop stays there.
    let given = panel.done(ask("lastChange(R:box.a)")).await;
    assert_eq!(given.session, None);
    assert_eq!(panel.session().0.queries.len(), 2);
    // Who did not ask has what they had.
    other.done(methods::Sessions {}).await;
    assert_eq!(
        (other.name(), other.session().0),
        ("one".to_owned(), chain.clone())
    );

    let open = |page: &std::path::Path| methods::Page {
        page: page.to_str().unwrap().to_owned(),
    };
    let given = panel.done(open(&other_page)).await;
    assert_eq!(given.session.as_deref(), Some("one-3"));
    assert_eq!(panel.name(), "one-3");
    let (opened, _) = panel.session();
    assert!(opened.is_untouched(), "{opened:?}");
    assert!(opened.page.unwrap().ends_with("other.html"));
    // In one in which nothing was done it is only another page.
    let given = panel.done(open(&page)).await;
    assert_eq!((given.session, panel.name()), (None, "one-3".to_owned()));
    assert_eq!(panel.listed().await, ["one", "one-2", "one-3"]);
    assert_eq!(kept(&folder), ["one", "one-2", "one-3"]);

    // All of it is there again; where nothing was done there is nothing.
    let session = "one".to_owned();
    panel.done(methods::Open { session }).await;
    assert_eq!(panel.session().0, chain);
    assert_eq!(panel.listed().await, ["one", "one-2"]);
    assert_eq!(kept(&folder), ["one", "one-2"]);
    assert_eq!(panel.asks("lastChange(C:box.a)").await, "D");
}

#[tokio::test]
async fn a_full_disk_and_another_recording_leave_what_was_recorded() {
    let folder = Folder::new();
    let site = Site::new(&[(
        "/",
        page(
            "<button id=more onclick='this.textContent = Number(this.textContent) + 1'>0</button>",
        ),
    )]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start_with_limits(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    let at = methods::At {
        point: "end".to_owned(),
    };
    panel.done(at.clone()).await;
    let (asked, _) = panel.session();
    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    let user = User::looking_at(browser, &site.url("/")).await;
    user.clicks_on("more").await;
    let clicked =
        |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
    panel.hears(clicked).await;
    panel.done(methods::Stop {}).await;
    panel.outcome(recording).await;
    let of_one = folder.0.join("state/sessions/one/recording.json");
    let recorded = fs::read(&of_one).unwrap();
    let (session, _) = panel.session();
    assert!(session.recording.is_some());
    // What was asked before it was recorded is there again once that is undone.
    panel.done(methods::Undo {}).await;
    assert_eq!(panel.session().0, asked);
    assert!(!of_one.exists());
    panel.done(methods::Redo {}).await;
    assert_eq!(panel.session().0, session);
    assert_eq!(fs::read(&of_one).unwrap(), recorded);

    back_end.may_write(Some(64));
    let to_other = methods::Page {
        page: site.url("/other"),
    };
    for call in [Call::from(to_other.clone()), at.clone().into()] {
        let refusal = panel.refused(call.clone()).await;
        assert_eq!(refusal.code, RefusalCode::Failed, "{}", refusal.message);
        assert_eq!(fs::read(&of_one).unwrap(), recorded, "{call:?}");
        assert_eq!(
            (panel.name(), panel.session()),
            ("one".to_owned(), (session.clone(), None))
        );
        assert_eq!(kept(&folder), ["one"]);
    }
    back_end.may_write(None);
    let replayed = panel
        .done(methods::Replay {
            at_recorded_pace: false,
        })
        .await;
    assert_eq!(replayed.notes, [""; 0]);
    panel.done(at).await;

    // The second recording is of the same page, with the same questions.
    let recording = panel.begin(methods::Record { in_open_tab: false }).await;
    user.turns_to(&site.url("/")).await;
    for clicks in 1..=2 {
        user.clicks_on("more").await;
        user.until(&format!("more.textContent === '{clicks}'"))
            .await;
        panel.hears(clicked).await;
    }
    panel.done(methods::Stop {}).await;
    let moved = panel.outcome(recording).await;
    let moved = moved.into_result::<methods::Record>().unwrap();
    assert_eq!(moved.session.as_deref(), Some("one-2"));
    let (again, _) = panel.session();
    assert_eq!(again.at.as_deref(), Some("end"));
    let steps = |it: Option<querypoint::session::RecordingOutline>| it.unwrap().steps.len();
    assert_eq!(steps(again.recording), steps(session.recording) + 1);
    assert_eq!(fs::read(&of_one).unwrap(), recorded);
    // From it to another page.
    let given = panel.done(to_other).await;
    assert_eq!(given.session.as_deref(), Some("one-3"));
    assert_eq!(panel.listed().await, ["one", "one-2", "one-3"]);
}

/// What can be undone and done again, as the session was last told.
fn ways(panel: &Panel) -> (bool, bool) {
    let told = panel.heard.iter().rev().find_map(|news| match news {
        News::Session { undo, redo, .. } => Some((*undo, *redo)),
        _ => None,
    });
    told.unwrap()
}

#[tokio::test]
async fn whatever_takes_something_away_is_undone() {
    let folder = Folder::new();
    let page = folder.file("index.html", COUNTING);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    assert_eq!(ways(&panel), (false, false));
    assert_eq!(
        panel.refused(methods::Undo {}).await.code,
        RefusalCode::NotNow
    );
    panel.stops_at("end").await;
    panel.asks("lastChange(R:box.b)").await;
    panel.asks("lastChange(B:box.a)").await;
    let expression = "box.a".to_owned();
    panel.done(methods::Watch { expression }).await;
    let (chain, _) = panel.session();
    assert_eq!(chain.answer.as_ref().unwrap().points.len(), 3);

    let (point, expression) = (|| "B".to_owned(), "box.a".to_owned());
    let at = "index.html:5".to_owned();
    for call in [
        Call::from(methods::Remove { point: point() }),
        methods::Rename {
            point: point(),
            to: "doubled".to_owned(),
        }
        .into(),
        methods::Unwatch { expression }.into(),
        methods::At { point: at }.into(),
        methods::Delete {}.into(),
    ] {
        panel.does(call.clone()).await;
        let (changed, _) = panel.session();
        assert_ne!(changed, chain, "{call:?}");
        panel.done(methods::Undo {}).await;
        assert_eq!(panel.session(), (chain.clone(), None), "{call:?}");
        assert_eq!(ways(&panel), (true, true), "{call:?}");
        panel.done(methods::Redo {}).await;
        assert_eq!(panel.session().0, changed, "{call:?}");
        panel.done(methods::Undo {}).await;
    }
    // The files of the answer came back with it, and it goes on from there.
    let url = chain.answer.as_ref().unwrap().points[1].location.clone();
    let source = panel
        .done(methods::Source {
            url: url.unwrap().url,
            log: None,
        })
        .await;
    assert_eq!(source.text, COUNTING);
    assert_eq!(panel.asks("lastChange(C:box.a)").await, "D");
    panel.done(methods::Undo {}).await;
    let (before, _) = panel.session();
    assert_eq!(before, chain);

    // A session that was deleted comes back another day, in whatever panel.
    panel.done(methods::Delete {}).await;
    assert_eq!(panel.listed().await, [""; 0]);
    drop(panel);
    assert_eq!(back_end.interrupt(), Some(0));
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "two").await;
    let given = panel.done(methods::Sessions {}).await;
    let [deleted] = given.deleted.try_into().unwrap();
    assert_eq!((deleted.session.as_str(), deleted.queries), ("one", 2));
    let session = deleted.session;
    panel.done(methods::Open { session }).await;
    panel.done(methods::Undo {}).await;
    assert_eq!(panel.session().0, chain);
    let given = panel.done(methods::Sessions {}).await;
    assert_eq!((given.sessions.len(), given.deleted), (1, Vec::new()));
    assert_eq!(panel.asks("lastChange(C:box.a)").await, "D");
}

#[tokio::test]
async fn what_a_person_did_in_a_recording_that_they_cancelled_is_kept() {
    let folder = Folder::new();
    let site = Site::new(&[("/", page("<button id=more>more</button>"))]);
    let browser = Browser::launch(LaunchOptions::default()).await.unwrap();
    let address = format!("http://{}", browser.authority());
    let back_end = BackEnd::start(&folder, &["--connect", &address]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    let (opened, _) = panel.session();
    let clicked =
        |news: &News| matches!(news, News::Step { step, .. } if step.starts_with("click"));
    let cancels = async |panel: &mut Panel, recording: u64| {
        panel.done(methods::Cancel {}).await;
        match panel.outcome(recording).await {
            ResponseOutcome::Error(refusal) if refusal.code == RefusalCode::Cancelled => {
                refusal.message
            }
            other => panic!("{other:?}"),
        }
    };
    let record = methods::Record { in_open_tab: false };
    let recording = panel.begin(record).await;
    let user = User::looking_at(browser, &site.url("/")).await;
    user.clicks_on("more").await;
    panel.hears(clicked).await;
    let said = cancels(&mut panel, recording).await;
    assert!(said.ends_with("; redo brings what you did"), "{said}");
    assert_eq!(panel.session(), (opened.clone(), None));
    assert_eq!(ways(&panel), (false, true));
    panel.done(methods::Redo {}).await;
    let (recorded, _) = panel.session();
    let steps = &recorded.recording.as_ref().unwrap().steps;
    assert!(steps.last().unwrap().starts_with("click"), "{steps:?}");
    let replay = methods::Replay {
        at_recorded_pace: false,
    };
    assert_eq!(panel.done(replay).await.notes, [""; 0]);

    // Where there is a recording already, a second one is in a session of its own, which nobody is moved to.
    let recording = panel.begin(record).await;
    user.turns_to(&site.url("/")).await;
    user.clicks_on("more").await;
    panel.hears(clicked).await;
    let said = cancels(&mut panel, recording).await;
    assert!(
        said.ends_with("; what you did is in the session one-2"),
        "{said}"
    );
    assert_eq!(
        (panel.name(), panel.session()),
        ("one".to_owned(), (recorded.clone(), None))
    );
    assert_eq!(panel.listed().await, ["one", "one-2"]);
    let session = "one-2".to_owned();
    panel.done(methods::Open { session }).await;
    assert_eq!(
        panel.session().0.recording.unwrap().steps.len(),
        recorded.recording.unwrap().steps.len()
    );
}
