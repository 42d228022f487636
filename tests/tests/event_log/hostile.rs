//! Logs of hostile pages, and logs that were damaged.

use super::*;

/// Pages that never end, or whose stack does: the log is what it could be, and says so.
#[test]
fn hostile_pages_have_logs() {
    let deep = "<script>function down(n) { return down(n + 1) + 1 }\n\
        function tries() { try { down(0) } catch (error) { return error.constructor.name } }\n\
        tries(); tries();\nfunction after(x) { return 2 * x }\nafter(21);</script>";
    let (folder, output) = recorded(deep, &[], &[]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer = query(
        folder.path(),
        &[
            "returnsOf(tries)",
            "argumentsOf(after)",
            "wasCaught(RangeError)",
        ],
    );
    let results = answer["results"].as_array().unwrap();
    assert_eq!(
        lines(&results[0]),
        ["return tries returned=\"RangeError\" :2"; 2]
    );
    // Where it was called is not known if something was missed at the end of the stack.
    let after = lines(&results[1]);
    assert!(
        after[0].starts_with("call after (21) returned=42"),
        "{after:?}"
    );
    assert_eq!(after.len(), 1);
    assert_eq!(results[2]["total"], 2);
    // The tree is drawn in few lines, and whole where that is wanted.
    let drawn = |arguments: &[&str]| {
        let output = querypoint(
            &[&["query", "run.qplog"], arguments].concat(),
            folder.path(),
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let tree = drawn(&["callTree(R)"]);
    assert!(tree.len() < 5000, "{tree}");
    assert!(tree.contains(" more calls, "), "{tree}");
    let hint = "calls are folded; --whole-tree draws all of them";
    assert!(tree.contains(hint), "{tree}");
    let part = "callTree(R, between(#0, #200))";
    let whole = drawn(&["--whole-tree", part]);
    assert!(!whole.contains(hint), "{whole}");
    let exact = query(folder.path(), &[part]);
    let events = exact["results"][0]["events"].as_array().unwrap();
    assert!(events.len() > 50, "{exact}");
    let rows = whole.lines().filter(|line| line.contains("down("));
    assert_eq!(rows.count(), events.len() - 2, "{whole}");

    let endless = "<script>function spin(n) { return n + 1 }\n\
        setTimeout(() => { for (let n = 0; ;) n = spin(n) }, 0);</script>";
    let (folder, output) = recorded(endless, &[], &["--timeout", "3", "--detail", "calls"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer = query(folder.path(), &["wasCalled(spin)"]);
    assert_eq!(answer["results"][0]["holds"], true);
    assert_eq!(answer["results"][0]["complete"], false);
}

/// A log is a file that anything can have happened to: a bit of it changed, or a later version wrote it.
#[test]
fn a_damaged_log_gives_no_other_answer() {
    let page = "<script>function f(x) { return x + 1 }\nf(f(1));</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let folder = folder.path();
    let whole = fs::read(folder.join("run.qplog")).unwrap();
    let ask = |log: &str| {
        let output = querypoint(&["query", log, "--json", "argumentsOf(f)"], folder);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), output.stdout, said)
    };
    let expected = ask("run.qplog");
    assert_eq!(expected.0, Some(0), "{}", expected.2);
    let changed = |at: usize, bit: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        fs::write(folder.join("changed.qplog"), bytes).unwrap();
        ask("changed.qplog")
    };
    let mut statuses = std::collections::BTreeSet::new();
    for at in (0..whole.len()).step_by(whole.len() / 25) {
        let (status, answer, said) = changed(at, 3);
        assert!(!said.contains("panicked"), "byte {at}: {said}");
        match status {
            Some(0) => assert_eq!(answer, expected.1, "byte {at}"),
            Some(1) => {
                let answer: Value = serde_json::from_slice(&answer).unwrap();
                assert_eq!(answer["results"][0]["complete"], false, "byte {at}");
            }
            status => assert_eq!(status, Some(2), "byte {at}: {said}"),
        }
        statuses.extend(status);
    }
    assert_eq!(Vec::from_iter(statuses), [0, 1, 2]);
    // What is no whole log is said to be that where it is compared, too.
    fs::write(folder.join("cut.qplog"), &whole[..whole.len() / 2]).unwrap();
    let output = querypoint(&["compare", "run.qplog", "cut.qplog"], folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said,
        "cut.qplog: the log was cut off: what came later is not in it\n"
    );
    assert_eq!(output.status.code(), Some(1));
    // The version is behind the eight bytes that every log begins with.
    let (status, _, said) = changed(8, 1);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("version 3 of the format"), "{said}");
}
