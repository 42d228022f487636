//! `querypoint log`: records what a page does; `log info`: what is in a log.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::log_questions::{LogFormat, export_log};
use app::logs::{open_log, record_log};
use app::page::Page;
use app::question::reproduction_point;
use app::recording_file::recording;
use engine::logging::{LogOutcome, LogRequest, LoggedScripts};
use event_log::file::Damage;
use recording::Live;
use serde_json::json;

use super::output;
use crate::arguments::{LogArguments, LogCommand, LogExportArguments, LogInfoArguments};
use crate::progress::ProgressReport;
use crate::render;

/// The status of a log whose execution did not end.
const ENDED_EARLY: u8 = 1;

/// Records a log, or shows one.
///
/// # Errors
/// If something that was named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &LogArguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Some(LogCommand::Info(arguments)) => return info(arguments),
        Some(LogCommand::Export(arguments)) => return export(arguments),
        None => {}
    }
    match (&arguments.page, &arguments.out) {
        (Some(page), Some(out)) => record(arguments, page, out).await,
        _ => Err(Failure::NotPossible(
            "no page is given: querypoint log PAGE --out FILE.qplog".to_owned(),
        )),
    }
}

async fn record(arguments: &LogArguments, page: &str, out: &Path) -> Result<ExitCode, Failure> {
    for point in [&arguments.from, &arguments.to].into_iter().flatten() {
        reproduction_point(point)?;
    }
    let recording_file = match &arguments.recording {
        Some(path) => Some(recording(path, Live::default())?),
        None => None,
    };
    let (recording, _files) = recording_file.unzip();
    let browser = arguments.browser.options();
    let page = Page::open(page, &browser.connect).await?;
    let request = LogRequest {
        page: page.url().to_string(),
        recording,
        recording_name: arguments
            .recording
            .as_ref()
            .map(|path| path.display().to_string()),
        scripts: LoggedScripts::read(&arguments.scripts),
        detail: arguments.detail.into(),
        from: arguments.from.clone(),
        to: arguments.to.clone(),
        timeout: browser.timeout,
        versions: None,
        tells_inside: true,
    };
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let outcome = record_log(&request, &browser, out, &end, &mut report).await?;
    drop(report);
    output::print(&described(&outcome, &out.display().to_string()))?;
    Ok(match outcome.ended_early {
        Some(_) => ExitCode::from(ENDED_EARLY),
        None => ExitCode::SUCCESS,
    })
}

/// What was recorded, in words.
fn described(outcome: &LogOutcome, file: &str) -> String {
    let written = outcome.written;
    let mut text = format!(
        "{} events in {} of {file}\n",
        grouped(written.events),
        bytes(written.bytes)
    );
    for note in &outcome.notes {
        let _ = writeln!(text, "  {}", render::printable(note));
    }
    for script in &outcome.unrecorded {
        let (url, reason) = (
            render::printable(&script.url),
            render::printable(&script.reason),
        );
        let _ = writeln!(text, "  not recorded: {url}: {reason}");
    }
    text
}

fn info(arguments: &LogInfoArguments) -> Result<ExitCode, Failure> {
    let log = open_log(&arguments.file)?;
    let (info, end, tables) = (log.info(), log.end(), log.tables());
    let damage: Vec<String> = log.damage().iter().map(damage_text).collect();
    if arguments.json {
        let json = json!({
            "page": info.page, "detail": info.detail, "scripts": info.scripts,
            "from": info.from, "to": info.to, "recording": info.recording,
            "events": log.events(), "bytes": log.size(), "complete": end.is_some() && damage.is_empty(),
            "files": tables.scripts.iter().map(|script| json!({ "url": script.url, "library": script.library })).collect::<Vec<_>>(),
            "functions": tables.functions.len(), "sites": tables.sites.len(), "realms": tables.streams.len(),
            "unrecorded": end.map(|end| &end.unrecorded), "notes": end.map(|end| &end.notes), "damage": damage,
        });
        output::print(&format!("{json:#}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    let _ = writeln!(text, "{}", render::printable(&info.page));
    let _ = writeln!(
        text,
        "  {} events in {}, detail {}, scripts {}",
        grouped(log.events()),
        bytes(log.size()),
        render::printable(&info.detail),
        render::printable(&info.scripts)
    );
    let _ = writeln!(
        text,
        "  {} functions and {} places in {} files",
        grouped(tables.functions.len() as u64),
        grouped(tables.sites.len() as u64),
        tables.scripts.len()
    );
    for (word, point) in [("from", &info.from), ("to", &info.to)] {
        if let Some(point) = point {
            let _ = writeln!(text, "  {word} {}", render::printable(point));
        }
    }
    for script in &tables.scripts {
        let library = if script.library { " (library)" } else { "" };
        let _ = writeln!(text, "    {}{library}", render::printable(&script.url));
    }
    match end {
        Some(end) => {
            for note in &end.notes {
                let _ = writeln!(text, "  {}", render::printable(note));
            }
            for script in &end.unrecorded {
                let (url, reason) = (
                    render::printable(&script.url),
                    render::printable(&script.reason),
                );
                let _ = writeln!(text, "  not recorded: {url}: {reason}");
            }
        }
        None => text.push_str("  the log was not finished\n"),
    }
    for damage in damage {
        let _ = writeln!(text, "  {}", render::printable(&damage));
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn export(arguments: &LogExportArguments) -> Result<ExitCode, Failure> {
    let outputs = [
        (LogFormat::Jel, &arguments.jel),
        (LogFormat::ChromeTrace, &arguments.chrome_trace),
        (LogFormat::Parquet, &arguments.parquet),
    ];
    let outputs = outputs.into_iter();
    let named = outputs.filter_map(|(format, path)| Some((format, path.clone()?)));
    export_log(&arguments.file, &named.collect::<Vec<_>>())?;
    Ok(ExitCode::SUCCESS)
}

fn damage_text(damage: &Damage) -> String {
    match damage {
        Damage::CutOff { at } => format!("cut off: {at} bytes are used"),
        Damage::Chunk { offset, reason } => {
            format!("the part at byte {offset} is left out: {reason}")
        }
    }
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} bytes"),
        10_000..10_000_000 => format!("{} kB", number / 1000),
        _ => format!("{} MB", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(9_999), "9999 bytes");
        assert_eq!(bytes(12_345), "12 kB");
        assert_eq!(bytes(12_345_678), "12 MB");
    }
}
