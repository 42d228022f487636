//! `origin`: how many values are followed to where they were made, on pages for each kind of hop and on pages of
//! libraries, plain and minified.
//!
//! Each page writes `out.name = …` for several names. Each value is a text that is once in the file of its author,
//! so where it was made is known without any hook: there. A way that ends elsewhere is wrong; one that ends as not
//! observed is open.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use test_support::origins::asked;

use crate::error::BenchError;
use crate::report::{Bound, Section, table};
use crate::tab::Served;

/// Pages with one value for each kind of hop: `tests/origins`.
const KINDS: [&str; 23] = [
    "forwarded",
    "rest",
    "functions",
    "callbacks",
    "promises",
    "reactions",
    "generators",
    "iterables",
    "texts",
    "platform",
    "browser",
    "document",
    "foreign",
    "modules",
    "with",
    "aliases",
    "named",
    "hand",
    "markup",
    "applied",
    "traps",
    "nodes",
    "described",
];
/// Pages of libraries: `benches/origins`.
const LIBRARIES: [&str; 25] = [
    "react",
    "vue",
    "zustand",
    "redux",
    "immer",
    "mobx",
    "signals",
    "rxjs",
    "query",
    "jotai",
    "valtio",
    "lodash",
    "shown-react",
    "shown-vue",
    "shown-preact",
    "shown-lit",
    "shown-mithril",
    "shown-solid",
    "shown-jquery",
    "shown-handlebars",
    "shown-alpine",
    "shown-knockout",
    "shown-template",
    "underscore",
    "immutable",
];

/// What was found of one page.
#[derive(Default)]
struct Found {
    page: String,
    values: usize,
    reached: usize,
    open: Vec<String>,
    wrong: Vec<String>,
    /// Values that no text of the page is: what a computation gave.
    computed: usize,
    hops: usize,
    longest: usize,
    executions: u64,
}

/// Asks all pages.
pub(crate) async fn run(
    command: &Path,
    repository: &Path,
    packages: &Path,
    quick: bool,
) -> Result<Section, BenchError> {
    let built = packages.join("built");
    let mut all = Vec::new();
    for minified in [false, true] {
        for name in KINDS {
            let source = repository.join("tests/origins");
            all.push(one(command, &source, packages, &built, name, minified, false).await?);
        }
        for name in LIBRARIES {
            let source = repository.join("benches/origins");
            all.push(one(command, &source, packages, &built, name, minified, true).await?);
        }
        if quick {
            break;
        }
    }
    let section = section(&all);
    if !quick {
        let path = repository.join("docs/origin.md");
        let page = format!(
            "# How far origins reach\n\n\
             Written by `cargo xtask bench --only origin`; do not edit by hand.\n\n{}\n{}",
            section.text,
            crate::report::bounds_table(section.bounds.iter()),
        );
        std::fs::write(&path, page).map_err(BenchError::file(&path))?;
    }
    Ok(section)
}

/// Builds a page and asks it.
async fn one(
    command: &Path,
    source: &Path,
    packages: &Path,
    built: &Path,
    name: &str,
    minified: bool,
    is_bundle: bool,
) -> Result<Found, BenchError> {
    let kind = if minified { "minified" } else { "plain" };
    let folder = built.join(format!("{name}-{kind}"));
    std::fs::create_dir_all(&folder).map_err(BenchError::file(&folder))?;
    let file = source.join(format!("{name}.js"));
    let code = std::fs::read_to_string(&file).map_err(BenchError::file(&file))?;
    build(packages, &file, &folder.join("app.js"), minified, is_bundle)?;
    let is_module = code.contains("\nimport ");
    if is_module && !is_bundle {
        for part in ["lib", "deep"] {
            let from = source.join(format!("{name}.{part}.js"));
            let to = folder.join(format!("{part}.js"));
            std::fs::copy(&from, &to).map_err(BenchError::file(&from))?;
        }
    }
    let element = if is_module {
        "<script type=module"
    } else {
        "<script"
    };
    let document = format!("<!doctype html><body>{element} src=app.js></script></body>");
    for (name, text) in [
        ("index.html", document.as_str()),
        ("data.json", r#"{"items":[{"name":"from the server"}]}"#),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(BenchError::file(&path))?;
    }
    let served = Served::start(&folder)?;
    let names = asked(&code);
    let url = served.url("index.html");
    let answer = ask(command, &url, &names).await?;
    let mut found = Found {
        page: format!("{name}, {kind}"),
        values: names.len(),
        executions: answer["executions"].as_u64().unwrap_or(0),
        ..Found::default()
    };
    let running = folder.join("app.js");
    let running = std::fs::read_to_string(&running).map_err(BenchError::file(&running))?;
    let points = answer["points"].as_array().cloned().unwrap_or_default();
    for ((name, _), point) in names.iter().zip(points.iter().skip(1)) {
        // A module that is no part of the script is a file of its own.
        let file = point["end"]["location"]["url"].as_str().unwrap_or_default();
        let part = file.rsplit('/').next().unwrap_or_default();
        let part = match part {
            "lib.js" | "deep.js" => std::fs::read_to_string(folder.join(part)).ok(),
            _ => None,
        };
        judge(
            &mut found,
            name,
            point,
            &code,
            part.as_deref().unwrap_or(&running),
        );
    }
    Ok(found)
}

/// Holds one way against where its text is.
fn judge(found: &mut Found, name: &str, point: &Value, code: &str, running: &str) {
    let hops = point["hops"].as_array().cloned().unwrap_or_default();
    let folded = hops.iter().map(|hop| hop["folded"].as_u64().unwrap_or(1));
    let count = usize::try_from(folded.sum::<u64>()).unwrap_or(usize::MAX);
    found.hops += count;
    found.longest = found.longest.max(count);
    let end = &point["end"];
    let kind = end["kind"].as_str().unwrap_or("none");
    let text = point["new"]["text"].as_str();
    let text: Option<String> = text.and_then(|text| serde_json::from_str(text).ok());
    let location = &end["location"];
    let at = (location["line"].as_u64(), location["column"].as_u64());
    let is_mapped = location["generated"].is_object();
    let file = if is_mapped { code } else { running };
    // What is inside a text for `JSON.parse` is no text of its own.
    let is_json = hops.iter().any(|hop| hop["kind"] == "json");
    let expected = text.as_deref().filter(|_| !is_json);
    let expected = expected.and_then(|text| only_place(file, text));
    match (kind, expected) {
        ("literal", Some(expected)) if at == (Some(expected.0), Some(expected.1)) => {
            found.reached += 1;
        }
        // The text of an attribute, in the markup that has it.
        ("literal", Some(expected)) if is_inside(file, at, expected) => found.reached += 1,
        ("unobserved" | "none", _) => found.open.push(name.to_owned()),
        // A text in code that a script made is in no file.
        ("literal", Some(_)) if location["maker"].is_object() => found.computed += 1,
        ("literal", Some(_)) => found.wrong.push(name.to_owned()),
        // A server's value, a computation's, or the text of another module.
        _ => found.computed += 1,
    }
}

/// Where a text is that is there once, in whichever quotes.
fn only_place(code: &str, text: &str) -> Option<(u64, u64)> {
    let mut places = ['\'', '"', '`'].into_iter().flat_map(|quote| {
        let quoted = format!("{quote}{text}{quote}");
        let places = code.match_indices(&quoted).map(|(at, _)| at);
        places.collect::<Vec<_>>()
    });
    let (Some(at), None) = (places.next(), places.next()) else {
        return None;
    };
    let before = code.get(..at)?;
    let line = before.matches('\n').count() + 1;
    let last = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(last..)?.encode_utf16().count() + 1;
    Some((line as u64, column as u64))
}

/// Whether a place, by line and column, is inside the literal that begins at another.
fn is_inside(code: &str, literal: (Option<u64>, Option<u64>), place: (u64, u64)) -> bool {
    let (Some(line), Some(column)) = literal else {
        return false;
    };
    let index = |number: u64| {
        usize::try_from(number)
            .unwrap_or(usize::MAX)
            .saturating_sub(1)
    };
    let text = code.lines().nth(index(line)).unwrap_or_default();
    let units: Vec<u16> = text.encode_utf16().collect();
    let between = units.get(index(column)..index(place.1)).unwrap_or_default();
    let is_quote = |unit: &u16| ['\'', '"', '`'].map(u32::from).contains(&u32::from(*unit));
    match between.split_first() {
        Some((quote, rest)) => line == place.0 && is_quote(quote) && !rest.contains(quote),
        None => false,
    }
}

/// Builds a page's script with esbuild.
fn build(
    packages: &Path,
    from: &Path,
    to: &Path,
    minified: bool,
    is_bundle: bool,
) -> Result<(), BenchError> {
    if !minified && !is_bundle {
        std::fs::copy(from, to).map_err(BenchError::file(from))?;
        return Ok(());
    }
    let esbuild: PathBuf = packages.join("node_modules/.bin/esbuild");
    let mut command = Command::new(&esbuild);
    command
        .arg(from)
        .arg(format!("--outfile={}", to.display()))
        .args(["--log-level=error", "--charset=utf8"])
        .env("NODE_PATH", packages.join("node_modules"));
    if is_bundle {
        command.args([
            "--bundle",
            "--format=esm",
            "--define:process.env.NODE_ENV=\"production\"",
        ]);
    }
    if minified {
        command.args(["--minify", "--sourcemap=inline"]);
    }
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(BenchError::file(&esbuild))?;
    match status.success() {
        true => Ok(()),
        false => Err(BenchError::Setup(format!(
            "esbuild does not build {}",
            from.display()
        ))),
    }
}

/// Asks the origins of all names at once.
async fn ask(command: &Path, url: &str, names: &[(String, String)]) -> Result<Value, BenchError> {
    let queries = names
        .iter()
        .map(|(_, reference)| format!("origin({reference})"));
    let mut asking = tokio::process::Command::new(command);
    asking
        .args(["ask", url, "--at", "console:asked here", "--json"])
        .args(queries)
        .stdin(Stdio::null());
    let output = asking.output().await.map_err(BenchError::file(command))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        BenchError::Setup(format!("{url} has no answer: {error}; {said}"))
    })
}

fn section(all: &[Found]) -> Section {
    let sum = |of: fn(&Found) -> usize| all.iter().map(of).sum::<usize>();
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|found| {
            vec![
                found.page.clone(),
                found.values.to_string(),
                found.reached.to_string(),
                found.computed.to_string(),
                found.open.join(", "),
                found.wrong.join(", "),
                found.hops.to_string(),
                found.longest.to_string(),
                found.executions.to_string(),
            ]
        })
        .collect();
    let (values, reached) = (sum(|found| found.values), sum(|found| found.reached));
    let (open, wrong) = (
        sum(|found| found.open.len()),
        sum(|found| found.wrong.len()),
    );
    let hops = sum(|found| found.hops);
    let share = |part: usize, whole: usize| part as f64 * 100.0 / whole.max(1) as f64;
    let most = all.iter().map(|found| found.executions).max().unwrap_or(0);
    let mut text = String::new();
    let _ = write!(
        text,
        "{} pages, {values} values, {hops} hops. Each value is a text that is once in the file of its author; a way \
         is right\n\
         if it ends there. *Reached*: it does. *Otherwise made*: a server, a computation or a storage made it, which\n\
         ends it too. *Open*: it ends as not observed. *Wrong*: it ends at another text. The first {kinds} pages\n\
         have a value for each kind of hop (`tests/origins`), the others are of libraries (`benches/origins`),\n\
         bundled with esbuild; *minified* ones have a source map.\n\n\
         Of {judged} ways that end at a text, {reached} end at the right one: {precision:.1} %. {followed:.1} % of\n\
         the values are followed to an end.\n\n",
        all.len(),
        kinds = KINDS.len(),
        judged = reached + wrong,
        precision = share(reached, reached + wrong),
        followed = share(values - open - wrong, values),
    );
    text.push_str(&table(
        &[
            "page",
            "values",
            "reached",
            "otherwise made",
            "open",
            "wrong",
            "hops",
            "longest",
            "executions",
        ],
        &rows,
    ));
    let bound = |what: &str, at_most: f64, measured: f64, unit: &'static str| Bound {
        what: what.to_owned(),
        at_most,
        measured,
        unit: unit.into(),
        slower: 1.0,
    };
    Section {
        title: "Origins".into(),
        text,
        bounds: vec![
            bound(
                "values whose way ends at a wrong text",
                0.0,
                wrong as f64,
                "",
            ),
            bound(
                "values that are not followed to an end",
                5.0,
                share(open, values),
                "%",
            ),
            bound("executions for all values of a page", 4.0, most as f64, ""),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_where_it_is_once() {
        let code = "const a = 'one';\nconst b = \"two\", c = 'three', d = 'three';\n";
        assert_eq!(only_place(code, "one"), Some((1, 11)));
        assert_eq!(only_place(code, "two"), Some((2, 11)));
        assert_eq!(only_place(code, "three"), None);
        assert_eq!(only_place(code, "four"), None);
    }

    #[test]
    fn an_attribute_is_inside_the_markup_that_has_it() {
        let code = "const a = 1;\nbox.innerHTML = '<i title=\"of it\">b</i>'; c = \"of it\";";
        let (markup, attribute, own) = (17, 27, 48);
        assert_eq!(
            code.lines().nth(1).unwrap_or_default().find("'<i"),
            Some(16)
        );
        assert!(is_inside(code, (Some(2), Some(markup)), (2, attribute)));
        assert!(!is_inside(code, (Some(2), Some(markup)), (2, own)));
        assert!(!is_inside(code, (Some(1), Some(11)), (2, attribute)));
        assert!(!is_inside(code, (None, None), (2, attribute)));
    }
}
