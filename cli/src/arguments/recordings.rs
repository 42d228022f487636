//! The options of what makes, replays and turns recordings: `record`, `replay`, `minimize`, `export` and `import`.

use std::path::PathBuf;

use clap::Args;
use recording::Live;

use super::{BrowserArguments, SpeedChoice, ToolChoice, live};

/// Record what you do on a page, until you close it or press Ctrl-C.
///
/// The recording has the format of Chrome DevTools Recorder. What is typed into fields for passwords, codes and cards
/// is left out: each such step names the environment variable that it is taken from when it is replayed.
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLES)]
pub(crate) struct RecordArguments {
    /// A URL, or a path to an HTML file, which is served on loopback.
    #[arg(value_name = "PAGE")]
    pub(crate) page: String,

    /// Where the recording goes. The file can be read by you alone, for it holds what you typed.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// What the recording is called; otherwise the name of its file.
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,

    /// The page's size in CSS pixels, such as 1024x768; otherwise that of the window.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub(crate) viewport: Option<(u32, u32)>,

    /// Record what is typed into fields for passwords, codes and cards as well.
    #[arg(long)]
    pub(crate) with_secrets: bool,

    /// What is not to be recorded of what makes the page vary: a list of random, time and network.
    #[arg(long, value_name = "LIST", value_parser = live, default_value = "", hide_default_value = true)]
    pub(crate) live: Live,

    /// The browser's executable; otherwise the Chromium or Chrome that is installed.
    #[arg(long, value_name = "PATH", conflicts_with = "connect")]
    pub(crate) browser: Option<PathBuf>,

    /// Record in a new tab of a browser that already runs: ws://… or http://host:port.
    #[arg(long, value_name = "WS_URL")]
    pub(crate) connect: Option<String>,

    /// Record in the tab of that browser that shows PAGE already, with what it has stored. The tab is loaded again when
    /// the recording begins and when it ends.
    #[arg(long, requires = "connect")]
    pub(crate) tab: bool,
}

const RECORD_EXAMPLES: &str = "\
Examples:
  querypoint record shop.html --out buy.json
  querypoint record http://localhost:8080/ --out buy.json --viewport 1024x768
  querypoint record http://localhost:8080/ --out buy.json \\
      --connect http://127.0.0.1:9222 --tab

Then:
  querypoint replay buy.json
  querypoint ask shop.html --recording buy.json --at app.js:22 \\
      'lastChange(R:cart.total)'

Exit status: 0 recorded; 2 the file cannot be written; 4 the browser could not be started, or was lost (what was \
recorded until then is in the file).";

/// Replay a recording and report where it diverged.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArguments {
    /// The recording, as Chrome DevTools Recorder exports it (JSON).
    #[arg(value_name = "FILE")]
    pub(crate) recording: PathBuf,

    /// The page to replay on (a URL or an HTML file) instead of the one it was recorded on.
    #[arg(long, value_name = "PAGE")]
    pub(crate) page: Option<String>,

    /// As fast as the page goes, or with the pauses that were recorded.
    #[arg(long, value_enum, default_value_t = SpeedChoice::Fast)]
    pub(crate) speed: SpeedChoice,

    /// What is not taken from the recording but left to vary: a list of random, time and network.
    #[arg(long, value_name = "LIST", value_parser = live, default_value = "", hide_default_value = true)]
    pub(crate) live: Live,

    /// Replay it N times, in several browsers at once, and count how many replays went as recorded.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,

    /// How many replays at once, with --runs; otherwise as many as there are cores, or as --connect names browsers.
    #[arg(long, value_name = "N", requires = "runs", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) jobs: Option<u32>,

    /// Print what came of it as JSON on stdout, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  querypoint replay buy.json
  querypoint replay buy.json --page shop.html --headed --speed real
  querypoint replay buy.json --runs 20 --jobs 4
  querypoint replay buy.json --json | jq .divergences

Exit status: 0 as recorded; 1 done, but something was different; 4 a step could not be done. With --runs 0 is all \
as recorded, and 1 some.";

/// Drop the steps of a recording that are not needed.
///
/// What is left still reaches the reproduction point, with the same values of what is watched there. The recording is
/// replayed again and again with fewer steps (delta debugging). After each success the shorter recording is written, so
/// that Ctrl-C leaves the shortest so far.
#[derive(Debug, Args)]
#[command(after_help = MINIMIZE_EXAMPLES)]
pub(crate) struct MinimizeArguments {
    /// The recording, as Chrome DevTools Recorder exports it (JSON).
    #[arg(value_name = "FILE")]
    pub(crate) recording: PathBuf,

    /// The reproduction point: FILE:LINE[:COLUMN][#HIT], exception[:TEXT], console:TEXT or end.
    #[arg(long, value_name = "POINT")]
    pub(crate) at: String,

    /// An expression that must have the same value there; may be given several times.
    #[arg(long = "watch", value_name = "EXPR")]
    pub(crate) watches: Vec<String>,

    /// Where the shorter recording goes; it can be read by you alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// The page to replay on (a URL or an HTML file) instead of the one it was recorded on.
    #[arg(long, value_name = "PAGE")]
    pub(crate) page: Option<String>,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

const MINIMIZE_EXAMPLES: &str = "\
Examples:
  querypoint minimize buy.json --at app.js:22 --watch cart.total \\
      --out short.json
  querypoint minimize buy.json --at exception:NaN --page shop.html \\
      --out short.json

Exit status: 0 no single step of what is left can be dropped; 1 the point is not reached with the same values \
each time; 3 the reproduction point was not reached; 130 interrupted, and the shortest so far is in the file.";

/// Make a test of a recording and an answer, that fails as long as the bug is there.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArguments {
    /// The recording, as Chrome DevTools Recorder exports it (JSON).
    #[arg(value_name = "FILE")]
    pub(crate) recording: PathBuf,

    /// What kind of test.
    #[arg(long = "as", value_enum)]
    pub(crate) tool: ToolChoice,

    /// The answer (`ask --json`, or `ask --out`): what was asked at R had a wrong value there, and the test says that
    /// it must have another.
    #[arg(long, value_name = "FILE")]
    pub(crate) answer: PathBuf,

    /// Where the test goes; otherwise it is printed.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  querypoint ask shop.html --recording buy.json --at app.js:22 \\
      'lastChange(R:cart.total)' --out total.json
  querypoint export buy.json --as playwright --answer total.json \\
      --out total.spec.js
  npx playwright test total.spec.js

Exit status: 0 every step is in the test; 1 some are not, and a comment says which; 2 wrong usage.";

/// Make a recording of a test of Playwright, or of the trace of one that was run.
///
/// What `npx playwright codegen` writes, and what is written like it by hand. Nothing of it is run; a line that has no
/// counterpart is named. A trace (`trace.zip`) has what servers answered as well, so that it is replayed without them.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArguments {
    /// The test (JavaScript), or a trace of one (`trace.zip`), with what servers answered.
    #[arg(value_name = "FILE")]
    pub(crate) test: PathBuf,

    /// Where the recording goes; it can be read by you alone.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  npx playwright codegen --output buy.spec.js http://localhost:8080/
  querypoint import buy.spec.js --out buy.json
  querypoint replay buy.json
  querypoint import test-results/buy/trace.zip --out buy.json

Exit status: 0 every line or action is in the recording; 1 some are not, and are named; 2 wrong usage.";

/// `1024x768`.
fn size(text: &str) -> Result<(u32, u32), String> {
    const LARGEST: u32 = 10_000;
    let sides = text.split_once('x');
    let sides = sides.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    sides
        .filter(|(width, height)| (1..=LARGEST).contains(width) && (1..=LARGEST).contains(height))
        .ok_or_else(|| "it is no size such as 1024x768".to_owned())
}
