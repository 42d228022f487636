//! The options of the commands by which an extension of the browser finds the back end.

use std::path::PathBuf;

use clap::Args;

/// Let the browser's extension find the back end, and start it when it is needed.
///
/// Writes a file for each browser of this user that is installed (Chrome, Chromium, Edge, Brave, Vivaldi, Firefox), by
/// which the browser lets the extension, and nothing else, start this program. Do it again when the program has moved.
#[derive(Debug, Args)]
#[command(after_help = INSTALL_EXAMPLES)]
pub(crate) struct InstallHostArguments {
    /// For a browser with this profile (its --user-data-dir), instead of those that are installed; may be given several
    /// times.
    #[arg(long = "profile", value_name = "FOLDER")]
    pub(crate) profiles: Vec<PathBuf>,

    /// Where sessions, recordings and the secret are kept; otherwise querypoint in XDG_STATE_HOME or ~/.local/state.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,

    /// Remove what was written.
    #[arg(long)]
    pub(crate) remove: bool,
}

const INSTALL_EXAMPLES: &str = "\
Examples:
  querypoint install-host
  querypoint install-host --profile ~/.config/chromium-work
  querypoint install-host --remove

The extension itself is made by `cargo xtask extension`; docs/how-to/extension.md says how it is loaded.

Exit status: 0 done; 2 no browser was found, or a file cannot be written.";

/// Be asked by the browser's extension where the back end is (native messaging): the browser starts this.
#[derive(Debug, Args)]
pub(crate) struct NativeHostArguments {
    /// As with `serve`.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: PathBuf,

    /// Who asks, as the browser says: it lets nobody ask but who is named in what `install-host` wrote.
    #[arg(
        value_name = "EXTENSION",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) callers: Vec<String>,
}
