//! The browser: started or attached to, given something to do, and gone afterwards, whatever happened.

use std::sync::Arc;

use cdp_driver::engine::ask::ask;
use cdp_driver::engine::reach::{Reach, following};
use cdp_driver::native::{Browser, LaunchOptions, TokioClock};
use querypoint::answer::Answer;

use super::ask::Question;
use crate::arguments::BrowserArguments;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::ProgressReport;

/// Has the driver find the answer, in a browser that is gone when this returns. With it comes what the page asked of others
/// than the server that it is from.
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
    let request = question.into_request(page.url().to_string(), browser.timeout);
    let outcome = open_browser(browser)
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

/// Starts the browser that the options ask for, or attaches to it.
///
/// # Errors
/// If there is none, if it does not start or answer, or if the options name several.
pub(super) async fn open_browser(arguments: &BrowserArguments) -> Result<Browser, Failure> {
    match arguments.connect.as_slice() {
        [] => open_one(arguments, None).await,
        [address] => open_one(arguments, Some(address)).await,
        _ => Err(Failure::NotPossible(
            "--connect is given several times, which is for `ask --runs`; give it once".to_owned(),
        )),
    }
}

/// Attaches to the browser at `address`, or starts one of the kind that the options ask for.
///
/// # Errors
/// If there is none, or if it does not start or answer.
pub(crate) async fn open_one(
    arguments: &BrowserArguments,
    address: Option<&str>,
) -> Result<Browser, Failure> {
    Ok(match address {
        Some(address) => Browser::connect(address).await?,
        None => {
            Browser::launch(LaunchOptions {
                executable: arguments.browser.clone(),
                headless: !arguments.headed,
                ..LaunchOptions::default()
            })
            .await?
        }
    })
}
