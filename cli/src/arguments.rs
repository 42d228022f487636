//! What can be typed: the commands and their options.

mod ask;
mod diagnose;
mod host;
mod logs;
mod recordings;
mod serve;

use std::path::PathBuf;
use std::time::Duration;

use app::browser::BrowserOptions;
use app::browser::Credentials;
use clap::{Args, Parser, Subcommand, ValueEnum};
use engine::ask::Reproduce;
use engine::collection::Instrument;
use recording::{Live, UnknownLive};

pub(crate) use ask::AskArguments;
pub(crate) use diagnose::DiagnoseArguments;
pub(crate) use host::{InstallHostArguments, NativeHostArguments};
pub(crate) use logs::{
    CompareArguments, LogArguments, LogCommand, LogExportArguments, LogInfoArguments,
    LogMergeArguments, QueryArguments,
};
pub(crate) use recordings::{
    ExportArguments, ImportArguments, MinimizeArguments, RecordArguments, ReplayArguments,
};
pub(crate) use serve::ServeArguments;

/// Find where a wrong value came from.
///
/// Querypoint runs a page again, with hooks only where the value can be written, and answers with the
/// line, the stack, the old and the new value.
#[derive(Debug, Parser)]
#[command(name = "querypoint", version, arg_required_else_help = true, after_help = EXIT_STATUS)]
pub(crate) struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  every query has an answer
  1  a query has none: the runs disagree, or no hook could be placed where the
     write happened
  2  wrong usage, or a query that cannot be read
  3  the reproduction point was not reached
  4  the page or the browser could not be started or was lost
  130  interrupted; `ask --runs` prints what there is so far

With `ask --runs` the status is that of the answer that is shown, one of the most frequent outcome; it is 3 if no \
run reached the reproduction point, 4 if no run had an answer.

Start with `querypoint demo`.";

/// One command of `querypoint`.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Ask(AskArguments),
    Plan(PlanArguments),
    Record(RecordArguments),
    Replay(ReplayArguments),
    Log(LogArguments),
    Query(QueryArguments),
    Compare(CompareArguments),
    Diagnose(DiagnoseArguments),
    Minimize(MinimizeArguments),
    Export(ExportArguments),
    Import(ImportArguments),
    Serve(ServeArguments),
    InstallHost(InstallHostArguments),
    #[command(hide = true)]
    NativeHost(NativeHostArguments),
    Demo(DemoArguments),
    Rewrite(RewriteArguments),
}

/// Show what would be done to answer: the trace queries, the sites, what is kept where.
///
/// The page is loaded once, to see which scripts there are and where hooks would be in them.
#[derive(Debug, Args)]
#[command(
    after_help = PLAN_EXAMPLES,
    override_usage = "querypoint plan [OPTIONS] --at <POINT> <QUERY>... <PAGE>"
)]
pub(crate) struct PlanArguments {
    /// The queries, as for `ask`, and last the page: a URL, or a path to an HTML file.
    // One list: where an option is between two of them, clap would take the one before it for the page.
    #[arg(value_name = "QUERY... PAGE", required = true, num_args = 1..)]
    pub(crate) words: Vec<String>,

    /// The reproduction point: FILE:LINE[:COLUMN][#HIT], exception[:TEXT], console:TEXT or end.
    #[arg(long, value_name = "POINT")]
    pub(crate) at: String,

    /// The user's actions: they are replayed, so that scripts that are loaded later are seen.
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,

    /// What is not taken from the recording but left to vary: a list of random, time and network.
    #[arg(long, value_name = "LIST", value_parser = live, default_value = "", hide_default_value = true)]
    pub(crate) live: Live,

    /// Print the plan as JSON on standard output, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  Where can cart.total be written, and what is kept at each write?
    querypoint plan 'lastChange(R:cart.total)' --at app.js:22 shop.html

  Which conditions can be the answer, and how often will the page run?
    querypoint plan 'B = lastChange(R:cart.total)' 'C = lastCondition(B)' \\
        --at app.js:22 --recording buy.json shop.html

Exit status: 0 here is the plan; 2 wrong usage; 3 the reproduction point is in none of the scripts; 4 the page or \
the browser could not be started or was lost.";

/// See Querypoint find the defect of a page that is shipped with it.
#[derive(Debug, Args)]
#[command(after_help = DEMO_EXAMPLES)]
pub(crate) struct DemoArguments {
    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  querypoint demo
  querypoint demo --headed";

/// Print what a script becomes before it runs.
#[derive(Debug, Args)]
#[command(after_help = REWRITE_EXAMPLES)]
pub(crate) struct RewriteArguments {
    /// The script.
    #[arg(value_name = "FILE", required_unless_present = "agent")]
    pub(crate) file: Option<PathBuf>,

    /// Place hooks for this query only.
    #[arg(long, value_name = "QUERY", conflicts_with = "standby")]
    pub(crate) query: Option<String>,

    /// Place dormant hooks everywhere (the default).
    #[arg(long)]
    pub(crate) standby: bool,

    /// Place hooks everywhere that keep which line wrote last.
    #[arg(long, conflicts_with_all = ["query", "standby"])]
    pub(crate) live: bool,

    /// Read the script as a module; files that end in .mjs always are.
    #[arg(long)]
    pub(crate) module: bool,

    /// Write a source map from the rewritten script to the original to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,

    /// Print the agent instead: the script to run before the rewritten ones, in any realm.
    #[arg(long, conflicts_with_all = ["file", "query", "standby", "module", "map"])]
    pub(crate) agent: bool,
}

const REWRITE_EXAMPLES: &str = "\
Examples:
  querypoint rewrite app.js --query 'lastChange(R:cart.total)'
  querypoint rewrite app.mjs --standby --map app.mjs.map

  Run a rewritten script in Node:
    (querypoint rewrite --agent; querypoint rewrite app.js) > both.js
    node both.js";

/// Which browser, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct BrowserArguments {
    /// The Chromium to start; otherwise QUERYPOINT_BROWSER, then PATH, a headless shell where no window is needed.
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    pub(crate) browser: Option<PathBuf>,

    /// A browser that is already running, by its DevTools address; several times with `ask --runs`.
    #[arg(
        long,
        value_name = "WS_URL",
        help_heading = "Browser",
        conflicts_with_all = ["browser", "headed"]
    )]
    pub(crate) connect: Vec<String>,

    /// Show the browser's window.
    #[arg(long, help_heading = "Browser")]
    pub(crate) headed: bool,

    /// What to tell the page's server if it asks for a name and a password (HTTP authentication).
    #[arg(
        long,
        value_name = "NAME:PASSWORD",
        help_heading = "Browser",
        env = "QUERYPOINT_USER",
        hide_env_values = true,
        value_parser = parse_user
    )]
    pub(crate) user: Option<Credentials>,

    /// How long one execution of the page may take.
    #[arg(
        long,
        value_name = "SECONDS",
        help_heading = "Browser",
        default_value = "30",
        value_parser = parse_seconds
    )]
    pub(crate) timeout: Duration,
}

impl BrowserArguments {
    /// The same, as the application takes it.
    pub(crate) fn options(&self) -> BrowserOptions {
        BrowserOptions {
            executable: self.browser.clone(),
            connect: self.connect.clone(),
            headed: self.headed,
            user: self.user.clone(),
            timeout: self.timeout,
        }
    }
}

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatChoice {
    /// Drawn for a terminal.
    Text,
    /// JSON.
    Json,
    /// One page of HTML that needs nothing else.
    Html,
}

/// Whose tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolChoice {
    /// A test of Playwright (JavaScript, Chromium).
    Playwright,
}

/// Where hooks are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InstrumentChoice {
    /// Only where the queries need them.
    Query,
    /// Everywhere; those that the queries do not need stay dormant.
    Standby,
    /// Everywhere; each write keeps which line wrote last, and the answer is read from that, in one execution.
    Live,
}

impl From<InstrumentChoice> for Instrument {
    fn from(choice: InstrumentChoice) -> Self {
        match choice {
            InstrumentChoice::Query => Self::Query,
            InstrumentChoice::Standby => Self::Standby,
            InstrumentChoice::Live => Self::Live,
        }
    }
}

/// How a reproduction point is reached again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReproduceChoice {
    /// The page is loaded again and the recording replayed.
    #[default]
    Replay,
    /// The page is run once, and the oldest function on the stack is called again; what it changes stays changed.
    Callstack,
    /// callstack where a hit is named and it answers everything, else replay.
    Auto,
}

impl From<ReproduceChoice> for Reproduce {
    fn from(choice: ReproduceChoice) -> Self {
        match choice {
            ReproduceChoice::Replay => Self::Replay,
            ReproduceChoice::Callstack => Self::CallStack,
            ReproduceChoice::Auto => Self::Auto,
        }
    }
}

/// How fast a recording is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpeedChoice {
    /// With the pauses that were recorded.
    Real,
    /// As fast as the page goes.
    Fast,
}

/// `random,time`; nothing is left live unless it is said.
fn live(list: &str) -> Result<Live, UnknownLive> {
    match list {
        "" => Ok(Live::default()),
        list => Live::parse(list),
    }
}

fn parse_user(text: &str) -> Result<Credentials, String> {
    Credentials::parse(text).ok_or_else(|| "it must be NAME:PASSWORD".to_owned())
}

/// A positive number of seconds, whole or not.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse::<f64>()
        .ok()
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| {
            "it must be a number of seconds greater than 0, such as 30 or 2.5".to_owned()
        })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        let command_line = CommandLine::command();
        let typed = command_line
            .get_subcommands()
            .filter(|it| !it.is_hide_set());
        for command in typed {
            let help = command.get_after_help().map(ToString::to_string);
            assert!(
                help.is_some_and(|help| help.starts_with("Examples:")),
                "{} has no examples",
                command.get_name()
            );
        }
    }

    /// Each command with what is below it, as it is typed.
    fn all_commands() -> Vec<(String, clap::Command)> {
        let mut found = Vec::new();
        let mut open = vec![("querypoint".to_owned(), CommandLine::command())];
        while let Some((name, command)) = open.pop() {
            for below in command.get_subcommands() {
                open.push((format!("{name} {}", below.get_name()), below.clone()));
            }
            found.push((name, command));
        }
        found
    }

    #[test]
    fn help_fits_a_narrow_terminal_and_a_wide_one() {
        for (name, command) in all_commands() {
            let below = command.get_after_help().map(ToString::to_string);
            let below = below.unwrap_or_default();
            // What is wrapped by hand has no room to be wrapped again; what is not is one line.
            let mut before = "";
            for line in below.lines() {
                let is_text = !line.is_empty() && !line.starts_with(' ');
                let is_broken = is_text && !before.is_empty() && !before.starts_with(' ');
                assert!(is_text || line.len() <= 80, "{name}: {line}");
                assert!(!is_broken || before.ends_with(':'), "{name}: {line}");
                before = line;
            }
            for columns in [80, 100] {
                let mut command = command.clone().term_width(columns);
                let help = command.render_long_help().to_string();
                for line in help.lines().map(str::trim_end) {
                    assert!(line.chars().count() <= columns, "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn time_outs_are_positive_numbers() {
        assert_eq!(parse_seconds("2.5"), Ok(Duration::from_millis(2500)));
        for wrong in ["0", "-1", "NaN", "inf", "soon", ""] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
