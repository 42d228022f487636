//! How what a back end does ends: cancelled, interrupted, killed, or because another one takes its place.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use querypoint::session::messages::{News, RefusalCode, ResponseOutcome};
use querypoint::session::methods::{self, Call};

use crate::loopback::*;
use crate::panel::{BackEnd, COUNTING, Panel, place, places};

#[tokio::test]
async fn what_is_done_can_be_cancelled_and_leaves_everything_as_it_was() {
    let folder = Folder::new();
    let temporary = folder.0.join("tmp");
    let site = Site::new(&[
        (
            "/",
            page(
                "<script>const box = { a: 1 }; box.a = 2; fetch('/slow').then(() => \
                 { document.title = 'late'; });</script>",
            ),
        ),
        ("/slow", html("slow").after_ms(600_000)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    let mut other = Panel::with(&back_end, "two").await;
    panel.goes_to(site.url("/")).await;
    let at = |point: &str| methods::At {
        point: point.to_owned(),
    };
    let going = panel.begin(at("console:never")).await;
    let executing = |news: &News| matches!(news, News::Progress { stage, .. } if stage.starts_with("execution 1"));
    panel.hears(executing).await;
    assert!(!processes_of(temporary.to_str().unwrap()).is_empty());
    // Nothing else meanwhile, but for what needs no page.
    for call in [
        Call::from(at("end")),
        methods::Again {}.into(),
        methods::Record { in_open_tab: false }.into(),
        methods::Delete {}.into(),
    ] {
        let refusal = panel.refused(call).await;
        assert_eq!(refusal.code, RefusalCode::NotNow, "{}", refusal.message);
    }
    panel.done(methods::Sessions {}).await;
    // Another session does not wait for it.
    let page = folder.file("index.html", COUNTING);
    other.goes_to(&page).await;
    other.stops_at("end").await;

    panel.done(methods::Cancel {}).await;
    match panel.outcome(going).await {
        ResponseOutcome::Error(refusal) => {
            assert_eq!(refusal.code, RefusalCode::Cancelled);
        }
        other => panic!("{other:?}"),
    }
    let (session, doing) = panel.session();
    assert_eq!((session.at, session.answer, doing), (None, None, None));
    // The next question works.
    panel.goes_to(&page).await;
    panel.stops_at("end").await;
    panel.asks("lastChange(R:box.b)").await;
    assert_eq!(panel.session().0.answer.unwrap().points.len(), 2);
    assert_eq!(back_end.interrupt(), Some(0));
    std::fs::remove_dir_all(folder.0.join("state")).unwrap();
    std::fs::remove_file(&page).unwrap();
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(processes_of(temporary.to_str().unwrap()), [""; 0]);
}

#[tokio::test]
async fn a_back_end_that_is_interrupted_leaves_no_browser_behind() {
    let folder = Folder::new();
    let temporary = folder.0.join("tmp");
    let site = Site::new(&[
        ("/", page("<script>fetch('/slow');</script>")),
        ("/slow", html("slow").after_ms(600_000)),
    ]);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    let point = "console:never".to_owned();
    panel.begin(methods::At { point }).await;
    let executing = |news: &News| matches!(news, News::Progress { stage, .. } if stage.starts_with("execution 1"));
    panel.hears(executing).await;
    assert!(!processes_of(temporary.to_str().unwrap()).is_empty());
    assert_eq!(back_end.interrupt(), Some(0));
    assert_eq!(processes_of(temporary.to_str().unwrap()), [""; 0]);
    let left: Vec<_> = std::fs::read_dir(&temporary).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_back_end_that_was_killed_is_found_again() {
    let folder = Folder::new();
    let page = folder.file("index.html", COUNTING);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(&page).await;
    panel.stops_at("index.html:5#-1").await;
    panel.asks("lastChange(R:box.b)").await;
    let (before, _) = panel.session();
    let (url, secret) = (back_end.url.clone(), back_end.secret.clone());
    // In the middle of something.
    let query = "lastChange(R:box.a)".to_owned();
    panel.begin(methods::Ask { query, at: None }).await;
    let executing = |news: &News| matches!(news, News::Progress { stage, .. } if stage.starts_with("execution 1"));
    panel.hears(executing).await;
    back_end.kill();
    while panel.hear().await.is_some() {}

    let back_end = BackEnd::start(&folder, &[]);
    assert_eq!((&back_end.url, &back_end.secret), (&url, &secret));
    let mut panel = Panel::with(&back_end, "one").await;
    let (after, doing) = panel.session();
    assert_eq!((after, doing), (before.clone(), None));
    let url = before.answer.unwrap().points[1]
        .location
        .clone()
        .unwrap()
        .url;
    let source = panel.done(methods::Source { url, log: None }).await.text;
    assert_eq!(source, COUNTING);
    assert_eq!(panel.asks("lastChange(B:box.a)").await, "C");
    let (session, _) = panel.session();
    assert_eq!(places(&session)[2], place("C", 4, "count"));
}

#[tokio::test]
async fn one_in_the_background_gives_way_to_another_unless_it_is_busy() {
    let folder = Folder::new();
    let site = Site::new(&[("/", page("<script>const box = { a: 1 };</script>"))]);
    let in_background = BackEnd::start(&folder, &["--idle-limit", "5"]);
    let mut panel = Panel::with(&in_background, "one").await;
    assert!(panel.heard.iter().any(|news| matches!(
        news,
        News::Welcome {
            in_background: true,
            ..
        }
    )));
    panel.goes_to(site.url("/")).await;
    let point = "console:never".to_owned();
    panel.begin(methods::At { point }).await;
    let executing = |news: &News| matches!(news, News::Progress { .. });
    panel.hears(executing).await;
    let state = folder.0.join("state");
    let refused = querypoint(&["serve", "--state", state.to_str().unwrap()]);
    assert_eq!(refused.status, Some(2), "{refused:#?}");
    assert!(refused.err.contains("cancel that"), "{refused:#?}");
    panel.done(methods::Cancel {}).await;
    let idle = |news: &News| matches!(news, News::Session { doing: None, .. });
    panel.hears(idle).await;

    // The other has its sessions, and its port.
    let (url, secret) = (in_background.url.clone(), in_background.secret.clone());
    let other = BackEnd::start(&folder, &[]);
    assert_eq!((&other.url, &other.secret), (&url, &secret));
    while panel.hear().await.is_some() {}
    assert_eq!(in_background.ends(), Some(0));
    let mut panel = Panel::with(&other, "one").await;
    assert_eq!(panel.session().0.page, Some(site.url("/")));

    // One that somebody sees run is ended by a panel alone.
    let third = querypoint(&["serve", "--state", state.to_str().unwrap()]);
    assert_eq!(third.status, Some(2), "{third:#?}");
    assert!(third.err.contains("another `querypoint serve` uses"));
    let for_another = false;
    panel.done(methods::EndBackEnd { for_another }).await;
    while panel.hear().await.is_some() {}
    assert_eq!(other.ends(), Some(0));
}
