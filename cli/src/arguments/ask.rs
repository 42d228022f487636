//! What `ask` takes.

use std::path::PathBuf;

use clap::Args;
use recording::Live;

use super::{BrowserArguments, FormatChoice, InstrumentChoice, ReproduceChoice, live};
/// Ask where values came from: run the page again and find the last changes.
#[derive(Debug, Args)]
#[command(after_help = ASK_EXAMPLES)]
pub(crate) struct AskArguments {
    /// A URL, or a path to an HTML file, which is served on loopback.
    #[arg(value_name = "PAGE")]
    pub(crate) page: String,

    /// What to ask, such as `B = lastChange(R:cart.total)`; later queries may use earlier points. Questions to a log,
    /// such as `H = history(R:cart.total)`, are asked with them, and `H[2]` is a point.
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) queries: Vec<String>,

    /// The reproduction point: FILE:LINE[:COLUMN][#HIT], exception[:TEXT], console:TEXT or end.
    #[arg(long, value_name = "POINT")]
    pub(crate) at: String,

    /// The user's actions, as Chrome DevTools Recorder exports them (JSON).
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,

    /// What is not taken from the recording but left to vary: a list of random, time and network.
    ///
    /// Alone, `--live` runs the page once and says of each lastChange which line wrote last and what made the page run
    /// it, without old values, stacks and scopes.
    #[arg(
        long,
        value_name = "LIST",
        value_parser = live,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["runs", "pause", "reproduce"]
    )]
    pub(crate) live: Option<Live>,

    /// An expression to evaluate at every found point; may be given several times.
    #[arg(long = "watch", value_name = "EXPR")]
    pub(crate) watches: Vec<String>,

    /// Where hooks are placed: for these queries only; or everywhere, dormant but for the queries', or live.
    #[arg(long, value_enum, default_value_t = InstrumentChoice::Query)]
    pub(crate) instrument: InstrumentChoice,

    /// How the reproduction point is reached again: by replaying, or by calling the oldest function on its stack again.
    #[arg(long, value_enum, default_value_t = ReproduceChoice::Replay)]
    pub(crate) reproduce: ReproduceChoice,

    /// Run the page at least twice, and say whether the executions agree: one that reads what it finds would do.
    #[arg(long)]
    pub(crate) twice: bool,

    /// How often the page may run until an `origin` is followed no further; what is known by then is the answer.
    /// Without it, 4 times, and 40 where no event log is of use.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_executions: Option<u32>,

    /// Show the hops of an `origin` inside libraries one by one, and not those of each library as one.
    #[arg(long)]
    pub(crate) through: bool,

    /// Do not run the page again with a decision turned round that kept a line from running, or an operation from being
    /// done.
    #[arg(long, conflicts_with = "flip")]
    pub(crate) no_flip: bool,

    /// Do so although the page is not a file, and its requests reach its servers.
    #[arg(long)]
    pub(crate) flip: bool,

    /// Ask the same N times, in several browsers at once, and count how often what is the answer.
    #[arg(long, value_name = "N", conflicts_with = "reproduce", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: Option<u32>,

    /// Run the page, even if the answer was kept when the same was asked before.
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Neither look for a kept answer nor keep this one.
    #[arg(long)]
    pub(crate) no_keep: bool,

    /// A file of questions to a log that are composed of others, beside `querypoint.queries` of the project and your
    /// own (may be given several times).
    #[arg(long, value_name = "FILE")]
    pub(crate) definitions: Vec<PathBuf>,

    /// Draw a tree of calls as a whole, where a question to a log gives one.
    #[arg(long, conflicts_with = "json")]
    pub(crate) whole_tree: bool,

    /// How the answer comes: drawn for a terminal, as JSON, or as one page of HTML to attach to a report.
    #[arg(long, value_enum, default_value_t = FormatChoice::Text)]
    pub(crate) format: FormatChoice,

    /// Print the answer as JSON on standard output, and nothing else: the same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,

    /// Write the answer to this file: the page with --format html, else the JSON beside what is printed.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Afterwards run the page once more and leave it paused at this point of the answer, for a debugger to step on.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["runs", "reproduce"])]
    pub(crate) pause: Option<String>,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

impl AskArguments {
    /// What is not taken from the recording but left to vary.
    pub(crate) fn left_to_vary(&self) -> Live {
        self.live.unwrap_or_default()
    }

    /// Whether one execution is to say who wrote last: `--live`, with nothing that is left to vary.
    pub(crate) fn asks_live(&self) -> bool {
        self.live == Some(Live::default())
    }
}

const ASK_EXAMPLES: &str = "\
Examples:
  Who changed cart.total before line 22 of app.js ran for the last time?
    querypoint ask shop.html --recording buy.json --at app.js:22 \\
        'lastChange(R:cart.total)'

  And where did the value come from that was read there? Ask on, at the answer:
    querypoint ask shop.html --recording buy.json --at app.js:22 \\
        'B = lastChange(R:cart.total)' 'C = lastChange(B:item.price)'

  Where was the value made that is there? Through parameters and returns, to the
  beginning:
    querypoint ask shop.html --recording buy.json --at app.js:22 \\
        'origin(R:cart.total)'

  A line did not run: which decision kept it from running, and who made that
  come out so?
    querypoint ask shop.html --recording buy.json --at end \\
        'W = whyNot(cart.js:27)' 'lastChange(W:active)'

  The list is empty: what could have been done to it, and what kept that from
  happening?
    querypoint ask shop.html --recording buy.json --at end \\
        'omitted(R:cart.items)'

  Why was it written at all, and what was swallowed on the way?
    querypoint ask shop.html --at app.js:22 'B = lastChange(R:cart.total)' \\
        'C = lastCondition(B)' 'exceptionAfter(C)'

  What was called up to there, every value that a field ever had, and what did
  the third of them come from?
    querypoint ask shop.html --recording buy.json --at app.js:22 \\
        'callChain(R)' 'H = history(R:cart.total)' \\
        'lastChange(H[2]:cart.items)'

  Where did the variable get its value that led to the exception? One frame up
  the stack:
    querypoint ask http://localhost:8080/ --at exception \\
        'lastChange(R(1):radius)'

  The page does not run the same way twice: what is the answer how often?
    querypoint ask shop.html --recording buy.json --at app.js:22 --runs 20 \\
        'lastChange(R:cart.total)'

  The answer as a page that can be attached to a report:
    querypoint ask shop.html --recording buy.json --at app.js:22 --format html \\
        --out total.html 'lastChange(R:cart.total)'

  The recording is long, and it is the third time that the line runs: run it
  once, then call the event handler again.
    querypoint ask shop.html --recording buy.json --at app.js:22#2 \\
        --reproduce auto 'lastChange(R:cart.total)'

  Look around at the moment of the answer, and step on from there:
    querypoint ask shop.html --recording buy.json --at app.js:22 --headed \\
        --pause B 'B = lastChange(R:cart.total)'

  Points:
    app.js:22       the last time that line 22 of the script …/app.js ran
    app.js:22:5#0   the first time, at column 5
    exception       the first uncaught exception
    console:lost    the first console message that holds 'lost'
    end             the replay is over and the page is idle";
