//! What `origin` says in each form that an answer has: drawn, as a page, kept, of several runs. Libraries are one hop
//! there, unless each of theirs is asked for. And which request gave a value.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::path::Path;

use crate::loopback::*;
use crate::origins::{asked, detail, path, site_of};
use serde_json::{Value, json};

const LIBRARY: &str = "function keep(value) {
  const kept = { value };
  return give(kept);
}
function give(from) {
  const inner = from.value;
  return inner;
}
";

/// A page whose value goes through a library.
fn shop() -> Folder {
    let folder = Folder::new();
    folder.file(
        "index.html",
        "<!doctype html><meta charset=utf-8>
<script src=node_modules/shop/index.js></script><script src=app.js></script>",
    );
    std::fs::create_dir_all(folder.0.join("node_modules/shop")).unwrap();
    folder.file("node_modules/shop/index.js", LIBRARY);
    folder.file(
        "app.js",
        "const total = keep('made here');\nconsole.log('asked here');\n",
    );
    folder
}

fn ask(folder: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["ask", "index.html", "--at", "console:asked here"];
    arguments.extend(["origin(total)", "--timeout", "60"]);
    arguments.extend(more);
    let output = command(&arguments).current_dir(folder).output().unwrap();
    Ran {
        status: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

const THROUGH: [&str; 6] = [
    "copy 1:7 total = \"made here\"",
    "return 3:3 keep = \"made here\"",
    "return 7:3 give = \"made here\"",
    "copy 6:9 inner = \"made here\"",
    "property 2:18 from.value = \"made here\"",
    "parameter 1:20 value = \"made here\"",
];

#[test]
fn a_library_is_one_hop_unless_each_of_its_hops_is_asked_for() {
    let folder = shop();
    let folded = ask(&folder.0, &[]);
    assert!(
        folded.out.contains(
            "keep = \"made here\"  node_modules/shop/index.js:3:3 in keep, through shop, 4 hops"
        ),
        "{}",
        folded.out
    );
    let answer = ask(&folder.0, &["--json"]).answer();
    let point = &answer["points"][1];
    assert_eq!(
        path(point),
        [THROUGH[0], THROUGH[1], THROUGH[5], "literal 1:20"]
    );
    assert_eq!(
        [&point["hops"][1]["library"], &point["hops"][1]["folded"]],
        [&json!("shop"), &json!(4)]
    );
    let through = ask(&folder.0, &["--json", "--through"]).answer();
    let point = &through["points"][1];
    let (last, hops) = path(point).split_last().map_or_else(
        || panic!("{through:#}"),
        |(last, hops)| (last.clone(), hops.to_vec()),
    );
    assert_eq!(
        (last.as_str(), hops.as_slice()),
        ("literal 1:20", THROUGH.map(String::from).as_slice())
    );
    assert!(point["hops"][1].get("folded").is_none(), "{point:#}");
}

/// An origin is kept like any answer, and not for another question.
#[test]
fn an_origin_is_kept_with_what_it_was_asked_with() {
    let folder = shop();
    let is_kept = |answer: &Value| answer.get("kept") == Some(&json!(true));
    let first = ask(&folder.0, &["--json"]).answer();
    let again = ask(&folder.0, &["--json"]).answer();
    assert_eq!([is_kept(&first), is_kept(&again)], [false, true]);
    assert_eq!(first["points"][1]["hops"], again["points"][1]["hops"]);
    assert_eq!(first["points"][1]["end"], again["points"][1]["end"]);
    for more in ["--through", "--max-executions=2"] {
        let other = ask(&folder.0, &["--json", more]).answer();
        assert!(!is_kept(&other), "{more}: {other:#}");
    }
}

#[test]
fn an_origin_is_a_table_of_a_page_and_is_counted_over_runs() {
    let folder = shop();
    let page = ask(&folder.0, &["--format", "html"]).out;
    for cell in [
        "<td>return</td><td>keep</td><td><span class=\"new\">&quot;made here&quot;</span></td>",
        "<span class=\"faint\">, shop, 4 hops</span>",
        "<td>made by</td><td>the program's text</td>",
    ] {
        assert!(page.contains(cell), "{cell} is not in\n{page}");
    }
    let runs = ask(&folder.0, &["--json", "--runs", "2"]).answer();
    assert_eq!(
        path(&runs["points"][1]),
        [THROUGH[0], THROUGH[1], THROUGH[5], "literal 1:20"]
    );
    let counted = &runs["runs"]["points"][1];
    assert_eq!(counted["name"], "Q1");
    assert_eq!(counted["answers"][0]["count"], 2);
    assert_eq!(counted["answers"][0]["location"]["column"], 20);
}

#[test]
fn a_server_is_the_end_with_the_request_and_the_field() {
    let site = Site::new(&[
        ("/", page("<script src=app.js></script>")),
        (
            "/app.js",
            script(
                "let answered, sent;
fetch('data.json').then((response) => response.json()).then((data) => {
  answered = data.cart.items[1].name;
  const request = new XMLHttpRequest();
  request.onload = () => {
    sent = request.responseText;
    console.log('asked here');
  };
  request.open('GET', 'plain.txt?key=2');
  request.send();
});
",
            ),
        ),
        (
            "/data.json",
            script(r#"{"cart":{"items":[{"name":"one"},{"name":"from the server"}]}}"#),
        ),
        ("/plain.txt?key=2", script("a text")),
    ]);
    let (points, _) = asked(&site, &["origin(answered)", "origin(sent)"], &[]);
    assert_eq!(points[0]["end"]["kind"], "network");
    assert_eq!(detail(&points[0]), "data.json: data.cart.items[1].name");
    assert_eq!(points[1]["end"]["kind"], "network");
    assert_eq!(detail(&points[1]), "plain.txt?key=2: request.responseText");
}

/// `toString` gives the text itself.
#[test]
fn a_text_that_is_asked_for_its_text_is_the_same() {
    let site = site_of("const word = 'made here';\nconst shown = word.toString();");
    let (points, _) = asked(&site, &["origin(shown)"], &[]);
    assert_eq!(path(&points[0]).last().unwrap(), "literal 1:14");
}

/// Each hop of a point: what it is, its point and its realm.
fn hop_points(point: &Value) -> Vec<String> {
    let hops = point["hops"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    hops.iter()
        .map(|hop| {
            ["name", "point", "realm"]
                .map(|key| text(&hop[key]))
                .join(", ")
        })
        .collect()
}

/// What was made in a worker is followed there, and the worker is named.
#[test]
fn hops_in_a_worker_say_so() {
    let app = "const worker = new Worker('sum.js');
worker.onmessage = (event) => {
  const total = event.data;
  console.log('asked here');
};
";
    let site = Site::new(&[
        ("/", page("<script src=app.js></script>")),
        ("/app.js", script(app)),
        (
            "/sum.js",
            script("const sum = 'made there';\npostMessage(sum);\n"),
        ),
    ]);
    let (points, _) = asked(&site, &["origin(total)"], &[]);
    assert_eq!(
        hop_points(&points[0]),
        [
            "total, app.js:3:9#0, none",
            "event.data, sum.js:2:1, worker sum.js",
            "sum, sum.js:1:7#0, worker sum.js"
        ]
    );
}

/// Only a frame runs scripts, and it is no page.
#[test]
fn hops_in_a_frame_say_so_also_where_only_it_runs_scripts() {
    let site = Site::new(&[
        ("/", html("<!doctype html><iframe src=inner.html></iframe>")),
        (
            "/inner.html",
            html("<!doctype html><script src=inner.js></script>"),
        ),
        (
            "/inner.js",
            script("const made = 'made here';\nconst shown = made;\nconsole.log('asked here');\n"),
        ),
    ]);
    let (points, _) = asked(&site, &["origin(shown)"], &[]);
    assert_eq!(
        hop_points(&points[0]),
        [
            "shown, inner.js:2:7#0, frame inner.js",
            "made, inner.js:1:7#0, frame inner.js"
        ]
    );
}

/// The point of a hop is one to ask at: what it names has there the value that the hop says.
#[test]
fn at_the_point_of_a_hop_the_same_value_is_asked_again() {
    let site = site_of(
        "const prices = ['a', 'b', 'c'];
let last;
function keep(text) {
  last = text;
}
for (const price of prices) {
  keep(price + 1);
}",
    );
    let (points, _) = asked(&site, &["origin(last)"], &[]);
    let hops = points[0]["hops"].as_array().unwrap();
    let named = |name: &str| hops.iter().find(|hop| hop["name"] == name).unwrap();
    let write = named("last");
    assert_eq!(write["point"], "app.js:4:3#2", "{hops:#?}");
    let url = site.url("/");
    let at = write["point"].as_str().unwrap();
    let answer = querypoint(&["ask", &url, "--at", at, "--json", "origin(text)"]).answer();
    let there = &answer["points"][1]["hops"][0]["value"];
    assert_eq!(there["text"], "\"c1\"", "{answer:#}");
    assert_eq!(there, &write["value"]);
}
