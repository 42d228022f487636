//! An answer as one page of HTML, to be attached to a report of a defect: the same chain as the drawing for a terminal,
//! with all frames and variables, those folded away that are rarely looked at.
//!
//! The page holds no script, asks for nothing (its policy forbids both) and links nowhere. What came from the page that
//! was asked about is text in it, whatever it looks like: the templates escape all of it.

mod point;
mod runs;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use querypoint::answer::{Answer, Coverage, WholeAnswer};

use super::footer::KEPT;
use super::places::Places;
use super::text::printable;
use super::{SourceLookup, asked, events};

/// How it looks; nothing of an answer gets into it.
const STYLE: &str = include_str!("html/style.css");
/// A policy for this page alone: styles that are in it, and nothing else.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole page.
pub(crate) fn html(whole: &WholeAnswer, source: SourceLookup<'_>) -> String {
    let answer = &whole.answer;
    let places = Places::new(&answer.page, source);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Without an address for its icon a browser asks the server for one.
                link rel="icon" href="data:,";
                title { "Querypoint: " (title(whole)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "Where the value came from" }
                    p { (line(&answer.page)) }
                    p { (executions(answer)) }
                    @if let Some(all) = &answer.runs { (runs::runs(all, &places)) }
                }
                main {
                    (chain(answer, &places))
                    @if !whole.results.is_empty() { pre.events { (results(whole)) } }
                }
                footer {
                    (coverage(&answer.coverage, &places))
                    @if !answer.consistency.notes.is_empty() {
                        ul {
                            @for note in &answer.consistency.notes {
                                li.warning { (line(note)) }
                            }
                        }
                    }
                    p {
                        @if answer.kept.is_none() {
                            (answer.timing_ms.total) " ms in all, the replay "
                            (answer.timing_ms.replay) " ms, rewriting " (answer.timing_ms.rewrite) " ms. "
                        }
                        "Made by Querypoint " (env!("CARGO_PKG_VERSION")) "."
                    }
                }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// Text of a page in one line: control characters and those that reorder text are shown as what they are.
fn line(text: &str) -> String {
    printable(text, usize::MAX)
}

fn title(whole: &WholeAnswer) -> String {
    let of_log = whole.results.iter().map(|result| result.query.as_str());
    let queries: Vec<&str> = whole
        .answer
        .points
        .iter()
        .filter_map(|point| point.query.as_deref())
        .chain(of_log)
        .collect();
    printable(&queries.join(", "), 100)
}

fn chain(answer: &Answer, places: &Places<'_>) -> Markup {
    // Before `R` is nothing.
    let previous = std::iter::once(None).chain(answer.points.iter().map(|point| Some(&point.name)));
    html! {
        @for (one, previous) in answer.points.iter().zip(previous) {
            @if let Some(query) = &one.query {
                @let asked_at = asked(query).point;
                @let back = asked_at.filter(|base| previous.is_some_and(|previous| previous != base));
                p.query {
                    @if let Some(base) = back {
                        span.back { "back at " (line(&base)) ": " }
                    }
                    (line(query))
                }
            }
            (point::point(one, places))
        }
    }
}

/// The answers of a log, as a terminal without colours has them.
fn results(whole: &WholeAnswer) -> String {
    let drawn = events::results(&whole.results, &whole.answer.page, true);
    anstream::adapter::strip_str(&drawn).to_string()
}

fn executions(answer: &Answer) -> Markup {
    if answer.kept == Some(true) {
        return html! { (KEPT) };
    }
    html! {
        (counted(answer.executions, "execution"))
        @match (answer.consistency.agrees, answer.executions) {
            (true, 0 | 1) => {}
            (true, _) => ", which agree"
            (false, _) => { ", " span.warning { "which do not agree" } }
        }
    }
}

fn coverage(coverage: &Coverage, places: &Places<'_>) -> Markup {
    html! {
        p {
            (coverage.hooked) " of " (counted(coverage.scripts, "script")) " hooked"
            @if let Some(sites) = coverage.unhooked_sites.filter(|sites| *sites > 0) {
                ", " span.warning { (counted(sites, "place")) " in them without a hook" }
            }
        }
        @if !coverage.blind_spots.is_empty() {
            details open[coverage.blind_spots.len() <= 10] {
                summary { "not seen" }
                ul {
                    @for spot in &coverage.blind_spots {
                        li {
                            span.place { (places.file(&spot.url)) } ": "
                            span.warning { (line(&spot.reason)) }
                        }
                    }
                }
            }
        }
    }
}

fn counted(number: u32, what: &str) -> String {
    super::footer::counted(number, what)
}

#[cfg(test)]
mod tests;
