//! Runs tests of test262 plain and rewritten; see CONTRIBUTING.md.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Parser;
use conformance::test262::process::{Node, Thrown};
use conformance::test262::{Case, Suite};
use conformance::variants::{Variant, variants};

/// Run the tests of a copy of test262 plain and rewritten, in Node, and list those that pass only plain.
#[derive(Parser)]
struct CommandLine {
    /// The suite, or `js/src/tests/test262` of SpiderMonkey's sources.
    suite: PathBuf,
    /// Only tests whose path holds this.
    #[arg(long, default_value = "")]
    only: String,
    /// Only rewritten in the ways whose names begin so: standby, most, "everything, dormant", "everything, armed".
    #[arg(long = "way", value_name = "NAME")]
    ways: Vec<String>,
    /// Of the tests, only every so manieth.
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// List also those that do not pass plain, which this engine or this host does not support.
    #[arg(long)]
    plain: bool,
}

#[derive(Default)]
struct Results {
    pass_plain: usize,
    /// Those that this engine, or this host, does not pass.
    fail_plain: usize,
    rewritten: usize,
    /// Valid tests that are left as they are.
    refused: Vec<String>,
    fail: Vec<String>,
}

fn main() -> io::Result<ExitCode> {
    let options = CommandLine::parse();
    let suite = Suite::at(&options.suite)?;
    let files = suite.files(&options.only)?;
    let files: Vec<PathBuf> = files.into_iter().step_by(options.every.max(1)).collect();
    println!("{} files", files.len());
    let run = Run {
        suite,
        files,
        ways: options.ways,
        plain: options.plain,
        next: AtomicUsize::new(0),
        results: Mutex::default(),
        agents: Agents::new()?,
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| run.work())).collect();
        for worker in workers {
            let ended = worker.join();
            ended.map_err(|_| io::Error::other("a worker broke down"))??;
        }
        Ok::<(), io::Error>(())
    })?;
    let results = run.results.lock();
    println!(
        "{} pass plain ({} do not); of {} rewritten {} fail; {} are valid and left as they are",
        results.pass_plain,
        results.fail_plain,
        results.rewritten,
        results.fail.len(),
        results.refused.len(),
    );
    Ok(if results.fail.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

struct Run {
    suite: Suite,
    files: Vec<PathBuf>,
    ways: Vec<String>,
    plain: bool,
    next: AtomicUsize,
    results: Mutex<Results>,
    agents: Agents,
}

impl Run {
    fn work(&self) -> io::Result<()> {
        let mut node = Node::start()?;
        while let Some(path) = self.files.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            for case in self.suite.cases(path) {
                self.case(&mut node, &case)?;
            }
        }
        Ok(())
    }

    fn case(&self, node: &mut Node, case: &Case) -> io::Result<()> {
        let passes = |thrown: &Option<Thrown>| {
            thrown.as_ref().map(|thrown| &thrown.name) == case.negative.as_ref()
        };
        let thrown = node.run(case, &case.source, None)?;
        if !passes(&thrown) {
            if self.plain {
                println!("does not pass plain: {}: {thrown:?}", case.name);
            }
            self.results.lock().fail_plain += 1;
            return Ok(());
        }
        self.results.lock().pass_plain += 1;
        for variant in variants(&case.source) {
            let is_way = |way: &String| variant.name.starts_with(way.as_str());
            if !self.ways.is_empty() && !self.ways.iter().any(is_way) {
                continue;
            }
            let named = format!("{} [{}]", case.name, variant.name);
            let text = match variant.rewrite(&case.source, case.goal, 1) {
                Ok(text) => text,
                Err(error) if case.negative.is_none() => {
                    println!("left as it is: {named}: {error}");
                    self.results.lock().refused.push(named);
                    continue;
                }
                // What the engine refuses as well stays as it is.
                Err(_) => continue,
            };
            let agent = self.agents.path(&variant)?;
            let thrown = node.run(case, &text, Some(&agent))?;
            let mut results = self.results.lock();
            results.rewritten += 1;
            if !passes(&thrown) {
                println!("fails: {named}: {thrown:?}");
                results.fail.push(named);
            }
        }
        Ok(())
    }
}

/// The agents, in files: a Node compiles each once.
struct Agents {
    folder: PathBuf,
    paths: Mutex<HashMap<String, PathBuf>>,
}

impl Agents {
    fn new() -> io::Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/conformance/agents");
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            paths: Mutex::default(),
        })
    }

    fn path(&self, variant: &Variant) -> io::Result<PathBuf> {
        let text = variant.agent();
        let mut paths = self.paths.lock();
        if let Some(path) = paths.get(&text) {
            return Ok(path.clone());
        }
        let path = self.folder.join(format!("{}.js", paths.len()));
        fs::write(&path, &text)?;
        paths.insert(text, path.clone());
        Ok(path)
    }
}
