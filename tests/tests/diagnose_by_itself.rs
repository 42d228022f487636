//! `querypoint diagnose`: what the page itself, and a file of functions, say of calls.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;

use crate::diagnose::{diagnose, json, losing};
use serde_json::Value;

/// A folder with a page that has a script.
fn page(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.js"), script).unwrap();
    let page = "<!doctype html><title>t</title><script src=bad.js></script>";
    fs::write(folder.path().join("bad.html"), page).unwrap();
    folder
}

/// Diagnoses a page with a script; the answers are those of a person.
fn diagnosed(script: &str, arguments: &[&str], answers: &str) -> Value {
    let arguments = [arguments, &["--json"]].concat();
    json(&diagnose(page(script).path(), &arguments, answers))
}

/// The same, with answers from a file.
fn with_answers(script: &str, arguments: &[&str], answers: &str) -> Value {
    let folder = page(script);
    fs::write(folder.path().join("answers.txt"), answers).unwrap();
    let arguments = [arguments, &["--answers", "answers.txt", "--json"]].concat();
    json(&diagnose(folder.path(), &arguments, ""))
}

/// Each answer on a line: function, answer, by whom and why.
fn said(diagnosis: &Value) -> Vec<String> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let questions = diagnosis["questions"].as_array().unwrap().iter();
    questions
        .map(|it| {
            let line = ["function", "answer", "by", "why"].map(|name| text(it, name));
            line.join(" ").trim_end().to_owned()
        })
        .collect()
}

#[test]
fn values_that_have_not_the_declared_type_are_answers() {
    let script = "/**\n * @param {number} n\n * @returns {number}\n */\n\
        function half(n) { return n % 2 ? String(n / 2) : n / 2 }\n\
        /** @param {{n: number}} of */\nconst double = (of) => of.n * 2;\n\
        /** @returns {Promise<string[]>} */\nasync function list(first) { return [first, 'b'] }\n\
        function ask() { half(4); double({ n: 1 }); list('a'); return half(3) }\nask();";
    let diagnosis = diagnosed(script, &[], "");
    assert_eq!(diagnosis["found"]["function"], "half", "{diagnosis}");
    assert_eq!(
        said(&diagnosis),
        ["half invalid test it returned \"1.5\", and is declared to return number"]
    );
    // An argument that is not as declared is the caller's: it called nothing else, so only it is left.
    let diagnosis = diagnosed(&script.replace("half(3)", "half('4')"), &[], "invalid\n");
    assert_eq!(
        said(&diagnosis)[..2],
        [
            "half inadmissible test n was given \"4\", and is declared as number",
            "ask invalid person",
        ]
    );
    let diagnosis = diagnosed(&script.replace("list('a')", "list(3)"), &[], "");
    let lists = said(&diagnosis);
    assert!(
        lists
            .iter()
            .any(|it| it.starts_with("list invalid test it returned")),
        "{lists:?}"
    );
}

/// Types of a signature are in the file that a source map leads to: the script has none of them.
#[test]
fn types_of_typescript_are_answers() {
    let source = "function half(price: number): number { return price > 100 ? String(price / 2) as any : price / 2; }\n\
        function shown(price: number, unit: \"EUR\" | \"USD\"): string { return price.toFixed(2) + unit; }\n\
        function ask(): void { half(10); shown(1, \"EUR\"); shown(2, \"GBP\" as any); }\n\
        ask(); half(200);\n";
    let mut script = source.to_owned();
    for types in [
        ": number",
        " as any",
        ": \"EUR\" | \"USD\"",
        ": string",
        ": void",
    ] {
        script = script.replace(types, "");
    }
    // Each line is that of the source.
    let map = serde_json::json!({
        "version": 3, "sources": ["shop.ts"], "sourcesContent": [source], "names": [],
        "mappings": "AAAA;AACA;AACA;AACA",
    });
    let folder = page(&format!("{script}//# sourceMappingURL=bad.js.map\n"));
    fs::write(folder.path().join("bad.js.map"), map.to_string()).unwrap();
    let diagnosis = json(&diagnose(folder.path(), &["--json"], "valid\n"));
    assert_eq!(
        said(&diagnosis)[..2],
        [
            "shown inadmissible test unit was given \"GBP\", and is declared as \"EUR\" | \"USD\"",
            "half invalid test it returned \"100\", and is declared to return number",
        ],
        "{diagnosis}"
    );
    let url = &diagnosis["found"]["location"]["url"];
    assert!(url.as_str().unwrap().ends_with("shop.ts"), "{url}");
}

/// What is taken back is asked about, and the same declaration says nothing of other calls.
#[test]
fn a_declared_type_that_is_not_right_is_taken_back() {
    let script = "/** @returns {number} */\nfunction shown(n) { return n + ' EUR' }\n\
        function both() { return shown(1) + shown(2) }\nboth();";
    let first = diagnosed(script, &["--strategy", "top-down"], "");
    assert_eq!([&first["asked"], &first["automatic"]], [0, 1], "{first}");
    let call = &first["found"]["call"];
    let answers = format!("undo #{call}\ninvalid\ninvalid\nvalid\nvalid\n");
    let diagnosis = with_answers(script, &["--strategy", "top-down"], &answers);
    assert_eq!(diagnosis["found"]["function"], "both", "{diagnosis}");
    assert_eq!([&diagnosis["asked"], &diagnosis["automatic"]], [4, 0]);
}

#[test]
fn assertions_that_fail_are_answers() {
    let script = "class AssertionError extends Error {}\n\
        function assertThat(ok, text) { if (!ok) throw new AssertionError(text) }\n\
        function rest(list) { const left = list.slice(2); \
        console.assert(left.length > 0, 'none of %d', list.length); return left }\n\
        function first(list) { assertThat(list.length > 0, 'no element'); return list[0] }\n\
        function ask(list) { const left = rest(list);\n\
        try { return first(left) } catch (error) { return error.message } }\n\
        function main() { return ask([1, 2]) }\nmain();";
    // The assertion of `rest` failed first, and it called nothing: it is found.
    let diagnosis = diagnosed(script, &[], "");
    assert_eq!(diagnosis["found"]["function"], "rest", "{diagnosis}");
    assert_eq!(
        said(&diagnosis),
        ["rest invalid test console.assert failed in it: none of 2"]
    );
    // Without it `first` says that it should not have been called so; its caller is asked about.
    let without = script.replace(
        "console.assert(left.length > 0, 'none of %d', list.length); ",
        "",
    );
    let diagnosis = diagnosed(&without, &[], "invalid\ninvalid\n");
    assert_eq!(diagnosis["found"]["function"], "rest", "{diagnosis}");
    assert_eq!(
        said(&diagnosis)[..2],
        [
            "first inadmissible test an AssertionError left it: no element; it had done nothing before",
            "ask invalid person",
        ]
    );
    // What holds says nothing.
    let holds = script.replace("[1, 2]", "[1, 2, 3]");
    let diagnosis = diagnosed(&holds, &[], "valid\n");
    assert_eq!(diagnosis["automatic"], 0, "{diagnosis}");
}

/// An assertion that fails deep in a recursion is that of the call in which it failed, and declarations that nobody can
/// read say nothing.
#[test]
fn deep_recursions_and_unreadable_declarations_are_no_matter() {
    let deep = "(".repeat(20_000);
    let script = format!(
        "class AssertionError extends Error {{}}\n\
         /** @param {{{deep}}} n\n * @returns {{{{a: */\n\
         function down(n) {{ if (n === 0) {{ const left = n; throw new AssertionError('bottom') }}\n\
         return down(n - 1) + 1 }}\n\
         function main() {{ for (let i = 0; i < 3; i++) try {{ down(3000) }} catch {{}} }}\nmain();"
    );
    let diagnosis = diagnosed(&script, &[], "");
    assert_eq!(
        diagnosis["found"]["function"], "down",
        "{}",
        diagnosis["notes"]
    );
    assert_eq!(
        said(&diagnosis),
        ["down invalid test an AssertionError left it: bottom"]
    );
}

/// What is left of a search tree, in order, is what functions compare.
const RULES: &str = "const keys = (node) => node ? [...keys(node.left), node.key, ...keys(node.right)] : [];
const without = (node, key) => String(keys(node).filter((it) => it !== key));
export default {
  'Tree.remove': (call) => String(keys(call.after.this.root)) === without(call.this.root, call.arguments[0]),
  'Tree.removeAt'({ arguments: [node, key], returned }) {
    const left = String(keys(returned));
    return left === without(node, key) || { answer: 'invalid', why: `left are ${left || 'none'} of ${keys(node)}` };
  },
  'Tree.insertAt': () => 'trusted',
  Node: () => true,
};
";

#[test]
fn a_file_of_functions_answers() {
    let folder = losing();
    fs::write(folder.path().join("rules.js"), RULES).unwrap();
    let output = diagnose(folder.path(), &["--oracle", "rules.js", "--json"], "");
    let diagnosis = json(&output);
    assert_eq!(output.status.code(), Some(0), "{diagnosis}");
    assert_eq!(diagnosis["found"]["function"], "Tree.removeAt");
    assert_eq!(diagnosis["asked"], 0, "{diagnosis}");
    assert_eq!(diagnosis["notes"], Value::Array(Vec::new()));
    let said = said(&diagnosis);
    assert!(
        said.contains(&"Tree.removeAt invalid oracle rules.js: left are none of 2,3".to_owned()),
        "{said:?}"
    );
    // What it said is shown, and can be taken back: then a person is asked.
    let call = &diagnosis["found"]["call"];
    let answers = format!("undo #{call}\nvalid\n");
    fs::write(folder.path().join("answers.txt"), answers).unwrap();
    let with_answers = ["--oracle", "rules.js", "--answers", "answers.txt"];
    let output = diagnose(folder.path(), &with_answers, "");
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(
        shown.contains("by the oracle: invalid Tree.removeAt  bad.js:33:3"),
        "{shown}"
    );
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(found.contains("1 answer, "), "{found}");
    assert!(
        !found.contains(&format!("Tree.removeAt  bad.js:33:3  #{call}")),
        "{found}"
    );
    // A good version answers beside it, and a session is gone on with.
    let both = [
        "--oracle",
        "rules.js",
        "--oracle",
        "good.html",
        "--session",
        "kept",
        "--json",
    ];
    let output = diagnose(folder.path(), &both, "");
    assert_eq!(
        json(&output)["found"]["function"],
        "Tree.removeAt",
        "{output:?}"
    );
    let output = diagnose(
        folder.path(),
        &["--oracle", "good.html", "--oracle", "bad.html"],
        "",
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// Functions that fail say nothing, and why is noted; they reach neither the network nor storage.
#[test]
fn functions_that_fail_say_nothing() {
    let script = "function one() { return 1 }\nfunction two() { return document.documentElement }\n\
        function three() { return Promise.resolve(3) }\nfunction main() { one(); two(); three(); return 4 }\nmain();";
    let folder = page(script);
    let noted = |rules: &str| {
        fs::write(folder.path().join("rules.js"), rules).unwrap();
        let arguments = ["--oracle", "rules.js", "--strategy", "top-down", "--json"];
        let output = diagnose(folder.path(), &arguments, "");
        let diagnosis = json(&output);
        assert_eq!(diagnosis["questions"], Value::Array(Vec::new()), "{rules}");
        diagnosis["notes"].to_string()
    };
    for (rules, note) in [
        (
            "{ one() { throw new Error('no rule') } }",
            "rules.js: one: Error: no rule",
        ),
        (
            "{ one() { for (;;); } }",
            "rules.js: one: it did not end within 2000 ms",
        ),
        (
            "{ one: () => 'perhaps' }",
            "rules.js: one: it gave \\\"perhaps\\\"; an answer is true",
        ),
        (
            "{ one() { localStorage.key } }",
            "rules.js: one: SecurityError",
        ),
        ("{ one: () => undefined }", ""),
        ("{ two: (call) => call.returned.id === 'x' }", ""),
        ("{ 'constructor': () => true, other: () => false }", ""),
    ] {
        let notes = noted(&format!("export default {rules}"));
        assert!(notes.contains(note), "{rules}: {notes}");
        if note.is_empty() {
            assert_eq!(notes, "[\"there were no more answers\"]", "{rules}");
        }
    }
    for (rules, why) in [
        ("export const one = () => true", "it exports no functions"),
        ("export default { one: 1 }", "one is no function"),
        ("export default {", "SyntaxError"),
        (
            "await fetch('data:text/plain,1'); export default { one() {} }",
            "Failed to fetch",
        ),
        ("import './other.js'", "TypeError"),
    ] {
        fs::write(folder.path().join("rules.js"), rules).unwrap();
        let output = diagnose(folder.path(), &["--oracle", "rules.js"], "");
        assert_eq!(output.status.code(), Some(2), "{rules}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("rules.js") && said.contains(why),
            "{rules}: {said}"
        );
    }
}

/// Functions are handed what the page had: collections, dates, errors, classes, what was before and after.
#[test]
fn functions_are_handed_what_a_call_had() {
    let script = "class Basket { constructor() { this.items = [1, 2]; this.by = new Map([['a', 1]]) } }\n\
        const state = { day: null };\n\
        function fill(basket, day) { basket.items.push(3); basket.by.set('b', 2); state.day = day; return basket }\n\
        function fails(n) { throw new RangeError('too much') }\n\
        fill(new Basket(), new Date(0), 10n, -0, NaN); try { fails() } catch {}";
    let rules = "const is = (one, two) => {
  if (JSON.stringify(one) !== JSON.stringify(two)) throw new Error(JSON.stringify(one));
};
export default {
  fill(call) {
    is(call.arguments[0].items, [1, 2]);
    is(call.after.arguments[0].items, [1, 2, 3]);
    is(call.arguments[0] === call.arguments[0], true);
    is(call.returned === call.after.arguments[0], true);
    is(call.returned.constructor.name, 'Basket');
    is([...call.after.arguments[0].by], [['a', 1], ['b', 2]]);
    is(call.arguments[1].getTime(), 0);
    is(typeof call.arguments[2], 'bigint');
    is(Object.is(call.arguments[3], -0) && Number.isNaN(call.arguments[4]), true);
    is([call.function, call.ended, call.line], ['fill', 'returned', 3]);
    return true;
  },
  fails: (call) => { is([call.threw.message, call.ended], ['too much', 'threw']); return 'trusted' },
};";
    let folder = page(script);
    fs::write(folder.path().join("rules.mjs"), rules).unwrap();
    let arguments = ["--oracle", "rules.mjs", "--json"];
    let diagnosis = json(&diagnose(folder.path(), &arguments, ""));
    let mut said = said(&diagnosis);
    said.sort();
    assert_eq!(
        said,
        [
            "fails trusted oracle its function in rules.mjs says so",
            "fill valid oracle its function in rules.mjs says so",
        ],
        "{diagnosis}"
    );
}
