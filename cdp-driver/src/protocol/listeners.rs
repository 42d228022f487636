//! Who listens to what: each listener has a queue of the events that it wants, of the sessions that it names, and of no
//! others.
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
    /// How many of them are of a kind of which so many wait at most.
    limited: usize,
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

    /// Tells an event to those who want it; how many these are.
    pub fn tell(&self, event: &Event) -> usize {
        let mut told = 0;
        self.0.lock().retain(|queue| {
            let queue = queue.upgrade();
            if let Some(queue) = queue.as_ref().filter(|queue| queue.wanted.has(event)) {
                queue.push(event);
                told += 1;
            }
            queue.is_some()
        });
        told
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
        if let Some(most) = self.wanted.limit(&event.method) {
            if state.limited >= most {
                return;
            }
            state.limited += 1;
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
            Some(event) => {
                if self.0.wanted.limit(&event.method).is_some() {
                    state.limited = state.limited.saturating_sub(1);
                }
                Poll::Ready(Some(event))
            }
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

    use super::super::{SessionFilter, SessionId, SessionSet};
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
        let mut some = listeners.add(Wanted::of(SessionFilter::Every, &["B.b"]), false);
        let of_2 = Wanted::of(&SessionId("2".into()), &["A.a", "B.b"]);
        let mut of_one = listeners.add(of_2, false);
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
    fn a_listener_hears_a_session_from_when_it_is_in_its_set_and_keeps_nothing_of_others() {
        let (listeners, sessions) = (
            Listeners::default(),
            SessionSet::from(SessionId("1".into())),
        );
        let wanted = Wanted::of(&sessions, &["A.a"]).and(SessionFilter::Browser, &["B.b"]);
        let mut page = listeners.add(wanted, false);
        let waiting = || {
            listeners.0.lock()[0]
                .upgrade()
                .unwrap()
                .state
                .lock()
                .events
                .len()
        };
        for _ in 0..100_000 {
            assert_eq!(listeners.tell(&event("2", "A.a")), 0);
            assert_eq!(listeners.tell(&event("1", "B.b")), 0);
        }
        assert_eq!(waiting(), 0);
        listeners.tell(&event("1", "A.a"));
        sessions.add(SessionId("2".into()));
        listeners.tell(&event("2", "A.a"));
        listeners.tell(&event("3", "A.a"));
        for method in ["A.a", "B.b"] {
            let of_browser = Event {
                session: None,
                ..event("", method)
            };
            listeners.tell(&of_browser);
        }
        assert_eq!(waiting(), 3);
        assert_eq!(told(&mut page), ["1 A.a 1", "2 A.a 1", " B.b 1"]);
    }

    #[test]
    fn what_is_only_counted_takes_one_place_until_it_is_taken() {
        let listeners = Listeners::default();
        let wanted = Wanted::of(SessionFilter::Every, &["A.a", "L.l"]).counting(&["L.l"]);
        let mut page = listeners.add(wanted, false);
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
        let wanted = Wanted::of(SessionFilter::Every, &["A.a", "B.b"]).at_most(2);
        let mut page = listeners.add(wanted, false);
        for _ in 0..100_000 {
            listeners.tell(&event("1", "A.a"));
            listeners.tell(&event("1", "B.b"));
        }
        assert_eq!(told(&mut page), ["1 A.a 1", "1 B.b 1"]);
        listeners.tell(&event("2", "B.b"));
        assert_eq!(told(&mut page), ["2 B.b 1"]);
    }

    #[test]
    fn of_limited_events_the_first_wait_and_all_others_do() {
        let listeners = Listeners::default();
        let wanted = Wanted::of(SessionFilter::Every, &["A.a", "L.l"]).limiting(&["L.l"], 2);
        let mut page = listeners.add(wanted, false);
        for _ in 0..100_000 {
            listeners.tell(&event("1", "L.l"));
        }
        listeners.tell(&event("1", "A.a"));
        assert_eq!(told(&mut page), ["1 L.l 1", "1 L.l 1", "1 A.a 1"]);
        // What was taken makes room.
        listeners.tell(&event("2", "L.l"));
        assert_eq!(told(&mut page), ["2 L.l 1"]);
    }

    /// How often a page logged before a step and after it is compared with the recording.
    #[test]
    fn what_is_counted_stays_between_the_events_around_it() {
        let listeners = Listeners::default();
        let wanted = Wanted::of(SessionFilter::Every, &["A.a", "L.l"]).counting(&["L.l"]);
        let mut page = listeners.add(wanted, false);
        for method in ["L.l", "L.l", "A.a", "L.l", "A.a"] {
            listeners.tell(&event("1", method));
        }
        assert_eq!(
            told(&mut page),
            ["1 L.l 2", "1 A.a 1", "1 L.l 1", "1 A.a 1"]
        );
    }
}
