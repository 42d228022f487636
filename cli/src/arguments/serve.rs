//! The options of `querypoint serve`.

use std::path::PathBuf;

use clap::Args;

use super::BrowserArguments;

/// Show the panel as a page, and be its back end: sessions that are kept.
///
/// Prints where a panel connects, the secret that it has to know, and the address of the panel as a page. Sessions are
/// kept, so that they are there again when it is started the next time.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArguments {
    /// The port of 127.0.0.1; otherwise that of the last time, or any that is free.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,

    /// Where sessions, recordings and the secret are kept; otherwise querypoint in XDG_STATE_HOME or ~/.local/state.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state: Option<PathBuf>,

    /// End when no panel was connected for so many minutes.
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) idle_limit: Option<u32>,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  querypoint serve
  querypoint serve --port 9777 --state ./sessions

  In the browser that you use, started with --remote-debugging-port=9222:
    querypoint serve --connect http://127.0.0.1:9222

What panels say to it is described in docs/reference/protocol.md.

One that a browser started with the same folder gives way to it.

Exit status: 0 ended by Ctrl-C or by a panel, or not used any more; 2 the folder cannot be used, or another \
`querypoint serve` uses it; 4 the port is taken.";
