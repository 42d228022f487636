//! Which browser it is, told without opening a page.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::Browser;
use crate::error::BrowserError;
use crate::protocol::Call as _;
use crate::protocol::generated::browser::GetVersion;

/// How long a program may take to print its version.
const LIMIT: Duration = Duration::from_secs(10);

/// What `executable --version` prints, such as `Chromium 156.0.8078.79`.
///
/// # Errors
/// [`BrowserError::NotStarted`] if it cannot be run, fails, prints nothing, or takes longer than 10 s.
pub async fn version_of(executable: &Path) -> Result<String, BrowserError> {
    let not_started = |why: String| BrowserError::NotStarted {
        executable: executable.display().to_string(),
        why,
    };
    let output = tokio::process::Command::new(executable)
        .arg("--version")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = match tokio::time::timeout(LIMIT, output).await {
        Ok(output) => output.map_err(|error| not_started(error.to_string()))?,
        Err(_) => return Err(not_started("it does not print its version".to_owned())),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    match text.trim() {
        version if output.status.success() && !version.is_empty() => Ok(version.to_owned()),
        _ => Err(not_started("it does not say its version".to_owned())),
    }
}

impl Browser {
    /// What this browser says that it is, such as `Chrome/156.0.8078.79`.
    ///
    /// # Errors
    /// [`BrowserError::Protocol`] if the connection is lost.
    pub async fn version(&self) -> Result<String, BrowserError> {
        let protocol = self.protocol();
        Ok(protocol.call(None, &GetVersion {}).await?.product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_that_is_not_there_has_no_version() {
        let error = version_of(Path::new("/no/such/program")).await.unwrap_err();
        assert!(matches!(error, BrowserError::NotStarted { .. }), "{error}");
    }

    #[tokio::test]
    async fn what_is_printed_is_the_version() {
        // Any program will do.
        let version = version_of(Path::new("cargo")).await.unwrap();
        assert!(
            version.starts_with("cargo ") && !version.contains('\n'),
            "{version}"
        );
    }
}
