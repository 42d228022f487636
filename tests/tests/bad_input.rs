//! What cannot be: each thing typed, named or loaded that is wrong, with the message a person gets and the exit
//! status of the command.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

const QUESTION: &str = "lastChange(R:probe.value)";

/// Asks and gives the exit status and what was on standard error after the progress.
fn fails(arguments: &[&str], status: i32, messages: &[&str]) -> Ran {
    let ran = querypoint(arguments);
    assert_eq!(ran.status, Some(status), "{arguments:?} {ran:#?}");
    for message in messages {
        assert!(ran.err.contains(message), "{message:?} is not in {ran:#?}");
    }
    ran
}

fn site() -> Site {
    Site::new(&[
        (
            "/",
            page("<script src=/app.js></script><button id=b onclick=\"twice()\">b</button>"),
        ),
        (
            "/app.js",
            script(
                "function twice() {\n  probe.value = 1;\n\n  // nothing here\n  probe.value = 2;\n}\nfunction never() \
                 {\n  probe.value = 3;\n}\ntwice();\n",
            ),
        ),
    ])
}

#[test]
fn pages_that_do_not_load() {
    let refused = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    fails(
        &[
            "ask",
            &format!("http://{refused}/"),
            "--at",
            "end",
            QUESTION,
        ],
        4,
        &[
            "does not load",
            "ERR_CONNECTION_REFUSED",
            "check the address",
        ],
    );
    fails(
        &["ask", "http://nowhere.invalid/", "--at", "end", QUESTION],
        4,
        &[
            "http://nowhere.invalid/ does not load",
            "ERR_NAME_NOT_RESOLVED",
        ],
    );
    fails(
        &["ask", "no-such-page.html", "--at", "end", QUESTION],
        4,
        &["no-such-page.html"],
    );
}

#[test]
fn recordings_that_cannot_be_used() {
    let folder = Folder::new();
    let site = site();
    let url = site.url("/");
    let with = |text: &str, status, messages: &[&str]| {
        let path = folder.file("recording.json", text);
        fails(
            &[
                "ask",
                &url,
                "--recording",
                path.to_str().unwrap(),
                "--at",
                "end",
                "--timeout",
                "20",
                QUESTION,
            ],
            status,
            messages,
        );
    };
    with("{ no", 2, &["recording.json", "line 1"]);
    with(
        r#"{"title": "t", "steps": [{"type": "teleport"}]}"#,
        2,
        &["recording.json", "teleport"],
    );
    with(
        r##"{"title": "t", "steps": [{"type": "navigate", "url": "http://a/"},
            {"type": "click", "timeout": 300, "selectors": [["#nowhere"]], "offsetX": 1, "offsetY": 1}]}"##,
        4,
        &["step 2 of 2", "#nowhere"],
    );
}

#[test]
fn questions_that_cannot_be_read() {
    let url = "http://127.0.0.1:9/";
    fails(
        &["ask", url, "--at", "end", "lastChange(R:a..b)"],
        2,
        &["lastChange(R:a..b)", "^"],
    );
    fails(
        &["ask", url, "--at", "end", "lastChange(B:a.b)"],
        2,
        &["B", "^"],
    );
    fails(
        &[
            "ask",
            url,
            "--at",
            "end",
            "B = lastChange(C:a.b)",
            "C = lastChange(R:a.b)",
        ],
        2,
        &["C", "^"],
    );
    for impossible in [
        "trace(branch(R))",
        "trace(assign(x), sameness(.owner, R:x))",
        "trace(assign(x), sameness(R:x, .scope))",
    ] {
        fails(&["ask", url, "--at", "end", impossible], 2, &["^", "help:"]);
    }
    fails(
        &["ask", url, "--at", "app.js:x", QUESTION],
        2,
        &["app.js:x", "^"],
    );
    fails(
        &["ask", url, "--at", "end", "--watch", "1 +", QUESTION],
        2,
        &["1 +"],
    );
    fails(
        &["ask", url, "--at", "end", "--watch", "1) + (2", QUESTION],
        2,
        &["1) + (2"],
    );
}

#[test]
fn reproduction_points_that_are_not_reached() {
    let site = site();
    let url = site.url("/");
    for (at, note) in [
        (
            "other.js:3",
            "no script whose address ends in other.js was loaded",
        ),
        (
            "app.js:4",
            "line 4 of app.js has no code; the nearest lines that have are",
        ),
        ("app.js:99", "line 99 of app.js has no code"),
        ("app.js:8", "app.js:8 was never reached in this replay"),
        (
            "app.js:2#9",
            "app.js:2 was hit 1 times in this replay, so there is no hit #9",
        ),
        ("exception", "no uncaught exception was thrown"),
        ("console:hello", "no console message that holds \"hello\""),
    ] {
        let ran = fails(
            &[
                "ask",
                &url,
                "--json",
                "--timeout",
                "60",
                "--at",
                at,
                QUESTION,
            ],
            3,
            &["reproduction point"],
        );
        let answer = ran.answer();
        assert_eq!(answer["points"][0]["status"], "not-reached", "{at}");
        assert_eq!(answer["points"][1]["status"], "not-reached", "{at}");
        let said = answer["points"][0]["note"].as_str().unwrap();
        assert!(said.contains(note), "{at}: {said}");
        assert!(ran.err.contains(note), "{at}: {ran:#?}");
    }
    let human = fails(
        &[
            "ask",
            &url,
            "--timeout",
            "60",
            "--at",
            "other.js:3",
            QUESTION,
        ],
        3,
        &[],
    );
    for told in ["/app.js", "other.js"] {
        assert!(human.out.contains(told), "{human:#?}");
    }
}

#[test]
fn a_line_of_a_script_that_does_not_parse_is_told_so() {
    let site = Site::new(&[
        (
            "/page.html",
            page("<p>\n<script>\nprobe.value = 1;\n  let let = 2;\n</script>\n<p>"),
        ),
        ("/none.html", page("<p>\n<p>")),
        ("/app.html", page("<script src=/app.js></script>")),
        ("/app.js", script("probe.value = 1;\nprobe.value = ;\n")),
    ]);
    let broken = |line: &str, file: &str, at: &str| {
        format!(
            "line {line} of {file} is in a script that is not rewritten, because it does not parse: line {at}: "
        )
    };
    for (page, at, note) in [
        ("/page.html", "page.html:4", broken("4", "page.html", "5:7")),
        ("/app.html", "app.js:1", broken("1", "app.js", "2:15")),
        (
            "/none.html",
            "none.html:2",
            "line 2 of none.html has no code; it has none at all".to_owned(),
        ),
    ] {
        let arguments = ["ask", &site.url(page), "--json", "--at", at, QUESTION];
        let ran = fails(&arguments, 3, &[&note]);
        let answer = ran.answer();
        let said = answer["points"][0]["note"].as_str().unwrap();
        assert!(said.starts_with(&note), "{said}");
    }
}

#[test]
fn what_cannot_be_answered_is_told_of_that_query_alone() {
    let code = "var count = 0;\nvar shop = { get cart() { count++; return probe; }, none: null };\nfunction add(n) \
        { probe.value = n; }\nadd(1);\nadd(2);\ndone();\n";
    let site = Site::new(&[
        ("/", page("<script src=/app.js></script>")),
        ("/app.js", script(code)),
    ]);
    let wrong = [
        (
            "lastChange(R(9):probe.value)",
            "there is no frame 9: the stack has 1",
        ),
        (
            "lastChange(R(-2):probe.value)",
            "there is no frame -2: the stack has 1",
        ),
        ("lastChange(R:missing.value)", "missing is not defined"),
        ("lastChange(R:shop.none.value)", "null"),
        (
            "lastChange(R:shop.cart.value)",
            "cart is a getter of the page, which is not run",
        ),
        (
            "trace(call(add), sameness(.owner, R:shop.cart))",
            "shop.cart: it may have side effects",
        ),
        (
            "trace(call(add), sameness(.owner, R:missing.cart))",
            "missing is not defined",
        ),
        (
            "trace(call(add), sameness(R(5):probe, .owner))",
            "there is no frame 5",
        ),
        (
            "trace(call(add), when((() => { for (;;); })()))",
            "it took too long",
        ),
        (
            "trace(call(add), when(count++ < 5))",
            "it may have side effects",
        ),
        (
            "trace(call(add), when(shop.cart.value))",
            "it may have side effects",
        ),
        (
            "trace(call(add), when(1 +))",
            "it cannot be told which event is meant: when(1 +): SyntaxError",
        ),
        ("trace(call(add), when(await n))", "SyntaxError"),
        ("trace(call(add), when(new.target === 1; n))", "SyntaxError"),
        (
            "trace(call(add), when(nowhere > 1))",
            "nowhere is not defined",
        ),
        (
            "trace(call(add), when(n.one.two))",
            "Cannot read properties of undefined",
        ),
    ];
    let url = site.url("/");
    let mut arguments = vec!["ask", &url, "--json", "--at", "app.js:6", "--timeout", "60"];
    arguments.push("A = lastChange(R:probe.value)");
    arguments.extend(wrong.iter().map(|(query, _)| *query));
    arguments.push("Z = trace(call(add), when(n > 1))");
    arguments.push("N = lastChange(R:count)");
    let ran = querypoint(&arguments);
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let answer = ran.answer();
    let points = answer["points"].as_array().unwrap();
    for (point, (query, note)) in points[2..].iter().zip(&wrong) {
        assert_eq!(point["query"], *query);
        assert_eq!(point["status"], "blind", "{point:#}");
        let said = point["note"].as_str().unwrap_or_default();
        assert!(said.contains(note), "{query}: {said}");
    }
    let others = ["A", "Z", "N"].map(|name| {
        let point = points.iter().find(|point| point["name"] == name).unwrap();
        (point["status"].clone(), point["location"]["line"].clone())
    });
    assert_eq!(others[0], ("found".into(), 3.into()));
    assert_eq!(others[1], ("found".into(), 3.into()));
    assert_eq!(
        others[2],
        ("found".into(), 1.into()),
        "the getter was not run"
    );
}

#[test]
fn watches_with_side_effects_are_refused_and_said_so() {
    let site = site();
    let ran = ask(
        &site.url("/"),
        &["--watch", "probe.value = 9", "--watch", "probe.value + 1"],
    );
    let answer = ran.answer();
    let watches = answer["points"][0]["watches"].as_array().unwrap();
    assert_eq!(watches[0]["threw"], true, "{answer:#}");
    assert!(
        watches[0]["text"].as_str().unwrap().contains("side-effect"),
        "{answer:#}"
    );
    assert_eq!(watches[1]["text"], "3", "{answer:#}");
    assert_eq!(place(&answer), "found app.js:5:3");
    assert_eq!(ran.status, Some(0));
}

#[test]
fn a_watch_looks_an_element_up_by_its_id() {
    let body = "<p id='a \"b'>5</p><script>probe.value = 1;</script>";
    let site = Site::new(&[("/", page(body))]);
    let watch = r#"document.getElementById('a "b').textContent"#;
    let ran = ask(&site.url("/"), &["--watch", watch]);
    let answer = ran.answer();
    for point in answer["points"].as_array().unwrap() {
        let watched = &point["watches"][0];
        assert_eq!(watched["expression"], watch, "{answer:#}");
        assert_eq!(watched["text"], "\"5\"", "{answer:#}");
    }
}

#[test]
fn a_time_limit_that_is_too_small() {
    let site = site();
    fails(
        &[
            "ask",
            &site.url("/"),
            "--timeout",
            "0.05",
            "--at",
            "end",
            QUESTION,
        ],
        4,
        &["within 50 ms", "--timeout SECONDS"],
    );
    fails(
        &[
            "ask",
            &site.url("/"),
            "--timeout=-1",
            "--at",
            "end",
            QUESTION,
        ],
        2,
        &["--timeout"],
    );
}
