//! `querypoint log`: records what a page does; `log info`: what is in a log; `log merge`, `log export`: what is made of
//! logs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::failure::Failure;
use app::log_merging::merge_logs;
use app::log_questions::{LogFormat, export_log};
use app::log_recording::{RecordLogRequest, record_log};
use app::logs::{LogSummary, log_summary};
use engine::logging::LogOutcome;

use super::output;
use crate::arguments::{
    LogArguments, LogCommand, LogExportArguments, LogInfoArguments, LogMergeArguments,
};
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
        Some(LogCommand::Merge(arguments)) => return merge(arguments),
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
    let request = RecordLogRequest {
        page,
        recording: arguments.recording.as_deref(),
        from: arguments.from.as_deref(),
        to: arguments.to.as_deref(),
        scripts: &arguments.scripts,
        detail: arguments.detail.into(),
        out,
    };
    let browser = arguments.browser.options();
    let mut report = ProgressReport::new();
    let end = Cancellation::by_signals();
    let outcome = record_log(&request, &browser, &end, &mut report).await?;
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
        text.push_str(&not_recorded(&script.url, &script.reason));
    }
    text
}

fn info(arguments: &LogInfoArguments) -> Result<ExitCode, Failure> {
    let summary = log_summary(&arguments.file)?;
    output::print(&match arguments.json {
        true => output::json(&summary),
        false => summarised(&summary),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What is in a log, in words.
fn summarised(summary: &LogSummary) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", render::printable(&summary.page));
    let _ = writeln!(
        text,
        "  {} events in {}, detail {}, scripts {}",
        grouped(summary.events),
        bytes(summary.bytes),
        render::printable(&summary.detail),
        render::printable(&summary.scripts)
    );
    let _ = writeln!(
        text,
        "  {} functions and {} places in {} files",
        grouped(summary.functions as u64),
        grouped(summary.sites as u64),
        summary.files.len()
    );
    for (word, point) in [("from", &summary.from), ("to", &summary.to)] {
        if let Some(point) = point {
            let _ = writeln!(text, "  {word} {}", render::printable(point));
        }
    }
    for run in &summary.runs {
        let (name, page) = (render::printable(&run.name), render::printable(&run.page));
        let _ = writeln!(text, "  run {name}: {page}");
    }
    for file in &summary.files {
        let library = if file.library { " (library)" } else { "" };
        let _ = writeln!(text, "    {}{library}", render::printable(&file.url));
    }
    if summary.notes.is_none() {
        text.push_str("  the log was not finished\n");
    }
    for note in summary.notes.iter().flatten() {
        let _ = writeln!(text, "  {}", render::printable(note));
    }
    for script in summary.unrecorded.iter().flatten() {
        text.push_str(&not_recorded(&script.url, &script.reason));
    }
    for damage in &summary.damage {
        let _ = writeln!(text, "  {}", render::printable(damage));
    }
    text
}

/// That a script ran without hooks.
fn not_recorded(url: &str, reason: &str) -> String {
    let (url, reason) = (render::printable(url), render::printable(reason));
    format!("  not recorded: {url}: {reason}\n")
}

fn merge(arguments: &LogMergeArguments) -> Result<ExitCode, Failure> {
    let written = merge_logs(&arguments.files, &arguments.out)?;
    output::print(&format!(
        "{} events of {} runs in {} of {}\n",
        grouped(written.events),
        arguments.files.len(),
        bytes(written.bytes),
        arguments.out.display()
    ))?;
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
