//! What was sent of the user's input and is not done yet.
//!
//! While a page is paused the browser drops what the user does: measured with Chromium 148 and 156, of `keyDown`,
//! `keyUp` sent at once and a pause in the handler of the first, the second never comes, and of a click that pauses in
//! `mousedown` for 40 ms `mouseup` and `click` are missing. So each part of a gesture waits for the one before, nothing
//! is sent while the page is paused, and where it is paused while something is on its way, it can be told whether that
//! had come before.

use std::sync::Arc;

use futures::lock::{Mutex as AsyncMutex, OwnedMutexGuard};
use parking_lot::Mutex;

/// One event of the user's, as the agent counts them (`agent/js/inputs-seen.js`, in that order).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// The pointer moves.
    Move,
    /// A button goes down, or a finger.
    Down,
    /// It goes up.
    Up,
    KeyDown,
    KeyUp,
    Wheel,
    /// A text comes as a whole.
    Text,
}

/// How many there are of each.
pub(crate) type InputCounts = [u64; 7];

/// That. Cheap to clone; all clones are of one replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentInput {
    /// Held while the page is paused.
    paused: Arc<AsyncMutex<()>>,
    state: Arc<Mutex<SentState>>,
}

#[derive(Debug, Default)]
struct SentState {
    /// What the page is asked for what has come, before a gesture begins: the function that it is told whether the
    /// gesture is the last.
    asks: Option<String>,
    is_last: bool,
    /// Whether each command waits for the one before it, moves of the pointer too.
    one_by_one: bool,
    /// Whether the page is to be idle before the next character is typed, and before the next step.
    until_idle: bool,
    /// What has come once all is done that was sent.
    expected: InputCounts,
    /// How many commands are not answered yet.
    on_their_way: usize,
    /// Whether something may have been dropped.
    may_be_lost: bool,
}

/// The page is paused as long as this lives.
pub(crate) struct Paused {
    _guard: OwnedMutexGuard<()>,
}

impl SentInput {
    /// Before each gesture the page is asked what has come: by a function that is told whether the gesture is the last,
    /// and gives [`InputCounts`] as the agent tells them.
    pub(crate) fn count_by(&self, function: String) {
        self.state.lock().asks = Some(function);
    }

    /// After the next gesture the user does nothing more.
    pub(super) fn begin_last(&self) {
        self.state.lock().is_last = true;
    }

    /// The call of that function, if there is one.
    pub(super) fn asks(&self) -> Option<String> {
        let state = self.state.lock();
        let function = state.asks.as_ref()?;
        Some(format!("({function})({})", state.is_last))
    }

    /// The page will be paused in whatever handles input, so nothing may be sent ahead.
    pub(crate) fn send_one_by_one(&self) {
        self.state.lock().one_by_one = true;
    }

    pub(super) fn is_one_by_one(&self) -> bool {
        self.state.lock().one_by_one
    }

    /// The page is to be idle before the next character is typed, and before the next step: what the browser tells when
    /// it has time (`selectionchange`) comes at the same place each time then.
    pub(crate) fn wait_until_idle(&self) {
        self.state.lock().until_idle = true;
    }

    pub(super) fn waits_until_idle(&self) -> bool {
        self.state.lock().until_idle
    }

    /// The page is paused, and will be until what this gives is dropped.
    pub(crate) async fn pause(&self) -> Paused {
        Paused {
            _guard: self.paused.clone().lock_owned().await,
        }
    }

    /// Waits until the page is not paused.
    pub(super) async fn until_it_runs(&self) {
        drop(self.paused.lock().await);
    }

    /// A gesture begins, when so much has come.
    pub(super) fn begin(&self, come: InputCounts) {
        self.state.lock().expected = come;
    }

    /// A command is sent.
    pub(super) fn send(&self, kind: InputKind) {
        let mut state = self.state.lock();
        state.on_their_way += 1;
        let expected = &mut state.expected[kind as usize];
        *expected = expected.saturating_add(1);
    }

    /// It is answered.
    pub(super) fn answer(&self) {
        let mut state = self.state.lock();
        state.on_their_way = state.on_their_way.saturating_sub(1);
    }

    /// Whether something is on its way.
    pub(crate) fn is_on_its_way(&self) -> bool {
        self.state.lock().on_their_way > 0
    }

    /// The page is paused, and so much has come: what is on its way besides may be dropped.
    pub(crate) fn paused_with(&self, come: InputCounts) {
        let mut state = self.state.lock();
        let has_come = come
            .iter()
            .zip(&state.expected)
            .all(|(come, sent)| come >= sent);
        state.may_be_lost |= state.on_their_way > 0 && !has_come;
    }

    /// Whether something may have been dropped.
    pub(crate) fn may_be_lost(&self) -> bool {
        self.state.lock().may_be_lost
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn what_comes_while_the_page_is_paused_may_be_lost() {
        let sent = SentInput::default();
        sent.begin([5, 2, 2, 0, 0, 0, 0]);
        sent.send(InputKind::Down);
        sent.paused_with([5, 3, 2, 0, 0, 0, 0]);
        assert!(!sent.may_be_lost(), "it is what the page is paused in");
        sent.answer();
        sent.paused_with([0; 7]);
        assert!(!sent.may_be_lost(), "nothing is on its way");
        sent.send(InputKind::Up);
        assert!(sent.is_on_its_way());
        sent.paused_with([5, 3, 2, 0, 0, 0, 0]);
        assert!(sent.may_be_lost());
    }

    #[test]
    fn nothing_is_sent_while_the_page_is_paused() {
        let sent = SentInput::default();
        assert!(sent.until_it_runs().now_or_never().is_some());
        let paused = sent.pause().now_or_never().unwrap();
        assert!(sent.until_it_runs().now_or_never().is_none());
        drop(paused);
        assert!(sent.until_it_runs().now_or_never().is_some());
    }
}
