//! `panel-package OUT`: compiles the panel to WebAssembly, makes the JavaScript around it, and puts both beside its
//! assets into the folder `OUT`, from which a browser can load it. Prints how large it is.

use std::fs;
use std::io::Write;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_bindgen_cli_support::{Bindgen, Output};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "panel";

#[derive(Debug, thiserror::Error)]
enum PackageError {
    #[error("give one argument: the folder to put the panel into")]
    Usage,
    #[error("{path}: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the panel does not compile; the compiler says why above")]
    Compile,
    #[error("the JavaScript around the panel could not be made: {0}")]
    Glue(String),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), PackageError> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(out), None) = (arguments.next(), arguments.next()) else {
        return Err(PackageError::Usage);
    };
    let out = PathBuf::from(out);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let panel = package.parent().unwrap_or(package);
    let root = panel.parent().unwrap_or(panel);
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from);

    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args([
            "build",
            "--locked",
            "--quiet",
            "--package",
            "panel",
            "--lib",
        ])
        .args(["--target", TARGET, "--profile", PROFILE])
        .current_dir(root)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err(PackageError::Compile);
    }
    let compiled = target.join(TARGET).join(PROFILE).join("panel.wasm");
    fs::create_dir_all(&out).map_err(of(&out))?;
    let glue = |error: &dyn std::fmt::Display| PackageError::Glue(error.to_string());
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&compiled)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    let mut output = bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate_output())
        .map_err(|error| glue(&error))?;
    let names = shorten_imports(&mut output);
    output.emit(&out).map_err(|error| glue(&error))?;
    let script = out.join("panel.js");
    let text = fs::read_to_string(&script).map_err(of(&script))?;
    let text = with_names(&text, &names).map_err(|name| glue(&format!("no import {name}")))?;
    fs::write(&script, text).map_err(of(&script))?;
    for (folder, name) in [
        ("assets", "index.html"),
        ("assets", "start.js"),
        ("assets", "panel.css"),
        ("editor/dist", "editor.js"),
    ] {
        let from = panel.join(folder).join(name);
        fs::copy(&from, out.join(name)).map_err(of(&from))?;
    }
    report(&out)
}

/// Gives each function that the program imports a short name: the generator's end with a hash, which does not compress.
/// Returns the old and the new names.
fn shorten_imports(output: &mut Output) -> Vec<(String, String)> {
    let imports = output.wasm_mut().imports.iter_mut();
    let names = imports.enumerate().map(|(number, import)| {
        let short = format!("i{number}");
        (mem::replace(&mut import.name, short.clone()), short)
    });
    names.collect()
}

/// The glue with these names for its functions, each a member of the object that the program imports.
///
/// # Errors
/// The name that is not there once.
fn with_names(glue: &str, names: &[(String, String)]) -> Result<String, String> {
    let mut text = glue.to_owned();
    for (old, new) in names {
        let member = format!("\n        {old}: ");
        if text.matches(&member).count() != 1 {
            return Err(old.clone());
        }
        text = text.replace(&member, &format!("\n        {new}: "));
    }
    Ok(text)
}

/// Says how large each file is, and all together when they are compressed.
fn report(out: &Path) -> Result<(), PackageError> {
    let mut all = 0;
    for entry in fs::read_dir(out).map_err(of(out))?.flatten() {
        let path = entry.path();
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).map_err(of(&path))?;
        let compressed = compressed(&bytes).map_err(of(&path))?;
        all += compressed;
        let name = entry.file_name();
        println!("{:>9} {:>9} {}", bytes.len(), compressed, name.display());
    }
    println!("{:>9} {all:>9} bytes compressed", "");
    Ok(())
}

fn compressed(bytes: &[u8]) -> std::io::Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

fn of(path: &Path) -> impl Fn(std::io::Error) -> PackageError {
    move |source| PackageError::File {
        path: path.to_owned(),
        source,
    }
}
