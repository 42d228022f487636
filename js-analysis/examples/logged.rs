//! Prints what a script becomes that is read from standard input, with the hooks of the event log:
//! `cargo run -p js-analysis --example logged [module|handler] < app.js`.

use std::io::{Read as _, Write as _};

use js_analysis::Goal;
use js_analysis::log::{Detail, FirstNumbers, LogOptions};
use js_analysis::rewrite::{DEFAULT_PREFIX, NamesAsWritten, with_script};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut source = String::new();
    std::io::stdin().read_to_string(&mut source)?;
    let options: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| options.iter().any(|it| it == word);
    let goal = match () {
        () if has("module") => Goal::Module,
        () if has("handler") => Goal::EventHandler,
        () => Goal::Script,
    };
    let options = LogOptions {
        prefix: DEFAULT_PREFIX.to_owned(),
        script: 1,
        first: FirstNumbers::default(),
        detail: match has("calls") {
            true => Detail::Calls,
            false => Detail::All,
        },
        watches_document: has("document"),
        in_document: false,
        outer: None,
        first_code_site: 1,
    };
    let logged = with_script(&source, goal, |script| {
        script.logged(&options, &NamesAsWritten)
    })??;
    for site in &logged.unlogged {
        eprintln!("not logged at {}: {}", site.at.0, site.reason);
    }
    let (text, _) = logged.edits.apply(&source);
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
