//! `cargo xtask bench`: builds the benchmarks with optimisation, installs what they measure with, runs them.
//!
//! The npm packages go to the target folder, which git ignores: some of what is in them is under the GPL. Their
//! versions are named, so that two runs measure the same.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::browser;
use crate::error::TaskError;
use crate::panel;
use crate::repository_root;
use crate::steps::{cargo, run_through};

/// What is measured with. TypeScript is the last version whose compiler is one script of 9 MB.
const PACKAGES: [&str; 4] = [
    "benchmark-octane@1.0.1",
    "react-dom@19.3.1",
    "three@0.187.0",
    "typescript@5.9.3",
];
/// What the pages are made of whose values are followed, and what builds them.
const ORIGIN_PACKAGES: [&str; 24] = [
    "@preact/signals-core@1.12.1",
    "@reduxjs/toolkit@2.9.0",
    "@tanstack/query-core@5.90.2",
    "alpinejs@3.17.5",
    "esbuild@0.25.10",
    "handlebars@4.7.10",
    "immer@10.1.3",
    "immutable@5.2.1",
    "jotai@2.15.0",
    "jquery@4.0.0",
    "knockout@3.5.3",
    "lit@3.3.3",
    "lodash-es@4.17.21",
    "mithril@2.3.8",
    "mobx@6.15.0",
    "preact@11.2.0",
    "react-dom@19.2.0",
    "react@19.2.0",
    "rxjs@7.8.2",
    "solid-js@1.9.19",
    "underscore@1.13.8",
    "valtio@2.1.8",
    "vue@3.5.22",
    "zustand@5.0.8",
];
const INSTALL_NPM: &str =
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends npm";

/// Which benchmarks, and how long.
#[derive(clap::Args)]
pub(crate) struct BenchOptions {
    /// Only this benchmark: hooks, octane, live, log, rewriting, questions, applications, recordings, chains,
    /// omissions, memory, panel, origin or questions-asked (may be given several times). What was measured last of the
    /// others stays.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Few rounds: to see whether it works, not to see how fast it is.
    #[arg(long)]
    quick: bool,
}

/// Runs the benchmarks, keeps what they measure in `benches/measured`, and writes `docs/benchmarks.md` of it.
///
/// # Errors
/// If there is no browser or no npm, or if something does not build.
pub(crate) fn run(
    options: &BenchOptions,
    given_browser: Option<&Path>,
) -> Result<ExitCode, TaskError> {
    let root = repository_root()?;
    let browsers = browser::find_or_install(given_browser)?;
    let folder = root.join("target").join("bench");
    install_packages(&folder, &PACKAGES)?;
    let is_asked = |name: &str| options.only.is_empty() || options.only.iter().any(|it| it == name);
    let origins = root.join("target").join("bench-origins");
    if is_asked("origin") {
        install_packages(&origins, &ORIGIN_PACKAGES)?;
    }
    let mut bench = cargo(root);
    bench
        .args([
            "run",
            "--locked",
            "--release",
            "--quiet",
            "--package",
            "benches",
            "--",
        ])
        .arg("--packages")
        .arg(folder.join("node_modules"))
        .arg("--origin-packages")
        .arg(&origins)
        .arg("--repository")
        .arg(root)
        .arg("--out")
        .arg(root.join("docs").join("benchmarks.md"));
    browsers.are_used_by(&mut bench);
    for name in &options.only {
        bench.args(["--only", name]);
    }
    if options.quick {
        bench.arg("--quick");
    }
    println!("building with optimisation; the first time takes minutes");
    if ["applications", "panel", "origin"]
        .into_iter()
        .any(is_asked)
    {
        build_command(root)?;
    }
    run_through(&mut bench)?;
    Ok(ExitCode::SUCCESS)
}

/// Builds the command with optimisation, and puts the panel beside it.
fn build_command(root: &Path) -> Result<(), TaskError> {
    run_through(
        cargo(root)
            .args(["build", "--locked", "--release", "--quiet"])
            .args(["--package", "querypoint-cli"]),
    )?;
    let out = root.join("target").join("release").join("panel");
    panel::put_into(&mut panel::packer(root), root, &out)
}

/// Installs the packages with npm, unless just these are there already.
fn install_packages(folder: &Path, packages: &[&str]) -> Result<(), TaskError> {
    let wanted = packages.join("\n");
    let stamp = folder.join("installed");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let has_npm = Command::new("npm")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_npm {
        return Err(TaskError::NoNpm {
            install: INSTALL_NPM,
        });
    }
    let unwritable = |source| TaskError::Unwritable {
        path: folder.to_owned(),
        source,
    };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    // With this file npm takes the folder for the package, and not one of those above it.
    std::fs::write(folder.join("package.json"), "{ \"private\": true }\n").map_err(unwritable)?;
    run_through(
        Command::new("npm")
            // Scripts of packages are not needed, so they are not run.
            .args([
                "install",
                "--no-save",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
            ])
            .args(packages)
            .current_dir(folder),
    )?;
    std::fs::write(stamp, wanted).map_err(unwritable)
}
