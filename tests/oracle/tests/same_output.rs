//! The first promise: a program prints the same, plain and rewritten. Random programs and those that once
//! failed (`regressions/`), in Node, in each way in which the product rewrites a script.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use agent::{AgentConfig, AgentLog, AgentSlot, agent_source, dormant_agent};
use engine::collection::{Collection, Instrument};
use js_analysis::Goal;
use js_analysis::log::{Detail, FirstNumbers, LogOptions};
use js_analysis::position::{ByteOffset, LineIndex};
use js_analysis::rewrite::{
    DEFAULT_PREFIX, Instrumentation, OriginalNames, RequestedPoint, TOP, TracedEvent, TracedKind,
    Watch, WatchedCondition, WatchedName, WatchedTarget, with_script,
};
use oracle::generator::{MARKER, Program, programs};
use oracle::node::{Node, Run};
use oracle::settings::{Programs, config};
use proptest::test_runner::{TestCaseError, TestRunner};
use querypoint::graph::DependencyGraph;
use querypoint::plan::CollectionPlan;
use querypoint::query::Query;

/// How many programs are tried.
const PROGRAMS: Programs = Programs {
    usually: 150,
    every: 1000,
};

/// Every name that generated programs write, and questions that hang on others.
const QUERIES: [&str; 16] = [
    "P = lastChange(R:o.p)",
    "lastChange(R:o.q)",
    "lastChange(R:o.r)",
    "lastChange(R:o.n)",
    "lastChange(R:o.acc)",
    "lastChange(R:o['0'])",
    "lastChange(R:this.p)",
    "lastChange(R:o.#x1)",
    "A = lastChange(R:a)",
    "lastChange(R:b)",
    "lastChange(R:p)",
    "lastChange(R:u)",
    "lastChange(R:x)",
    "lastChange(R:y.p)",
    "lastChange(P:a)",
    "lastChange(A:o.p)",
];

/// The way in which the outcome of every condition is reported, every entry of a `try` block, and what functions do.
const EVERY_CONDITION: &str = "every condition";

/// The ways in which the event log is recorded.
const LOGGED: &str = "logged";
const LOGGED_CALLS: &str = "logged calls";

/// One way to rewrite, with the agent that goes with it.
struct Way {
    name: &'static str,
    instrumentation: Instrumentation,
    agent: String,
}

fn ways() -> Vec<Way> {
    let queries = QUERIES.iter().map(|query| Query::parse(query).unwrap());
    let graph = DependencyGraph::new(queries.collect()).unwrap();
    let plan = CollectionPlan::new(&graph, &[]).unwrap();
    let collection = Collection::new(&plan, DEFAULT_PREFIX, Instrument::Query);
    let asked = |capture| collection.instrumentation(1, 1, capture, Vec::new());
    let armed = collection.agent_config();
    let mut exact = armed.clone();
    for slot in &mut exact.slots {
        slot.exact = (1..20).collect();
    }
    exact.stops = (1..400).step_by(3).collect();
    let mut capturing = armed.clone();
    capturing.capture = true;
    let way = |name, instrumentation, agent| Way {
        name,
        instrumentation,
        agent,
    };
    let source = |config| agent_source(DEFAULT_PREFIX, config);
    let everything = Instrumentation {
        watch: Watch::Everything,
        ..Instrumentation::default()
    };
    let conditions = Instrumentation {
        watch: Watch::Names(vec![WatchedName {
            target: WatchedTarget::Conditions(0),
            dependents: Vec::new(),
        }]),
        ..Instrumentation::default()
    };
    let mut counting = armed.clone();
    counting.slots = vec![AgentSlot {
        kind: "condition",
        query: Some(0),
        ..AgentSlot::default()
    }];
    counting.roots = Vec::new();
    let logging = AgentConfig {
        hit: -1,
        log: Some(AgentLog {
            binding: format!("{DEFAULT_PREFIX}Log"),
            ..AgentLog::default()
        }),
        ..AgentConfig::default()
    };
    let logged = |name| way(name, Instrumentation::default(), source(&logging));
    let live = Collection::new(&plan, DEFAULT_PREFIX, Instrument::Live);
    vec![
        logged(LOGGED),
        logged(LOGGED_CALLS),
        way(
            "live",
            live.instrumentation(1, 1, false, Vec::new()),
            source(&live.agent_config()),
        ),
        way(EVERY_CONDITION, conditions, source(&counting)),
        way(
            "standby",
            Instrumentation::default(),
            dormant_agent(DEFAULT_PREFIX),
        ),
        way("everything", everything, source(&armed)),
        way("asked", asked(false), source(&armed)),
        way("followed exactly", asked(false), source(&exact)),
        way("captured", asked(true), source(&capturing)),
    ]
}

/// What the program becomes, with the reproduction point at its marker.
fn rewritten(program: &Program, way: &Way) -> String {
    let source = &program.text;
    with_script(source, Goal::Script, |script| {
        if matches!(way.name, LOGGED | LOGGED_CALLS) {
            let options = LogOptions {
                prefix: DEFAULT_PREFIX.to_owned(),
                script: 1,
                first: FirstNumbers::default(),
                detail: match way.name {
                    LOGGED => Detail::All,
                    _ => Detail::Calls,
                },
                watches_document: true,
                in_document: false,
                outer: None,
                first_code_site: 1,
            };
            let logged = script.logged(&options, &AsMerged).unwrap();
            return logged.edits.apply(source).0;
        }
        let line = u32::try_from(program.marker_line - 1).unwrap();
        let span = LineIndex::new(source).line_span(line).unwrap();
        let point = RequestedPoint {
            place: script.code_places().on_line(span).unwrap(),
            dependents: (0..way.instrumentation.dependents.len()).collect(),
            slot: None,
        };
        let mut instrumentation = Instrumentation {
            points: vec![point],
            ..way.instrumentation.clone()
        };
        if way.name == EVERY_CONDITION {
            let watched = |condition| WatchedCondition {
                condition,
                slots: vec![0],
            };
            instrumentation.conditions = script.conditions().into_iter().map(watched).collect();
            let places = script.code_places();
            let blocks = places.offsets().flat_map(|at| script.try_blocks_around(at));
            instrumentation.try_blocks = blocks.map(|block| block.start).collect();
            let functions = script.functions();
            let functions = functions.iter().map(|function| function.body);
            instrumentation.activations = std::iter::once(TOP).chain(functions).collect();
            for kind in [TracedKind::Call, TracedKind::Return, TracedKind::Creation] {
                instrumentation
                    .traced
                    .extend(["f", "g", "h", "C", "D"].map(|name| TracedEvent {
                        kind,
                        name: name.to_owned(),
                        slot: 0,
                    }));
            }
        }
        let rewritten = script.rewrite(&instrumentation, &AsMerged).unwrap();
        rewritten.apply(source).0
    })
    .unwrap()
}

/// Names as written, of a script in which each branch of an assigned value was an assignment of its own.
struct AsMerged;

impl OriginalNames for AsMerged {
    fn original_name(&self, _at: ByteOffset) -> Option<String> {
        None
    }

    fn assigns(&self, _at: ByteOffset, _name: Option<&str>) -> bool {
        true
    }

    fn gives_names(&self) -> bool {
        false
    }
}

/// A Node that has the agents.
fn node(ways: &[Way]) -> Node {
    let mut node = Node::start().unwrap();
    for way in ways {
        node.keep_agent(way.name, &way.agent).unwrap();
    }
    node
}

/// Runs the program in every way; how it differs, if it does.
fn check(node: &mut Node, ways: &[Way], program: &Program) -> Result<(), String> {
    let scripts: Vec<String> = ways.iter().map(|way| rewritten(program, way)).collect();
    let plain = Run {
        agent: None,
        script: &program.text,
    };
    let runs: Vec<Run<'_>> = std::iter::once(plain)
        .chain(ways.iter().zip(&scripts).map(|(way, script)| Run {
            agent: Some(way.name),
            script,
        }))
        .collect();
    let printed = node.run(&runs).map_err(|error| error.to_string())?;
    assert_eq!(printed.len(), ways.len() + 1);
    let mut differences = String::new();
    for ((way, script), printed_so) in ways.iter().zip(&scripts).zip(&printed[1..]) {
        if printed_so == &printed[0] {
            continue;
        }
        let lines = printed[0].lines().zip(printed_so.lines());
        let first = lines.into_iter().find(|(plain, other)| plain != other);
        let _ = writeln!(
            differences,
            "{}: {first:?}, {} lines instead of {}",
            way.name,
            printed_so.lines().count(),
            printed[0].lines().count()
        );
        // One text is enough to see why.
        if differences.lines().count() == 1 {
            differences.push_str(script);
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences)
    }
}

#[test]
fn a_random_program_prints_the_same() {
    let ways = ways();
    let node = RefCell::new(node(&ways));
    let result = TestRunner::new(config(PROGRAMS, 1, 1500)).run(&programs(), |program| {
        check(&mut node.borrow_mut(), &ways, &program).map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn a_program_that_once_failed_prints_the_same() {
    let ways = ways();
    let mut node = node(&ways);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut problems = String::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let program = Program {
            marker_line: 1 + text.lines().position(|line| line.trim() == MARKER).unwrap(),
            text,
        };
        if let Err(problem) = check(&mut node, &ways, &program) {
            let _ = writeln!(problems, "{}: {problem}", path.display());
        }
        count += 1;
    }
    assert!(count > 0, "the folder of programs is there");
    assert!(problems.is_empty(), "{problems}");
}

/// A comparison that finds nothing would be worth nothing.
#[test]
fn a_program_that_prints_something_else_is_told() {
    let mut ways = ways();
    ways.truncate(1);
    let program = Program {
        text: format!("{MARKER}\nlog(Math.max);\n"),
        marker_line: 1,
    };
    assert_eq!(check(&mut node(&ways), &ways, &program), Ok(()));
    ways[0].agent += "\nMath.max = Math.min;";
    assert!(check(&mut node(&ways), &ways, &program).is_err());
}
