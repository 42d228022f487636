//! The browser: started or attached to, given something to do, and gone afterwards, whatever happened.

use cdp_driver::native::{Browser, LaunchOptions};
use querypoint::answer::Answer;

use super::ask::Question;
use crate::arguments::BrowserArguments;
use crate::failure::Failure;
use crate::page::Page;
use crate::progress::ProgressReport;

/// Has the driver find the answer, in a browser that is gone when this returns.
///
/// # Errors
/// If the page or the browser is lost, or on Ctrl-C.
pub(crate) async fn find_answer(
    page: &Page,
    question: Question,
    browser: &BrowserArguments,
) -> Result<Answer, Failure> {
    let mut report = ProgressReport::new();
    report.stage("starting the browser");
    let outcome = open_browser(browser)
        .await?
        .run_until_interrupted(async |_browser| {
            // Here goes `cdp_driver::ask`, which takes the page's address and the parts of the question.
            let _ = (page.url(), &question);
            Err(Failure::NotPossible("the driver cannot ask yet".to_owned()))
        })
        .await;
    outcome.ok_or(Failure::Interrupted)?
}

/// Starts the browser that the options ask for, or attaches to it.
///
/// # Errors
/// If there is none, or if it does not start or answer.
pub(super) async fn open_browser(arguments: &BrowserArguments) -> Result<Browser, Failure> {
    Ok(match &arguments.connect {
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
