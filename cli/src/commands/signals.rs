//! Ctrl-C, where work does not end by itself.

use std::time::Duration;

use app::cancelling::Cancellation;
use app::failure::Failure;

use crate::exit;

/// Ends the program some time after a signal, or at the second one, if it has not ended by itself: rewriting a large
/// script is one step, and nothing else is done meanwhile. The browser goes with the program, whatever ends it.
pub(crate) async fn end_after_a_signal() {
    const ENDS_BY_ITSELF_WITHIN: Duration = Duration::from_secs(5);
    // A program around this one may pass on what the terminal has sent both.
    const IS_THE_SAME_WITHIN: Duration = Duration::from_millis(500);
    let signals = Cancellation::by_signals();
    signals.requested().await;
    tokio::time::sleep(IS_THE_SAME_WITHIN).await;
    tokio::select! {
        () = signals.requested() => {}
        () = tokio::time::sleep(ENDS_BY_ITSELF_WITHIN) => {}
    }
    let failure = Failure::Interrupted;
    exit::show(&failure);
    std::process::exit(exit::status(&failure).into());
}
