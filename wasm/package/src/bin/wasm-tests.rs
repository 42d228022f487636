//! `wasm-tests FILE.wasm [NAME]`: runs the tests of a crate that was compiled for `wasm32-unknown-unknown`, in Node,
//! and prints what libtest prints. Cargo starts it as the runner of that target. With a name only the tests that have
//! it in theirs run.
//!
//! The tests are those of `wasm_bindgen_test`: each is a function that the file exports as `__wbgt_…`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wasm_bindgen_cli_support::Bindgen;

/// What the names of tests begin with, among the exports.
const TEST: &str = "__wbgt_";

#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error("give the file of the compiled tests, and a part of the names of those to run")]
    Usage,
    #[error("{path}: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the JavaScript around {path} could not be made: {why}")]
    Glue { path: PathBuf, why: String },
    #[error(
        "{path} holds no test; a module of tests needs `use wasm_bindgen_test::wasm_bindgen_test as test;` on wasm32"
    )]
    NoTests { path: PathBuf },
    #[error("node cannot be started: {0}; install Node")]
    NoNode(std::io::Error),
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all tests passed.
fn run() -> Result<bool, RunError> {
    let mut arguments = std::env::args_os().skip(1);
    let path = PathBuf::from(arguments.next().ok_or(RunError::Usage)?);
    let wanted = arguments.next().map(|it| it.to_string_lossy().into_owned());
    let wanted = wanted.unwrap_or_default();
    // In the target folder, beside the compiled tests.
    let folder = path.with_extension("node");
    let tests = glue(&path, &folder)?;
    if tests.is_empty() {
        return Err(RunError::NoTests { path });
    }
    let all = tests.len();
    let chosen: Vec<String> = tests
        .into_iter()
        .filter(|it| it.contains(&wanted))
        .collect();
    let script = folder.join("run.cjs");
    fs::write(&script, starter(&chosen, all - chosen.len())).map_err(|source| RunError::File {
        path: script.clone(),
        source,
    })?;
    let status = Command::new("node").arg(&script).status();
    Ok(status.map_err(RunError::NoNode)?.success())
}

/// Puts what Node loads into a folder; the exports that are tests.
fn glue(path: &Path, folder: &Path) -> Result<Vec<String>, RunError> {
    let failed = |error: &dyn std::fmt::Display| RunError::Glue {
        path: path.to_owned(),
        why: error.to_string(),
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(path)
        .out_name("tests")
        .typescript(false)
        .export_wasm(true)
        // The entry of libtest, which has no standard output here.
        .emit_start(false);
    let mut output = bindgen
        .nodejs(true)
        .and_then(|bindgen| bindgen.generate_output())
        .map_err(|error| failed(&error))?;
    let exports = output.wasm().exports.iter();
    let tests = exports.filter(|export| export.name.starts_with(TEST));
    let mut tests: Vec<String> = tests.map(|export| export.name.clone()).collect();
    tests.sort();
    output.emit(folder).map_err(|error| failed(&error))?;
    Ok(tests)
}

/// What Node runs: the tests one after the other. `left_out` is how many were not chosen.
fn starter(tests: &[String], left_out: usize) -> String {
    // The names are parts of Rust paths, which are text in JavaScript as they are in Rust.
    format!(
        "'use strict';\n\
         const log = console.log.bind(console);\n\
         globalThis.__wbgtest_og_console_log = log;\n\
         globalThis.__wbg_test_invoke = (test) => test();\n\
         const tests = require('./tests.js');\n\
         // What a test logs is shown if it fails.\n\
         console.log = (...logged) => tests.__wbgtest_console_log(logged);\n\
         const context = new tests.WasmBindgenTestContext(false);\n\
         context.filtered_count({left_out});\n\
         const chosen = {tests:?}.map((name) => tests.__wasm[name]);\n\
         context.run(chosen).then(\n\
         \x20   (passed) => process.exit(passed ? 0 : 1),\n\
         \x20   (error) => {{ console.error(error); process.exit(1); }},\n\
         );\n"
    )
}
