//! Scripts of 9 MB, as many lines and as one: the answer is as exact there as in a small one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use crate::loopback::*;

const SIZE: usize = 9_000_000;

/// What a compiler's or a bundler's output is full of: functions in functions, classes, closures, literals, switches,
/// texts, regular expressions.
fn part(number: usize) -> String {
    let mut text = String::new();
    for line in [
        format!("function part{number}(kind, flags, text) {{"),
        "  var node = { kind: kind, flags: flags | 1, children: [], parent: undefined };".to_owned(),
        "  if (text === undefined) { text = \"\"; }".to_owned(),
        "  for (var i = 0; i < text.length; i++) {".to_owned(),
        "    var code = text.charCodeAt(i);".to_owned(),
        "    switch (code) {".to_owned(),
        "      case 10: case 13: node.flags |= 2; break;".to_owned(),
        "      case 47: if (/^\\/\\*[^]*?\\*\\/$/.test(text)) node.comment = text.slice(2, -2); break;".to_owned(),
        format!("      default: node.children.push(function () {{ return code + {number}; }});"),
        "    }".to_owned(),
        "  }".to_owned(),
        "  class Visitor { constructor(at) { this.at = at; this.depth = 0; } visit(n) \
         { this.depth++; return n && n.kind === this.at; } }".to_owned(),
        "  const seen = new Visitor(kind), label = `part ${kind} of ${flags}`, { length } = node.children;".to_owned(),
        "  box.value = box.value + (seen.visit(node) ? 1 : 0) + length * 0;".to_owned(),
        "  return label.length > 3 ? node : undefined;".to_owned(),
        "}".to_owned(),
    ] {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// A script of 9 MB, the number of the line after it, and how many parts it has.
fn large() -> (String, usize, usize) {
    let mut text = String::from("var box = { value: 0 };\n");
    let mut parts = 0;
    while text.len() < SIZE {
        text.push_str(&part(parts));
        parts += 1;
    }
    let line = text.matches('\n').count() + 1;
    (text, line, parts)
}

#[test]
fn a_script_of_9_megabytes_in_lines() {
    let (mut text, line, parts) = large();
    let last = parts - 1;
    text.push_str(&format!(
        "part{last}(7, 0, \"ab\");\n  probe.value = box.value; say(probe.value, part{last}); done();\n"
    ));
    let site = Site::new(&[
        ("/", page("<script src=/large.js></script>")),
        ("/large.js", script(&text)),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, format!("1 {}", part(last).trim_end()));
    assert_eq!(place(&answer), format!("found large.js:{}:3", line + 1));
    assert_eq!(coverage(&answer), "2 of 2");
    // Somewhere in the middle, and with a hook everywhere.
    let more = ["--instrument", "standby", "Box = lastChange(R:box.value)"];
    let answer = ask(&site.url("/"), &more).answer();
    let last_write = line - 3;
    assert_eq!(place(&answer), format!("found large.js:{last_write}:3"));
    assert_eq!(coverage(&answer), "2 of 2");
}

#[test]
fn a_script_of_9_megabytes_in_one_line() {
    let (text, _, parts) = large();
    let mut text: String = text
        .lines()
        .map(|line| line.trim_start())
        .collect::<Vec<&str>>()
        .join("");
    let before = text.encode_utf16().count();
    let last = parts - 1;
    text.push_str(&format!(
        "part{last}(7,0,\"ab\");probe.value=box.value;say(probe.value,part{last}.name);done();"
    ));
    let site = Site::new(&[
        ("/", page("<script src=/line.js></script>")),
        ("/line.js", script(&text)),
    ]);
    let (said, answer) = compare(&site, &site.url("/"), &[]);
    assert_eq!(said, format!("1 part{last}"));
    let column = before + format!("part{last}(7,0,\"ab\");").len() + 1;
    assert_eq!(place(&answer), format!("found line.js:1:{column}"));
    assert_eq!(coverage(&answer), "2 of 2");
    let inner = ask(&site.url("/"), &["Box = lastChange(R:box.value)"]).answer();
    let column = text.rfind("box.value =").unwrap() + 1;
    assert_eq!(place(&inner), format!("found line.js:1:{column}"));
}

#[test]
fn a_long_text_that_changes_often_has_its_values_where_executions_differ() {
    let site = Site::new(&[(
        "/",
        page(
            "<p id=out></p><script>\n\
             const out = document.getElementById('out');\n\
             for (let round = 0; round < 500; round++) out.textContent = round + 'x'.repeat(20_000);\n\
             for (let left = Math.random() * 1000; left > 0; left--) out.textContent = left + 'y'.repeat(20_000);\n\
             </script>",
        ),
    )]);
    let ran = querypoint(&[
        "ask",
        &site.url("/"),
        "--json",
        "--at",
        "end",
        "lastChange(R:out.textContent)",
    ]);
    let answer = ran.answer();
    assert_eq!(answer["consistency"]["agrees"], false, "{answer:#}");
    let point = &answer["points"][1];
    for value in [&point["old"], &point["new"]] {
        assert_eq!(value["type"], "string", "{answer:#}");
    }
    assert_eq!(point["location"]["line"], 5, "{answer:#}");
}
