use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn kept(executions: usize) -> KeptDiagnosis {
    let execution = |number: usize| KeptExecution {
        address: "http://127.0.0.1:1/a.html".to_owned(),
        log: digest(format!("log {number}").as_bytes()),
        scripts: digest(b"[]"),
        recording: Some(digest(b"a recording")),
        notes: vec!["a note".to_owned()],
        said: KeptAnswers {
            chosen_by: None,
            answers: vec![KeptAnswer {
                call: 3,
                is_iteration: true,
                answer: CallAnswer::Valid,
                by: AnsweredBy::Same,
                why: Some("it is the same as the call #7".to_owned()),
                before: Some(1),
            }],
            left_to_person: vec![4],
            iterations_left: vec![5],
        },
    };
    KeptDiagnosis {
        schema: SESSION_SCHEMA.to_owned(),
        page: "/shop/a.html".to_owned(),
        recording: Some(PathBuf::from("/shop/buy.json")),
        from: Some("a.js:1".to_owned()),
        to: None,
        strategy: "top-down".to_owned(),
        trust: vec!["get*".to_owned()],
        compress: true,
        expand_loops: true,
        started_ms: 1.0,
        executions: (0..executions).map(execution).collect(),
    }
}

#[test]
fn what_is_kept_is_read_back_by_its_owner_alone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("kept");
    let (own, nothing) = SessionFolder::open(&folder, true).unwrap();
    assert_eq!(nothing, None);
    let mut first = kept(1);
    own.keep(&mut first).unwrap();
    drop(own);
    let (_own, read) = SessionFolder::open(&folder, false).unwrap();
    assert_eq!(read, Some(kept(1)));
    for entry in fs::read_dir(&folder).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    let refused = SessionFolder::open(&folder, false).unwrap_err().to_string();
    assert!(refused.contains("another command uses it"), "{refused}");
}

#[test]
fn the_oldest_executions_are_left_out_with_their_files() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("kept");
    let (own, _) = SessionFolder::open(&folder, true).unwrap();
    for number in 0..MOST_EXECUTIONS + 3 {
        own.put(format!("log {number}").as_bytes(), LOG).unwrap();
    }
    fs::write(folder.join(".unfinished-x"), "half").unwrap();
    fs::write(folder.join("notes.txt"), "a person's").unwrap();
    let mut many = kept(MOST_EXECUTIONS + 3);
    own.keep(&mut many).unwrap();
    assert_eq!(many.executions.len(), MOST_EXECUTIONS);
    let names = fs::read_dir(&folder).unwrap();
    let names: BTreeSet<String> = names
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    let logs = names.iter().filter(|it| it.ends_with(LOG)).count();
    assert_eq!(logs, MOST_EXECUTIONS);
    assert!(names.contains("notes.txt") && !names.contains(".unfinished-x"));
    assert!(own.get(&digest(b"log 0"), LOG).is_err());
    assert_eq!(own.get(&digest(b"log 5"), LOG).unwrap(), b"log 5");
    // A name leads out of the folder nowhere.
    let refused = own.get("../../etc/passwd", "").unwrap_err().to_string();
    assert!(refused.contains("is no name of a file"), "{refused}");
}
