//! `cargo xtask fuzz`: every fuzz target for some minutes, one after the other.
//!
//! A target begins with the inputs in `tests/fuzz/corpus` and with scripts of the conformance suite that npm installs
//! into the target folder. What it finds there and on its own stays in the target folder; only a small part of it, the
//! inputs that reach code no other does, is kept in the repository, by `--keep`.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::error::TaskError;
use crate::repository_root;
use crate::steps::run_through;

/// Scripts that parse and scripts that do not, from which fuzzing begins.
const SEEDS: &str = "test262-parser-tests@0.0.5";
const INSTALL_FUZZ: &str = "cargo install cargo-fuzz --locked";
/// The workspace of the targets, from the repository.
const FOLDER: &str = "tests/fuzz";
const INSTALL_NIGHTLY: &str = "rustup toolchain install nightly";
const INSTALL_NPM: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends npm";

/// Which targets, and for how long.
#[derive(clap::Args)]
pub(crate) struct FuzzOptions {
    /// How long each target runs.
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u64,
    /// Only this target (may be given several times); the names are those in tests/fuzz/fuzz_targets.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Afterwards put the smallest inputs that together reach all that was reached into tests/fuzz/corpus.
    #[arg(long)]
    keep: bool,
}

/// Runs the targets.
///
/// # Errors
/// If something that is needed is missing, or a target finds a defect: the input is named above.
pub(crate) fn run(options: &FuzzOptions) -> Result<ExitCode, TaskError> {
    let root = repository_root()?;
    needed("cargo", &["+nightly", "--version"], INSTALL_NIGHTLY)?;
    needed("cargo", &["fuzz", "--version"], INSTALL_FUZZ)?;
    needed("npm", &["--version"], INSTALL_NPM)?;
    let work = root.join("target").join("fuzz");
    let scripts = install_seeds(&work)?;
    let mut targets: Vec<String> = Vec::new();
    for path in files_of(&root.join(FOLDER).join("fuzz_targets"))? {
        targets.extend(
            path.file_stem()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    if !options.only.is_empty() {
        targets.retain(|target| options.only.contains(target));
    }
    // Our crates hold no unsafe code, so the address sanitizer would only make it slower.
    run_through(&mut cargo_fuzz(root, "build"))?;
    for target in &targets {
        let found = folder(&work.join("corpus").join(target))?;
        let kept = folder(&root.join(FOLDER).join("corpus").join(target))?;
        let mut command = cargo_fuzz(root, "run");
        command.arg(target).args([&found, &kept]);
        if matches!(target.as_str(), "rewriter" | "html") {
            command.arg(seeds(&work, target, &scripts)?);
        }
        command.arg("--");
        let seconds = options.minutes.saturating_mul(60);
        command.arg(format!("-max_total_time={seconds}"));
        command.args(["-rss_limit_mb=4096", "-timeout=20", "-max_len=4096"]);
        let dictionary = match target.as_str() {
            "rewriter" => Some("script.dict"),
            "html" => Some("html.dict"),
            _ => None,
        };
        if let Some(name) = dictionary {
            let path = root.join(FOLDER).join("dictionaries").join(name);
            command.arg(format!("-dict={}", path.display()));
        }
        run_through(command.arg("-print_final_stats=1"))?;
        if options.keep {
            keep(root, target, &found, &kept, &work)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `cargo fuzz TASK` on the nightly compiler, without sanitizer, in our folder of targets.
fn cargo_fuzz(root: &Path, task: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(["+nightly", "fuzz", task, "--fuzz-dir", FOLDER]);
    command.args(["--sanitizer", "none"]).current_dir(root);
    command
}

/// Fails with the line to type if `program` does not answer.
fn needed(program: &str, arguments: &[&str], install: &'static str) -> Result<(), TaskError> {
    let answered = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if answered {
        return Ok(());
    }
    Err(TaskError::NotThere {
        what: format!("{program} {}", arguments.join(" ")),
        install,
    })
}

/// The scripts to begin with.
fn install_seeds(work: &Path) -> Result<Vec<PathBuf>, TaskError> {
    folder(work)?;
    let package = work.join("node_modules").join("test262-parser-tests");
    if !package.is_dir() {
        write(&work.join("package.json"), b"{ \"private\": true }\n")?;
        run_through(
            Command::new("npm")
                .args([
                    "install",
                    "--no-save",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    SEEDS,
                ])
                .current_dir(work),
        )?;
    }
    let mut scripts = Vec::new();
    for part in ["pass", "fail", "early"] {
        scripts.extend(files_of(&package.join(part))?);
    }
    Ok(scripts)
}

/// A folder of inputs made of `scripts`: each with a first byte that makes the target's choices.
fn seeds(work: &Path, target: &str, scripts: &[PathBuf]) -> Result<PathBuf, TaskError> {
    let seeds = folder(&work.join("seeds").join(target))?;
    for script in scripts {
        let text = read(script)?;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let number = hasher.finish();
        let mut choice = number.to_le_bytes()[0] & !3;
        if script.to_string_lossy().contains(".module.") {
            choice |= 2;
        }
        let input = match target {
            "html" => [&[choice], &b"<script>"[..], &text, &b"</script>"[..]].concat(),
            _ => [&[choice][..], &text].concat(),
        };
        write(&seeds.join(format!("{number:016x}")), &input)?;
    }
    Ok(seeds)
}

/// Puts into `kept` the smallest inputs that reach all that those of `found` and `kept` reach, up to a budget, so that
/// the repository stays small.
fn keep(
    root: &Path,
    target: &str,
    found: &Path,
    kept: &Path,
    work: &Path,
) -> Result<(), TaskError> {
    const MOST_FILES: usize = 120;
    const MOST_BYTES: usize = 40_000;
    let merged = work.join("merged").join(target);
    if merged.is_dir() {
        fs::remove_dir_all(&merged).map_err(|source| unwritable(&merged, source))?;
    }
    folder(&merged)?;
    let mut merge = cargo_fuzz(root, "run");
    merge
        .arg(target)
        .args([&merged, &kept.to_owned(), &found.to_owned()]);
    run_through(merge.args(["--", "-merge=1"]))?;
    let mut inputs = Vec::new();
    for path in files_of(&merged)? {
        inputs.push((read(&path)?, path));
    }
    inputs.sort_by_key(|(input, _)| input.len());
    let mut bytes = 0;
    for (input, path) in inputs.iter().take(MOST_FILES) {
        bytes += input.len();
        if bytes > MOST_BYTES {
            break;
        }
        if let Some(name) = path.file_name() {
            write(&kept.join(name), input)?;
        }
    }
    Ok(())
}

fn folder(path: &Path) -> Result<PathBuf, TaskError> {
    fs::create_dir_all(path).map_err(|source| unwritable(path, source))?;
    Ok(path.to_owned())
}

/// The files in a folder, in the order of their names.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let unreadable = |source| TaskError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<Vec<u8>, TaskError> {
    fs::read(path).map_err(|source| TaskError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), TaskError> {
    fs::write(path, bytes).map_err(|source| unwritable(path, source))
}

fn unwritable(path: &Path, source: std::io::Error) -> TaskError {
    TaskError::Unwritable {
        path: path.to_owned(),
        source,
    }
}
