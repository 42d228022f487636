//! Tests in the form of test262 are read and run as its rules say.
#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;

use conformance::test262::Suite;
use conformance::test262::process::Node;

const FILES: [(&str, &str); 7] = [
    (
        "harness/assert.js",
        "function assert(value) { if (value !== true) throw new Test262Error('no'); }",
    ),
    (
        "harness/sta.js",
        "function Test262Error(message) { this.message = message; }",
    ),
    ("harness/more.js", "var more = 1;"),
    (
        "test/passes.js",
        "/*---\nincludes: [more.js]\nflags: [async]\n---*/\nPromise.resolve().then(() => assert(more === \
         1)).then($DONE, $DONE);",
    ),
    (
        "test/fails.js",
        "/*---\nflags: [noStrict]\n---*/\nassert(false);",
    ),
    (
        "test/negative.js",
        "/*---\nnegative:\n  phase: parse\n  type: SyntaxError\nflags: [onlyStrict]\n---*/\nwith ({}) {}",
    ),
    (
        "test/module.js",
        "/*---\nflags: [module]\n---*/\nimport * as own from './module.js'; export let one = 1; assert(own.one === 1);",
    ),
];

#[test]
fn a_test_runs_in_the_modes_and_with_the_harness_that_it_asks_for() {
    let folder = tempfile::tempdir().unwrap();
    for part in ["harness", "test"] {
        fs::create_dir(folder.path().join(part)).unwrap();
    }
    for (path, text) in FILES {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let suite = Suite::at(folder.path()).unwrap();
    let mut node = Node::start().unwrap();
    let mut ended = Vec::new();
    for path in suite.files("").unwrap() {
        for case in suite.cases(&path) {
            let thrown = node.run(&case, &case.source, None).unwrap();
            let thrown = thrown.map_or("-".to_owned(), |thrown| thrown.name);
            let wanted = case.negative.clone().unwrap_or_default();
            ended.push(format!("{}: {thrown} {wanted}", case.name));
        }
    }
    assert_eq!(
        ended,
        [
            "test/fails.js: Test262Error ",
            "test/module.js: - ",
            "test/negative.js, strict: SyntaxError SyntaxError",
            "test/passes.js: - ",
            "test/passes.js, strict: - ",
        ]
    );
    assert!(Suite::at(&folder.path().join("test")).is_err());
}
