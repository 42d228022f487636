//! `cargo xtask test`: everything that CI runs, the fast checks first.
//!
//! One target folder and one profile serve all steps, and one build: it judges the code as Clippy does, and the
//! programs that later steps run are of it. `wasm32` is another target, so that compiles apart; nothing else compiles
//! twice.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::book;
use crate::browser::{self, Browsers};
use crate::bundles;
use crate::dependency_policy;
use crate::error::TaskError;
use crate::extension;
use crate::linted_build;
use crate::node;
use crate::panel;
use crate::prolog;
use crate::steps::{StepResult, cargo, run_check, run_tests, run_through, summary};
use crate::test_counts::Runner;
use crate::{BrowserOption, repository_root};

/// The pure crate (they run inside an extension, too: no input or output, no clock of their own) that the engine's
/// tests on `wasm32` do not build: the others are below the engine.
const BESIDE_THE_ENGINE: &str = "diagnosis";

/// By what cargo runs what is compiled for `wasm32`.
const WASM_RUNNER: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER";

/// What `cargo xtask test` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct TestOptions {
    #[command(flatten)]
    browser: BrowserOption,
    /// Try every program and fixture that judges try, not the part of them that an ordinary run tries.
    #[arg(long)]
    every_program: bool,
}

/// Runs all checks and tests, prints the summary and gives the exit status.
///
/// A failed step does not stop the later ones: one run shows everything there is to repair.
///
/// # Errors
/// If there is no browser to test with.
pub(crate) fn run(options: &TestOptions) -> Result<ExitCode, TaskError> {
    let root = repository_root()?;
    let browsers = browser::find_or_install(options.browser.browser.as_deref())?;
    println!("browser: {browsers}");
    browser::find_or_install_firefox()?;
    node::find_or_install()?;
    prolog::find_or_install()?;
    let runner = installed_runner();

    let results: Vec<StepResult> = vec![
        run_check("rustfmt", || {
            run_through(cargo(root).args(["fmt", "--all", "--check"]))
        }),
        run_check("licences and advisories", || dependency_policy::run(root)),
        run_check("agent: style, types, bundle", || {
            bundles::check(root, bundles::AGENT)
        }),
        run_check("editor: style, types, bundle", || {
            bundles::check(root, bundles::EDITOR)
        }),
        run_tests(
            "agent in Node",
            Runner::Node,
            &mut bundles::tests(root, bundles::AGENT),
        ),
        run_tests(
            "editor in Node",
            Runner::Node,
            &mut bundles::tests(root, bundles::EDITOR),
        ),
        run_check("build, judged by Clippy", || linted_build::run(root)),
        // Tests show it in a browser.
        run_check("panel and extension, judged by Clippy", || {
            panel::install_target(root)?;
            linted_build::panel(root)?;
            let mut packer = Command::new(linted_build::program("panel-package")?);
            linted_build::judges(&mut packer)?;
            extension::put_together(&mut packer, root).map(drop)
        }),
        run_tests(
            "unit and end to end",
            runner,
            for_tests(&mut test_command(root, runner, options)?, &browsers),
        ),
        run_tests(
            "documentation examples",
            Runner::CargoTest,
            for_tests(
                linted_build::command(root)?.args([
                    "test",
                    "--locked",
                    "--workspace",
                    "--exclude",
                    "panel",
                    "--doc",
                ]),
                &browsers,
            ),
        ),
        run_check("the book", || {
            book::run(&mut Command::new(linted_build::program("book")?), root)
        }),
        run_check("the pure crate beside the engine on wasm32", || {
            check_wasm(root)
        }),
        // The runner is the one that cargo's configuration names, as it is built.
        run_tests(
            "the engine on wasm32, in Node",
            Runner::CargoTest,
            cargo(root)
                .env(WASM_RUNNER, linted_build::program("wasm-tests")?)
                .args(["test", "--locked", "--target", panel::TARGET])
                .args(["--package", "engine", "--lib"]),
        ),
    ];

    println!("\n{}", summary(&results));
    Ok(if results.iter().all(|step| step.passed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// nextest where it is installed (faster, one process a test), else the runner that comes with cargo.
fn installed_runner() -> Runner {
    let has_nextest = Command::new("cargo")
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if has_nextest {
        Runner::Nextest
    } else {
        Runner::CargoTest
    }
}

/// How many tests run at once: half as many more as there are cores, because a test waits for its browser a quarter of
/// its time.
fn at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores + cores.div_ceil(2)
}

fn test_command(root: &Path, runner: Runner, options: &TestOptions) -> Result<Command, TaskError> {
    let mut command = linted_build::command(root)?;
    if options.every_program {
        command.env("QUERYPOINT_EVERY_PROGRAM", "1");
    }
    if runner == Runner::Nextest {
        command
            .args([
                "nextest",
                "run",
                "--locked",
                "--workspace",
                "--exclude",
                "panel",
                "--no-fail-fast",
            ])
            .args(["--test-threads", &at_once().to_string()])
            // One line for each test; of those that pass the time is read, and they are counted in the summary.
            .args(["--status-level", "pass", "--hide-progress-bar"]);
    } else {
        command
            .args([
                "test",
                "--locked",
                "--workspace",
                "--exclude",
                "panel",
                "--no-fail-fast",
            ])
            .args(["--lib", "--bins", "--tests"]);
    }
    Ok(command)
}

fn for_tests<'command>(
    command: &'command mut Command,
    browsers: &Browsers,
) -> &'command mut Command {
    browsers
        .are_used_by(command)
        // A snapshot that is missing or differs is a failure, not a file to write.
        .env("INSTA_UPDATE", "no")
}

fn check_wasm(root: &Path) -> Result<(), TaskError> {
    let mut check = cargo(root);
    check.args(["check", "--locked", "--quiet", "--target", panel::TARGET]);
    run_through(check.args(["--package", BESIDE_THE_ENGINE]))
}
