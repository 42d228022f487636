//! What is kept, and that nobody else can read it.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::commands::recording_file::temporary_beside;

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
    store.forget("one").unwrap();
    assert_eq!(names(&store), [""; 0]);
    store.forget("one").unwrap();
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
        store.forget(name).unwrap();
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
    store.forget("three").unwrap();
    assert_eq!(files(&of_one), before);
}
