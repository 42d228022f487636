//! Pages and browsers that misbehave: the answer is right or a typed error comes, nothing is left behind, and the
//! next question works.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::loopback::*;
use serde_json::json;

/// Asks with a folder for temporary files of its own, which must be empty afterwards: no profile is left. Nor is
/// a process whose command line names the folder.
fn ask_alone(url: &str, more: &[&str]) -> Ran {
    let folder = Folder::new();
    let mut arguments = vec!["ask", url, "--json"];
    if !more.contains(&"--timeout") {
        arguments.extend(["--timeout", "30"]);
    }
    if !more.contains(&"--at") {
        arguments.extend(["--at", "end"]);
    }
    arguments.push("lastChange(R:probe.value)");
    arguments.extend(more);
    let output = command(&arguments)
        .env("TMPDIR", &folder.0)
        .output()
        .unwrap();
    let ran = Ran {
        status: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    nothing_is_left(&folder);
    ran
}

/// The page's answer is `at`.
fn answers(body: &str, at: &str) {
    let site = Site::new(&[("/", page(body))]);
    let ran = ask_alone(&site.url("/"), &[]);
    assert_eq!(place(&ran.answer()), at, "{ran:#?}");
    assert!(!ran.err.contains("panicked"), "{ran:#?}");
}

/// The question ends with status 4 and these words, in time.
fn breaks(body: &str, more: &[&str], messages: &[&str]) {
    let site = Site::new(&[
        ("/", page(body)),
        ("/fine", page("<script>probe.value = 1;</script>")),
    ]);
    let ran = ask_alone(&site.url("/"), more);
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert_eq!(ran.out, "", "{ran:#?}");
    assert!(
        messages.iter().any(|message| ran.err.contains(message)),
        "{ran:#?}"
    );
    assert!(!ran.err.contains("panicked"), "{ran:#?}");
    let next = ask_alone(&site.url("/fine"), &[]);
    assert_eq!(place(&next.answer()), "found fine:2:9", "{next:#?}");
}

#[test]
fn a_page_that_loops_for_ever_at_load() {
    breaks(
        "<script>probe.value = 1; while (true);</script>",
        &["--timeout", "3"],
        &["--timeout SECONDS"],
    );
}

#[test]
fn a_page_that_loops_for_ever_in_a_timer() {
    breaks(
        "<script>setTimeout(() => { probe.value = 1; for (;;); }, 100);</script>",
        &["--timeout", "3"],
        &["--timeout SECONDS"],
    );
}

#[test]
fn a_page_whose_process_dies() {
    breaks(
        "<script>onload = () => { probe.value = 1; setTimeout(() => \
         { const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5)); }, 10); };</script>",
        &["--timeout", "60"],
        &["the page's process crashed"],
    );
}

/// Asks, with a folder of its own for temporary files, about a page that waits for a response that never comes; `lost`
/// is done then. What is said of it.
fn while_it_waits(lost: impl FnOnce(&Folder, u32), status: i32) -> String {
    let site = Site::new(&[
        (
            "/",
            page("<script>setTimeout(() => fetch('/hang'), 1);</script>"),
        ),
        (
            "/hang",
            Reply {
                hangs: true,
                ..script("")
            },
        ),
    ]);
    let folder = Folder::new();
    let (url, query) = (site.url("/"), "lastChange(R:probe.value)");
    let child = command(&["ask", &url, "--timeout", "60", "--at", "end", query])
        .env("TMPDIR", &folder.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !site.requests().contains(&"/hang".to_owned()) {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the page was not opened"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    lost(&folder, child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{said}");
    nothing_is_left(&folder);
    said
}

#[test]
fn a_browser_that_is_killed() {
    let said = while_it_waits(|folder, _| kill_browser_of(folder), 4);
    assert!(said.contains("the browser exited"), "{said}");
}

#[test]
fn an_interrupted_question_leaves_nothing() {
    let interrupt = |_: &Folder, id: u32| {
        let id = id.to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.unwrap().success());
    };
    let said = while_it_waits(interrupt, 130);
    assert!(said.contains("interrupted"), "{said}");
}

/// For how long a process has worked, as Linux counts it.
fn worked(id: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let (_, numbers) = stat.rsplit_once(") ").unwrap();
    // In hundredths of a second: in the program, and in the system for it.
    let spent = numbers.split(' ').skip(11).take(2);
    let spent: u64 = spent.map(|it| it.parse::<u64>().unwrap()).sum();
    Duration::from_millis(spent * 10)
}

#[test]
fn a_question_that_rewrites_a_large_script_ends_at_a_signal() {
    // To rewrite it takes a test's build 6 s and more.
    let large = "box.a = 1; { let b = box.a; box.a = b + 1; }\n".repeat(200_000);
    let site = Site::new(&[
        (
            "/",
            page("<script>const box = {};</script><script src=/large.js></script>"),
        ),
        ("/large.js", script(&large)),
    ]);
    let folder = Folder::new();
    let (url, query) = (site.url("/"), "lastChange(R:box.a)");
    let child = command(&["ask", &url, "--timeout", "600", "--at", "end", query])
        .env("TMPDIR", &folder.0)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !site.requests().contains(&"/large.js".to_owned()) {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "it was not asked for"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    // Nothing else that the command does takes so long.
    while worked(&id) < Duration::from_millis(1500) {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it is not rewritten"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    let since = Instant::now();
    for _ in 0..2 {
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.unwrap().success());
        std::thread::sleep(Duration::from_secs(1));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        since.elapsed() < Duration::from_secs(4),
        "{:?}",
        since.elapsed()
    );
    nothing_is_left(&folder);
}

#[test]
fn a_page_that_closes_itself_is_an_answer_or_says_so() {
    let site = Site::new(&[(
        "/",
        page(
            "<script>probe.value = 1; onload = () => { window.close(); open('', '_self').close(); };</script>",
        ),
    )]);
    let ran = ask_alone(&site.url("/"), &[]);
    match ran.status {
        Some(0) => assert_eq!(place(&ran.answer()), "found :2:9", "{ran:#?}"),
        Some(4) => assert!(ran.err.contains("the tab was closed"), "{ran:#?}"),
        _ => panic!("{ran:#?}"),
    }
}

#[test]
fn dialogs_and_debugger_statements_and_popups_do_not_hold_it() {
    answers(
        "<script>\nfor (let i = 0; i < 50; i++) debugger;\n\
say(alert(1), confirm(2), prompt(3, 'x')); onbeforeunload = () => 'stay';\n\
for (let i = 0; i < 50; i++) open('about:blank#' + i);\n\
debugger; probe.value = 1; debugger;\n\
setTimeout(() => { debugger; alert(4); probe.value = 2; debugger; }, 50);\n</script>",
        "found :7:40",
    );
}

#[test]
fn built_ins_that_the_page_overrides_change_nothing() {
    for hostile in [
        "Array.prototype.push = () => { throw 1; };",
        "JSON.stringify = () => 'x'; JSON.parse = () => 'x';",
        "Error.prepareStackTrace = () => { throw 1; };",
        "Object.prototype.toJSON = () => 'hi'; Array.prototype.toJSON = () => 'hi'; String.prototype.toJSON = () => \
         'hi'; Number.prototype.toJSON = () => 'hi';",
        "Array.prototype[Symbol.iterator] = () => { throw 1; };",
        "Function.prototype.call = Function.prototype.apply = () => { throw 1; };",
        "for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => { throw 1; };",
        "Reflect.apply = Reflect.ownKeys = Reflect.getOwnPropertyDescriptor = () => { throw 1; };",
        "for (const name of ['status', 'v', 's', 'k', 'n', 'sequence']) Object.defineProperty(Object.prototype, name, \
         { set() { throw 1; }, get() { return 7; }, configurable: true });",
        "WeakMap.prototype.get = WeakMap.prototype.set = Map.prototype.get = () => { throw 1; };",
        "Object.defineProperty(Array.prototype, '0', { set() { throw 1; }, configurable: true });",
        "Object.is = () => true; String.prototype.startsWith = () => { throw 1; };",
        "window.Proxy = window.Error = window.WeakMap = window.Object = window.Reflect = undefined;",
        "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Function.prototype);",
        "document.querySelector = document.addEventListener = window.addEventListener = () => { throw 1; };",
        "Promise.prototype.then = () => { throw 1; }; window.requestAnimationFrame = () => 0; window.setTimeout = () \
         => 0;",
    ] {
        answers(
            &format!(
                "<script>\n{hostile}\nfunction f() {{ probe.value = 5; }}\nprobe.value = 4; f();\n</script>"
            ),
            "found :4:16",
        );
    }
}

/// Where executions differ, state is captured inside the page, at every write: old values are read there as well, also
/// what no hook saw.
#[test]
fn old_values_are_right_where_executions_differ() {
    let body = "<script>\nconst other = {}, frame = document.createElement('iframe');\n\
        for (let left = performance.timeOrigin % 1e5 / 20; left > 0; left--) other.total = left;\n\
        document.documentElement.append(frame);\n\
        const cart = frame.contentWindow.JSON.parse('{\"total\": 1}');\n\
        cart.total = 2;\n\
        frame.contentWindow.Reflect.set(cart, 'total', 3);\n\
        cart.total = 2;\ncart.total = 2;\n</script>";
    let asked = |body: &str| {
        let site = Site::new(&[("/", page(body))]);
        let (url, query) = (site.url("/"), "lastChange(R:cart.total)");
        let more = ["--timeout", "60", "--at", "end", "--json", query];
        let answer = querypoint(&[&["ask", &url][..], &more].concat()).answer();
        assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");
        answer
    };
    let answer = asked(body);
    let point = &answer["points"][1];
    assert_eq!(place(&answer), "found :9:1", "{answer:#}");
    assert_eq!(point["old"]["text"], "3", "{answer:#}");
    assert_eq!(point["new"]["text"], "2", "{answer:#}");
    assert_eq!(point["changes"], 2, "{answer:#}");
    let note = point["note"].as_str().unwrap();
    assert!(note.starts_with("2 earlier values were"), "{note}");

    // What was there before the first hook is no new property.
    let first = body.replace("cart.total = 2;\ncart.total = 2;\n", "");
    let answer = asked(&first.replace("frame.contentWindow.Reflect", "// "));
    let point = &answer["points"][1];
    assert_eq!(place(&answer), "found :7:1", "{answer:#}");
    assert_eq!(point["old"]["text"], "1", "{answer:#}");
    assert_eq!(point["created"], json!(null), "{answer:#}");
}

#[test]
fn names_and_strings_of_any_size_are_cut() {
    answers(
        "<script>\n\
const long = 'x'.repeat(3e6); window[long.slice(0, 1e6)] = 1;\n\
for (let i = 0; i < 2e4; i++) window['global' + i] = long;\n\
const deep = []; let at = deep; for (let i = 0; i < 1e5; i++) { at[0] = []; at = at[0]; }\n\
function recurse(n) { if (n > 0) recurse(n - 1); else probe.value = long; }\n\
recurse(2000);\n</script>",
        "found :6:55",
    );
}

#[test]
fn thousands_of_scripts_made_by_code_are_listed_within_bounds() {
    let site = Site::new(&[(
        "/",
        page(
            "<script>\nfor (let i = 0; i < 3000; i++) eval('1+' + i + '\\n//# sourceURL=http://made/' + i); \
             probe.value = 1;\n</script>",
        ),
    )]);
    // Each text stops the page once in each execution: some milliseconds, more beside other tests.
    let ran = ask_alone(&site.url("/"), &["--timeout", "90"]);
    let answer = ran.answer();
    assert!(
        place(&answer).starts_with("found :3:"),
        "{}",
        place(&answer)
    );
    assert!(ran.out.len() < 1_000_000, "{}", ran.out.len());
}

#[test]
fn a_browser_that_is_attached_to_lives_on() {
    let folder = Folder::new();
    let browser = ["chromium", "google-chrome", "chrome"]
        .iter()
        .find_map(|name| {
            Command::new(name)
                .args([
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--no-first-run",
                    "--remote-debugging-port=0",
                ])
                .arg(format!(
                    "--user-data-dir={}",
                    folder.0.join("profile").display()
                ))
                .arg("about:blank")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .ok()
        })
        .unwrap();
    let mut browser = Ended(browser);
    let file = folder.0.join("profile/DevToolsActivePort");
    let start = Instant::now();
    let address = loop {
        if let Ok(text) = std::fs::read_to_string(&file)
            && let Some((port, path)) = text.split_once('\n')
        {
            break format!("ws://127.0.0.1:{}{}", port.trim(), path.trim());
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the browser does not start"
        );
        std::thread::sleep(Duration::from_millis(20));
    };
    let site = Site::new(&[("/", page("<script>probe.value = 1;</script>"))]);
    for _ in 0..2 {
        let ran = ask_alone(&site.url("/"), &["--connect", &address]);
        assert_eq!(place(&ran.answer()), "found :2:9", "{ran:#?}");
        assert!(browser.0.try_wait().unwrap().is_none(), "it was ended");
    }
}

/// A process that is ended with the test.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
