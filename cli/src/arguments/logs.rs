//! The options of what records logs and asks them: `log` and `query`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use engine::logging::Detail;

use super::BrowserArguments;

/// Record everything that a page does into a log, to be asked with `query`.
///
/// The page is run once. Whatever happens to it, the log can be read, and says what is missing.
#[derive(Debug, Args)]
#[command(
    after_help = LOG_EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct LogArguments {
    /// What to do with a log that there is.
    #[command(subcommand)]
    pub(crate) command: Option<LogCommand>,

    /// A URL, or a path to an HTML file, which is served on loopback.
    #[arg(value_name = "PAGE", required = true)]
    pub(crate) page: Option<String>,

    /// Where the log goes. The file can be read by you alone, for it holds what the page held.
    #[arg(long, value_name = "FILE.qplog", required = true)]
    pub(crate) out: Option<PathBuf>,

    /// The user's actions, as Chrome DevTools Recorder exports them (JSON).
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,

    /// Where the part begins that answers are about: FILE:LINE[:COLUMN][#HIT] or exception[:TEXT].
    #[arg(long, value_name = "POINT")]
    pub(crate) from: Option<String>,

    /// Where it ends.
    #[arg(long, value_name = "POINT")]
    pub(crate) to: Option<String>,

    /// Which scripts: own (not those of node_modules, or that a source map lists as ignored), all, or a pattern.
    #[arg(long, value_name = "own|all|GLOB", default_value = "own")]
    pub(crate) scripts: String,

    /// How much: calls alone, with values, or with branches, new objects and contents as well.
    #[arg(long, value_enum, default_value_t = DetailChoice::All)]
    pub(crate) detail: DetailChoice,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

/// What is done with a log that there is.
#[derive(Debug, Subcommand)]
pub(crate) enum LogCommand {
    Info(LogInfoArguments),
    Merge(LogMergeArguments),
    Export(LogExportArguments),
}

/// Show what is in a log, and what is missing.
#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct LogInfoArguments {
    /// The log.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print it as JSON on standard output, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make one log of those of several runs, to ask all of them at once.
///
/// The events of each run follow those of the run before it. Objects stay those of their run.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct LogMergeArguments {
    /// The logs, in the order of their runs.
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,

    /// Where the log goes. The file can be read by you alone.
    #[arg(long, value_name = "FILE.qplog")]
    pub(crate) out: PathBuf,
}

const MERGE_EXAMPLES: &str = "\
Examples:
  querypoint log merge monday.qplog tuesday.qplog --out week.qplog
  querypoint query week.qplog 'wasCalled(sendOrder)' 'argumentsOf(addItem)'

What is missing in one of the logs is said of the merged one, and in its answers.";

/// Write a log for other tools.
#[derive(Debug, Args)]
#[command(after_help = LOG_EXPORT_EXAMPLES)]
pub(crate) struct LogExportArguments {
    /// The log.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Write a Parquet file for each table of the log into a folder: events.parquet, calls.parquet, …
    #[arg(long, value_name = "DIR", required_unless_present_any = ["jel", "chrome_trace"])]
    pub(crate) parquet: Option<PathBuf>,

    /// Write the events as facts of Prolog, in the terms of JEL.
    #[arg(long, value_name = "FILE")]
    pub(crate) jel: Option<PathBuf>,

    /// Write the calls as a trace that Perfetto and the Performance panel of DevTools open.
    #[arg(long, value_name = "FILE")]
    pub(crate) chrome_trace: Option<PathBuf>,
}

const LOG_EXPORT_EXAMPLES: &str = "\
Examples:
  querypoint log export buy.qplog --parquet buy
  duckdb -c 'SELECT function, count(*) FROM \"buy/calls.parquet\" GROUP BY 1'
  querypoint log export buy.qplog --jel buy.pl
  querypoint log export buy.qplog --chrome-trace buy.json";

/// Find where two executions part, by their logs.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// Compare what this question is answered with, not everything that was done.
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: Option<String>,

    /// The point R of the question, in both logs: FILE:LINE[:COLUMN][#HIT], exception[:TEXT] or end.
    #[arg(long, value_name = "POINT", default_value = "end", requires = "query")]
    pub(crate) at: String,

    /// The log of the one.
    #[arg(value_name = "FILE")]
    pub(crate) left: PathBuf,

    /// The log of the other.
    #[arg(value_name = "FILE")]
    pub(crate) right: PathBuf,

    /// Print it as JSON on standard output, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  querypoint compare good.qplog bad.qplog
  querypoint compare good.qplog bad.qplog --json

  Does a field take the same values in both?
    querypoint compare --query 'history(cart.total)' good.qplog bad.qplog

Numbers of objects and scopes and addresses do not count, nor do times and random values, where what was worked out of \
them can be told. Functions of two versions are matched by name.

Exit status: 0 they do not part; 1 they do; 2 wrong usage, or a file is no log.";

/// How much is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DetailChoice {
    /// Calls alone.
    Calls,
    /// With arguments, returned values, writes and variables.
    Values,
    /// With branches, new objects and contents as well.
    All,
}

impl From<DetailChoice> for Detail {
    fn from(choice: DetailChoice) -> Self {
        match choice {
            DetailChoice::Calls => Self::Calls,
            DetailChoice::Values => Self::Values,
            DetailChoice::All => Self::All,
        }
    }
}

const LOG_EXAMPLES: &str = "\
Examples:
  Record a page, and ask what it did:
    querypoint log shop.html --recording buy.json --out buy.qplog
    querypoint query buy.qplog --at app.js:22 'callChain(R)' \\
        'history(R:cart.total)'

  Only who calls whom, of all scripts:
    querypoint log shop.html --detail calls --scripts all --out calls.qplog

  What is in it, and what is missing?
    querypoint log info buy.qplog

Exit status: 0 the log is whole; 1 the execution did not end: the log has what was before; 2 wrong usage, or the \
file cannot be written; 4 the page or the browser could not be started or was lost.";

const INFO_EXAMPLES: &str = "\
Examples:
  querypoint log info buy.qplog
  querypoint log info buy.qplog --json";

/// Ask a log: chains of calls, histories, states, whether something happened.
#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArguments {
    /// The log.
    #[arg(value_name = "FILE", required_unless_present = "list")]
    pub(crate) file: Option<PathBuf>,

    /// What to ask, such as `callChain(R)`; later questions may use events of earlier ones, as `E[3]`.
    #[arg(value_name = "QUERY", required_unless_present_any = ["sql", "list"])]
    pub(crate) queries: Vec<String>,

    /// A file of questions that are composed of others, beside `querypoint.queries` of the project and your own (may be
    /// given several times).
    #[arg(long, value_name = "FILE")]
    pub(crate) definitions: Vec<PathBuf>,

    /// List the composed questions that there are, with their help.
    #[arg(long, conflicts_with_all = ["queries", "sql", "explain", "at", "json"])]
    pub(crate) list: bool,

    /// Answer one statement of SQL instead; `log export --parquet` has the same tables.
    #[arg(long, value_name = "SELECT", conflicts_with_all = ["queries", "at", "explain"])]
    pub(crate) sql: Option<String>,

    /// With each answer, show the SQL that gives it.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Draw a tree of calls as a whole: otherwise calls in calls of the same function, and what is many calls deep, are
    /// drawn as one line that counts them.
    #[arg(long, conflicts_with_all = ["sql", "list", "json"])]
    pub(crate) whole_tree: bool,

    /// The point R: FILE:LINE[:COLUMN][#HIT], exception[:TEXT] or end.
    #[arg(long, value_name = "POINT", default_value = "end")]
    pub(crate) at: String,

    /// Print the answer as JSON on standard output, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

const QUERY_EXAMPLES: &str = "\
Examples:
  Who called whom, when line 22 of app.js ran for the last time, with what?
    querypoint query buy.qplog --at app.js:22 'callChain(R)'

  Every value that a field and a variable ever had:
    querypoint query buy.qplog --at app.js:22 'history(R:cart.total)' \\
        'history(R:sum)'

  Every call of a function; and what the third of them led to:
    querypoint query buy.qplog 'E = argumentsOf(addItem)' 'callTree(E[2])'

  The functions that were called most; the SQL of a question, to change it:
    querypoint query buy.qplog --sql 'SELECT function, count(*) FROM calls
        GROUP BY 1 ORDER BY 2 DESC LIMIT 10'
    querypoint query buy.qplog --explain 'history(cart.total)'

  A question of your own, composed of others; a file has
  `define above(limit) = argumentsOf(pay) when arguments[0] > limit`:
    querypoint query buy.qplog --definitions shop.queries 'above(100)'
    querypoint query --list

  Did it happen at all?
    querypoint query buy.qplog 'wasCalled(sendOrder)' \\
        'wasAssigned(.total, NaN)' 'wasCaught(TypeError)'

Questions:
  callChain(P)  where(P)  where(throw())  state(P:object)  contents(P:list)
  callsBefore(P)  callsAfter(P)  arguments(P)  locals(P)  returned(P)
  history(P:object.field)  history(P:x)  argumentsOf(f)  returnsOf(f)
  instances(Class)  running(P)  callTree(P)  wasEvaluated(FILE:LINE)
  wasCalled(f)  wasAssigned(.f, value)  exists(Class)  wasCaught(Type)
  isRunning(f)  hasEnded(f)
  Each may end in `, between(P, Q)`. P is R, the name of an earlier question (E,
  E[3]), or #NUMBER of an event.

Exit status: 0 here is the answer; 1 an answer is not complete: a note says what the log has not; 2 wrong usage, or \
the file is no log; 3 the point is not in the log.";
