//! `querypoint diagnose`: asks about calls until the faulty one is known.

mod replies;

use std::process::ExitCode;

use app::cancelling::Cancellation;
use app::diagnosing::{Answerer, CallQuestion, DiagnoseRequest, Reply, UndoneAnswer, diagnose};
use app::failure::Failure;
use querypoint::diagnosis::JudgedCall;

use super::output;
use crate::arguments::DiagnoseArguments;
use crate::exit::NO_ANSWER;
use crate::progress::{Aside, ProgressReport};
use crate::render;
use replies::Replies;

/// Asks, prints what was found and gives the exit status.
///
/// # Errors
/// If something that was named is wrong, or the page or the browser is lost.
pub(crate) async fn run(arguments: &DiagnoseArguments) -> Result<ExitCode, Failure> {
    let replies = Replies::open(arguments.answers.as_deref())?;
    let request = DiagnoseRequest {
        page: arguments.page.as_deref(),
        session: arguments.session.as_deref(),
        recording: arguments.recording.as_deref(),
        from: arguments.from.as_deref(),
        to: arguments.to.as_deref(),
        strategy: arguments.strategy,
        compress: arguments.compress,
        expand_loops: arguments.expand_loops,
        passing: &arguments.passing,
        oracles: &arguments.oracle,
        simulate: arguments.simulate.as_deref(),
        trust: &arguments.trust,
    };
    let browser = arguments.browser.options();
    let mut report = ProgressReport::new();
    let mut person = Person {
        replies,
        aside: report.aside(),
    };
    let end = Cancellation::by_signals();
    let diagnosed = diagnose(&request, &browser, &mut person, &end, &mut report).await?;
    drop(report);
    let diagnosis = &diagnosed.diagnosis;
    output::print(&match arguments.json {
        true => output::json(diagnosis),
        false => render::diagnosis(diagnosis, &diagnosed.page),
    })?;
    Ok(match diagnosis.found {
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(NO_ANSWER),
    })
}

/// Who answers: a person at a terminal, or the file that they wrote.
struct Person {
    replies: Replies,
    aside: Aside,
}

impl Answerer for Person {
    fn judged(&mut self, judged: &JudgedCall, page: &str) {
        let shown = render::judged(judged, page);
        self.aside.print(|| anstream::eprint!("{shown}"));
    }

    async fn ask(&mut self, question: &CallQuestion<'_>) -> Result<Reply, Failure> {
        let CallQuestion {
            call,
            page,
            number,
            suspicious,
        } = *question;
        if self.replies.are_asked_for() {
            let shown = render::call(call, page, number, suspicious);
            self.aside.print(|| anstream::eprint!("{shown}"));
        }
        Ok(self.replies.next(number).await)
    }

    async fn at_the_end(&mut self, is_by_itself: bool) -> Result<Option<UndoneAnswer>, Failure> {
        Ok(self.replies.after_the_end(is_by_itself).await)
    }

    fn nothing_undone(&mut self, undone: UndoneAnswer) {
        match undone {
            UndoneAnswer::Last => anstream::eprintln!("there is no answer to take back"),
            UndoneAnswer::OfCall(call) => {
                anstream::eprintln!("nothing was said of a call #{call} that can be taken back");
            }
        }
    }
}
