//! The `querypoint` command: reads what was typed, has the other crates do the work, shows the answer.
//!
//! The contract of its output: the answer and nothing else on standard output; progress and errors on
//! standard error; the exit statuses of [`exit`].

mod arguments;
mod commands;
mod exit;
mod progress;
mod render;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Command, CommandLine};
use app::failure::Failure;

/// A syntax tree is millions of small boxes: with this allocator rewriting nine megabytes takes two thirds of the
/// time (see `docs/benchmarks.md`, which is measured with it).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As much as a main thread has; a worker would have a quarter of it.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    // clap prints wrong usage itself and ends with status 2, help with status 0.
    let command_line = CommandLine::parse();
    match run(command_line.command) {
        Ok(code) => code,
        Err(failure) => {
            exit::show(&failure);
            exit::code(&failure)
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    // These need no browser.
    match &command {
        Command::Rewrite(arguments) => return commands::rewrite::run(arguments),
        Command::Export(arguments) => return commands::export::run(arguments),
        Command::Import(arguments) => return commands::import::run(arguments),
        Command::Query(arguments) => return commands::query::run(arguments),
        Command::Compare(arguments) => return commands::compare::run(arguments),
        Command::InstallHost(arguments) => return commands::install_host::run(arguments),
        Command::NativeHost(arguments) => return commands::native_host::run(arguments),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // A question is one large future, and what it calls recurses over syntax trees.
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    let is_question = matches!(
        command,
        Command::Ask(_)
            | Command::Plan(_)
            | Command::Replay(_)
            | Command::Log(_)
            | Command::Minimize(_)
            | Command::Diagnose(_)
            | Command::Demo(_)
    );
    // The others have something to write when they are interrupted.
    if is_question {
        runtime.spawn(commands::signals::end_after_a_signal());
    }
    runtime.block_on(async {
        match command {
            Command::Ask(arguments) => commands::ask::run(&arguments).await,
            Command::Plan(arguments) => commands::plan::run(&arguments).await,
            Command::Record(arguments) => commands::record::run(&arguments).await,
            Command::Replay(arguments) => commands::replay::run(&arguments).await,
            Command::Log(arguments) => commands::log::run(&arguments).await,
            Command::Query(arguments) => commands::query::run(&arguments),
            Command::Compare(arguments) => commands::compare::run(&arguments),
            Command::Minimize(arguments) => commands::minimize::run(&arguments).await,
            Command::Diagnose(arguments) => commands::diagnose::run(&arguments).await,
            Command::Serve(arguments) => commands::serve::run(&arguments).await,
            Command::Demo(arguments) => commands::demo::run(&arguments).await,
            Command::Rewrite(arguments) => commands::rewrite::run(&arguments),
            Command::Export(arguments) => commands::export::run(&arguments),
            Command::Import(arguments) => commands::import::run(&arguments),
            Command::InstallHost(arguments) => commands::install_host::run(&arguments),
            Command::NativeHost(arguments) => commands::native_host::run(&arguments),
        }
    })
}
