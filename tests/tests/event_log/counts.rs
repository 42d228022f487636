//! How many elements or entries a collection had, what one of them was, and how often a loop went on.

use super::{gives_the_same, lines, query, querypoint, recorded};
use serde_json::Value;

fn asked(folder: &std::path::Path, question: &str) -> Value {
    let answer = query(folder, &["--explain", question]);
    let result = answer["results"][0].clone();
    gives_the_same(folder, &result);
    result
}

/// A collection is asked as its page would ask it.
#[test]
fn collections_are_asked_for_their_elements_and_their_number() {
    let page = "<script>const list = [5, 6];\nlist.push(7);\nlist[1] = 9;\nlist.length = 1;\n\
        const prices = new Map([['tea', 1]]);\nprices.set('milk', 2);\nprices.set('tea', 3);\nconst item = { name: \
        'milk' };\nprices.set(item, 4);\nprices.delete('tea');\nconst seen = new Set([1]);\nseen.add('x');\n\
        seen.clear();\nconst bytes = new Uint8Array(3);\nbytes[1] = 4;\nconst i = 1;\n\
        function hides() { const inner = 1; return inner; }\nhides();\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let asked = |question: &str| lines(&asked(folder.path(), question));
    let write =
        |name: &str, values: &str, line: u32| format!("write (top level) {name}{values} :{line}");
    let steps = |question: &str, steps: &[(&str, u32)]| {
        let found: Vec<(String, u32)> = asked(question)
            .iter()
            .map(|line| {
                let (text, line) = line.rsplit_once(" :").unwrap();
                let value = text.rsplit_once("value=").unwrap().1;
                (value.to_owned(), line.parse().unwrap())
            })
            .collect();
        let steps = steps.iter();
        let steps: Vec<_> = steps
            .map(|(value, line)| ((*value).to_owned(), *line))
            .collect();
        assert_eq!(found, steps, "{question}");
    };
    // Who asks where the variable is not hears where it is.
    let output = querypoint(&["query", "run.qplog", "history(unknown)"], folder.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("no variable unknown is in sight there"),
        "{said}"
    );
    let output = querypoint(&["query", "run.qplog", "history(inner)"], folder.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("; one is in hides, written at page.html:17: "),
        "{said}"
    );
    steps("history(list.length)", &[("2", 1), ("3", 2), ("1", 4)]);
    steps(
        "history(prices.size)",
        &[("1", 5), ("2", 6), ("3", 9), ("2", 10)],
    );
    steps("history(seen.size)", &[("1", 11), ("2", 12), ("0", 13)]);
    steps("history(bytes.length)", &[("3", 14)]);
    steps("history(list.at(1))", &[("6", 1), ("9", 3)]);
    steps("history(list[i])", &[("6", 1), ("9", 3)]);
    steps("history(prices.get(item.name))", &[("2", 6)]);
    steps("history(prices.get(item))", &[("4", 9)]);
    steps("history(seen.has('x'))", &[("true", 12)]);
    assert_eq!(
        asked("history(prices.get('tea'))")[1],
        write("[tea]", " old=1 value=3", 7)
    );
}

/// The condition of a loop counts on the line of its head, whatever else is there.
#[test]
fn the_condition_of_a_loop_counts_on_its_line() {
    let page = "<script>let n = 0;\nwhile (n < 3) {\nn++;\n}\ndo {\nn--;\n} while (n > 0);\n\
        for (let i = 0; i < 4; i++) {\nn += i;\n}\nfor (let i = 0, m = 2; i < m; i++) n += i;\n\
        let j = 0; while (j < 2) j++;\nconst big = n > 2 && n;\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let counted = |line: u32| {
        let result = asked(folder.path(), &format!("wasEvaluated(page.html:{line})"));
        let notes = result["notes"].as_array().unwrap();
        let note = notes.first().map_or("", |it| it.as_str().unwrap());
        (result["total"].as_u64().unwrap(), note.to_owned())
    };
    let said = |total: u64, note: &str| (total, note.to_owned());
    let held = |name: &str, count: u32, held: u32| {
        format!("{name} was evaluated {count} times, and held in {held} of them")
    };
    assert_eq!(counted(2), said(4, &held("n < 3", 4, 3)));
    assert_eq!(counted(7), said(3, &held("n > 0", 3, 2)));
    // With what is before it.
    assert_eq!(counted(8), said(6, &held("i < 4", 5, 4)));
    assert_eq!(counted(11), said(4, &held("i < m", 3, 2)));
    assert_eq!(counted(12), said(4, &held("j < 2", 3, 2)));
    // No loop.
    assert_eq!(counted(13), said(1, ""));
}
