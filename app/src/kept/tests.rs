//! What is kept comes back as it was, or not at all.

use std::os::unix::fs::PermissionsExt;

use querypoint::answer::{Consistency, Coverage, PointAnswer, SCHEMA, Status, Timing};

use super::*;

fn asked(query: &str) -> Asked {
    Asked {
        program: "querypoint 0.1.0".to_owned(),
        schema: SCHEMA.to_owned(),
        browser: "Chromium 156".to_owned(),
        page: "/shop/index.html".to_owned(),
        recording: None,
        at: "end".to_owned(),
        queries: vec![query.to_owned()],
        watches: Vec::new(),
        instrument: "query".to_owned(),
        timeout: Duration::from_secs(30),
    }
}

fn answer(note: &str) -> WholeAnswer {
    let answer = Answer {
        schema: SCHEMA.to_owned(),
        page: "http://127.0.0.1:4000/index.html".to_owned(),
        executions: 2,
        points: vec![PointAnswer {
            note: Some(note.to_owned()),
            ..PointAnswer::new("R", None, Status::Found)
        }],
        coverage: Coverage::default(),
        consistency: Consistency {
            agrees: true,
            notes: Vec::new(),
        },
        timing_ms: Timing::default(),
        runs: None,
        kept: None,
    };
    answer.into()
}

fn files(content: &str) -> Files {
    [
        ("/index.html".to_owned(), Some(digest(content.as_bytes()))),
        ("/favicon.ico".to_owned(), None),
    ]
    .into()
}

/// The answer that is kept, if it is, by its note.
fn note(kept: &Kept) -> Option<String> {
    let answer = kept.read(|given| *given == files("x"))?;
    assert_eq!(
        (answer.answer.executions, answer.answer.kept),
        (0, Some(true))
    );
    answer.answer.points[0].note.clone()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_answer_comes_back_as_long_as_everything_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    assert_eq!(note(&kept), None);
    assert!(!kept.folder.exists(), "reading makes nothing");
    kept.write(&files("x"), &answer("one")).unwrap();
    assert_eq!(note(&kept).as_deref(), Some("one"));
    assert_eq!(note(&Kept::new(folder.path(), asked("b"))), None);

    kept.write(&files("y"), &answer("of another page")).unwrap();
    assert_eq!(note(&kept), None);
    kept.write(&files("x"), &answer("two")).unwrap();
    assert_eq!(note(&kept).as_deref(), Some("two"));
}

#[test]
fn every_part_of_a_question_makes_it_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    kept.write(&files("x"), &answer("one")).unwrap();
    // By the members' names, so that none is left out.
    let members = serde_json::to_value(asked("a")).unwrap();
    for (name, value) in members.as_object().unwrap() {
        let mut other = members.clone();
        other[name] = match value {
            serde_json::Value::Array(_) => serde_json::json!(["other"]),
            serde_json::Value::Object(_) => serde_json::json!({ "secs": 1, "nanos": 0 }),
            _ => serde_json::json!("other"),
        };
        let other: Asked = serde_json::from_value(other).unwrap();
        assert_ne!(other, asked("a"), "{name}");
        assert_eq!(note(&Kept::new(folder.path(), other)), None, "{name}");
    }
    assert!(note(&kept).is_some());
}

#[test]
fn only_its_owner_reads_it_and_no_system_for_versions() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    kept.write(&files("x"), &answer("one")).unwrap();
    assert_eq!(mode(&kept.file()), 0o600);
    assert_eq!(mode(&kept.folder), 0o700);
    let ignored = kept.folder.join(".gitignore");
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "*\n");
    fs::write(&ignored, "mine\n").unwrap();
    kept.write(&files("x"), &answer("two")).unwrap();
    assert_eq!(fs::read_to_string(&ignored).unwrap(), "mine\n");
    assert_eq!(
        fs::read_dir(&kept.folder).unwrap().count(),
        2,
        "nothing else is left"
    );
}

#[test]
fn what_is_damaged_is_not_there_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    kept.write(&files("x"), &answer("one")).unwrap();
    let whole = fs::read(kept.file()).unwrap();
    let changed = String::from_utf8(whole.clone())
        .unwrap()
        .replace("one", "two");
    let mut damaged: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"\n".to_vec(),
        b"{}".to_vec(),
        vec![0xff; 200],
        changed.into_bytes(),
        format!("{}\n{{}}", digest(b"{}")).into_bytes(),
    ];
    damaged.extend(
        (0..whole.len())
            .step_by(37)
            .map(|length| whole[..length].to_vec()),
    );
    for content in damaged {
        fs::write(kept.file(), &content).unwrap();
        assert_eq!(note(&kept), None, "{:?}", String::from_utf8_lossy(&content));
    }
    kept.write(&files("x"), &answer("new")).unwrap();
    assert_eq!(note(&kept).as_deref(), Some("new"));
    fs::remove_file(kept.file()).unwrap();
    fs::create_dir(kept.file()).unwrap();
    assert_eq!(note(&kept), None);
    assert!(kept.write(&files("x"), &answer("new")).is_err());
}

#[test]
fn where_something_else_is_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(FOLDER)).unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    assert!(kept.write(&files("x"), &answer("one")).is_err());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn the_oldest_go_and_nothing_that_is_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let bounds = Bounds {
        entries: 3,
        bytes: 1 << 20,
    };
    let kept = |query: &str| Kept {
        bounds,
        ..Kept::new(folder.path(), asked(query))
    };
    // Written one after the other, however coarse the file system's clock is.
    let write = |query: &str, minutes: u64| {
        let kept = kept(query);
        kept.write(&files("x"), &answer(query)).unwrap();
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(60 * minutes);
        let file = fs::File::options().write(true).open(kept.file()).unwrap();
        file.set_modified(written).unwrap();
    };
    let is_kept = |query: &str| note(&kept(query)).is_some();
    write("a", 1);
    fs::write(folder.path().join(FOLDER).join("notes.answer"), "mine").unwrap();
    let left = folder.path().join(FOLDER).join(format!("{UNFINISHED}x"));
    fs::write(&left, "").unwrap();
    write("b", 2);
    write("c", 3);
    assert!(left.exists(), "it may be being written");
    let file = fs::File::options().write(true).open(&left).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    assert!(is_kept("a") && is_kept("b") && is_kept("c"));
    write("d", 4);
    assert!(!is_kept("a") && is_kept("b") && is_kept("c") && is_kept("d"));
    assert!(folder.path().join(FOLDER).join("notes.answer").exists());
    assert!(!left.exists());

    // No more bytes than two of them have.
    let size = fs::metadata(kept("d").file()).unwrap().len();
    let small = Kept {
        bounds: Bounds {
            entries: 100,
            bytes: 2 * size + size / 2,
        },
        ..kept("e")
    };
    small.write(&files("x"), &answer("e")).unwrap();
    assert!(is_kept("e") && is_kept("d") && !is_kept("c") && !is_kept("b"));
    let too_large = answer(&"x".repeat(usize::try_from(size).unwrap() * 3));
    small.write(&files("x"), &too_large).unwrap();
    assert!(
        !is_kept("e") && is_kept("d"),
        "not kept, and the older one is no longer the answer"
    );
}

#[test]
fn what_is_removed_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::new(folder.path(), asked("a"));
    kept.remove();
    kept.write(&files("x"), &answer("one")).unwrap();
    kept.remove();
    assert_eq!(note(&kept), None);
}
