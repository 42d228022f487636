//! How a front end ends work that it started: by the signals of its process, or at a person's request.

use cdp_driver::native::interrupted;
use tokio::sync::watch;

use crate::failure::Failure;

/// Says when work is to end. Its clones all say the same.
///
/// ```
/// use app::cancelling::Cancellation;
/// use app::failure::Failure;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (canceller, cancellation) = Cancellation::by_request();
/// assert_eq!(cancellation.or_work(async { 2 }).await?, 2);
/// canceller.cancel();
/// let never = std::future::pending::<()>();
/// assert!(matches!(cancellation.or_work(never).await, Err(Failure::Interrupted)));
/// # Ok::<(), Failure>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cancellation(Source);

#[derive(Clone, Debug)]
enum Source {
    Signals,
    Request(watch::Receiver<bool>),
}

/// Cancels what was given the [`Cancellation`] that came with it. To drop it cancels nothing.
#[derive(Debug)]
pub struct Canceller(watch::Sender<bool>);

impl Canceller {
    /// Ends the work.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }
}

impl Cancellation {
    /// By `SIGINT` (Ctrl-C), `SIGTERM` or `SIGHUP`. While work waits for them these no longer end the process.
    #[must_use]
    pub fn by_signals() -> Self {
        Self(Source::Signals)
    }

    /// By who holds the [`Canceller`].
    #[must_use]
    pub fn by_request() -> (Canceller, Self) {
        let (sender, receiver) = watch::channel(false);
        (Canceller(sender), Self(Source::Request(receiver)))
    }

    /// Ready when the work is to end.
    pub async fn requested(&self) {
        match &self.0 {
            Source::Signals => interrupted().await,
            Source::Request(receiver) => {
                let mut receiver = receiver.clone();
                if receiver
                    .wait_for(|is_cancelled| *is_cancelled)
                    .await
                    .is_err()
                {
                    // Nobody can cancel it any more.
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// What comes of `work`, unless this comes first: then what was started of it is gone when this returns.
    ///
    /// # Errors
    /// [`Failure::Interrupted`].
    pub async fn or_work<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        tokio::select! {
            biased;
            () = self.requested() => Err(Failure::Interrupted),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::poll;

    use super::*;

    #[tokio::test]
    async fn it_is_for_all_clones_and_stays() {
        let (canceller, cancellation) = Cancellation::by_request();
        let other = cancellation.clone();
        let mut waiting = Box::pin(other.requested());
        assert!(poll!(&mut waiting).is_pending());
        canceller.cancel();
        waiting.await;
        cancellation.requested().await;
        // What begins afterwards does not begin.
        let late = cancellation.or_work(async { 1 }).await;
        assert!(matches!(late, Err(Failure::Interrupted)));
    }

    #[tokio::test]
    async fn a_canceller_that_is_gone_cancels_nothing() {
        let (canceller, cancellation) = Cancellation::by_request();
        drop(canceller);
        assert_eq!(cancellation.or_work(async { 1 }).await.unwrap(), 1);
    }
}
