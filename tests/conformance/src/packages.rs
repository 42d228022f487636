//! The npm packages that tests run: installed into the target folder, with the versions of a lock file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs the packages of these tests unless they are there, and gives the folder `node_modules`.
///
/// # Errors
/// If npm is not there, or cannot install them.
pub fn install() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    install_from(&root.join("packages"), "conformance")
}

/// Installs what `package.json` and `package-lock.json` in `packages` name into the folder `name` of the target folder,
/// unless it is there, and gives its `node_modules`.
///
/// # Errors
/// If npm is not there, or cannot install them.
pub fn install_from(packages: &Path, name: &str) -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../../target").join(name);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    // Tests are processes that run at the same time.
    let guard = File::create(folder.join("lock")).map_err(failed)?;
    guard.lock().map_err(failed)?;
    let lock_file = fs::read(packages.join("package-lock.json")).map_err(failed)?;
    let stamp = folder.join("installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock_file) {
        return Ok(folder.join("node_modules"));
    }
    for file in ["package.json", "package-lock.json"] {
        fs::copy(packages.join(file), folder.join(file)).map_err(failed)?;
    }
    let output = Command::new("npm")
        // Scripts of packages are not needed, so they are not run; nor is what others may want beside them.
        .args([
            "ci",
            "--ignore-scripts",
            "--legacy-peer-deps",
            "--no-audit",
            "--no-fund",
        ])
        .current_dir(&folder)
        .output()
        .map_err(|error| format!("npm: {error}; it is installed by `cargo xtask test`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("npm ended with {}: {said}", output.status));
    }
    fs::write(stamp, lock_file).map_err(failed)?;
    Ok(folder.join("node_modules"))
}
