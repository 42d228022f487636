//! The command as it is typed, as far as no browser is needed: exit statuses and messages.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Runs `querypoint` in `folder`, where no browser can be found.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_querypoint"))
        .args(arguments)
        .current_dir(folder)
        .env("PATH", "")
        .env_remove("QUERYPOINT_BROWSER")
        .env_remove("CLICOLOR_FORCE")
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

/// A folder with a page and a recording.
fn site() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("page.html"),
        "<script>let a = 1;</script>",
    )
    .unwrap();
    fs::write(
        folder.path().join("good.json"),
        r#"{"title": "nothing", "steps": []}"#,
    )
    .unwrap();
    fs::write(
        folder.path().join("broken.json"),
        "{\"title\": \"x\",\n  steps: []}",
    )
    .unwrap();
    let unknown = r#"{"title": "x", "steps": [{"type": "clik", "selectors": [["button"]]}]}"#;
    fs::write(folder.path().join("unknown.json"), unknown).unwrap();
    fs::write(folder.path().join("app.js"), "o.p = 1;\nq.r = 2;\n").unwrap();
    fs::write(folder.path().join("bad.js"), "let = = 1;\n").unwrap();
    folder
}

/// What a failed command prints on standard error, below its exit status; standard output must be empty.
fn failure(arguments: &[&str]) -> String {
    let folder = site();
    let output = run(folder.path(), arguments);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{arguments:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        !errors.contains('\u{1b}'),
        "colours without a terminal: {errors:?}"
    );
    format!("exit status {}\n{errors}", output.status.code().unwrap())
}

#[test]
fn a_query_that_cannot_be_read_is_shown_with_a_caret() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "page.html",
        "--at",
        "end",
        "lastChange(R:a..b)"
    ]));
}

#[test]
fn a_query_that_uses_an_unknown_point_names_the_known_ones() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "page.html",
        "--at",
        "end",
        "lastChange(X:a.b)"
    ]));
}

#[test]
fn a_plan_refuses_a_reference_to_a_later_point_with_a_caret() {
    insta::assert_snapshot!(failure(&[
        "plan",
        "B = lastChange(C:a.b)",
        "C = lastChange(R:a)",
        "--at",
        "end",
        "page.html",
    ]));
}

#[test]
fn a_plan_without_a_page_says_where_it_goes() {
    let queries = ["plan", "lastChange(R:a)", "--at", "end", "lastChange(R:b)"];
    insta::assert_snapshot!(failure(&queries));
}

#[test]
fn a_kind_of_query_that_is_not_built_yet_says_so() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "page.html",
        "--at",
        "end",
        "trace(branch(R))"
    ]));
}

#[test]
fn several_browsers_are_for_several_runs() {
    let arguments = ["page.html", "--at", "end", "lastChange(R:a)"];
    let several = [
        "--connect",
        "ws://127.0.0.1:1/a",
        "--connect",
        "ws://127.0.0.1:1/b",
    ];
    insta::assert_snapshot!(failure(&[&["ask"], &arguments[..], &several[..]].concat()));
    let no_runs = failure(&[&["ask", "--runs", "0"], &arguments[..]].concat());
    assert!(
        no_runs.starts_with("exit status 2") && no_runs.contains("'--runs <N>'"),
        "{no_runs}"
    );
}

#[test]
fn a_reproduction_point_that_cannot_be_read_is_shown_with_a_caret() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "page.html",
        "--at",
        "app.js:x",
        "lastChange(R:a)"
    ]));
}

#[test]
fn a_recording_that_is_missing_is_named() {
    let arguments = [
        "ask",
        "page.html",
        "--recording",
        "no.json",
        "--at",
        "end",
        "lastChange(R:a)",
    ];
    insta::assert_snapshot!(failure(&arguments));
}

#[test]
fn a_recording_that_is_not_json_is_named_with_the_place() {
    insta::assert_snapshot!(failure(&["replay", "broken.json"]));
}

#[test]
fn a_recording_with_an_unknown_step_names_it() {
    insta::assert_snapshot!(failure(&["replay", "unknown.json"]));
}

#[test]
fn a_page_that_is_missing_is_named() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "missing.html",
        "--at",
        "end",
        "lastChange(R:a)"
    ]));
}

#[test]
fn a_folder_is_no_page() {
    insta::assert_snapshot!(failure(&["ask", ".", "--at", "end", "lastChange(R:a)"]));
}

#[test]
fn without_a_browser_the_command_that_installs_one_is_named() {
    insta::assert_snapshot!(failure(&[
        "ask",
        "page.html",
        "--at",
        "end",
        "lastChange(R:a)"
    ]));
}

#[test]
fn colours_obey_no_color() {
    let folder = site();
    let errors = |no_color: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_querypoint"))
            .args(["replay", "missing.json"])
            .current_dir(folder.path())
            .env("CLICOLOR_FORCE", "1")
            .env("NO_COLOR", no_color)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(errors("").contains('\u{1b}'));
    assert!(!errors("1").contains('\u{1b}'));
}

#[test]
fn wrong_options_end_with_status_2() {
    for arguments in [
        &["ask", "page.html", "lastChange(R:a)"][..],
        &["ask", "page.html", "--at", "end"],
        &[
            "ask",
            "page.html",
            "--at",
            "end",
            "--timeout",
            "0",
            "lastChange(R:a)",
        ],
        &[
            "ask",
            "page.html",
            "--at",
            "end",
            "--connect",
            "ws://x",
            "--headed",
            "lastChange(R:a)",
        ],
        &[
            "ask",
            "page.html",
            "--at",
            "end",
            "--json",
            "--format",
            "html",
            "lastChange(R:a)",
        ],
        &[
            "ask",
            "page.html",
            "--at",
            "end",
            "--format",
            "pdf",
            "lastChange(R:a)",
        ],
        &["plan", "lastChange(R:a)", "page.html"],
        &["plan", "--at", "end", "page.html"],
        &["plan", "--at", "end", "lastChange(R:a)"],
        &["plan", "--at", "end"],
        &["rewrite"],
        &["rewrite", "app.js", "--agent"],
        &[
            "rewrite",
            "app.js",
            "--standby",
            "--query",
            "lastChange(R:a)",
        ],
        &["replay", "good.json", "--speed", "slow"],
        &["conjure"],
        &[],
    ] {
        let folder = site();
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_goes_to_standard_output() {
    let folder = site();
    for arguments in [
        &["--help"][..],
        &["ask", "--help"],
        &["plan", "--help"],
        &["record", "--help"],
        &["replay", "--help"],
        &["demo", "--help"],
        &["rewrite", "--help"],
        &["serve", "--help"],
        &["install-host", "--help"],
    ] {
        let output = run(folder.path(), arguments);
        assert!(output.status.success(), "{arguments:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Usage: querypoint"), "{text}");
    }
}

#[test]
fn rewriting_keeps_lines_and_hooks_only_what_is_asked() {
    let folder = site();
    let arguments = [
        "rewrite",
        "app.js",
        "--query",
        "lastChange(R:o.p)",
        "--map",
        "app.js.map",
    ];
    let output = run(folder.path(), &arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_ne!(lines[0], "o.p = 1;");
    assert_eq!(lines[1], "q.r = 2;");
    let map: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("app.js.map")).unwrap()).unwrap();
    assert_eq!(map["version"], 3);
    assert_eq!(map["sources"], serde_json::json!(["app.js"]));
    assert_eq!(
        map["sourcesContent"],
        serde_json::json!(["o.p = 1;\nq.r = 2;\n"])
    );

    let standby = run(folder.path(), &["rewrite", "app.js"]);
    let text = String::from_utf8(standby.stdout).unwrap();
    assert_ne!(text.lines().nth(1), Some("q.r = 2;"), "{text}");
}

#[test]
fn a_rewritten_script_is_printed_with_all_its_control_characters() {
    let folder = site();
    let source = "f('\u{1}\u{8}\u{1b}[31m\u{b}\u{7f}\u{9b}', o.p = 1);";
    fs::write(folder.path().join("raw.js"), source).unwrap();
    let output = run(folder.path(), &["rewrite", "raw.js"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_ne!(text, source);
    let head = source.split_once(',').unwrap().0;
    assert!(text.contains(head), "{text:?}");
}

#[test]
fn a_script_that_does_not_parse_is_printed_as_it_is_and_named_with_the_place() {
    let folder = site();
    let output = run(folder.path(), &["rewrite", "bad.js"]);
    // What a page would get, so that its own error stays the same.
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "let = = 1;\n");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.starts_with("bad.js: not rewritten, because it does not parse: line 1:"),
        "{errors}"
    );
}

/// A program in place of a browser that never listens; it makes the file `began` when it is asked for that,
/// or, if it is to be `slow` there, for its version.
fn silent_browser(folder: &Path, slow: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("browser");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && [ -z '{slow}' ] && echo Chromium 1 && exit\n\
         : > '{}'\nexec sleep 600\n",
        folder.join("began").display()
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_signal_while_the_browser_starts_is_an_interruption() {
    for (signal, slow, command) in [
        ("INT", "", "ask"),
        ("TERM", "", "ask"),
        ("TERM", "version", "ask"),
        ("HUP", "", "record"),
    ] {
        let folder = site();
        let browser = silent_browser(folder.path(), slow);
        let scratch = folder.path().join("tmp");
        fs::create_dir(&scratch).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_querypoint"))
            .args(match command {
                "ask" => ["ask", "page.html", "--at", "end", "lastChange(R:a)"].as_slice(),
                _ => ["record", "page.html", "--out", "new.json"].as_slice(),
            })
            .arg("--browser")
            .arg(&browser)
            .current_dir(folder.path())
            .env("TMPDIR", &scratch)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let start = std::time::Instant::now();
        while !folder.path().join("began").exists() {
            assert!(start.elapsed().as_secs() < 60, "it was not started");
            std::thread::yield_now();
        }
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "{signal}: {status}");
        let left = fs::read_dir(&scratch).unwrap().count();
        assert_eq!(left, 0, "{signal}: the folder of the profile stays");
    }
}
