//! Large programs do the same plain and rewritten: the compilers, formatters and benchmarks that pages run.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests, like the tests themselves, stop at what is wrong"
)]

use std::fs;
use std::path::Path;

use conformance::variants::variants;
use conformance::{Program, Run, chromium, differences, node, octane, packages};
use js_analysis::Goal;

/// A tool: what to call it, its scripts among the packages, our script that drives it, and its inputs.
struct Tool {
    name: &'static str,
    scripts: &'static [&'static str],
    driver: &'static str,
    inputs: &'static [&'static str],
}

const PROJECT: [&str; 2] = ["project/shapes.ts", "project/main.ts"];
const SCRIPTS: [&str; 4] = [
    "programs/control_flow.js",
    "programs/literals_and_classes.js",
    "programs/strictness.js",
    "src/run_in_frame.js",
];
const TOOLS: [Tool; 4] = [
    Tool {
        name: "TypeScript",
        scripts: &["typescript/lib/typescript.js"],
        driver: "typescript",
        inputs: &[
            PROJECT[0],
            PROJECT[1],
            "typescript/lib/lib.es5.d.ts",
            "typescript/lib/lib.decorators.d.ts",
            "typescript/lib/lib.decorators.legacy.d.ts",
            "typescript/lib/lib.es2015.core.d.ts",
        ],
    },
    Tool {
        name: "Prettier",
        scripts: &[
            "prettier/standalone.js",
            "prettier/plugins/estree.js",
            "prettier/plugins/babel.js",
            "prettier/plugins/typescript.js",
        ],
        driver: "prettier",
        inputs: &[PROJECT[0], PROJECT[1], SCRIPTS[0], SCRIPTS[1], SCRIPTS[2]],
    },
    Tool {
        name: "Babel",
        scripts: &["@babel/standalone/babel.js"],
        driver: "babel",
        inputs: &[PROJECT[0], PROJECT[1], SCRIPTS[1], SCRIPTS[2]],
    },
    Tool {
        name: "Terser",
        scripts: &["terser/dist/bundle.min.js"],
        driver: "terser",
        inputs: &[SCRIPTS[1], SCRIPTS[2]],
    },
];

/// In what the programs run.
#[derive(Clone, Copy)]
enum Runner {
    Node = 0,
    Chromium = 1,
}

/// What is compared: the runs of each program, the plain one first.
struct Compared {
    runner: Runner,
    /// How many programs were offered.
    offered: usize,
    programs: Vec<Program>,
    names: Vec<Vec<String>>,
    runs: Vec<Run>,
}

impl Compared {
    fn new(runner: Runner) -> Self {
        Self {
            runner,
            offered: 0,
            programs: Vec::new(),
            names: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Whether the runner tries the next program, which is one of two: in an ordinary run each has half of them, else
    /// all.
    fn takes_next(&mut self) -> bool {
        let number = self.offered;
        self.offered += 1;
        std::env::var_os("QUERYPOINT_EVERY_PROGRAM").is_some() || number % 2 == self.runner as usize
    }

    /// A program of several scripts, driven by another, rewritten for standby and for its most written names.
    fn add(&mut self, name: &str, scripts: &[String], driver: &str, inputs: Option<String>) {
        let run = |agent: Option<String>, scripts: Vec<String>| Run {
            agent,
            before: inputs.iter().cloned().chain(scripts).collect(),
            text: driver.to_owned(),
            module: false,
        };
        self.runs.push(run(None, scripts.to_vec()));
        let mut ways = Vec::new();
        let longest = scripts.iter().max_by_key(|script| script.len()).unwrap();
        for variant in variants(longest).into_iter().take(2) {
            let rewritten = scripts.iter().zip(1..).map(|(script, number)| {
                variant
                    .rewrite(script, Goal::Script, number)
                    .unwrap_or_else(|error| panic!("{name}: {error}"))
            });
            ways.push(variant.name.to_owned());
            self.runs
                .push(run(Some(variant.agent()), rewritten.collect()));
        }
        self.names.push(ways);
        self.programs.push(Program {
            name: name.to_owned(),
            source: String::new(),
            goal: Goal::Script,
        });
    }

    fn check(&self, outcomes: &[conformance::ProgramOutcome], expected: &str) {
        let plain = outcomes.iter().step_by(3);
        for (program, outcome) in self.programs.iter().zip(plain) {
            let all = outcome.lines.join("\n");
            assert!(
                all.contains(expected),
                "{} as it is printed {all:.300}",
                program.name
            );
        }
        let report = differences(&self.programs, &self.names, outcomes);
        assert!(report.is_empty(), "{report:.4000}");
    }
}

fn tools(runner: Runner) -> Compared {
    let packages = packages::install().unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut compared = Compared::new(runner);
    for tool in TOOLS {
        if !compared.takes_next() {
            continue;
        }
        let scripts: Vec<String> = tool
            .scripts
            .iter()
            .map(|path| read(&packages.join(path)))
            .collect();
        let inputs: serde_json::Map<String, serde_json::Value> = tool
            .inputs
            .iter()
            .map(|path| {
                let own = own.join(path);
                let file = if own.is_file() {
                    own
                } else {
                    packages.join(path)
                };
                let name = file.file_name().unwrap().to_string_lossy().into_owned();
                (name, read(&file).into())
            })
            .collect();
        let inputs = serde_json::Value::Object(inputs);
        let driver = read(&own.join(format!("drivers/{}.js", tool.driver)));
        let inputs = Some(format!("const inputs = {inputs};"));
        compared.add(tool.name, &scripts, &driver, inputs);
    }
    compared
}

fn octane_programs(runner: Runner) -> Compared {
    let folder = packages::install()
        .unwrap()
        .join("benchmark-octane/lib/octane");
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let driver = fs::read_to_string(own.join("drivers/octane.js")).unwrap();
    let mut compared = Compared::new(runner);
    for (name, files) in octane::PROGRAMS {
        if !compared.takes_next() {
            continue;
        }
        let scripts: Vec<String> = ["base.js"]
            .iter()
            .chain(files)
            .map(|file| fs::read_to_string(folder.join(file)).unwrap())
            .collect();
        // zlib takes what is no page for a shell.
        let shell = "var read = () => { throw new Error('there is nothing to read'); };";
        compared.add(name, &scripts, &driver, Some(shell.to_owned()));
    }
    compared
}

#[test]
fn tools_do_the_same_in_node() {
    let compared = tools(Runner::Node);
    let outcomes = node::run(&compared.runs).unwrap();
    compared.check(&outcomes, "===");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_do_the_same_in_chromium() {
    let compared = tools(Runner::Chromium);
    let outcomes = chromium::run(&compared.runs).await.unwrap();
    compared.check(&outcomes, "===");
}

#[test]
fn octane_does_the_same_in_node() {
    let compared = octane_programs(Runner::Node);
    let outcomes = node::run_in_threads(&compared.runs).unwrap();
    compared.check(&outcomes, "is right");
}

#[tokio::test(flavor = "multi_thread")]
async fn octane_does_the_same_in_chromium() {
    let compared = octane_programs(Runner::Chromium);
    let outcomes = chromium::run(&compared.runs).await.unwrap();
    compared.check(&outcomes, "is right");
}
