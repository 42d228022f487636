//! Running one step of the test command and remembering how it went.
//!
//! A step's output is passed on line by line as it comes, so that a reader of CI sees where it is; the
//! same lines are read for the runners' test counts.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::TaskError;
use crate::slowest::Slowest;
use crate::test_counts::{Runner, TestCounts, counts_in_line};

/// How one step went.
#[derive(Debug)]
pub(crate) struct StepResult {
    /// What the step checks, in a few words.
    pub(crate) name: &'static str,
    /// Whether it passed.
    pub(crate) passed: bool,
    /// How long it took.
    pub(crate) duration: Duration,
    /// The tests it ran; a step that is one check counts as one.
    pub(crate) counts: TestCounts,
    /// Those that took longest, as far as the runner says.
    pub(crate) slowest: Slowest,
}

/// What is read of a runner's output.
#[derive(Default)]
struct Seen {
    counts: TestCounts,
    slowest: Slowest,
}

/// Runs one check that is not a test runner; it counts as one test.
pub(crate) fn run_check(
    name: &'static str,
    check: impl FnOnce() -> Result<(), TaskError>,
) -> StepResult {
    announce(name);
    let started = Instant::now();
    let outcome = check();
    if let Err(error) = &outcome {
        eprintln!("{name}: {error}");
    }
    let passed = outcome.is_ok();
    StepResult {
        name,
        passed,
        duration: started.elapsed(),
        counts: TestCounts {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            skipped: 0,
        },
        slowest: Slowest::default(),
    }
}

/// Runs a test runner and reads its counts.
///
/// A runner that fails without a failed test (it did not compile, say) counts as one failure, so that a
/// broken step never looks like a quiet one.
pub(crate) fn run_tests(name: &'static str, runner: Runner, command: &mut Command) -> StepResult {
    announce(name);
    let started = Instant::now();
    let outcome = stream(runner, command, io::stdout(), io::stderr());
    let duration = started.elapsed();
    let (
        passed,
        Seen {
            mut counts,
            slowest,
        },
    ) = match outcome {
        Ok((status, seen)) => (status.success(), seen),
        Err(error) => {
            eprintln!("{name}: {error}");
            (false, Seen::default())
        }
    };
    if !passed && counts.failed == 0 {
        counts.failed = 1;
    }
    StepResult {
        name,
        passed: passed && counts.failed == 0,
        duration,
        counts,
        slowest,
    }
}

/// The cargo that runs us, not a proxy with another toolchain; in the repository.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Runs a command whose output goes straight through.
///
/// # Errors
/// If it cannot be started or fails.
pub(crate) fn run_through(command: &mut Command) -> Result<(), TaskError> {
    let status = command
        .status()
        .map_err(|source| cannot_start(command, source))?;
    check_status(status, &describe(command))
}

/// Turns an unsuccessful exit into an error that names the command.
pub(crate) fn check_status(status: ExitStatus, command: &str) -> Result<(), TaskError> {
    if status.success() {
        Ok(())
    } else {
        Err(TaskError::Failed {
            command: command.to_owned(),
        })
    }
}

/// The command line as a person would type it.
pub(crate) fn describe(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The last lines: a table of the steps, and the sum of the tests alone on the last line.
pub(crate) fn summary(results: &[StepResult]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let mut total = TestCounts::default();
    for step in results {
        total += step.counts;
        let _ = writeln!(
            text,
            "{:<6} {:<50} {:>7.1} s  {:>5} passed {:>3} failed",
            if step.passed { "ok" } else { "FAILED" },
            step.name,
            step.duration.as_secs_f64(),
            step.counts.passed,
            step.counts.failed,
        );
    }
    let seconds: f64 = results.iter().map(|step| step.duration.as_secs_f64()).sum();
    let _ = writeln!(text, "{:<6} {:<50} {seconds:>7.1} s", "", "all steps");
    for step in results {
        let slowest = step.slowest.table();
        if !slowest.is_empty() {
            let _ = write!(text, "\nslowest in {}:\n{slowest}", step.name);
        }
    }
    let _ = write!(text, "\n{} passed, {} failed", total.passed, total.failed);
    if total.skipped > 0 {
        let _ = write!(text, ", {} skipped", total.skipped);
    }
    text
}

fn announce(name: &str) {
    println!("\n── {name}");
    // A closed standard output is no reason to stop testing.
    let _ = io::stdout().flush();
}

fn cannot_start(command: &Command, source: io::Error) -> TaskError {
    TaskError::CannotStart {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    }
}

/// Runs a command, copies its two streams to `out` and `err`, and adds up the counts it prints.
fn stream(
    runner: Runner,
    command: &mut Command,
    out: impl Write + Send + 'static,
    err: impl Write + Send + 'static,
) -> Result<(ExitStatus, Seen), TaskError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| cannot_start(command, source))?;
    let readers: Vec<_> = [
        child.stdout.take().map(|pipe| pass_on(runner, pipe, out)),
        child.stderr.take().map(|pipe| pass_on(runner, pipe, err)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut seen = Seen::default();
    for reader in readers {
        let read = reader.join().unwrap_or_default();
        seen.counts += read.counts;
        seen.slowest.extend(read.slowest);
    }
    let status = child
        .wait()
        .map_err(|source| cannot_start(command, source))?;
    Ok((status, seen))
}

/// Copies `from` to `to` by lines on a thread of its own and adds up the counts it sees. That a test passed is counted,
/// not copied.
fn pass_on(
    runner: Runner,
    from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
) -> thread::JoinHandle<Seen> {
    thread::spawn(move || {
        let mut seen = Seen::default();
        let mut reader = BufReader::new(from);
        let mut line = Vec::new();
        while reader
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line);
            if let Some(found) = counts_in_line(runner, &text) {
                seen.counts += found;
            }
            if runner != Runner::Nextest || !seen.slowest.read(&text) {
                // The counts matter more than a terminal that has gone away.
                let _ = to.write_all(&line);
                let _ = to.flush();
            }
            line.clear();
        }
        seen
    })
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use std::sync::Arc;

    use super::*;

    /// What was written, for who comes afterwards.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone()).unwrap()
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_runner_that_fails_without_counts_is_one_failure() {
        let result = run_tests("broken", Runner::CargoTest, &mut shell("exit 3"));
        assert!(!result.passed);
        assert_eq!(result.counts.failed, 1);
    }

    #[test]
    fn counts_of_both_streams_are_added_up() {
        let script = "echo 'test result: ok. 2 passed; 0 failed; 0 ignored'; \
                      echo 'test result: ok. 3 passed; 0 failed; 1 ignored' >&2";
        // Not to our own output, where the runner of this test would be miscounted.
        let (status, seen) = stream(
            Runner::CargoTest,
            &mut shell(script),
            io::sink(),
            io::sink(),
        )
        .unwrap();
        assert!(status.success());
        assert_eq!(
            seen.counts,
            TestCounts {
                passed: 5,
                failed: 0,
                skipped: 1
            }
        );
    }

    #[test]
    fn a_test_that_passed_is_timed_and_not_copied() {
        let script =
            "echo '  PASS [   2.500s] (1/2) a::b one'; echo '  FAIL [   1.500s] (2/2) a::b two'";
        let copied = Shared::default();
        let (_, seen) = stream(
            Runner::Nextest,
            &mut shell(script),
            copied.clone(),
            io::sink(),
        )
        .unwrap();
        assert_eq!(
            seen.slowest.table(),
            "     2.5 s  a::b one\n     1.5 s  a::b two\n"
        );
        assert_eq!(copied.text(), "  FAIL [   1.500s] (2/2) a::b two\n");
    }

    #[test]
    fn the_summary_ends_with_the_sum_alone_on_a_line() {
        let results = [
            StepResult {
                name: "rustfmt",
                passed: true,
                duration: Duration::from_millis(1200),
                counts: TestCounts {
                    passed: 1,
                    ..TestCounts::default()
                },
                slowest: Slowest::default(),
            },
            StepResult {
                name: "tests",
                passed: false,
                duration: Duration::from_secs(60),
                counts: TestCounts {
                    passed: 40,
                    failed: 2,
                    skipped: 0,
                },
                slowest: Slowest::default(),
            },
        ];
        let text = summary(&results);
        assert_eq!(text.lines().last(), Some("41 passed, 2 failed"));
        assert!(text.contains("FAILED tests"));
    }
}
