//! Benchmarks: what hooks, rewriting and questions cost, beside the same without them.
//!
//! Run by `cargo xtask bench`, which builds this with optimisation and installs the npm packages it measures with.

mod applications;
mod chains;
mod error;
mod event_log;
mod hooks;
mod kept;
mod machine;
mod memory;
mod octane;
mod omissions;
mod origins;
mod panel;
mod plan;
mod questions;
mod questions_asked;
mod recordings;
mod report;
mod statistics;
mod stops;
mod tab;
mod throughput;
mod user;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cdp_driver::native::{Browser, LaunchOptions, Purpose, find_browser};
use clap::{Parser, ValueEnum};

use crate::error::BenchError;
use crate::kept::Kept;
use crate::machine::Machine;
use crate::octane::Hooks;
use crate::report::{Measured, Section, bounds_table, page};

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Benchmarks of Querypoint.
#[derive(Parser)]
struct CommandLine {
    /// Only these.
    #[arg(long, value_name = "NAME")]
    only: Vec<Name>,
    /// Only this program of the Octane suite, or this application.
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Few rounds: to see whether it works, not to see how fast it is.
    #[arg(long)]
    quick: bool,
    /// The folder `node_modules` with the packages.
    #[arg(long, value_name = "FOLDER")]
    packages: PathBuf,
    /// The folder with the packages of the pages whose values are followed.
    #[arg(long, value_name = "FOLDER")]
    origin_packages: Option<PathBuf>,
    /// The Chromium to use; by default the one that the command would find: the headless shell where there is one, the
    /// full browser for the panel.
    #[arg(long, value_name = "PATH", env = "QUERYPOINT_BROWSER")]
    browser: Option<PathBuf>,
    /// The `querypoint` command, with the panel beside it.
    #[arg(long, value_name = "PATH", default_value = "target/release/querypoint")]
    command: PathBuf,
    /// The root of the repository.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,
    /// Where the page is written, of all that was measured last.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Ask one question of a large page and print what it took: what the memory benchmark calls.
    #[arg(long, hide = true, value_name = "HOOKS")]
    peak_of: Option<String>,
    /// Ask a chain of questions of a page with so many events and print what it took: what the chains benchmark calls.
    #[arg(long, hide = true, value_name = "EVENTS")]
    peak_of_events: Option<u32>,
}

/// The benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    Hooks,
    Octane,
    Live,
    Log,
    Rewriting,
    Questions,
    Applications,
    Recordings,
    Chains,
    Omissions,
    Memory,
    Panel,
    Origin,
    QuestionsAsked,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&CommandLine::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command_line: &CommandLine) -> Result<ExitCode, BenchError> {
    let CommandLine {
        only,
        quick,
        packages,
        repository,
        ..
    } = command_line;
    if let Some(mode) = &command_line.peak_of {
        memory::child(mode, command_line.browser.clone(), packages).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(events) = command_line.peak_of_events {
        chains::child(events, command_line.browser.clone()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let executable = find_browser(command_line.browser.as_deref(), Purpose::Pages)?;
    let browser = launch(&executable).await?;
    let version = browser
        .protocol()
        .send(None, "Browser.getVersion", serde_json::json!({}))
        .await?;
    let version = version
        .get("product")
        .and_then(serde_json::Value::as_str)
        .unwrap_or("unknown");
    let mut measured = Vec::new();
    let mut failed = 0;
    let is_whole = command_line.program.is_none() && !quick;
    for name in Name::value_variants() {
        if !only.is_empty() && !only.contains(name) {
            continue;
        }
        eprintln!("{name:?}");
        let on = Machine::look(version, repository);
        // One that cannot be measured does not take the others along.
        let section = match measure(*name, command_line, &browser, &executable).await {
            Ok(section) => section,
            Err(error) => {
                eprintln!("error: {name:?}: {error}");
                failed += 1;
                continue;
            }
        };
        show(&section);
        let section = Measured { on, section };
        if is_whole {
            Kept::of(repository).keep(*name, &section)?;
        }
        measured.push(section);
    }
    browser.close().await;

    if let Some(out) = command_line.out.as_ref().filter(|_| is_whole) {
        let sections = Kept::of(repository).all()?;
        std::fs::write(out, page(&sections)).map_err(BenchError::file(out))?;
        println!("{} is written", out.display());
    }
    let bounds = measured.iter().flat_map(|it| &it.section.bounds);
    let broken = bounds.filter(|bound| !bound.holds()).count();
    let many = |count: usize| if count == 1 { "" } else { "s" };
    let unwritten = match is_whole {
        true => "",
        false => "; not all of a benchmark was measured, so nothing is written",
    };
    println!("{broken} bound{} missed{unwritten}", many(broken));
    if failed > 0 {
        println!(
            "{failed} benchmark{} failed; what they said is above",
            many(failed)
        );
    }
    Ok(match broken + failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Measures one of them.
async fn measure(
    name: Name,
    command_line: &CommandLine,
    browser: &Browser,
    executable: &Path,
) -> Result<Section, BenchError> {
    let CommandLine {
        quick,
        packages,
        repository,
        program,
        command,
        ..
    } = command_line;
    let (quick, program) = (*quick, program.as_deref());
    match name {
        Name::Hooks => hooks::run(browser, quick).await,
        Name::Octane => octane::run(browser, packages, program, Hooks::Dormant, quick).await,
        Name::Live => {
            let mut section = octane::run(browser, packages, program, Hooks::Live, quick).await?;
            let (text, bound) = stops::run(browser, quick).await?;
            section.text.push_str(&text);
            section.bounds.push(bound);
            Ok(section)
        }
        Name::Log => event_log::run(browser, packages, program, quick).await,
        Name::Rewriting => throughput::run(packages, quick),
        Name::Questions => questions::run(browser, repository, quick).await,
        Name::Applications => applications::run(browser, command, repository, program, quick).await,
        Name::Recordings => recordings::run(browser, repository, quick).await,
        Name::Chains => chains::run(browser, executable, packages, quick).await,
        Name::Omissions => omissions::run(browser, packages, repository).await,
        Name::Memory => memory::run(executable, packages, quick),
        Name::QuestionsAsked => {
            questions_asked::run(command_line.browser.as_deref(), repository, quick).await
        }
        Name::Panel => {
            let executable = find_browser(command_line.browser.as_deref(), Purpose::Everything)?;
            let browser = launch(&executable).await?;
            let section = panel::run(&browser, command, quick).await;
            browser.close().await;
            section
        }
        Name::Origin => {
            let folder = command_line.origin_packages.as_deref().unwrap_or(packages);
            origins::run(command, repository, folder, quick).await
        }
    }
}

async fn launch(executable: &Path) -> Result<Browser, BenchError> {
    let options = LaunchOptions {
        executable: Some(executable.to_owned()),
        ..LaunchOptions::default()
    };
    Ok(Browser::launch(options).await?)
}

fn show(section: &Section) {
    println!(
        "\n## {}\n\n{}\n{}",
        section.title,
        section.text,
        bounds_table(section.bounds.iter())
    );
}
