use super::{CountedSpan, Coverage, GateKind, WayTo};
use crate::parse::Goal;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::with_script;

/// Reads a script in which `⟦3 … ⟧` is a stretch that ran three times and `⟪3 … ⟫` a function that was called three
/// times; the place is at `¶`.
fn read(marked: &str) -> (String, Coverage, ByteOffset) {
    let mut source = String::new();
    let mut spans = Vec::new();
    let mut open = Vec::new();
    let mut at = ByteOffset(0);
    let mut rest = marked.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '⟦' | '⟪' => {
                let mut count = String::new();
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    count.push(digit);
                }
                open.push((source.len(), count.parse().unwrap(), next == '⟪'));
            }
            '⟧' | '⟫' => {
                let (start, count, is_function) = open.pop().unwrap();
                spans.push(CountedSpan {
                    span: ByteSpan {
                        start: ByteOffset::from_index(start),
                        end: ByteOffset::from_index(source.len()),
                    },
                    count,
                    is_function,
                });
            }
            '¶' => at = ByteOffset::from_index(source.len()),
            other => source.push(other),
        }
    }
    // Of two that are equal the first is around the other.
    spans.insert(
        0,
        CountedSpan {
            span: ByteSpan {
                start: ByteOffset(0),
                end: ByteOffset::from_index(source.len()),
            },
            count: 1,
            is_function: true,
        },
    );
    (source, Coverage::new(spans), at)
}

fn way(marked: &str) -> (String, WayTo) {
    let (source, coverage, at) = read(marked);
    let way = with_script(&source, Goal::Script, |script| script.way_to(&coverage, at)).unwrap();
    (source, way)
}

/// The gates that led away: kind, text, how it came out, how often.
fn away(marked: &str) -> Vec<String> {
    let (source, way) = way(marked);
    let gates = way.gates.iter().filter(|gate| gate.away() > 0);
    gates
        .map(|gate| {
            let text = &source[gate.decision.start.index()..gate.decision.end.index()];
            format!("{:?} {text} {} {}", gate.kind, gate.held, gate.away())
        })
        .collect()
}

#[test]
fn tests_around_a_place() {
    assert_eq!(
        away("⟪5function f(a) { if (a) ⟦0{ ¶k(); }⟧ }⟫"),
        ["Branch a false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { if (a) { g(); } else ⟦0{ ¶k(); }⟧ }⟫"),
        ["Branch a true 5"]
    );
    assert_eq!(
        away("⟪5function f(a, b) { if (a) ⟦2{ if (b > 1) ⟦0{ ¶k(); }⟧ }⟧ }⟫"),
        ["Branch a false 3", "Branch b > 1 false 2"]
    );
    assert_eq!(
        away("⟪5function f(a) { return a ⟦0&& ¶k()⟧ }⟫"),
        ["Branch a false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { return a ⟦0? ¶k()⟧ : 0 }⟫"),
        ["Branch a false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { a ⟦0?? ¶k()⟧ }⟫"),
        ["Branch a true 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { a ||= ⟦0¶k()⟧ }⟫"),
        ["Branch a true 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { a⟦0?.b⟧(¶k()) }⟫"),
        ["Branch a false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { for (const x of a.list) ⟦0{ ¶k(x); }⟧ }⟫"),
        ["Loop const x of a.list false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { while (a > 1) ⟦0{ ¶k(); }⟧ }⟫"),
        ["Loop a > 1 false 5"]
    );
    assert_eq!(
        away("⟪5function f(a) { switch (a.b) { ⟦0case 1: ¶k(); break;⟧ default: g() } }⟫"),
        ["Case a.b false 5"]
    );
    assert_eq!(
        away("⟪2function f() { try { g(); } catch (e) ⟦0{ ¶k(); }⟧ }⟫"),
        ["NothingThrown try  false 2"]
    );
}

#[test]
fn what_leaves_before_a_place() {
    assert_eq!(
        away("⟪5function f(a) { if (!a) ⟦5{ return; }⟧⟦0 ¶k(); }⟧⟫"),
        ["Return !a true 5"]
    );
    assert_eq!(
        away("⟪5function f(a, b) { if (a) ⟦2{ return; }⟧⟦3 if (b) ⟦3return;⟧⟦0 ¶k(); }⟧⟧⟫"),
        ["Return a true 2", "Return b true 3"]
    );
    assert_eq!(
        away("⟪5function f(a) { if (a) ⟦0{ }⟧ else { throw a }⟦0 ¶k(); }⟧⟫"),
        ["Throw a false 5"]
    );
    assert_eq!(
        away("⟪1function f(a) { return;⟦0 ¶k(); }⟧⟫"),
        ["Return return; true 1"]
    );
    assert_eq!(
        away("⟪1function f(a) { for (const x of a) ⟦3{ if (x) ⟦3continue;⟧⟦0 ¶k(); }⟧⟧ }⟫"),
        ["Jump x true 3"]
    );
    assert_eq!(
        away("⟪2async function f(p) { const x = await p;⟦0 ¶k(); }⟧⟫"),
        ["Await await p false 2"]
    );
    let two = "⟪3async function f(p) { await p(await q⟦2);⟦1 ¶k(); }⟧⟧⟫";
    assert_eq!(
        away(two),
        ["Await await q false 1", "Await await p(await q) false 1"]
    );
    assert_eq!(
        away("⟪2async function f(p) { const x = await p⟦0; ¶k(); }⟧⟫"),
        ["Await await p false 2"]
    );
    // What leaves an inner loop, or is caught inside, does not leave the list.
    assert_eq!(
        away("⟪1function f(a) { while (a) { break; } try { throw 1 } catch { return }⟦0 ¶k(); }⟧⟫"),
        ["Return return true 1"]
    );
    assert_eq!(
        away("⟪1function f(a) { const g = () => { return 1 };⟦0 ¶k(); }⟧⟫"),
        [""; 0]
    );
}

#[test]
fn how_often() {
    let (_, one) = way("⟪5function f(a) { ¶k(); }⟫");
    assert_eq!(
        (one.entered, one.count, one.function.is_some()),
        (5, 5, true)
    );
    let (_, one) = way("⟪0function f(a) { if (a) { ¶k(); } }⟫");
    assert_eq!((one.entered, one.count), (0, 0));
    let (_, one) = way("g(); ¶k();");
    assert_eq!((one.entered, one.count, one.function), (1, 1, None));
    let (_, one) = way("const f = ⟪3() => ¶k()⟫");
    assert_eq!((one.entered, one.count), (3, 3));
    let (_, one) = way("⟪1function f(a) { for (const x of a) ⟦4{ if (x) ⟦2{ ¶k(); }⟧ }⟧ }⟫");
    assert_eq!((one.entered, one.count), (1, 2));
    assert!(
        one.gates
            .iter()
            .any(|gate| gate.kind == GateKind::Branch && gate.away() == 2)
    );
}
