//! Progress on standard error: a bar where a person watches, otherwise one short line for each stage.

use std::io::{self, IsTerminal};
use std::time::Duration;

use app::progress::Reporter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::render::printable;

const SPINNER_INTERVAL: Duration = Duration::from_millis(100);

/// Shows what is going on until it is dropped.
pub(crate) struct ProgressReport {
    bar: Option<ProgressBar>,
    stage: String,
}

impl ProgressReport {
    /// A report on standard error.
    pub(crate) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::default_spinner());
            bar.enable_steady_tick(SPINNER_INTERVAL);
            bar
        });
        Self {
            bar,
            stage: String::new(),
        }
    }

    /// What can print while this shows what is going on.
    pub(crate) fn aside(&self) -> Aside {
        Aside(self.bar.clone())
    }
}

impl Reporter for ProgressReport {
    fn stage(&mut self, stage: &str) {
        // A page may have a word in it.
        let stage = &*printable(stage);
        if self.stage == stage {
            return;
        }
        stage.clone_into(&mut self.stage);
        match &self.bar {
            Some(bar) => {
                bar.unset_length();
                bar.set_style(ProgressStyle::default_spinner());
                bar.set_message(stage.to_owned());
            }
            None => eprintln!("{stage}"),
        }
    }

    fn advance(&mut self, done: usize, total: usize) {
        let stage = self.stage.clone();
        self.part(&stage, done, total);
    }

    fn part(&mut self, stage: &str, done: usize, total: usize) {
        self.stage(stage);
        if let Some(bar) = &self.bar {
            // The template is a constant that is right; if it were not, the plain bar would do.
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {msg} [{bar:24}] {pos}/{len}")
            {
                bar.set_style(style);
            }
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }

    fn note(&mut self, note: &str) {
        self.aside()
            .print(|| anstream::eprintln!("{}", printable(note)));
    }
}

/// Prints beside a report of progress.
#[derive(Clone)]
pub(crate) struct Aside(Option<ProgressBar>);

impl Aside {
    /// Has `print` print where no bar is drawn.
    pub(crate) fn print<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Nothing goes on any more.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
