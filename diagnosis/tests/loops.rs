//! Loops as calls of a recursive function: which nodes a log has then, what is shown of an iteration, and what is
//! found.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::collections::HashMap;

use diagnosis::{Answer, Interview, Loop, LoopPart, Loops, NodeId, ROOT, Step, Strategy, Tree};
use diagnosis::{LogTree, call_view};
use event_log::file::{LogEnd, LogFile, LogInfo, LogWriter};
use event_log::ids::{
    FunctionId, ObjectId, ScopeId, ScriptId, SiteId, StaticScopeId, StreamId, StringId, VariableId,
};
use event_log::model::Model;
use event_log::record::Record;
use event_log::tables::{Function, Script, Site, SiteKind, StaticScope, Stream, Tables, Variable};
use event_log::value::Value;
use event_log::wire::Encoder;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use querypoint::diagnosis::AnsweredBy;

use Does::{Call, Case, Ends, Set};

/// Something that a function does, at a site.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// It calls another one, by number.
    Call(u32),
    Ends,
    /// A condition is decided.
    Case(u32, bool),
    /// A variable is set.
    Set(u32, f64),
}

/// The sites: of each what it is, and the loops around it.
const SITES: [(SiteKind, &[(u32, LoopPart)]); 12] = [
    // 1: `while (…)`
    (SiteKind::Branch, &[(0, LoopPart::Test)]),
    // 2: the call in its condition
    (SiteKind::Call, &[(0, LoopPart::Test)]),
    // 3: `total = …` in its body
    (SiteKind::Assign, &[(0, LoopPart::Body)]),
    // 4: `for (const it of …)` in its body
    (
        SiteKind::Assign,
        &[(0, LoopPart::Body), (1, LoopPart::Variable)],
    ),
    // 5: the call in the body of that
    (SiteKind::Call, &[(0, LoopPart::Body), (1, LoopPart::Body)]),
    // 6: `total = …` behind all
    (SiteKind::Assign, &[]),
    // 7: the call in the body of a `do`
    (SiteKind::Call, &[(2, LoopPart::Body)]),
    // 8: `while (…)` behind it
    (SiteKind::Branch, &[(2, LoopPart::Test)]),
    // 9: `total = …` in the body of `for (;;)`
    (SiteKind::Assign, &[(3, LoopPart::Body)]),
    // 10: `if (…) break` behind it
    (SiteKind::Branch, &[(3, LoopPart::Body)]),
    // 11: `for (const other of …)` at the beginning of another `for (;;)`
    (
        SiteKind::Assign,
        &[(4, LoopPart::Body), (5, LoopPart::Variable)],
    ),
    // 12: `if (…) break` behind it
    (SiteKind::Branch, &[(4, LoopPart::Body)]),
];

fn loops() -> Loops {
    let written = |head: &str, tests_last: bool, has_test: bool| Loop {
        head: head.to_owned(),
        tests_last,
        has_test,
    };
    let sites = SITES
        .iter()
        .zip(1..)
        .filter(|((_, around), _)| !around.is_empty());
    Loops {
        loops: vec![
            written("while (next())", false, true),
            written("for (const it of list)", false, false),
            written("do while (more)", true, true),
            written("for (;;)", false, false),
            written("for (;;)", false, false),
            written("for (const other of list)", false, false),
        ],
        sites: sites
            .map(|((_, around), number)| (SiteId(number), around.to_vec()))
            .collect::<HashMap<_, _>>(),
    }
}

/// A log of functions 1 `sum`, 2 `next`, 3 `add`; `Call` gives the site of the call by what calls it.
fn model(happened: &[Does]) -> Model {
    let function = |name: &str, scope: u32| Function {
        script: ScriptId(1),
        line: 1,
        column: 1,
        end_line: 1,
        name: name.to_owned(),
        scope: StaticScopeId(scope),
        ..Function::default()
    };
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        scope: StaticScopeId(1),
    };
    let site = |(number, &kind): (u32, &SiteKind)| Site {
        script: ScriptId(1),
        line: number,
        column: 1,
        function: FunctionId(1),
        scope: StaticScopeId(1),
        kind,
        variable: match number {
            4 => VariableId(2),
            _ if kind == SiteKind::Assign => VariableId(1),
            _ => VariableId::NONE,
        },
        ..Site::default()
    };
    let mut writer = LogWriter::new(Vec::new(), &LogInfo::default()).unwrap();
    writer
        .add(&Tables {
            streams: vec![Stream::default()],
            scripts: vec![Script {
                url: "http://h/sum.js".to_owned(),
                library: false,
            }],
            functions: vec![function("sum", 1), function("next", 2), function("add", 2)],
            scopes: vec![
                StaticScope {
                    function: FunctionId(1),
                    ..StaticScope::default()
                },
                StaticScope::default(),
            ],
            variables: vec![variable("total"), variable("it")],
            sites: (1..)
                .zip(SITES.iter().map(|(kind, _)| kind))
                .map(site)
                .collect(),
        })
        .unwrap();
    let mut encoder = Encoder::new(StreamId(1));
    for number in 1..=3 {
        encoder.record(&Record::FunctionObject {
            function: FunctionId(number),
            name: StringId::default(),
        });
    }
    let mut running = Vec::new();
    for &it in happened {
        let scope = ScopeId(1);
        match it {
            Call(number) => {
                let function = FunctionId(number.min(3));
                let site = match number {
                    2 => SiteId(2),
                    3 => SiteId(5),
                    // `add` in the body of the `do`
                    _ => SiteId(7),
                };
                if !running.is_empty() {
                    let callee = Value::Function(ObjectId(function.0));
                    encoder.record(&Record::CallSite {
                        site,
                        callee,
                        this: Value::Undefined,
                        values: &[],
                    });
                }
                encoder.record(&Record::Enter(function));
                if running.is_empty() {
                    encoder.record(&Record::Scope {
                        of: StaticScopeId(1),
                        parent: ScopeId::NONE,
                    });
                }
                running.push((function, site));
            }
            Ends => {
                let (function, site) = running.pop().unwrap();
                encoder.record(&Record::Return(function));
                if !running.is_empty() {
                    let value = Value::Undefined;
                    encoder.record(&Record::CallEnd { site, value });
                }
            }
            Case(site, outcome) => encoder.record(&Record::Branch {
                site: SiteId(site),
                outcome,
            }),
            Set(site, value) => encoder.record(&Record::Assign {
                site: SiteId(site),
                scope,
                value: Value::Number(value),
            }),
        }
    }
    writer.batch_words(&encoder.finish()).unwrap();
    let bytes = writer.finish(&LogEnd::default()).unwrap().0;
    Model::read(&LogFile::open(bytes.as_slice()).unwrap()).unwrap()
}

/// The tree, a node on a line.
fn shape(log: &LogTree<'_>) -> Vec<String> {
    fn add(log: &LogTree<'_>, tree: &Tree, node: NodeId, depth: usize, lines: &mut Vec<String>) {
        for child in tree.children(node) {
            let call = call_view(log, child).unwrap().call;
            let name = match call.iteration {
                Some(it) => format!("{} {}", it.text, it.number),
                None => call.function,
            };
            lines.push(format!("{}{name}", " ".repeat(depth)));
            add(log, tree, child, depth + 1, lines);
        }
    }
    let mut lines = Vec::new();
    add(log, log.tree(), ROOT, 0, &mut lines);
    lines
}

/// `sum` with two iterations of the `while`; in the first the `for-of` has two, in the second one. `next` is called by
/// the condition.
const NESTED: [Does; 28] = [
    Call(1),
    Set(6, 0.0),
    Call(2),
    Ends,
    Case(1, true),
    Set(4, 5.0),
    Call(3),
    Ends,
    Set(4, 6.0),
    Call(3),
    Ends,
    Set(3, 1.0),
    Call(2),
    Ends,
    Case(1, true),
    Set(4, 7.0),
    Call(3),
    Ends,
    Set(3, 2.0),
    Call(2),
    Ends,
    Case(1, false),
    Set(6, 9.0),
    Ends,
    // Once more, and the condition does not hold.
    Call(1),
    Set(6, 0.0),
    Case(1, false),
    Ends,
];

#[test]
fn an_iteration_is_under_the_one_before_it_and_holds_what_it_calls() {
    let model = model(&NESTED);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    assert_eq!(
        shape(&log),
        [
            "sum",
            " while (next()) 1",
            "  next",
            "  for (const it of list) 1",
            "   add",
            "   for (const it of list) 2",
            "    add",
            "  while (next()) 2",
            "   next",
            "   for (const it of list) 1",
            "    add",
            // The condition that did not hold.
            "   next",
            "sum",
        ]
    );
    let plain = LogTree::new(&model, 0..u32::MAX);
    assert_eq!(
        shape(&plain),
        [
            "sum", " next", " add", " add", " next", " add", " next", "sum"
        ]
    );
    // Nodes are found by the events that they are known by.
    for node in (1..=log.tree().len()).map(|it| NodeId(u32::try_from(it).unwrap())) {
        let call = call_view(&log, node).unwrap().call;
        assert_eq!(log.node_at(call.call), Some(node), "{call:?}");
    }
}

#[test]
fn an_iteration_shows_what_it_was_given_and_what_is_behind_the_loop() {
    let model = model(&NESTED);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    let variables = |node: u32| {
        let view = call_view(&log, NodeId(node)).unwrap();
        let named = view.arguments.into_iter().map(|it| {
            let text =
                |it: Option<querypoint::answer::Value>| it.map_or("-".to_owned(), |it| it.text);
            format!("{} {} {}", it.name, text(it.entry), text(it.exit))
        });
        named.collect::<Vec<_>>()
    };
    // The whole loop, its second iteration, and the second of the inner loop in the first.
    assert_eq!(variables(2), ["total 0 2", "it - 7"]);
    assert_eq!(variables(8), ["total 1 2", "it 6 7"]);
    assert_eq!(variables(6), ["total 0 -", "it 6 -"]);
    let own = |node: u32| {
        let events = log.own_events(NodeId(node), 20).0;
        let mut words: Vec<_> = events.iter().map(|it| it.kind.word()).collect();
        // That a call has come back is an event, too.
        words.dedup();
        words
    };
    // What happened in the second iteration: not what the inner loop did, not what is behind the loop.
    assert_eq!(own(8), ["call", "branch", "assign", "call", "branch"]);
    assert_eq!(own(6), ["assign", "call"]);
}

#[test]
fn a_loop_without_a_head_begins_anew_where_its_body_does() {
    let model = model(&[
        Call(1),
        Set(9, 1.0),
        Case(10, false),
        Set(9, 2.0),
        Case(10, true),
        Set(6, 3.0),
        Ends,
        // What is first in this one is in a loop inside.
        Call(1),
        Set(11, 1.0),
        Set(11, 2.0),
        Case(12, false),
        Set(11, 1.0),
        Case(12, true),
        Ends,
    ]);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    assert_eq!(
        shape(&log),
        [
            "sum",
            " for (;;) 1",
            "  for (;;) 2",
            "sum",
            " for (const other of list) 1",
            "  for (const other of list) 2",
            " for (const other of list) 1",
        ]
    );
}

#[test]
fn a_loop_that_asks_last_begins_without_its_condition() {
    let model = model(&[
        Call(1),
        Call(4),
        Ends,
        Case(8, true),
        Call(4),
        Ends,
        Case(8, false),
        // At once again.
        Call(4),
        Ends,
        Case(8, false),
        Ends,
    ]);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    assert_eq!(
        shape(&log),
        [
            "sum",
            " do while (more) 1",
            "  add",
            "  do while (more) 2",
            "   add",
            " do while (more) 1",
            "  add",
        ]
    );
    // The call has the event with which it begins.
    for node in (1..=log.tree().len()).map(|it| NodeId(u32::try_from(it).unwrap())) {
        let call = call_view(&log, node).unwrap().call;
        assert_eq!(log.node_at(call.call), Some(node), "{call:?}");
    }
}

/// A loop of that many iterations.
fn long_loop(count: u32) -> Model {
    let mut happened = vec![Call(1)];
    for number in 0..count {
        happened.extend([Case(1, true), Set(3, f64::from(number))]);
    }
    happened.extend([Case(1, false), Ends]);
    model(&happened)
}

#[test]
fn the_faulty_iteration_of_many_is_found_by_halves() {
    for (count, most) in [(100, 7), (5_000, 14)] {
        let model = long_loop(count);
        let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
        assert_eq!(log.tree().len(), count as usize + 1);
        let mut interview = Interview::new(&log, Strategy::Optimal, &[]);
        let mut asked = 0;
        while let Step::Ask(node) = interview.next() {
            let iteration = call_view(&log, node).unwrap().call.iteration;
            // The loop is right from behind the 37th on.
            let answer = match iteration.map_or(0, |it| it.number) <= 37 {
                true => Answer::Invalid,
                false => Answer::Valid,
            };
            interview.answer(node, answer, AnsweredBy::Person, None);
            asked += 1;
        }
        let found = interview.diagnosis(Vec::new()).found.unwrap();
        let iteration = found.iteration.unwrap();
        assert_eq!(
            (iteration.number, iteration.text.as_str()),
            (37, "while (next())")
        );
        assert!(asked <= most, "{count}: {asked}");
    }
    let model = long_loop(100);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    // That all iterations of the loop are right says that of the function, too.
    let mut interview = Interview::new(&log, Strategy::TopDown, &[]);
    interview.answer(NodeId(1), Answer::Invalid, AnsweredBy::Person, None);
    interview.answer(NodeId(2), Answer::Trusted, AnsweredBy::Person, None);
    assert_eq!(interview.next(), Step::Found(NodeId(1)));
}

/// The log ends in a loop, and another one in which an exception leaves it.
#[test]
fn a_loop_that_was_never_left_has_its_iterations() {
    let model = model(&[
        Call(1),
        Case(1, true),
        Call(3),
        Ends,
        Case(1, true),
        Call(2),
    ]);
    let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
    assert_eq!(
        shape(&log),
        [
            "sum",
            " while (next()) 1",
            "  add",
            "  while (next()) 2",
            "   next"
        ]
    );
    // Only what began later is asked about.
    let last = model.calls.last().unwrap().enter;
    let log = LogTree::with_loops(&model, last..u32::MAX, &loops());
    assert_eq!(shape(&log), ["next"]);
}

/// Something that may happen next, whatever happened before.
fn anything() -> impl proptest::strategy::Strategy<Value = Does> {
    prop_oneof![
        (1..=4_u32).prop_map(Call),
        Just(Ends),
        (prop_oneof![Just(1_u32), Just(8)], any::<bool>())
            .prop_map(|(site, held)| Case(site, held)),
        prop_oneof![Just(3_u32), Just(4), Just(6)].prop_map(|site| Set(site, 1.0)),
    ]
}

proptest! {
    /// Whatever is in a log: who called whom stays the same where iterations are looked through, each iteration is
    /// found again by its event, and what a call did is in it or in one of its iterations.
    #[test]
    fn iterations_are_between_calls_and_their_callers(
        all in prop::collection::vec(anything(), 0..60)
    ) {
        let mut depth = 0_u32;
        let mut happened = vec![Call(1)];
        for it in all {
            match it {
                Call(_) => depth += 1,
                Ends if depth == 0 => continue,
                Ends => depth -= 1,
                _ => {}
            }
            happened.push(it);
        }
        let model = model(&happened);
        let log = LogTree::with_loops(&model, 0..u32::MAX, &loops());
        let plain = LogTree::new(&model, 0..u32::MAX);
        for call in 0..u32::try_from(model.calls.len()).unwrap() {
            let node = log.node(call).unwrap();
            let mut caller = log.tree().parent(node).unwrap();
            while log.iteration_event(caller).is_some() {
                caller = log.tree().parent(caller).unwrap();
            }
            let plainly = plain.tree().parent(plain.node(call).unwrap()).unwrap();
            prop_assert_eq!(log.call_number(caller), plain.call_number(plainly));
        }
        let mut own = 0;
        for node in (1..=log.tree().len()).map(|it| NodeId(u32::try_from(it).unwrap())) {
            let call = call_view(&log, node).unwrap().call;
            prop_assert_eq!(log.node_at(call.call), Some(node));
            own += log.own_events(node, 1000).0.len();
        }
        let calls = (1..=plain.tree().len()).map(|it| NodeId(u32::try_from(it).unwrap()));
        let plainly: usize = calls.map(|it| plain.own_events(it, 1000).0.len()).sum();
        prop_assert_eq!(own, plainly);
    }
}
