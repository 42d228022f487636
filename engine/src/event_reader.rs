//! Events of one kind that are read as they come, so that none waits for the end of an execution.

use std::future::poll_fn;
use std::task::Poll;

use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};

use cdp_driver::protocol::{Event, Protocol, Wanted};

/// Keeps of events what is needed of them; how much that is has a bound, however many there are.
pub(crate) trait TakesEvents {
    /// Takes the next one.
    fn take(&mut self, event: &Event);
}

/// Events, and what is kept of them.
pub(crate) struct EventReader<T> {
    events: BoxStream<'static, Event>,
    kept: T,
}

impl<T: TakesEvents> EventReader<T> {
    /// Listens from now on.
    pub(crate) fn new(protocol: &dyn Protocol, wanted: Wanted, kept: T) -> Self {
        let events = protocol.events_of(wanted);
        Self { events, kept }
    }

    /// Takes events until the connection ends.
    pub(crate) async fn run(&mut self) {
        while let Some(event) = self.events.next().await {
            self.kept.take(&event);
            // A page may send without end: others must have their turn.
            yield_now().await;
        }
    }

    /// Takes the events that there are, and gives what was kept.
    pub(crate) fn finish(mut self) -> T {
        while let Some(event) = present(&mut self.events) {
            self.kept.take(&event);
        }
        self.kept
    }
}

/// The next event, if it is there already.
pub(crate) fn present(events: &mut BoxStream<'static, Event>) -> Option<Event> {
    events.next().now_or_never().flatten()
}

/// Lets others have their turn.
pub(crate) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
