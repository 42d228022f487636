//! What a browser tells a page of the person before it is recorded, and told again when it is replayed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::fs;

use crate::loopback::*;
use crate::user::User;
use recording::Recording;
use serde_json::{Value, json};

/// A page that says what it is told of the person.
fn telling() -> Reply {
    page(
        "<button id=end style='position: absolute; left: 600px; top: 400px; width: 100px; height: 40px'>End</button>
<script>
const media = (name, value) => matchMedia(`(${name}: ${value})`).matches;
say('zone', Intl.DateTimeFormat().resolvedOptions().timeZone, new Date(0).getTimezoneOffset());
say('number', (1234.5).toLocaleString(), Intl.NumberFormat().resolvedOptions().locale);
say('languages', navigator.languages);
// A headless shell has one brand more.
const { brands, ...data } = navigator.userAgentData.toJSON();
say('agent', navigator.userAgent, JSON.stringify([data, brands.filter((it) => it.brand !== 'HeadlessChrome')]));
say('dark', media('prefers-color-scheme', 'dark'), media('prefers-reduced-motion', 'reduce'));
end.onclick = done;
</script>",
    )
}

#[tokio::test]
async fn what_the_page_is_told_is_recorded_and_is_told_again() {
    let site = Site::new(&[("/", telling())]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    let told = user
        .look("[Intl.DateTimeFormat().resolvedOptions().timeZone, [...navigator.languages]]")
        .await;
    user.finishes("End").await;
    let as_recorded = site.said();

    let text = fs::read_to_string(&out).unwrap();
    let mut recording: Value = serde_json::from_str(&text).unwrap();
    let environment = &recording["querypoint"]["environment"];
    assert_eq!(
        json!([environment["timeZone"], environment["languages"]]),
        told
    );
    let scheme = (&environment["colorScheme"], &environment["reducedMotion"]);
    assert_eq!(scheme, (&json!("light"), &json!(false)));
    let path = out.to_str().unwrap();
    let replayed = querypoint(&["replay", path]);
    assert_eq!(replayed.status, Some(0), "{replayed:#?}");
    assert_eq!(site.said(), as_recorded);

    // The same of somebody in Nepal who likes it dark.
    recording["querypoint"]["environment"] = json!({
        "timeZone": "Asia/Kathmandu", "languages": ["de-CH", "en"], "colorScheme": "dark", "reducedMotion": true,
    });
    fs::write(&out, recording.to_string()).unwrap();
    let replayed = querypoint(&["replay", path]);
    assert_eq!(replayed.status, Some(0), "{replayed:#?}");
    let said = site.said();
    let lines: Vec<&str> = said[0].lines().collect();
    // Of the browser it is told what it was.
    let agent = as_recorded[0]
        .lines()
        .find(|line| line.starts_with("agent"));
    let wanted = [
        "zone Asia/Katmandu -330",
        "number 1'234.5 de-CH",
        "languages de-CH,en",
        agent.unwrap(),
        "dark true true",
    ];
    assert_eq!(lines, wanted);
    // As it is while a question is answered.
    let asked = querypoint(&[
        "ask",
        &site.url("/"),
        "--recording",
        path,
        "--at",
        "end",
        "lastChange(probe.value)",
        "--no-keep",
    ]);
    assert!(!asked.err.contains("error"), "{asked:#?}");
    for said in site.said() {
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn what_the_browser_does_not_know_is_said() {
    let site = Site::new(&[("/", telling())]);
    let folder = Folder::new();
    let recording = json!({
        "title": "elsewhere", "querypoint": { "environment": { "timeZone": "Mars/Olympus" } },
        "steps": [{ "type": "navigate", "url": site.url("/") }],
    });
    let path = folder.file("recording.json", &recording.to_string());
    let replayed = querypoint(&["replay", path.to_str().unwrap()]);
    assert_eq!(replayed.status, Some(1), "{replayed:#?}");
    assert!(
        replayed
            .out
            .contains("the browser knows no time zone \"Mars/Olympus\""),
        "{replayed:#?}"
    );
}

/// A page that asks where the person is when its button is pressed.
fn asking() -> Reply {
    page(
        "<style>button { position: absolute; width: 100px; height: 40px }</style>
<button id=ask style='left: 10px; top: 10px'>Where</button><button id=end style='left: 600px; top: 400px'>End</button>
<script>
ask.onclick = () => navigator.geolocation.getCurrentPosition(
  ({ coords: { latitude, longitude, accuracy } }) => { say('at', latitude, longitude, accuracy); window.told = true; },
  ({ code }) => { say('refused', code); window.told = true; },
);
end.onclick = done;
</script>",
    )
}

#[tokio::test]
async fn where_the_person_is_is_recorded_once_a_page_may_know_it() {
    let place = json!({ "latitude": 27.7, "longitude": 85.25, "accuracy": 5 });
    for (setting, told) in [("granted", "at 27.7 85.25 5"), ("denied", "refused 1")] {
        let site = Site::new(&[("/", asking())]);
        let folder = Folder::new();
        let out = folder.0.join("recording.json");
        let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
        user.send("Emulation.setGeolocationOverride", place.clone())
            .await;
        // A browser without a window refuses without asking.
        user.permits("geolocation", "prompt").await;
        user.permits("geolocation", setting).await;
        user.click(50, 30).await;
        user.until("window.told === true").await;
        user.finishes("End").await;
        assert_eq!(site.said()[0].lines().next(), Some(told));

        let recorded = Recording::parse(&fs::read_to_string(&out).unwrap()).unwrap();
        let geolocation = json!(recorded.environment().geolocation);
        let wanted = match setting {
            "granted" => json!({ "at": { "latitude": 27.7, "longitude": 85.25, "accuracy": 5.0 } }),
            _ => json!("denied"),
        };
        assert_eq!(geolocation, wanted);
        let replayed = querypoint(&["replay", out.to_str().unwrap()]);
        assert_eq!(replayed.status, Some(0), "{replayed:#?}");
        assert_eq!(site.said()[0].lines().next(), Some(told));
    }
}

/// A page that never asks is not told, and so the recording does not know it either.
#[tokio::test]
async fn where_the_person_is_is_not_looked_up_for_nobody() {
    let site = Site::new(&[("/", asking())]);
    let folder = Folder::new();
    let out = folder.0.join("recording.json");
    let user = User::at(&site.url("/"), &out, &["--live", "network"]).await;
    user.finishes("End").await;
    let recorded = Recording::parse(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(recorded.environment().geolocation, None);
}
