mod beside;
mod ended;
mod libraries;
mod named;
mod undone;
mod untold;
mod waiting;
mod whole;

use super::{
    CountedScript, CountedSpan, Coverage, Decider, Explanation, GateKind, HandedOver,
    HoldingScript, MOST_CALLS, WayOut, WayTo, Ways, explain, way_out,
};
use crate::call_graph::{CallFacts, CallGraph, FunctionFact, FunctionRef};
use crate::parse::Goal;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{Script, with_script};

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
        away("⟪5function f(a) { a?.b // c\n  ⟦0?.d⟧(¶k()) }⟫"),
        ["Branch a?.b false 5"]
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
        ["Caught throw 1 true 1"]
    );
    // What was thrown is why, unless a test in the clause decided.
    assert_eq!(
        away(
            "⟪1function f(a) { for (const x of a) ⟦3{ try { g(); k() } catch ⟦3{ continue }⟧⟦0 ¶k(); }⟧⟧ }⟫"
        ),
        ["Caught g(); true 3"]
    );
    assert_eq!(
        away(
            "⟪1function f(a) { try { g(); } catch (e) ⟦1{ if (e.a) ⟦1{ return }⟧ ⟦0}⟧⟧⟦0 ¶k(); }⟧⟫"
        ),
        ["Return e.a true 1"]
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

/// One script; what is before `/* page */` is a library's.
struct Page<'a> {
    source: &'a str,
    coverage: &'a Coverage,
    facts: &'a CallFacts,
    /// Whether it is looked at what is handed over beside functions, and at texts.
    looks_around: bool,
}

impl Ways for Page<'_> {
    fn way_to(&mut self, _script: u32, at: ByteOffset) -> WayTo {
        let way = with_script(self.source, Goal::Script, |script| {
            script.way_to(self.coverage, at)
        });
        way.unwrap()
    }

    fn is_foreign(&mut self, _script: u32, at: ByteOffset) -> bool {
        let page = self.source.find("/* page */");
        page.is_some_and(|page| at < ByteOffset::from_index(page))
    }

    fn mentions(&mut self, _script: u32, function: u32) -> Vec<ByteSpan> {
        let mentions = with_script(self.source, Goal::Script, |script| script.mentions());
        mentions.unwrap().of_function(self.facts, function)
    }

    fn way_out(&mut self, function: FunctionRef) -> Option<String> {
        let holders = with_script(self.source, Goal::Script, |script| script.holders()).unwrap();
        let script = HoldingScript {
            url: "a.js",
            facts: self.facts,
            holders: &holders,
        };
        let WayOut::At(_, at) = way_out(&[script], function, false)? else {
            return None;
        };
        Some(self.source[at.start.index()..at.end.index()].to_owned())
    }

    fn deciders(&mut self, _script: u32, function: &FunctionFact) -> Vec<Decider> {
        self.around(|script, handed, coverage| script.deciders(handed, coverage, function.body))
    }

    fn decided_by(&mut self, _script: u32, function: &FunctionFact) -> Vec<Decider> {
        self.around(|script, handed, coverage| script.decided_by(handed, coverage, function.body))
    }

    fn deciders_in(&mut self, _script: u32, span: ByteSpan) -> Vec<Decider> {
        self.around(|script, handed, coverage| script.deciders_in(handed, coverage, span))
    }

    fn told(&mut self, text: &str) -> Vec<(u32, ByteSpan)> {
        let texts = with_script(self.source, Goal::Script, |script| script.texts()).unwrap();
        texts.told(text).iter().map(|span| (0, *span)).collect()
    }

    fn almost_told(&mut self, text: &str) -> Vec<(String, u32, ByteSpan)> {
        let texts = with_script(self.source, Goal::Script, |script| script.texts()).unwrap();
        let almost = texts.almost(text).filter(|_| texts.count(text) == 1);
        let almost = almost
            .flat_map(|(other, spans)| spans.iter().map(move |span| (other.to_owned(), 0, *span)));
        almost.collect()
    }
}

impl Page<'_> {
    fn around(
        &self,
        search: impl Fn(&Script<'_>, &HandedOver, &Coverage) -> Vec<Decider>,
    ) -> Vec<Decider> {
        if !self.looks_around {
            return Vec::new();
        }
        let found = with_script(self.source, Goal::Script, |script| {
            search(script, &script.handed_over(self.coverage), self.coverage)
        });
        found.unwrap()
    }
}

/// What kept the place from being reached: the reason, the text, how many calls away; and what was not looked at.
fn explained(marked: &str) -> (Vec<String>, Vec<String>) {
    explained_by(marked, false)
}

/// The same; what is handed over beside functions is looked at, too.
fn explained_around(marked: &str) -> Vec<String> {
    explained_by(marked, true).0
}

fn explained_by(marked: &str, looks_around: bool) -> (Vec<String>, Vec<String>) {
    let (source, found) = explanation(marked, looks_around);
    let text = |span: ByteSpan| &source[span.start.index()..span.end.index()];
    let candidates = found.candidates.iter().map(|one| {
        format!(
            "{:?} {} {}",
            one.reason,
            text(one.decision).trim(),
            one.calls
        )
    });
    (candidates.collect(), found.unknown)
}

/// The source, and what was found in it.
fn explanation(marked: &str, looks_around: bool) -> (String, Explanation) {
    let (source, coverage, at) = read(marked);
    let facts = with_script(&source, Goal::Script, |script| script.call_facts()).unwrap();
    let graph = CallGraph::new(&[&facts]);
    let scripts = [CountedScript {
        facts: &facts,
        coverage: Some(&coverage),
        is_handler: false,
    }];
    let mut ways = Page {
        source: &source,
        coverage: &coverage,
        facts: &facts,
        looks_around,
    };
    let found = explain(&scripts, &graph, &mut ways, (0, at), MOST_CALLS);
    (source, found)
}

#[test]
fn outwards_to_who_could_have_called() {
    let of = |marked: &str| explained(marked).0;
    assert_eq!(
        of("⟪0function f() { ¶k(); }⟫ if (a) ⟦0f();⟧"),
        ["Branch a 1"]
    );
    assert_eq!(
        of(
            "⟪0function f() { ¶k(); }⟫ ⟪0function g() { f(); }⟫ ⟪3function h(a) { if (a) ⟦0return g();⟧ }⟫ h()"
        ),
        ["Branch a 2"]
    );
    assert_eq!(
        of("⟪0function f() { ¶k(); }⟫"),
        ["Unreachable function f() 0"]
    );
    assert_eq!(
        of("b.addEventListener('click', ⟪0() => { ¶k(); }⟫)"),
        ["Listener b.addEventListener('click', () => { k(); }) 1"]
    );
    assert_eq!(
        of("⟪0function f() { ¶k(); }⟫ b.addEventListener('x', f); b.removeEventListener('x', f)"),
        [
            "Listener b.removeEventListener('x', f) 0",
            "Listener b.addEventListener('x', f) 1"
        ]
    );
    assert_eq!(
        of("list.map(⟪0(x) => ¶k(x)⟫)"),
        ["Loop list.map((x) => k(x)) 1"]
    );
    assert_eq!(
        of("const t = setTimeout(⟪0() => { ¶k(); }⟫, 5); clearTimeout(t)"),
        [
            "Timer clearTimeout(t) 0",
            "Timer setTimeout(() => { k(); }, 5) 1"
        ]
    );
    // What nobody calls by its name may be called by one that is computed.
    let (found, unknown) = explained("const o = { m: ⟪0() => { ¶k(); }⟫ };");
    assert_eq!(found, ["Unreachable () => 0"]);
    assert_eq!(unknown, ["who may call m by a name that is computed"]);
    assert_eq!(
        of("h('b', { onClick: ⟪0() => { ¶k(); }⟫ })"),
        ["Listener () => { k(); } 1"]
    );
    // What is handed to a function of the page that does not call it.
    assert_eq!(
        of("⟪1function take(f) { return 1 }⟫ take(⟪0() => { ¶k(); }⟫)"),
        ["Callback take(() => { k(); }) 1"]
    );
}

#[test]
fn the_cause_of_a_promise_comes_before_the_wait() {
    let (found, _) = explained(
        "⟪1async function f(a) { await new Promise(⟪1(r) => { if (a) ⟦0r();⟧ }⟫)⟦0; ¶k(); }⟧⟫",
    );
    let expected = [
        "Branch a 2",
        "Promise await new Promise((r) => { if (a) r(); }) 0",
    ];
    assert_eq!(found, expected);
}

/// What may have decided that the function whose body begins at `¶` was not called: text, whether it is what a function
/// gives, and how often.
fn deciders(marked: &str) -> Vec<String> {
    let (source, coverage, at) = read(marked);
    let found = with_script(&source, Goal::Script, |script| {
        script.deciders(&script.handed_over(&coverage), &coverage, at)
    });
    let found = found.unwrap().into_iter().map(|decider| {
        let gate = &decider.gate;
        let text = &source[gate.decision.start.index()..gate.decision.end.index()];
        format!("{text} {} {}", decider.is_result, gate.away())
    });
    found.collect()
}

#[test]
fn what_is_handed_over_beside_a_function_may_have_decided() {
    assert_eq!(
        deciders("make({ guard: ⟪2(c) => c.total > 100⟫, actions: ⟪0() => ¶{ k() }⟫ })"),
        ["c.total > 100 true 2"]
    );
    // The nearest first; nothing that cannot have been tested; nothing that did not run.
    assert_eq!(
        deciders(
            "make({ a: { guard: ⟪1(c) => c.far⟫ }, b: { guard: ⟪1(c) => c.near⟫, name: ⟪1() => 'x' + 1⟫, \
             other: ⟪0(c) => c.never⟫, run: ⟪0() => ¶{ k() }⟫ } })"
        ),
        ["c.near true 1", "c.far true 1"]
    );
    // By the names of variables, and of properties.
    assert_eq!(
        deciders(
            "⟪1function can(c) { return c.open }⟫ ⟪0function go() ¶{ k() }⟫ route('/a', can, go); \
             route('/b', can, x)"
        ),
        ["c.open true 1"]
    );
    assert_eq!(
        deciders(
            "setup({ guards: { big: ⟪1(c) => c.n > 5⟫, old: ⟪1(c) => c.age > 5⟫ }, \
             actions: { pay: ⟪0() => ¶{ k() }⟫ } }).make({ on: { A: { guard: 'big', actions: 'pay' } }, B: 'old' })"
        )[0],
        "c.n > 5 true 1"
    );
    // Over statements that use the same object.
    assert_eq!(
        deciders(
            "const router = new Router(); router.before(⟪1(to) => to.free⟫); \
             router.on('/a', ⟪0() => ¶{ k() }⟫); const other = new Router(); other.before(⟪1(to) => to.busy⟫)"
        )[0],
        "to.free true 1"
    );
    assert_eq!(
        deciders("items.filter(⟪3(item) => item.price > 9⟫).forEach(⟪0(item) => ¶{ k(item) }⟫)"),
        ["item.price > 9 true 3"]
    );
}

#[test]
fn a_test_in_a_function_that_was_handed_over_may_have_decided() {
    let run = "run: ⟪0() => ¶{ k() }⟫ })";
    let with = |guard: &str| deciders(&format!("make({{ guard: {guard}, {run}"));
    assert_eq!(
        with("⟪2function (c) { if (c.n <= 1) { return false; } ⟦0return true;⟧ }⟫"),
        ["c.n <= 1 false 2"]
    );
    assert_eq!(
        with("⟪2(c) => { if (c.ok) ⟦0return true⟧ }⟫"),
        ["c.ok false 2"]
    );
    assert_eq!(
        with("⟪2(c, next) => { if (c.user) ⟦0{ next() }⟧ }⟫"),
        ["c.user false 2"]
    );
    assert_eq!(with("⟪2(c) => { log(c) }⟫"), [""; 0]);
    assert_eq!(with("⟪2(c) => true⟫"), [""; 0]);
}

#[test]
fn expressions_with_commas_are_a_list() {
    assert_eq!(
        away("⟪1function* f() { yield k(1)⟦0, ¶k(2); }⟧⟫"),
        ["Yield yield k(1) false 1"]
    );
    assert_eq!(
        away("⟪1async function f() { await k(1)⟦0, ¶k(2); }⟧⟫"),
        ["Await await k(1) false 1"]
    );
}

#[test]
fn what_is_called_by_its_name_or_gives_nothing_decides_nothing() {
    let run = "run: ⟪0() => ¶{ k() }⟫ })";
    let with = |guard: &str| deciders(&format!("{guard}, {run}"));
    assert_eq!(
        with("⟪1function add() { return open }⟫ add(); make({ add"),
        [""; 0]
    );
    assert_eq!(
        with("make({ add: ⟪1(order) => { if (!order.to) return; ⟦0k(order)⟧ }⟫"),
        [""; 0]
    );
    assert_eq!(with("make({ add: ⟪1(list) => list.map(k)⟫"), [""; 0]);
}

#[test]
fn what_is_handed_over_in_a_decision_is_found() {
    let (source, coverage, at) =
        read("const x = list.find(⟪3(item) => item.open⟫)¶; if (x) ⟦0{ k() }⟧");
    let span = ByteSpan {
        start: ByteOffset(10),
        end: at,
    };
    let found = with_script(&source, Goal::Script, |script| {
        script.deciders_in(&script.handed_over(&coverage), &coverage, span)
    });
    let found = found.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].is_result, found[0].gate.before), (true, 3));
}
