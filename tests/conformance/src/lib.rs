//! What the tests share that run programs plain and rewritten and compare what they print.
//!
//! A program of `programs/` is a script (`.js`) or module (`.mjs`) that calls `print`; in a file, lines that
//! begin with `//---` are between programs. Each runs in a realm of its own: in Node, and in a frame of a page; a
//! script runs a second time as the body of a function.

pub mod chromium;
pub mod node;
pub mod octane;
pub mod packages;
pub mod test262;
pub mod variants;

use std::fs;
use std::path::Path;

use js_analysis::Goal;
use serde::{Deserialize, Serialize};

/// One program to be run in a realm of its own.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// What runs before it, if anything: the agent.
    pub agent: Option<String>,
    /// Scripts that run before it: what it works with.
    pub before: Vec<String>,
    /// The program, plain or rewritten.
    pub text: String,
    /// Whether it is a module.
    pub module: bool,
}

/// What a program did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ProgramOutcome {
    /// What it printed, how it ended, and what it left on the global object, line by line.
    pub lines: Vec<String>,
}

/// A program as it was written.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its file, and its number in it.
    pub name: String,
    /// Its text.
    pub source: String,
    /// How it is to be read.
    pub goal: Goal,
}

/// The programs of `programs/`.
///
/// # Errors
/// If a file cannot be read.
pub fn programs() -> Result<Vec<Program>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let read = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(read)? {
        paths.push(entry.map_err(read)?.path());
    }
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let goal = match path.extension().and_then(|extension| extension.to_str()) {
            Some("js") => Goal::Script,
            Some("mjs") => Goal::Module,
            _ => return Err(format!("{} is neither .js nor .mjs", path.display())),
        };
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        for (index, source) in split(&text).into_iter().enumerate() {
            let name = format!("{file} #{index}");
            if goal == Goal::Script {
                found.push(Program {
                    name: format!("{name} in a function"),
                    source: format!("(function () {{{source}\n}})();"),
                    goal,
                });
            }
            found.push(Program { name, source, goal });
        }
    }
    Ok(found)
}

fn split(text: &str) -> Vec<String> {
    let mut programs = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with("//---") {
            programs.push(String::new());
        } else if let Some(last) = programs.last_mut() {
            last.push_str(line);
        }
    }
    programs.retain(|program| !program.trim().is_empty());
    programs
}

/// What differs between the plain program and its variants; empty if nothing.
///
/// `outcomes` holds, for each program, that of the plain one and then those of its variants `names`.
#[must_use]
pub fn differences(
    programs: &[Program],
    names: &[Vec<String>],
    outcomes: &[ProgramOutcome],
) -> String {
    let mut report = String::new();
    let mut outcomes = outcomes.iter();
    for (program, names) in programs.iter().zip(names) {
        let plain = outcomes.next().cloned().unwrap_or_default();
        for name in names {
            let other = outcomes.next().cloned().unwrap_or_default();
            if plain == other {
                continue;
            }
            let first = plain
                .lines
                .iter()
                .zip(&other.lines)
                .position(|(left, right)| left != right)
                .unwrap_or_else(|| plain.lines.len().min(other.lines.len()));
            let line = |outcome: &ProgramOutcome| {
                let line = outcome.lines.get(first);
                line.map_or_else(|| "(ended)".to_owned(), Clone::clone)
            };
            report.push_str(&format!(
                "{} {name}, line {first}:\n  plain: {}\n  here:  {}\n",
                program.name,
                line(&plain),
                line(&other)
            ));
        }
    }
    report
}
