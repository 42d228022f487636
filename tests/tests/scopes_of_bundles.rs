//! A bundle has the variables of all its files in one scope. A person looks for those of the file that they read, and
//! then for those of their other files: libraries' are behind them, of which only the first are shown.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;
use crate::panel::{BackEnd, Panel};
use querypoint::answer::{Scope, ScopeKind};
use querypoint::session::methods;
use sourcemap::SourceMapBuilder;

/// So many variables of a scope are shown.
const SHOWN: usize = 200;

/// A page whose bundle has a library with as many variables, and three lines of each of two files of one's own.
fn site(of_library: usize) -> Site {
    let boxes =
        (0..of_library).map(|number| format!("const box{number} = {{ number: {number} }};"));
    let names: Vec<String> = (0..of_library)
        .map(|number| format!("box{number}"))
        .collect();
    let library = boxes.chain([format!("globalThis.all = () => [{}];", names.join(","))]);
    let files: [(&str, Vec<String>); 3] = [
        ("../node_modules/boxes/index.js", library.collect()),
        (
            "src/fee.js",
            [
                "let fee = 2;",
                "globalThis.raise = () => fee++;",
                "raise();",
            ]
            .map(str::to_owned)
            .into(),
        ),
        (
            "src/total.js",
            [
                "let total = 0;",
                "function add(n) {",
                "  total += n * fee;",
                "}",
                "add(1);",
            ]
            .map(str::to_owned)
            .into(),
        ),
    ];
    // The first line begins the scope, and is of no file.
    let (mut code, mut map) = (vec!["(() => {".to_owned()], SourceMapBuilder::new(None));
    for (file, lines) in &files {
        let source = map.add_source(file);
        map.set_source_contents(source, Some(&lines.join("\n")));
        for (line, text) in (0..).zip(lines) {
            let generated = u32::try_from(code.len()).unwrap();
            map.add_raw(generated, 0, line, 0, Some(source), None, false);
            code.push(text.clone());
        }
    }
    code.push("})();\n//# sourceMappingURL=app.js.map".to_owned());
    let mut json = Vec::new();
    map.into_sourcemap().to_writer(&mut json).unwrap();
    let map = String::from_utf8(json).unwrap();
    Site::new(&[
        (
            "/",
            html("<!doctype html><script src=/dist/app.js></script>"),
        ),
        ("/dist/app.js", script(&code.join("\n"))),
        ("/dist/app.js.map", Reply::new("application/json", map)),
    ])
}

/// The names of what the closure around has, in their order.
fn in_closure(scopes: &[Scope]) -> Vec<String> {
    let closure = scopes.iter().find(|it| it.kind == ScopeKind::Closure);
    let variables = &closure.unwrap().variables;
    variables.iter().map(|it| it.name.clone()).collect()
}

#[test]
fn variables_of_the_file_that_is_read_come_before_those_of_libraries() {
    for of_library in [3, 300] {
        let site = site(of_library);
        let url = site.url("/");
        let asked = [
            "ask",
            &url,
            "--at",
            "src/total.js:3",
            "--json",
            "lastChange(R:total)",
        ];
        let answer = querypoint(&asked).answer();
        let points = answer["points"].as_array().unwrap();
        assert_eq!(points[1]["location"]["line"], 1, "{answer}");
        let scopes: Vec<Scope> = serde_json::from_value(points[0]["scopes"].clone()).unwrap();
        let names = in_closure(&scopes);
        assert_eq!(names[..3], ["total", "fee", "box0"], "{names:?}");
        assert_eq!(names.len(), SHOWN.min(of_library + 2));
    }
}

#[tokio::test]
async fn so_they_do_where_the_variables_of_a_frame_are_read_later() {
    let folder = Folder::new();
    let site = site(300);
    let back_end = BackEnd::start(&folder, &[]);
    let mut panel = Panel::with(&back_end, "one").await;
    panel.goes_to(site.url("/")).await;
    panel.stops_at("src/total.js:3").await;
    panel.asks("B = lastChange(R:fee)").await;
    let read = panel
        .done(methods::Frame {
            point: "R".to_owned(),
            frame: 0,
        })
        .await;
    let names = in_closure(&read.scopes);
    assert_eq!(names[..3], ["total", "fee", "box0"], "{names:?}");
    assert_eq!(names.len(), SHOWN);
}
