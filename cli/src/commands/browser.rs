//! The browser: started or attached to, given something to do, and gone afterwards, whatever happened.

use std::sync::Arc;
use std::time::Duration;

use cdp_driver::engine::ask::ask;
use cdp_driver::engine::reach::{Reach, following};
use cdp_driver::native::{Browser, LaunchOptions, Purpose, TokioClock, interrupted};
use querypoint::answer::Answer;
use querypoint::recording::Recording;

use super::ask::Question;
use crate::arguments::BrowserArguments;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::ProgressReport;

/// Has the driver find the answer, in a browser that is gone when this returns. With it comes what the page asked of
/// others than the server that it is from.
///
/// # Errors
/// If the page or the browser is lost, or on Ctrl-C.
pub(crate) async fn find_answer(
    page: &Page,
    question: Question,
    browser: &BrowserArguments,
) -> Result<(Answer, Reach), Failure> {
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let purpose = purpose(browser, question.recording.as_ref());
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let outcome = open_browser(browser, purpose)
        .await?
        .run_until_interrupted(async |browser| {
            let mut show = report.of_questions();
            let clock = Arc::new(TokioClock::new());
            let home = page.url().origin().ascii_serialization();
            following(browser.protocol(), &home, async |protocol| {
                ask(protocol, clock, &request, &mut show).await
            })
            .await
        })
        .await;
    drop(report);
    let (answer, reach) = outcome.ok_or(Failure::Interrupted)?;
    Ok((answer?, reach))
}

/// What a browser is started for that runs a page after these actions.
pub(crate) fn purpose(arguments: &BrowserArguments, recording: Option<&Recording>) -> Purpose {
    match recording {
        _ if arguments.headed => Purpose::Window,
        Some(recording) if recording.needs_full_browser() => Purpose::Everything,
        _ => Purpose::Pages,
    }
}

/// Starts the browser that the options ask for, or attaches to it.
///
/// # Errors
/// If there is none, if it does not start or answer, or if the options name several.
pub(super) async fn open_browser(
    arguments: &BrowserArguments,
    purpose: Purpose,
) -> Result<Browser, Failure> {
    match arguments.connect.as_slice() {
        [] => open_one(arguments, None, purpose).await,
        [address] => open_one(arguments, Some(address), purpose).await,
        _ => Err(Failure::NotPossible(
            "--connect is given several times, which is for `ask --runs`; give it once".to_owned(),
        )),
    }
}

/// Attaches to the browser at `address`, or starts one for this purpose.
///
/// # Errors
/// If there is none, or if it does not start or answer.
pub(crate) async fn open_one(
    arguments: &BrowserArguments,
    address: Option<&str>,
    purpose: Purpose,
) -> Result<Browser, Failure> {
    unless_interrupted(async {
        match address {
            Some(address) => Browser::connect_with(address, arguments.user.clone()).await,
            None => {
                Browser::launch(LaunchOptions {
                    executable: arguments.browser.clone(),
                    credentials: arguments.user.clone(),
                    ..LaunchOptions::of(purpose)
                })
                .await
            }
        }
    })
    .await?
    .map_err(Failure::from)
}

/// Ends the program some time after a signal, or at the second one, if it has not ended by itself: rewriting a large
/// script is one step, and nothing else is done meanwhile. The browser goes with the program, whatever ends it.
pub(crate) async fn end_after_a_signal() {
    const ENDS_BY_ITSELF_WITHIN: Duration = Duration::from_secs(5);
    // A program around this one may pass on what the terminal has sent both.
    const IS_THE_SAME_WITHIN: Duration = Duration::from_millis(500);
    interrupted().await;
    tokio::time::sleep(IS_THE_SAME_WITHIN).await;
    tokio::select! {
        () = interrupted() => {}
        () = tokio::time::sleep(ENDS_BY_ITSELF_WITHIN) => {}
    }
    let failure = Failure::Interrupted;
    failure.show();
    std::process::exit(failure.exit_status().into());
}

/// Waits for a browser, unless a signal comes first: then what was started of it is gone when this returns.
///
/// # Errors
/// [`Failure::Interrupted`].
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::select! {
        biased;
        () = interrupted() => Err(Failure::Interrupted),
        done = work => Ok(done),
    }
}
