//! The options of `diagnose`.

use std::path::PathBuf;

use clap::Args;
use diagnosis::Strategy;

use super::BrowserArguments;

/// Find the faulty call: say of a few calls whether what they did is right.
///
/// The page is run once and its calls become a tree. Each question shows a call: what it was given, what it returned,
/// what it changed. A call is found when it is wrong and all that it called is right or trusted.
#[derive(Debug, Args)]
#[command(after_help = DIAGNOSE_EXAMPLES)]
pub(crate) struct DiagnoseArguments {
    /// A URL, or a path to an HTML file, which is served on loopback.
    #[arg(value_name = "PAGE", required_unless_present = "session")]
    pub(crate) page: Option<String>,

    /// Keep the diagnosis in this folder: the page, its log and all answers. What is kept there already is gone on
    /// with.
    /// With PAGE the page is run as it is now: answers hold for calls of functions with the same text that were given
    /// the same and did the same.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) session: Option<PathBuf>,

    /// The user's actions, as Chrome DevTools Recorder exports them (JSON).
    #[arg(long, value_name = "FILE")]
    pub(crate) recording: Option<PathBuf>,

    /// Only calls that began after this point: FILE:LINE[:COLUMN][#HIT] or exception[:TEXT].
    #[arg(long, value_name = "POINT")]
    pub(crate) from: Option<String>,

    /// Only calls that began before this point.
    #[arg(long, value_name = "POINT")]
    pub(crate) to: Option<String>,

    /// How the next question is chosen: top-down, heaviest, divide-and-query, optimal, edges, def-use or
    /// suspicion (the default).
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    pub(crate) strategy: Option<Strategy>,

    /// Ask about chains of recursive calls as one: of a call that the same function made nobody is asked. What is found
    /// is then the faulty function.
    #[arg(long)]
    pub(crate) compress: bool,

    /// Ask about iterations of loops, too: of each with all behind it, as if the loop were a function that calls
    /// itself. What is found may then be one iteration.
    #[arg(long)]
    pub(crate) expand_loops: bool,

    /// The log of a run that is right, of the same version of the page (see `querypoint log`): code that it ran is less
    /// suspicious. May be given several times, with --strategy suspicion.
    #[arg(long = "passing", value_name = "FILE.qplog")]
    pub(crate) passing: Vec<PathBuf>,

    /// What answers by itself what it can: a good version of the page, or a file of functions (.js, .mjs) that say of
    /// calls whether they are right. May be given several times, with one page.
    #[arg(long, value_name = "GOOD_PAGE|FUNCTIONS.js")]
    pub(crate) oracle: Vec<String>,

    /// A good version of the page that plays the person: each of its answers counts as asked.
    #[arg(long, value_name = "GOOD_PAGE", conflicts_with_all = ["oracle", "answers"])]
    pub(crate) simulate: Option<String>,

    /// Read the answers from this file, one word a line (undo takes back), instead of asking.
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,

    /// Trust functions whose name or file matches, in which * is any text; may be given several times.
    #[arg(long = "trust", value_name = "GLOB")]
    pub(crate) trust: Vec<String>,

    /// Print the diagnosis as JSON on standard output, and nothing else.
    #[arg(long)]
    pub(crate) json: bool,

    /// Which browser, and how.
    #[command(flatten)]
    pub(crate) browser: BrowserArguments,
}

fn strategy(word: &str) -> Result<Strategy, String> {
    word.parse::<Strategy>().map_err(|error| error.to_string())
}

const DIAGNOSE_EXAMPLES: &str = "\
Examples:
  Which call is wrong? Answer in the terminal:
    querypoint diagnose shop.html --recording buy.json

  Only what happened since line 40 of app.js ran; the calls of a library and of
  all getters are right:
    querypoint diagnose shop.html --recording buy.json --from app.js:40 \\
        --trust 'vendor/*' --trust 'Cart.get*'

  A loop goes wrong, in one of its hundred iterations: which?
    querypoint diagnose shop.html --recording buy.json --expand-loops

  Yesterday's release was right: ask only what it cannot answer:
    querypoint diagnose shop.html --recording buy.json \\
        --oracle yesterday/shop.html

  Functions of my own know what is right:
    echo 'export default { \"Cart.total\": (call) => call.returned >= 0 }' \\
        > oracle.js
    querypoint diagnose shop.html --recording buy.json --oracle oracle.js

  Stop, and go on tomorrow; then once more, after the code was changed:
    querypoint diagnose shop.html --recording buy.json --session shop-diagnosis
    querypoint diagnose --session shop-diagnosis
    querypoint diagnose shop.html --session shop-diagnosis

  From a script: answers from a file, the diagnosis as JSON:
    printf 'invalid\\nvalid\\n' > answers.txt
    querypoint diagnose shop.html --answers answers.txt --json

Answers:
  valid         given what it was given, the call did what it should
  invalid       it did not
  trusted       all calls of this function are right
  unknown       don't know: ask about others
  inadmissible  it should never have been called with this: look at its caller
In the terminal the first letter is enough; undo takes back the last answer, undo #CALL the one about that call, \
whoever gave it; quit ends.

Exit status: 0 a call is found; 1 none is; 2 wrong usage, or a file that cannot be read; 3 a point of --from or \
--to was not reached; 4 the page or the browser could not be started or was lost.";
