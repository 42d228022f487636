//! Project commands, run as `cargo xtask NAME`.
//!
//! Each command installs what it needs or names the exact line to type, so that a fresh Debian or Ubuntu
//! machine with Rust needs nothing else. CI runs `cargo xtask test` and nothing more.

mod bench;
mod book;
mod browser;
mod bundles;
mod demo;
mod dependency_policy;
mod error;
mod extension;
mod fuzz;
mod linted_build;
mod node;
mod npm_licences;
mod panel;
mod prolog;
mod protocol;
mod slowest;
mod steps;
mod test;
mod test_counts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::TaskError;

/// Project commands of Querypoint.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build Querypoint and show it finding the defect of a buggy page.
    Demo(BrowserOption),
    /// Run everything that CI runs: style, lints, licences, unit, end-to-end and documentation tests.
    Test(test::TestOptions),
    /// Measure what hooks, rewriting and questions cost, and write docs/benchmarks.md. Needs npm.
    Bench {
        #[command(flatten)]
        options: bench::BenchOptions,
        #[command(flatten)]
        browser: BrowserOption,
    },
    /// Feed the parsers and rewriters what no person would write, for some minutes each. Needs a nightly compiler,
    /// cargo-fuzz and npm.
    Fuzz(fuzz::FuzzOptions),
    /// Compile the panel to WebAssembly and put it where `querypoint serve` finds it. Needs the target
    /// wasm32-unknown-unknown.
    Panel,
    /// Make the panel an extension of the browser's developer tools: a folder to load, and an archive for a store.
    Extension,
    /// Bundle the modules of agent/js into agent/dist, which the crate `agent` reads. Needs npm.
    Agent,
    /// Bundle the panel's view of source, wasm/editor, into its folder dist, which the panel is put together with.
    /// Needs npm.
    Editor,
    /// Make a book of docs/, in target/book, and follow each of its links.
    Book,
    /// Generate the typed commands and events of the protocol that cdp-driver/protocol.list names.
    Protocol,
    /// Check only the dependencies: their licences, and versions with known faults (see deny.toml).
    Licences,
}

/// Where Chromium is, for the commands that need one.
#[derive(clap::Args, Debug)]
struct BrowserOption {
    /// The Chromium to use; otherwise QUERYPOINT_BROWSER, then PATH, then (as root) apt.
    #[arg(long, value_name = "PATH", env = "QUERYPOINT_BROWSER")]
    browser: Option<PathBuf>,
}

fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    let outcome = match &command_line.command {
        Task::Demo(option) => demo::run(option.browser.as_deref()),
        Task::Test(options) => test::run(options),
        Task::Bench { options, browser } => bench::run(options, browser.browser.as_deref()),
        Task::Fuzz(options) => fuzz::run(options),
        Task::Panel => repository_root()
            .and_then(|root| panel::run(&mut panel::packer(root), root))
            .map(|_| ExitCode::SUCCESS),
        Task::Extension => repository_root()
            .and_then(extension::run)
            .map(|()| ExitCode::SUCCESS),
        Task::Agent => repository_root()
            .and_then(|root| bundles::run(root, bundles::AGENT))
            .map(|()| ExitCode::SUCCESS),
        Task::Editor => repository_root()
            .and_then(|root| bundles::run(root, bundles::EDITOR))
            .map(|()| ExitCode::SUCCESS),
        Task::Book => repository_root()
            .and_then(|root| book::run(&mut book::binder(root), root))
            .map(|()| ExitCode::SUCCESS),
        Task::Protocol => repository_root()
            .and_then(protocol::run)
            .map(|()| ExitCode::SUCCESS),
        Task::Licences => repository_root()
            .and_then(dependency_policy::run)
            .map(|()| ExitCode::SUCCESS),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root folder.
fn repository_root() -> Result<&'static Path, TaskError> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or(TaskError::NoRepository)
}
