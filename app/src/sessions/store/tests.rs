//! What is kept, and that nobody else can read it.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::recording_file::temporary_beside;

fn names(store: &Store) -> Vec<String> {
    let kept = store.sessions().into_iter();
    kept.map(|it| it.outline.session).collect()
}

#[test]
fn what_was_kept_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::of_page("a.html").stopped_at("a.js:1").unwrap();
    let sources = SourceTexts::from([("http://h/a.js".to_owned(), "a\n".to_owned())]);
    let secret = {
        let store = Store::open(folder.path()).unwrap();
        let keep = Keep {
            sources: Some(&sources),
            ..Keep::of(&session)
        };
        store.keep("one", &keep).unwrap();
        let secret = store.secret().unwrap();
        assert_eq!(running(folder.path()), None);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let _listening = store.listens_at(port).unwrap();
        assert_eq!(running(folder.path()), Some((port, secret.clone())));
        drop(listener);
        assert_eq!(running(folder.path()), None, "nobody listens there");
        let _listening = store.listens_at(4000).unwrap();
        secret
    };
    assert_eq!(running(folder.path()), None);
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(store.session("one").unwrap(), Some(session));
    assert_eq!(store.sources("one"), sources);
    assert_eq!(store.last_port(), Some(4000));
    assert_eq!(store.secret().unwrap(), secret);
    assert_eq!(store.session("two").unwrap(), None);
    assert_eq!(names(&store), ["one"]);
    store.remove_all("one").unwrap();
    assert_eq!(names(&store), [""; 0]);
    store.remove_all("one").unwrap();
}

#[test]
fn nobody_else_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("state")).unwrap();
    store.secret().unwrap();
    store.keep("one", &Keep::of(&Session::default())).unwrap();
    let mode = |path: &str| {
        let metadata = folder.path().join("state").join(path).metadata().unwrap();
        metadata.permissions().mode() & 0o777
    };
    let listening = store.listens_at(4000).unwrap();
    for file in ["secret", "lock", "listening", "port"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    drop(listening);
    assert_eq!(mode("sessions"), 0o700);
    assert_eq!(mode("sessions/one"), 0o700);
    assert_eq!(mode("sessions/one/session.json"), 0o600);
}

#[test]
fn who_others_can_take_the_place_of_is_not_told_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.secret().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let _listening = store.listens_at(port).unwrap();
    let is_told = |file: &str, mode: u32, closed: u32| {
        let path = folder.path().join(file);
        let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        set(mode);
        let is_told = running(folder.path()).is_some();
        set(closed);
        is_told
    };
    assert!(is_told(".", 0o700, 0o700));
    assert!(!is_told(".", 0o755, 0o700));
    assert!(!is_told("listening", 0o644, 0o600));
    assert!(is_told("listening", 0o600, 0o600));
}

#[test]
fn a_folder_has_one_back_end() {
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path()).unwrap();
    let refused = Store::open(folder.path()).unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    drop(first);
    Store::open(folder.path()).unwrap();
}

#[test]
fn names_lead_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("state")).unwrap();
    for name in ["../x", "..", "", "a/b", "A", "a\0"] {
        store.keep(name, &Keep::of(&Session::default())).unwrap();
        store.remove_all(name).unwrap();
        assert_eq!(store.session(name).unwrap(), None);
    }
    assert!(folder.path().join("state/sessions").is_dir());
    assert!(!folder.path().join("state/x").exists());
    assert_eq!(names(&store), [""; 0]);
}

#[test]
fn broken_files_are_no_sessions_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.keep("one", &Keep::of(&Session::default())).unwrap();
    for (text, why) in [
        ("{\"sch", "EOF while parsing"),
        ("{}", "it names no schema"),
        (
            "{\"schema\": \"querypoint/session/2\"}",
            "its schema is querypoint/session/2, not querypoint/session/1",
        ),
    ] {
        fs::write(folder.path().join("sessions/one/session.json"), text).unwrap();
        let refused = store.session("one").unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
        assert!(refused.contains("one/session.json"), "{refused}");
        assert_eq!(names(&store), [""; 0]);
    }
    fs::write(folder.path().join("secret"), "").unwrap();
    fs::write(folder.path().join("port"), "70000").unwrap();
    assert_eq!(store.secret().unwrap().len(), 32);
    assert_eq!(store.last_port(), None);
}

#[test]
fn what_a_killed_back_end_was_writing_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    store.keep("one", &Keep::of(&Session::default())).unwrap();
    // As if it were killed now: nobody removes the files.
    let unfinished = ["secret", "sessions/one/session.json"].map(|name| {
        let file = temporary_beside(&folder.path().join(name)).unwrap();
        file.keep().unwrap().1
    });
    drop(store);
    let store = Store::open(folder.path()).unwrap();
    assert!(unfinished.iter().all(|file| !file.exists()));
    assert_eq!(names(&store), ["one"]);
}

#[test]
fn too_large_sources_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let large = "x".repeat(MOST_SOURCE_BYTES);
    let sources = SourceTexts::from([("a".to_owned(), large), ("b".to_owned(), "b".to_owned())]);
    let session = Session::default();
    let keep = Keep {
        sources: Some(&sources),
        ..Keep::of(&session)
    };
    store.keep("one", &keep).unwrap();
    let kept: Vec<String> = store.sources("one").into_keys().collect();
    assert_eq!(kept, ["a"]);
}

#[test]
fn a_copy_of_a_recording_is_one_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let session = Session::of_page("a.html");
    let recording =
        |title: &str| Recording::parse(&format!("{{\"title\":\"{title}\",\"steps\":[]}}"));
    let (first, second) = (recording("first").unwrap(), recording("second").unwrap());
    let har = Har::default();
    let keep = Keep {
        recording: Taped::New(&first, Some(&har)),
        ..Keep::of(&session)
    };
    store.keep("one", &keep).unwrap();
    let of_one = folder.path().join("sessions/one");
    let files = |folder: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|it| it.unwrap().path())
            .collect();
        paths.sort();
        paths
            .into_iter()
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    };
    let before = files(&of_one);
    assert_eq!(before.len(), 3);
    let keep = Keep {
        recording: Taped::New(&second, None),
        ..Keep::of(&session)
    };
    let copy = Keep {
        recording: Taped::Of("one"),
        ..Keep::of(&session)
    };
    store.keep("three", &copy).unwrap();
    assert_eq!(files(&folder.path().join("sessions/three")).len(), 3);
    store.keep("three", &keep).unwrap();
    assert_eq!(files(&of_one), before);
    let kept = fs::read_to_string(store.recording("three").unwrap()).unwrap();
    assert!(kept.contains("second"));
    assert!(!responses_beside(&store.recording("three").unwrap()).exists());
    store.remove_all("three").unwrap();
    assert_eq!(files(&of_one), before);
}

/// A session that stopped at this line.
fn stopped(line: u32) -> Session {
    let session = Session::of_page("a.html");
    session.stopped_at(&format!("a.js:{line}")).unwrap()
}

/// A folder whose session `one` stopped at these lines, one after the other.
fn stopped_at(lines: impl IntoIterator<Item = u32>) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    for line in lines {
        store.keep("one", &Keep::of(&stopped(line))).unwrap();
    }
    (folder, store)
}

/// The line at which the session is; none: there is no session.
fn line(store: &Store) -> Option<String> {
    store.session("one").unwrap()?.at
}

/// At which lines it is on the way back, until there is none.
fn way_back(store: &Store) -> Vec<Option<String>> {
    let mut lines = Vec::new();
    while store.go("one", Way::Undo).unwrap() {
        lines.push(line(store));
    }
    assert!(!store.has_state("one", Way::Undo));
    lines
}

fn lines(numbers: &[u32]) -> Vec<Option<String>> {
    let numbers = numbers.iter();
    numbers.map(|it| Some(format!("a.js:{it}"))).collect()
}

#[test]
fn every_state_comes_back_and_goes_again() {
    let (folder, store) = stopped_at(1..=3);
    // The same again is no other state.
    store.keep("one", &Keep::of(&stopped(3))).unwrap();
    assert!(!store.go("one", Way::Redo).unwrap());
    assert!(store.go("one", Way::Undo).unwrap());
    drop(store);
    // As well after the back end was started anew.
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(way_back(&store), lines(&[1]));
    assert!(store.go("one", Way::Redo).unwrap() && store.go("one", Way::Redo).unwrap());
    assert_eq!(line(&store).as_deref(), Some("a.js:3"));
    assert!(!store.go("one", Way::Redo).unwrap());
    assert!(!store.go("two", Way::Undo).unwrap());
}

#[test]
fn what_was_undone_is_on_the_way_back_of_what_is_done_then() {
    let (_folder, store) = stopped_at(1..=4);
    for _ in 0..2 {
        assert!(store.go("one", Way::Undo).unwrap());
    }
    store.keep("one", &Keep::of(&stopped(9))).unwrap();
    assert!(!store.has_state("one", Way::Redo));
    assert_eq!(way_back(&store), lines(&[2, 4, 3, 2, 1]));
}

#[test]
fn recordings_and_sources_come_back_with_their_state_and_take_no_room() {
    let (folder, store) = stopped_at(1..=1);
    let recording = Recording::parse("{\"title\":\"buy\",\"steps\":[]}").unwrap();
    let sources = |text: &str| SourceTexts::from([("http://h/a.js".to_owned(), text.to_owned())]);
    let (before, after) = (sources("a"), sources("b"));
    let (first, second, third) = (stopped(1), stopped(2), stopped(3));
    let (har, of) = (Har::default(), folder.path().join("sessions/one"));
    for (session, sources, recording) in [
        (&first, None, Taped::New(&recording, Some(&har))),
        (&second, Some(&before), Taped::AsBefore),
        (&third, Some(&before), Taped::AsBefore),
        (&first, Some(&after), Taped::AsBefore),
    ] {
        let keep = Keep {
            session,
            sources,
            recording,
        };
        store.keep("one", &keep).unwrap();
    }
    let file = |path: &str| {
        use std::os::unix::fs::MetadataExt;
        of.join(path).metadata().map(|it| it.ino()).ok()
    };
    let recorded = file("recording.json");
    assert!(recorded.is_some());
    // The sources are those of two answers, and are there once.
    assert_eq!(
        file("earlier/3/sources.json"),
        file("earlier/4/sources.json")
    );
    assert_eq!(
        file("earlier/4/recording.json.har"),
        file("recording.json.har")
    );
    store.delete("one").unwrap();
    assert_eq!((file("recording.json"), file("session.json")), (None, None));
    assert!(store.go("one", Way::Undo).unwrap());
    assert_eq!(file("recording.json"), recorded);
    assert_eq!(store.sources("one"), after);
    assert!(store.go("one", Way::Undo).unwrap());
    assert_eq!((store.sources("one"), line(&store)), (before, third.at));
    // Nothing is left over of what was linked.
    let mut left: Vec<String> = fs::read_dir(&of)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let wanted = [
        "earlier",
        "later",
        "recording.json",
        "recording.json.har",
        "session.json",
        "sources.json",
    ];
    assert_eq!(left, wanted);
}

#[test]
fn a_state_without_a_recording_has_none() {
    let (_folder, store) = stopped_at(1..=1);
    let second = stopped(2);
    let recording = Recording::parse("{\"title\":\"buy\",\"steps\":[]}").unwrap();
    let keep = Keep {
        recording: Taped::New(&recording, None),
        ..Keep::of(&second)
    };
    store.keep("one", &keep).unwrap();
    assert!(store.go("one", Way::Undo).unwrap());
    assert_eq!(store.recording("one"), None);
    assert!(store.go("one", Way::Redo).unwrap());
    assert!(store.recording("one").is_some());
}

#[test]
fn what_keeps_a_person_logged_in_goes_with_the_session_that_is_deleted() {
    let (folder, store) = stopped_at(1..=2);
    let mut recording = Recording::parse(r#"{ "steps": [] }"#).unwrap();
    recording.set_login(&[recording::LoginCookie {
        name: "session".to_owned(),
        value: "s3cret".to_owned(),
        domain: "h".to_owned(),
        path: "/".to_owned(),
        secure: false,
        same_site: None,
    }]);
    recording.set_storage(&recording::Storage::default());
    for session in [3, 4].map(stopped) {
        let keep = Keep {
            recording: Taped::New(&recording, None),
            ..Keep::of(&session)
        };
        store.keep("one", &keep).unwrap();
    }
    let holds = || {
        let found = std::process::Command::new("grep")
            .args(["-rl", "s3cret"])
            .arg(folder.path())
            .output();
        String::from_utf8(found.unwrap().stdout).unwrap()
    };
    assert_eq!(holds().lines().count(), 2);
    assert!(store.has_tab_recording("one"));
    store.delete("one").unwrap();
    assert_eq!(holds(), "");
    // It comes back, and with it what was recorded.
    assert!(store.go("one", Way::Undo).unwrap());
    assert!(store.recording("one").is_some() && store.has_tab_recording("one"));
}

#[test]
fn a_session_that_was_deleted_is_listed_as_it_was_and_comes_back() {
    let (_folder, store) = stopped_at(1..=2);
    store.delete("one").unwrap();
    assert_eq!(line(&store), None);
    let listed = store.sessions();
    let [
        KeptSession {
            outline,
            is_deleted: true,
            is_untouched: false,
            ..
        },
    ] = listed.as_slice()
    else {
        panic!("{listed:?}");
    };
    assert_eq!(
        (outline.session.as_str(), outline.page.as_deref()),
        ("one", Some("a.html"))
    );
    // A page that is opened in its place does not take its place.
    store
        .keep("one", &Keep::of(&Session::of_page("b.html")))
        .unwrap();
    assert!(store.sessions()[0].is_deleted);
    assert_eq!(way_back(&store), lines(&[2, 1]));
    assert!(!store.sessions()[0].is_deleted);
    // Where nothing was done nothing is kept.
    store
        .keep("two", &Keep::of(&Session::of_page("b.html")))
        .unwrap();
    store.delete("two").unwrap();
    assert!(!store.has("two"));
}

#[test]
fn what_was_set_aside_for_a_change_that_had_no_result_is_no_step_back() {
    let (folder, store) = stopped_at(1..=2);
    let of = folder.path().join("sessions/one");
    // As if the disk were full, or the back end killed, just now.
    History(&of).add().unwrap();
    fs::create_dir(of.join("earlier/.tmp")).unwrap();
    assert_eq!(way_back(&store), lines(&[1]));
}

#[test]
fn of_very_many_states_the_last_are_kept() {
    let (_folder, store) = stopped_at(1..=120);
    let back = way_back(&store);
    assert_eq!(back.len(), 100);
    assert_eq!(back.first(), lines(&[119]).first());
}

/// A session as version 1 of the panel's protocol kept it: no name in a kept session has changed since.
const KEPT_BEFORE: &str = r#"{
  "schema": "querypoint/session/1",
  "page": "shop.html",
  "recording": { "title": "buy", "steps": ["click Buy"], "first_action": "click Buy" },
  "at": "app.js:22",
  "queries": ["B = lastChange(R:x)"],
  "watches": ["y"],
  "answer": {
    "schema": "querypoint/answer/1",
    "page": "http://127.0.0.1:1/shop.html",
    "executions": 2,
    "points": [
      { "name": "R", "status": "found", "location": { "url": "http://127.0.0.1:1/app.js", "line": 22, "column": 3 },
        "function": "pay", "hit": 0, "hits": 1 },
      { "name": "B", "query": "lastChange(R:x)", "status": "found", "old": { "type": "number", "text": "2" },
        "new": { "type": "number", "text": "0" } }
    ],
    "coverage": { "scripts": 1, "hooked": 1, "blind_spots": [] },
    "consistency": { "agrees": true, "notes": [] },
    "timing_ms": { "replay": 1, "rewrite": 1, "total": 2 }
  },
  "document": { "url": "http://127.0.0.1:1/shop.html", "title": "Shop" }
}"#;

#[test]
fn what_an_earlier_version_kept_opens_and_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let session = folder.path().join("sessions/tab-1");
    make_folder(&session).unwrap();
    private::write_file(&session.join("session.json"), KEPT_BEFORE.as_bytes()).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(names(&store), ["tab-1"]);
    let kept = store.session("tab-1").unwrap().unwrap();
    assert_eq!(kept.at.as_deref(), Some("app.js:22"));
    assert_eq!(kept.queries, ["B = lastChange(R:x)"]);
    let answer = kept.answer.as_ref().unwrap();
    assert_eq!(answer.points[1].new.as_ref().unwrap().text, "0");
    // It is kept as it was, and deleted sessions are there again.
    store.keep("tab-1", &Keep::of(&kept)).unwrap();
    assert_eq!(store.session("tab-1").unwrap(), Some(kept.clone()));
    store.delete("tab-1").unwrap();
    assert!(store.go("tab-1", Way::Undo).unwrap());
    assert_eq!(store.session("tab-1").unwrap(), Some(kept));
}
