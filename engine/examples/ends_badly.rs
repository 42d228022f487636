//! Starts a browser and then ends in the way that its argument names, for the tests that nothing of the browser stays:
//! `panic`, `abort`, `exit`, `wait` (until a signal ends it), `interrupt` (handles the signal and closes).
//!
//! It prints the browser's folder once a page is open.

use std::io::Write;
use std::sync::Arc;

use cdp_driver::native::{Browser, LaunchOptions, TokioClock, interrupted};
use engine::page::Page;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let how = std::env::args().nth(1).unwrap_or_default();
    let browser = Browser::launch(LaunchOptions::default()).await?;
    let page = Page::open(browser.protocol(), Arc::new(TokioClock::new())).await?;
    println!(
        "{}",
        browser
            .folder()
            .map(|folder| folder.display().to_string())
            .unwrap_or_default()
    );
    let _ = std::io::stdout().flush();
    match how.as_str() {
        "panic" => {
            #[expect(clippy::panic, reason = "to panic is what it is asked for")]
            {
                panic!("as asked");
            }
        }
        "abort" => std::process::abort(),
        "exit" => std::process::exit(3),
        "interrupt" => {
            let answer = browser
                .run_until(interrupted(), async |_| std::future::pending::<()>().await)
                .await;
            println!("interrupted: {}", answer.is_none());
        }
        _ => std::future::pending::<()>().await,
    }
    drop(page);
    Ok(())
}
