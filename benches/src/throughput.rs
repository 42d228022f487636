//! How fast scripts are rewritten, beside how fast they are parsed.
//!
//! Both go from the text to a result with everything else freed again: parsing to a tree that is dropped, rewriting to
//! the new text and its position map.

use std::hint::black_box;
use std::path::Path;

use js_analysis::Goal;
use js_analysis::rewrite::{Instrumentation, NamesAsWritten, with_script};
use swc_common::BytePos;
use swc_ecma_ast::EsVersion;
use swc_ecma_parser::{EsSyntax, Parser, StringInput, Syntax, lexer::Lexer};

use crate::error::BenchError;
use crate::plan::property_instrumentation;
use crate::report::{Bound, Section, table};
use crate::statistics::{Sample, digits};

/// What is rewritten: name, path in the packages, goal, and the property of a question about it.
const SCRIPTS: [(&str, &str, Goal, &str); 3] = [
    (
        "react-dom (development)",
        "react-dom/cjs/react-dom-client.development.js",
        Goal::Script,
        "memoizedState",
    ),
    (
        "three",
        "three/build/three.core.js",
        Goal::Module,
        "needsUpdate",
    ),
    (
        "typescript.js",
        "typescript/lib/typescript.js",
        Goal::Script,
        "flags",
    ),
];

/// Bytes from which on a script has bounds of its own.
const LARGE: usize = 5_000_000;

/// What parsing `typescript.js` alone takes on the machine for which its bound was set.
const REFERENCE_PARSE_S: f64 = 0.137;

/// Measures all three.
pub(crate) fn run(packages: &Path, quick: bool) -> Result<Section, BenchError> {
    let rounds = if quick { 5 } else { 15 };
    let mut rows = Vec::new();
    let mut bounds = Vec::new();
    for (name, path, goal, property) in SCRIPTS {
        let path = packages.join(path);
        let source = std::fs::read_to_string(&path).map_err(BenchError::file(&path))?;
        let query = property_instrumentation(property)?;
        let standby = Instrumentation::default();
        let mut times = [const { Vec::new() }; 4];
        let mut sizes = [0.0; 2];
        for _ in 0..rounds {
            let (tree, dropped) = parse_alone(&source, goal, name)?;
            times[0].push(tree);
            times[1].push(dropped);
            for (mode, instrumentation) in [&query, &standby].into_iter().enumerate() {
                let (time, length) = rewrite(&source, goal, instrumentation, name)?;
                times[2 + mode].push(time);
                sizes[mode] = ratio(length, source.len());
            }
        }
        eprintln!("  {name}: {rounds} rounds");
        let megabytes = ratio(source.len(), 1_000_000);
        let [tree, parse, query, standby] = times;
        let speed = |times: &[f64]| {
            Sample::new(times.iter().map(|seconds| megabytes / seconds)).described(digits)
        };
        let over = |times: &[f64], base: &[f64]| {
            Sample::new(times.iter().zip(base).map(|(time, base)| time / base))
        };
        for (mode, times, size) in [("query", &query, sizes[0]), ("standby", &standby, sizes[1])] {
            let slower = over(times, &parse);
            rows.push(vec![
                name.to_owned(),
                format!("{megabytes:.1} MB"),
                mode.to_owned(),
                speed(&parse),
                speed(times),
                slower.described(digits),
                digits(over(times, &tree).median()),
                format!("{size:.2}"),
            ]);
            bounds.push(Bound {
                what: format!("rewriting {name} over parsing alone, {mode}"),
                at_most: 2.0,
                measured: slower.median(),
                unit: "".into(),
                slower: 1.0,
            });
            if mode == "standby" && source.len() > LARGE {
                bounds.push(Bound {
                    what: format!("rewriting {name} with dormant hooks"),
                    at_most: 0.6,
                    measured: Sample::new(times.iter().copied()).median(),
                    unit: "s".into(),
                    slower: Sample::new(parse.iter().copied()).median() / REFERENCE_PARSE_S,
                });
                bounds.push(Bound {
                    what: format!("{name} with dormant hooks, size over the original's"),
                    at_most: 1.6,
                    measured: size,
                    unit: "".into(),
                    slower: 1.0,
                });
            }
        }
    }
    let text = format!(
        "In process, {rounds} rounds of parse, rewrite for one question, rewrite with dormant hooks everywhere.\n\
         *Parse* is the parser alone with the same options, the tree dropped again; the last ratio is to parsing \
         without that drop. *Rewrite*\n\
         is text in, text and position map out: parsing, scopes, sites, edits, the new text. Times are those that the\n\
         thread worked.\n\n{}",
        table(
            &[
                "script",
                "size",
                "hooks",
                "parse MB/s",
                "rewrite MB/s",
                "rewrite ÷ parse",
                "÷ parse, tree kept",
                "output ÷ input",
            ],
            &rows,
        )
    );
    Ok(Section {
        title: "Rewriting".into(),
        text,
        bounds,
    })
}

/// Seconds until there is a tree, and until it is gone again.
fn parse_alone(source: &str, goal: Goal, name: &str) -> Result<(f64, f64), BenchError> {
    let length = u32::try_from(source.len())
        .map_err(|_| BenchError::Setup(format!("{name} is larger than 4 GiB")))?;
    let start = thread_time();
    // As js-analysis parses.
    let syntax = Syntax::Es(EsSyntax {
        import_attributes: true,
        explicit_resource_management: true,
        ..EsSyntax::default()
    });
    let input = StringInput::new(source, BytePos(0), BytePos(length));
    let lexer = Lexer::new(syntax, EsVersion::EsNext, input, None);
    let mut parser = Parser::new_from(lexer);
    let tree = match goal {
        Goal::Module => parser.parse_module().map(swc_ecma_ast::Program::Module),
        Goal::Script | Goal::EventHandler | Goal::Eval { .. } => {
            parser.parse_script().map(swc_ecma_ast::Program::Script)
        }
    };
    let parsed = thread_time() - start;
    let tree = tree.map_err(|error| BenchError::NotRewritten {
        script: name.to_owned(),
        why: error.kind().msg().into_owned(),
    })?;
    drop(black_box(tree));
    Ok((parsed, thread_time() - start))
}

/// Seconds, and the length of the new text.
fn rewrite(
    source: &str,
    goal: Goal,
    instrumentation: &Instrumentation,
    name: &str,
) -> Result<(f64, usize), BenchError> {
    let start = thread_time();
    let rewritten = with_script(source, goal, |script| {
        script.rewrite(instrumentation, &NamesAsWritten)
    })
    .and_then(|rewritten| rewritten)
    .map_err(|error| BenchError::NotRewritten {
        script: name.to_owned(),
        why: error.to_string(),
    })?;
    let (text, positions) = rewritten.apply(source);
    let time = thread_time() - start;
    black_box(positions);
    Ok((time, text.len()))
}

/// Seconds that this thread has worked: what else runs on the machine does not count.
fn thread_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    // Hours of a benchmark fit into a double to the nanosecond.
    #[allow(clippy::cast_precision_loss)]
    let (seconds, nanoseconds) = (time.tv_sec as f64, time.tv_nsec as f64);
    seconds + nanoseconds / 1e9
}

/// Lengths are far below what a double can count.
#[allow(clippy::cast_precision_loss)]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
