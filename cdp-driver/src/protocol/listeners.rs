//! Who listens to what: each listener has a queue of the events that it wants, and of no others.
//!
//! Invariants: a queue is in the order of the wire; what is only counted is one entry however often it happens between
//! two other events, so that what a page can do by the million (logging, throwing) takes no memory; a queue with a
//! bound keeps what came first; once the connection has ended every queue ends, after what is in it.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use futures::stream::{BoxStream, Stream, StreamExt};
use serde_json::Value;

use super::{Event, Wanted};

/// All listeners of a connection.
#[derive(Default)]
pub struct Listeners(Mutex<Vec<Weak<Queue>>>);

struct Queue {
    wanted: Wanted,
    state: Mutex<ListenerState>,
}

#[derive(Default)]
struct ListenerState {
    events: VecDeque<Event>,
    is_over: bool,
    waker: Option<Waker>,
}

/// Nothing that is done under these locks can leave the data half changed.
impl Listeners {
    /// A new one, who is told what it wants from now on; nothing if the connection `is_over`.
    #[must_use]
    pub fn add(&self, wanted: Wanted, is_over: bool) -> BoxStream<'static, Event> {
        let state = ListenerState {
            is_over,
            ..ListenerState::default()
        };
        let queue = Arc::new(Queue {
            wanted,
            state: Mutex::new(state),
        });
        self.0.lock().push(Arc::downgrade(&queue));
        Listener(queue).boxed()
    }

    /// Tells an event to those who want it.
    pub fn tell(&self, event: &Event) {
        self.0.lock().retain(|queue| {
            let queue = queue.upgrade();
            if let Some(queue) = queue.as_ref().filter(|queue| queue.wanted.has(event)) {
                queue.push(event);
            }
            queue.is_some()
        });
    }

    /// The connection has ended.
    pub fn end(&self) {
        for queue in self.0.lock().drain(..).filter_map(|queue| queue.upgrade()) {
            let mut state = queue.state.lock();
            state.is_over = true;
            state.wake();
        }
    }
}

impl Queue {
    fn push(&self, event: &Event) {
        let mut state = self.state.lock();
        let is_counted = self.wanted.counts(&event.method);
        if is_counted {
            // Only those that nothing else came after: their number belongs to where they are in the order.
            let mut last = state.events.iter_mut().rev();
            let same = last
                .by_ref()
                .take_while(|queued| self.wanted.counts(&queued.method))
                .find(|queued| queued.method == event.method && queued.session == event.session);
            if let Some(queued) = same {
                queued.times += event.times;
                return;
            }
        }
        if !self.wanted.has_room(state.events.len()) {
            return;
        }
        let mut event = event.clone();
        if is_counted {
            event.params = Arc::new(Value::Null);
        }
        state.events.push_back(event);
        state.wake();
    }
}

impl ListenerState {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// What a listener polls.
struct Listener(Arc<Queue>);

impl Stream for Listener {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut state = self.0.state.lock();
        match state.events.pop_front() {
            Some(event) => Poll::Ready(Some(event)),
            None if state.is_over => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use serde_json::json;

    use super::super::SessionId;
    use super::*;

    fn event(session: &str, method: &str) -> Event {
        Event {
            session: Some(SessionId(session.to_owned())),
            method: method.to_owned(),
            params: Arc::new(json!({ "a": 1 })),
            times: 1,
        }
    }

    fn told(stream: &mut BoxStream<'static, Event>) -> Vec<String> {
        let next = || stream.next().now_or_never().flatten();
        std::iter::from_fn(next)
            .map(|event| {
                let session = event.session.map(|it| it.0).unwrap_or_default();
                format!("{session} {} {}", event.method, event.times)
            })
            .collect()
    }

    #[test]
    fn each_is_told_what_it_wants() {
        let listeners = Listeners::default();
        let mut all = listeners.add(Wanted::all(), false);
        let mut some = listeners.add(Wanted::methods(&["B.b"]), false);
        let mut of_one = listeners.add(
            Wanted::methods(&["A.a", "B.b"]).of(&SessionId("2".into())),
            false,
        );
        drop(listeners.add(Wanted::all(), false));
        for (session, method) in [("1", "A.a"), ("1", "B.b"), ("2", "A.a")] {
            listeners.tell(&event(session, method));
        }
        assert_eq!(listeners.0.lock().len(), 3);
        assert_eq!(told(&mut all), ["1 A.a 1", "1 B.b 1", "2 A.a 1"]);
        assert_eq!(told(&mut some), ["1 B.b 1"]);
        assert_eq!(told(&mut of_one), ["2 A.a 1"]);
        listeners.tell(&event("1", "B.b"));
        listeners.end();
        assert_eq!(told(&mut some), ["1 B.b 1"]);
        assert_eq!(some.next().now_or_never(), Some(None));
        let mut late = listeners.add(Wanted::all(), true);
        assert_eq!(late.next().now_or_never(), Some(None));
    }

    #[test]
    fn what_is_only_counted_takes_one_place_until_it_is_taken() {
        let listeners = Listeners::default();
        let mut page = listeners.add(Wanted::methods(&["A.a", "L.l"]).counting(&["L.l"]), false);
        listeners.tell(&event("1", "A.a"));
        for _ in 0..100_000 {
            listeners.tell(&event("1", "L.l"));
            listeners.tell(&event("2", "L.l"));
        }
        listeners.tell(&event("1", "A.a"));
        assert_eq!(
            told(&mut page),
            ["1 A.a 1", "1 L.l 100000", "2 L.l 100000", "1 A.a 1"]
        );
        listeners.tell(&event("1", "L.l"));
        assert_eq!(told(&mut page), ["1 L.l 1"]);
    }

    #[test]
    fn a_queue_with_a_bound_keeps_what_came_first_until_it_is_taken() {
        let listeners = Listeners::default();
        let mut page = listeners.add(Wanted::methods(&["A.a", "B.b"]).at_most(2), false);
        for _ in 0..100_000 {
            listeners.tell(&event("1", "A.a"));
            listeners.tell(&event("1", "B.b"));
        }
        assert_eq!(told(&mut page), ["1 A.a 1", "1 B.b 1"]);
        listeners.tell(&event("2", "B.b"));
        assert_eq!(told(&mut page), ["2 B.b 1"]);
    }

    /// How often a page logged before a step and after it is compared with the recording.
    #[test]
    fn what_is_counted_stays_between_the_events_around_it() {
        let listeners = Listeners::default();
        let mut page = listeners.add(Wanted::methods(&["A.a", "L.l"]).counting(&["L.l"]), false);
        for method in ["L.l", "L.l", "A.a", "L.l", "A.a"] {
            listeners.tell(&event("1", method));
        }
        assert_eq!(
            told(&mut page),
            ["1 L.l 2", "1 A.a 1", "1 L.l 1", "1 A.a 1"]
        );
    }
}
