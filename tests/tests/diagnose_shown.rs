//! What `querypoint diagnose` shows of a call: values, exceptions, what it did to the page.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests: a panic is how a test fails"
)]

use std::fs;

use crate::diagnose::{diagnose, pages};

/// Pages that throw at once, by themselves or by a built-in, and that call themselves until the stack ends.
#[test]
fn exceptions_and_deep_recursions_are_shown() {
    let asked = |script: &str, arguments: &[&str], answers: &str| {
        let folder = tempfile::tempdir().unwrap();
        let page = format!("<!doctype html><title>t</title><script>{script}</script>");
        fs::write(folder.path().join("bad.html"), page).unwrap();
        fs::write(folder.path().join("none.txt"), "").unwrap();
        let output = diagnose(folder.path(), arguments, answers);
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stderr),
            String::from_utf8_lossy(&output.stdout)
        );
        (output.status.code(), said)
    };
    let (status, said) = asked("throw new Error('at once')", &[], "invalid\n");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("  threw     Error: at once\n"), "{said}");

    let script = "function read(cart) { return cart.total }\nread(null);";
    let (status, said) = asked(script, &[], "invalid\ninvalid\n");
    assert_eq!(status, Some(0), "{said}");
    let of_read = said.split("read  bad.html:1").nth(1).unwrap_or_default();
    let threw = "  threw     TypeError: Cannot read properties of null (reading 'total')\n";
    assert!(of_read.contains(threw), "{said}");

    // What a page writes is shown in its place; a class of its own has what it adds.
    let own = "class Refused extends RangeError { constructor(code) { super('too much'); this.code = code } }\n\
        function buy() { throw new Refused(7) }\n\
        function again() { const error = new Error('a'); error.message = 'b'; throw error }\n\
        for (const run of [buy, again]) try { run() } catch (error) { }";
    let (_, said) = asked(own, &[], &"valid\n".repeat(4));
    assert!(
        said.contains("  threw     Refused: too much {code: 7}\n"),
        "{said}"
    );
    assert!(
        said.contains("  threw     Error {message: \"b\"}\n"),
        "{said}"
    );

    // What only looks like a date is an object like another, and nothing is lost of what is thrown.
    let alike = "function Alike() { } Alike.prototype = Date.prototype;\n\
        function fails() { const like = new Alike(); throw like }\n\
        try { fails() } catch (error) { }";
    let (_, said) = asked(alike, &[], &"valid\n".repeat(3));
    let of_fails = said.split("fails  bad.html:2").nth(1).unwrap_or_default();
    assert!(of_fails.contains("  threw     Date {}\n"), "{said}");

    // The time of a date is a field that its methods write.
    let late = "const day = new Date(Date.UTC(2026, 0, 31));\n\
        function shift(date, months) { date.setUTCMonth(date.getUTCMonth() + months); return date }\n\
        shift(day, 1);";
    let (_, said) = asked(late, &[], &"valid\n".repeat(3));
    let of_shift = said.split("shift  bad.html:2").nth(1).unwrap_or_default();
    for shown in [
        "date = Date 2026-01-31T00:00:00.000Z",
        "changed   date  \"2026-01-31T00:00:00.000Z\" → \"2026-03-03T00:00:00.000Z\"",
        "returned  Date 2026-03-03T00:00:00.000Z",
    ] {
        assert!(of_shift.contains(shown), "{shown}: {said}");
    }

    // No answers at all, in a file, are an answer too.
    let (status, said) = asked(script, &["--answers", "none.txt"], "");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("there were no more answers"), "{said}");

    let deep = "function down(n) { if (n === 0) throw new Error('bottom'); return down(n - 1) + 1 }\n\
        function tries() { try { return down(10000) } catch (error) { return error.name } }\ntries();";
    let (status, said) = asked(deep, &[], &"invalid\n".repeat(100));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("The faulty call"), "{said}");
}

/// Of what the browser calls it is shown who handed it over: to a timer, as a listener, as the reaction to a promise.
#[test]
fn who_handed_a_function_over_is_shown() {
    let script = "function ping(n) { return n }
function later() {
  for (let i = 0; i < 2; i++)
    setTimeout(() => { ping(i) }, 1);
  Promise.resolve(7).then((it) => { ping(it) });
}
window.onload = () => { ping('onload') };
addEventListener('load', function loaded() { ping('load') });
later();
let turns = 0;
function tick() { ping('tick'); if (++turns < 2) setTimeout(tick, 1) }
setTimeout(tick, 1);
function twice() { ping(2) }
for (const wait of [2, 1]) {
  if (wait === 1) setTimeout(twice, wait);
  else setTimeout(twice, wait);
}";
    let folder = tempfile::tempdir().unwrap();
    let page = format!("<!doctype html><title>t</title><script>{script}</script>");
    fs::write(folder.path().join("bad.html"), page).unwrap();
    let answers = "valid\n".repeat(20);
    let output = diagnose(folder.path(), &["--strategy", "top-down"], &answers);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout)
    );
    let asked = |from: &str, at: &str| {
        let shown =
            |it: &&str| it.contains("  in the task ") && it.contains(from) && it.contains(at);
        said.lines().filter(shown).count()
    };
    for (from, at, count) in [
        ("(anonymous)", "handed over by later at bad.html:4:5", 2),
        ("(anonymous)", "handed over by later at bad.html:5:3", 1),
        ("onload", "handed over by (top level) at bad.html:7:1", 1),
        ("loaded", "handed over by (top level) at bad.html:8:1", 1),
        ("tick", "handed over by (top level) at bad.html:12:1", 1),
        ("tick", "handed over by tick at bad.html:11:50", 1),
        // Which of both it was cannot be told.
        ("twice", "in the task", 1),
        ("twice", "handed over", 0),
    ] {
        assert_eq!(asked(from, at), count, "{from} {at}: {said}");
    }
}

/// What a call did to the document, to storage and to the network is shown, with that of the calls below it.
#[test]
fn what_a_call_did_to_the_page_is_shown() {
    let program = "function row(text) {\n\
        const item = document.createElement('li'); item.textContent = text; return item }\n\
        function show(list, text) { list.append(row(text)); list.classList.add('full'); list.style.color = 'red';\n\
        list.lastChild.firstChild.splitText(1) }\n\
        function keep(text) { localStorage.setItem('last', text); sessionStorage.clear() }\n\
        function send(text) { fetch('/nothing?' + text).catch(() => 0);\n\
        const q = new XMLHttpRequest(); q.open('GET', '/n'); q.send() }\n\
        function add(text) { show(document.documentElement, text); keep(text); send(text);\n\
        const own = new FormData(); own.append('a', 1) }\n\
        add('one'); const set = new Set([1]); set.add(2);";
    let folder = pages(program, "'red'", "'blue'");
    let output = diagnose(
        folder.path(),
        &["--strategy", "top-down"],
        &"unknown\n".repeat(9),
    );
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let of = |function: &str| {
        let from = said.split(&format!("\n{function}  bad.js")).nth(1).unwrap();
        from.split("\nQuestion").next().unwrap().to_owned()
    };
    let add = of("add");
    for line in [
        "document  list.append(HTMLLIElement #",
        "document  list.classList.add(\"full\")",
        "storage   localStorage.setItem(\"last\", \"one\")",
        "storage   sessionStorage.clear()",
        "document  Text #",
        ": changed text \"o\"",
        "network   fetch(\"/nothing?one\")",
        "network   q.open(\"GET\", \"/n\")",
        "network   q.send()",
    ] {
        assert!(add.contains(line), "{line}\n{said}");
    }
    // What is appended to something else, and what a set has, is not the page's.
    assert!(!add.contains("own.append"), "{said}");
    assert!(!of("(top level)").contains("set.add"), "{said}");
    assert!(of("row").contains(".textContent = \"one\""), "{said}");
    assert!(!of("keep").contains("document"), "{said}");
}

/// What patterns, rest parameters and typed arrays hold is shown, and what a reaction was passed.
#[test]
fn rest_parameters_patterns_and_typed_arrays_are_shown() {
    let program = "function sum(first, ...rest) { return first + rest.length }\n\
        function pick({ a, ...others }, [x, ...ys]) { return others.b + ys.length }\n\
        function bytes(n) { const b = new Uint8Array(2); b[0] = n; return b }\n\
        function took(data) { return data.list.length }\n\
        function main() { return sum(1, 2, 3) + pick({ a: 1, b: 2 }, [1, 2, 3]) + bytes(7)[0] }\nmain();\n\
        Promise.resolve('{\"list\":[4]}').then(JSON.parse).then(took);";
    let folder = pages(program, "b[0] = n", "b[1] = n");
    let output = diagnose(
        folder.path(),
        &["--strategy", "top-down"],
        &"unknown\n".repeat(9),
    );
    let said = String::from_utf8_lossy(&output.stderr);
    for line in [
        "argument  ...rest = [2, 3]",
        "local     rest = [2, 3]",
        "local     others = {b: 2}",
        "local     ys = [2, 3]",
        "returned  Uint8Array {0: 0, 1: 7}",
        "argument  data = {list: [4]}",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(!said.contains("argument 3"), "{said}");
}

/// Below each event of the faulty call is what is other than when the call began, also what is as it was again.
#[test]
fn the_state_after_each_event_is_shown() {
    let script = "class Cart {
  total = 0;
  add(price) {
    let kept = price;
    if (price > 10) kept = price - 1;
    this.total += kept;
    this.book(kept);
    for (const it of [1, 2]) kept += it;
    this.total = 4;
    price = 0;
  }
  book(price) { this.booked = price; }
}
const cart = new Cart();
cart.add(4);
cart.add(20);";
    let folder = tempfile::tempdir().unwrap();
    let page = "<!doctype html><title>t</title><script src=bad.js></script>";
    fs::write(folder.path().join("bad.html"), page).unwrap();
    fs::write(folder.path().join("bad.js"), script).unwrap();
    let answers = "invalid\nvalid\ninvalid\nvalid\n";
    let output = diagnose(folder.path(), &["--strategy", "top-down"], answers);
    let said = String::from_utf8(output.stdout).unwrap();
    let happened = said.split("What happened in it:\n").nth(1).unwrap();
    // Numbers of events are left out.
    let lines = happened.lines().take_while(|it| it.starts_with("  "));
    let lines: Vec<&str> = lines
        .filter_map(|it| it.split("  #").next())
        .filter(|it| it.starts_with("      ") || it.contains("Cart.book"))
        .map(str::trim)
        .collect();
    assert_eq!(
        lines,
        [
            "kept  nothing → 20",
            "kept  nothing → 19",
            "this.total  4 → 23",
            "bad.js:7:5  Cart.book(19) → undefined",
            "this.booked  4 → 19",
            "it  nothing → 1",
            "kept  nothing → 20",
            "it  nothing → 2",
            "kept  nothing → 22",
            "this.total  4 again",
            "price  20 → 0",
        ],
        "{said}"
    );
}

/// Where a state is copied with something changed, what has changed is shown, and elements as the page looked for them.
#[test]
fn what_differs_in_a_copy_is_shown_and_elements_by_their_look_up() {
    let program =
        "let state = { page: 0, sort: 'due', log: [], items: [{ id: 1, done: false, name: 'a' },
  { id: 2, done: false, name: 'b' }, { id: 3, done: true, name: 'c' }] };
const shown = document.body.appendChild(document.createElement('p'));
shown.id = 'shown';
function show() { document.querySelector('#shown').textContent = state.items.length; }
function tick(id) {
  const items = state.items.map((it) => (it.id === id ? { ...it, done: !it.done } : it));
  state = { ...state, items, log: [...state.log, id] };
  show();
}
function drop(id) { state = { ...state, items: state.items.filter((it) => it.id !== id) }; show(); }
function other() { state = { none: true }; }
tick(2); drop(1); other();";
    let folder = tempfile::tempdir().unwrap();
    let page = format!("<!doctype html><title>t</title><body><script>{program}</script>");
    fs::write(folder.path().join("bad.html"), page).unwrap();
    let output = diagnose(folder.path(), &[], &"unknown\n".repeat(12));
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    let of = |function: &str| {
        let asked = said.split("\n\n");
        let is_it = |it: &&str| {
            it.lines()
                .any(|line| line.starts_with(&format!("{function}  ")))
        };
        asked
            .clone()
            .find(is_it)
            .unwrap_or_else(|| panic!("{function}: {said}"))
            .to_owned()
    };
    let changed = |function: &str| -> Vec<String> {
        let rows = of(function);
        let rows = rows
            .lines()
            .filter_map(|it| it.strip_prefix("  changed   "));
        rows.map(str::to_owned).collect()
    };
    let text = "document.querySelector(\"#shown\").textContent";
    let ticked = changed("tick");
    assert_eq!(
        ticked[..2],
        [
            "state.log[0]  nothing → 2",
            "state.items[1].done  false → true"
        ],
        "{said}"
    );
    assert_eq!(ticked[2], format!("{text}  nothing → 3"), "{said}");
    let dropped = changed("drop");
    assert_eq!(
        dropped[0], "state.items[0]  {id: 1, done: false, name: \"a\"} → nothing",
        "{said}"
    );
    assert_eq!(dropped[1], format!("{text}  3 → 2"), "{said}");
    assert!(changed("other")[0].ends_with("→ {none: true}"), "{said}");
}
