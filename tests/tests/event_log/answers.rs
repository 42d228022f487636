//! Answers that must not say more than the log knows, nor less.

use super::*;

fn answers(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let answer = query(folder, arguments);
    answer["results"].as_array().unwrap().clone()
}

/// What runs is asked of the point, not of the end of the log.
#[test]
fn what_runs_and_has_ended_is_said_of_the_point() {
    let page = "<script>function work(n) {\ninner(n);\nreturn n;\n}\nfunction inner(n) {\nreturn n + 1;\n}\n\
        async function load() {\nawait 1;\ninner(2);\n}\nload();\nwork(1);\ninner(5);\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let holds = |at: &str| {
        let mut arguments = vec!["--at", at, "--explain"];
        let functions = ["work", "inner", "load"];
        let questions: Vec<String> = functions
            .iter()
            .flat_map(|name| [format!("isRunning({name})"), format!("hasEnded({name})")])
            .collect();
        arguments.extend(questions.iter().map(String::as_str));
        let results = answers(folder.path(), &arguments);
        for result in &results {
            gives_the_same(folder.path(), result);
        }
        let said = results.iter().map(|it| it["holds"] == true);
        said.map(|it| if it { 'y' } else { '-' })
            .collect::<String>()
    };
    // Whether `work` runs, has ended; `inner`; `load`.
    assert_eq!(holds("page.html:9"), "----y-");
    assert_eq!(holds("page.html:3"), "y--yy-");
    assert_eq!(holds("page.html:14"), "-y-yy-");
    assert_eq!(holds("page.html:10"), "-y-yy-");
    assert_eq!(holds("end"), "-y-y-y");
}

/// Two functions that wait for each other's turn: what each calls then is below it, and not where it ran.
#[test]
fn what_is_called_after_an_await_is_below_its_caller() {
    let app = "async function load(name) {\nfirst(name);\nawait 1;\nfirst(name);\nlate(name);\n}\n\
        function first(name) {\nreturn name;\n}\nfunction late(name) {\nfirst(name);\n}\nfunction outer() {\n\
        load('one');\nload('two');\n}\nouter();\n";
    let (folder, output) = recorded("<script src='app.js'></script>", &[("app.js", app)], &[]);
    assert!(output.status.success(), "{output:?}");
    let drawn = |arguments: &[&str]| {
        let result = answers(folder.path(), arguments).pop().unwrap();
        gives_the_same(folder.path(), &result);
        let mut drawn = String::new();
        for event in result["events"].as_array().unwrap() {
            let depth = event["depth"].as_u64().unwrap() as usize;
            let name = event["function"].as_str().unwrap();
            let passed = event["arguments"][0]["description"].as_str().unwrap_or("");
            drawn.push_str(&format!("{}{name} {passed}\n", "  ".repeat(depth)));
        }
        drawn
    };
    insta::assert_snapshot!(drawn(&["--explain", "callTree(R)"]));
    // Below the call that had returned before it went on.
    insta::assert_snapshot!(drawn(&["--explain", "--at", "app.js:15", "callTree(R)"]));
    let depths = selected(
        folder.path(),
        "SELECT function, depth FROM calls WHERE function IN ('late', 'load') ORDER BY call",
    );
    assert_eq!(
        depths["rows"],
        serde_json::json!([["load", 2], ["load", 2], ["late", 3], ["late", 3]])
    );
}

/// What is pushed, written and taken away later changes the length that a page wrote.
#[test]
fn the_length_of_an_array_is_what_it_has_then() {
    let page = "<script>const list = ['a', 'b', 'c'];\nlist.length = 1;\nlist.push('x', 'y');\nlist[5] = 'z';\n\
        list.pop();\nlist.pop();\ndelete list[2];\nlist.shift();\nconsole.log(list.length);\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let length = |line: u32| {
        let at = format!("page.html:{line}");
        let results = answers(folder.path(), &["--at", &at, "--explain", "state(list)"]);
        gives_the_same(folder.path(), &results[0]);
        let events = results[0]["events"].as_array().unwrap().clone();
        let mut lengths = events.iter().filter(|event| event["name"] == "length");
        let length = lengths.next().map(|event| {
            let line = event.pointer("/location/line").cloned();
            (event["value"]["text"].clone(), line.unwrap_or_default())
        });
        assert!(lengths.next().is_none(), "{events:?}");
        length
    };
    let said = |length: &str, line: u32| Some((Value::from(length), Value::from(line)));
    // Nothing has written it yet.
    assert_eq!(length(2), None);
    assert_eq!(length(3), said("1", 2));
    assert_eq!(length(4), said("3", 3));
    assert_eq!(length(5), said("6", 4));
    assert_eq!(length(6), said("5", 5));
    // What it took away was nothing, so the log has the whole array there.
    assert_eq!(length(7), said("4", 6));
    assert_eq!(length(8), said("4", 6));
    assert_eq!(length(9), said("3", 8));
}

/// What a promise is rejected with is caught by the handler that it was given, wherever that is.
#[test]
fn what_promises_give_to_handlers_is_caught() {
    let page = "<script>const told = [];\nfunction shown(error) { told.push(error.name); }\n\
        class Refused extends RangeError {}\n\
        Promise.reject(new TypeError('a')).catch(shown);\n\
        Promise.resolve(1).then(() => { throw new Refused('b'); }).then(() => 0, (error) => shown(error));\n\
        Promise.resolve(new RangeError('no rejection')).then((value) => told.push(value.name));\n\
        shown(new SyntaxError('called'));\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let caught = |class: &str| {
        let question = format!("wasCaught({class})");
        let results = answers(folder.path(), &["--explain", &question]);
        gives_the_same(folder.path(), &results[0]);
        assert_eq!(results[0]["holds"], results[0]["total"] != 0);
        lines(&results[0])
    };
    assert_eq!(
        caught("TypeError"),
        ["call shown (TypeError) returned=undefined :2"]
    );
    let refused = caught("RangeError");
    assert!(
        refused.len() == 1 && refused[0].contains("(Refused)"),
        "{refused:?}"
    );
    assert_eq!(caught("Error").len(), 2);
    assert_eq!(caught("SyntaxError"), [] as [&str; 0]);
}

/// A `catch` clause gets objects of classes that extend the one that is asked for, whatever it calls them.
#[test]
fn all_that_is_caught_is_counted_by_its_class_and_those_it_extends() {
    let page = "<script>class AppError extends Error {}\nclass DeepError extends AppError {}\n\
        function Old() {}\nfunction fails(Type) { throw new Type('no'); }\nlet seen = '';\n\
        try { fails(TypeError); } catch (error) { seen += error.message; }\n\
        try { fails(DeepError); } catch { seen += 'deep'; }\n\
        try { null.x; } catch /* ( */ ( /* ) */ { message,\n name: [first], a = () => message } /* ) */ ) // )\n\
        { let seen = message; var shared = first + a().length; }\n\
        try { fails(Old); } catch {}\n\
        async function waits() { try { await Promise.reject(new RangeError('r')); } catch ({ message }) { seen += \
        message; } }\nwaits();\ntry { throw 'text' } catch { seen += shared }\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let counted = |class: &str| {
        let question = format!("wasCaught({class})");
        let results = answers(folder.path(), &["--explain", &question]);
        gives_the_same(folder.path(), &results[0]);
        assert_eq!(results[0]["complete"], true, "{}", results[0]);
        results[0]["total"].clone()
    };
    let classes = [
        "Error",
        "TypeError",
        "AppError",
        "DeepError",
        "RangeError",
        "Old",
        "SyntaxError",
    ];
    let totals: Vec<Value> = classes.into_iter().map(counted).collect();
    assert_eq!(totals, [4, 2, 1, 1, 1, 1, 0]);
    let results = answers(folder.path(), &["history(shared)", "history(seen)"]);
    let shared = lines(&results[0]);
    assert!(
        shared.len() == 1 && shared[0].starts_with("assign (top level) shared value=\"T"),
        "{shared:?}"
    );
    let last = lines(&results[1]).pop().unwrap();
    assert!(last.contains("value=\"nodeep"), "{last}");
}

const BUILT_INS: &str = r#"<script>
const mapped = [1, 2].map((x) => ({ x }));
const parsed = JSON.parse('{"a":[1,{"b":2}],"c":"d"}');
const entries = Object.entries({ k: 1 });
const filtered = mapped.filter((it) => it.x > 1);
const grouped = Object.fromEntries([['k', 1]]);
const cloned = structuredClone({ deep: [1] });
const bytes = new Uint8Array([1, 2, 3]);
bytes[1] = 7;
bytes.set([4], 2);
const many = Array.from({ length: 150 }, (_, index) => index);
const { c, ...without } = parsed;
let data, given;
Promise.resolve('{"n":[5]}').then(JSON.parse).then((it) => { data = it; it.m = 1; });
for (const pair of new Map([['p', 1]])) given = pair;
class Stack extends Array { last() { return this[this.length - 1]; } }
const stack = Stack.from([8, 9]);
Promise.resolve().then(() => null.x).catch((error) => { globalThis.failed = error.name; });
const element = document.createElement('p');
element.title = 'x';
function rest(first, ...others) {
  return others.length;
}
rest(1, 2, 3);
</script>"#;

/// What built-ins make, hand over and pass is in the log with what is inside; where it is not, the answer says so.
#[test]
fn what_built_ins_make_is_told_with_what_is_inside() {
    let (folder, output) = recorded(BUILT_INS, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let folder = folder.path();
    let mut shown = String::new();
    for question in [
        "contents(mapped)",
        "state(mapped[1])",
        "state(parsed)",
        "contents(parsed.a)",
        "state(parsed.a[1])",
        "contents(entries[0])",
        "contents(filtered)",
        "state(grouped)",
        "contents(cloned.deep)",
        "contents(bytes)",
        "state(without)",
        "state(data)",
        "contents(data.n)",
        "contents(given)",
        "contents(stack)",
        "history(parsed.c)",
        "wasAssigned(.b)",
        "history(failed)",
        "state(element)",
    ] {
        let results = answers(folder, &["--explain", question]);
        gives_the_same(folder, &results[0]);
        let complete = if results[0]["complete"] == true {
            ""
        } else {
            " not complete"
        };
        shown.push_str(&format!("{question}{complete}\n"));
        for line in lines(&results[0]) {
            shown.push_str(&format!("  {line}\n"));
        }
    }
    insta::assert_snapshot!(shown);
    let results = answers(folder, &["contents(many)", "state(element)"]);
    let notes = |result: &Value| result["notes"][0].as_str().unwrap().to_owned();
    assert_eq!(
        (&results[0]["total"], &results[0]["complete"]),
        (&100.into(), &false.into())
    );
    assert!(
        notes(&results[0]).contains("150 elements"),
        "{}",
        results[0]
    );
    assert!(
        notes(&results[1]).starts_with("code without hooks made HTMLParagraphElement #"),
        "{}",
        results[1]
    );
    let at = ["--at", "page.html:22", "contents(others)"];
    let results = answers(folder, &at);
    assert_eq!(results[0]["total"], 2, "{}", results[0]);
}

/// What goes with others is in no state: a shorter array, an emptied collection, an element that was `undefined`.
#[test]
fn elements_that_are_gone_are_in_no_state() {
    let page = "<script>const emptied = [1, 2, 3];\nemptied.length = 0;\nconst shorter = [1, 2, 3];\n\
        shorter.length--;\nconst popped = [1, undefined];\npopped.pop();\nconst none = [];\nnone.pop();\n\
        const spliced = [1, 2];\nspliced.splice(0);\nconst map = new Map([['a', 1], ['b', 2]]);\nmap.clear();\n\
        map.set('b', 3);\nconst members = new Set([1]);\nmembers.clear();\nclass Stack extends Array {}\n\
        const stack = new Stack();\nstack.push(1, 2);\nstack.length = 1;\nconst plain = { 0: 'a', length: 1 };\n\
        plain.length = 0;\nemptied.push(4);\nconst long = Array.from({ length: 130 }, () => 1);\nlong.push(2);\n\
        long.sort();\nconst first = emptied[0];\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let folder = folder.path();
    let mut shown = String::new();
    for question in [
        "state(emptied)",
        "contents(shorter)",
        "contents(popped)",
        "contents(none)",
        "contents(spliced)",
        "contents(map)",
        "contents(members)",
        "contents(stack)",
        "state(plain)",
        "history(emptied[0])",
    ] {
        let results = answers(folder, &["--explain", question]);
        gives_the_same(folder, &results[0]);
        assert_eq!(results[0]["complete"], true, "{}", results[0]);
        let own = lines(&results[0]);
        shown.push_str(&format!("{question}\n"));
        for line in own {
            shown.push_str(&format!("  {line}\n"));
        }
    }
    insta::assert_snapshot!(shown);
    // Those behind the hundredth are not told again: that one is as it was.
    let results = answers(folder, &["contents(long)"]);
    assert_eq!(results[0]["total"], 101);
    assert_eq!(results[0]["complete"], false);
}

/// A line is reached as often as the page reaches it, whatever a built-in that is called there writes and makes.
#[test]
fn a_line_is_hit_as_often_as_on_the_page() {
    let page = "<script>\nconst list = [1, 2, 3];\nlet total = 0;\nlist.forEach((n) => { total += n; });\n\
        function twice(n) {\n  total += n; return 2 * n;\n}\nlist.map(twice);\nlist.map((n) => twice(n));\n\
        list.push(4, 5);\nconst map = new Map([[1, 2]]);\nmap.set(3, 4);\nlist.sort();\n\
        try { null.x; } catch (error) { total++; }\nfor (const n of list)\n  JSON.parse('[1]');\n</script>";
    let (folder, output) = recorded(page, &[], &[]);
    assert!(output.status.success(), "{output:?}");
    let hits = |line: u32| {
        let question = format!("wasEvaluated(page.html:{line})");
        let results = answers(folder.path(), &["--explain", &question]);
        gives_the_same(folder.path(), &results[0]);
        let at = format!("page.html:{line}#-1");
        let last = answers(folder.path(), &["--at", &at, "where(R)"]);
        let events = results[0]["events"].as_array().unwrap();
        assert_eq!(last[0]["events"][0]["seq"], events.last().unwrap()["seq"]);
        results[0]["total"].as_u64().unwrap()
    };
    let all: Vec<u64> = [2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16]
        .into_iter()
        .map(hits)
        .collect();
    assert_eq!(all, [1, 1, 6, 1, 1, 1, 1, 1, 1, 1, 5]);
}

/// A log without values does not say that something never had one.
#[test]
fn a_log_without_values_says_that_it_has_none() {
    let page =
        "<script>var total = 1;\nfunction f(n) { total = n; return { n }; }\nf(2);\n</script>";
    let (folder, output) = recorded(page, &[], &["--detail", "calls"]);
    assert!(output.status.success(), "{output:?}");
    let questions = [
        "wasAssigned(total, 2)",
        "history(total)",
        "locals(R)",
        "instances(Object)",
        "exists(Object)",
        "argumentsOf(f)",
        "returnsOf(f)",
    ];
    for (question, result) in questions.iter().zip(answers(folder.path(), &questions)) {
        assert_eq!(result["complete"], false, "{question}: {result}");
        assert_eq!(result.get("holds"), None, "{question}: {result}");
        assert!(
            result["notes"][0]
                .as_str()
                .unwrap()
                .contains("--detail values"),
            "{question}: {result}"
        );
    }
    let whole = answers(folder.path(), &["wasCalled(f)", "callTree(R)"]);
    assert!(whole.iter().all(|it| it["complete"] == true), "{whole:?}");
}

/// Where two runs part, the value is named that is not the same, and the function that made it so.
#[test]
fn runs_part_at_the_value_that_differs() {
    let page = "<script>function tax(n, rate) { return n * rate; }\nfunction total(sum) {\n\
        const parts = [sum, 1];\n  return parts[0] + tax(sum, 2);\n}\nfunction main() { return total(5); }\n\
        const read = JSON.parse('[1]');\nmain();\n</script>";
    let (one, _) = recorded(page, &[], &[]);
    let parted = |from: &str, to: &str| {
        let (other, output) = recorded(&page.replacen(from, to, 1), &[], &[]);
        assert!(output.status.success(), "{output:?}");
        let right = other.path().join("run.qplog");
        let arguments = ["compare", "run.qplog", right.to_str().unwrap(), "--json"];
        let output = querypoint(&arguments, one.path());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_follows_schema(&answer, "comparison");
        let side = |name: &str| {
            let event = &answer["first"][name];
            format!(
                "{} {} {}",
                event["kind"].as_str().unwrap(),
                event["name"].as_str().unwrap_or("-"),
                event["value"]["text"].as_str().unwrap_or("-")
            )
        };
        let cause = answer["cause"]["detail"].as_str().unwrap_or("-").to_owned();
        [side("left"), side("right"), cause]
    };
    let other = |function: &str| format!("{function} is not the same code in both");
    // An argument that the caller gives.
    assert_eq!(
        parted("tax(sum, 2)", "tax(sum, 3)"),
        ["call rate 2", "call rate 3", &other("total")]
    );
    assert_eq!(
        parted("total(5)", "total(6)"),
        ["call sum 5", "call sum 6", &other("main")]
    );
    // An element of what is made.
    assert_eq!(
        parted("[sum, 1]", "[sum, 8]"),
        ["contents 1 1", "contents 1 8", &other("total")]
    );
    // Another call.
    assert_eq!(
        parted("tax(sum, 2)", "Math.min(sum, 2)"),
        ["step tax -", "step Math.min -", &other("total")]
    );
    assert_eq!(
        parted("'[1]'", "'[4]'"),
        [
            "call JSON.parse -",
            "call JSON.parse -",
            &other("the script")
        ]
    );
}
