//! In which order responses come: a page whose requests race must lose the same race again, with each other and with
//! the user.
//!
//! A response that scripts wait for is held back for others of that kind that came before it when it was recorded: for
//! one that is asked for already, and for one that was asked for while the first was under way, as long as it can still
//! be asked for; and for what the user had done before it came.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::time::Duration;

use recording::Exchange;

use cdp_driver::protocol::{Clock, SessionId};

/// How long after the last action before it a request still comes that scripts make, in milliseconds.
const GRACE_MS: f64 = 300.0;
/// How long a response is held back at most, in milliseconds.
const PATIENCE_MS: f64 = 5000.0;
/// How long a response takes to arrive where nobody says that it has: in workers, and in frames of other sites. In
/// milliseconds.
const ARRIVAL_MS: f64 = 250.0;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The order in which the responses of a recording came.
pub(super) struct Order {
    state: Mutex<OrderState>,
}

struct OrderState {
    responses: Vec<Response>,
    /// The numbers of those that are under way, by session and the browser's id of the request.
    under_way: HashMap<(SessionId, String), usize>,
    /// The actions that were recorded up to then are done, in milliseconds since 1970; none: nobody says.
    done_until_ms: Option<f64>,
    /// When that was said.
    said_at_ms: f64,
    /// What the user does next; none: nothing more, or nobody says when it was done.
    next_action: Option<Action>,
    /// What did not come in its turn, in words.
    late: Vec<String>,
}

/// Something that the user does.
struct Action {
    /// When it began when it was recorded, in milliseconds since 1970.
    recorded_ms: f64,
    /// Since when it is being done.
    since_ms: Option<f64>,
    /// When what the user does after it began; none: nobody knows.
    following_ms: Option<f64>,
}

struct Response {
    request: String,
    is_for_script: bool,
    began_ms: f64,
    ended_ms: f64,
    is: Is,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Is {
    Expected,
    /// It waits for its turn since then.
    Asked(f64),
    /// It is on its way since then.
    Sent(f64),
    Given,
}

impl Order {
    /// The order of these, in which each is known by its index.
    pub(super) fn new<'e>(exchanges: impl Iterator<Item = &'e Exchange>) -> Self {
        let responses = exchanges.map(|exchange| Response {
            request: exchange.request.to_string(),
            is_for_script: exchange.is_for_script(),
            began_ms: exchange.started_ms,
            ended_ms: exchange.started_ms + exchange.time_ms,
            // Others come from caches as they like.
            is: match exchange.is_for_script() {
                true => Is::Expected,
                false => Is::Given,
            },
        });
        Self {
            state: Mutex::new(OrderState {
                responses: responses.collect(),
                under_way: HashMap::new(),
                done_until_ms: None,
                said_at_ms: 0.0,
                next_action: None,
                late: Vec::new(),
            }),
        }
    }

    /// The actions recorded up to `recorded_ms`, in milliseconds since 1970, are done.
    pub(super) fn done_until(&self, recorded_ms: f64, now_ms: f64) {
        let mut state = self.state();
        state.done_until_ms = Some(recorded_ms);
        state.said_at_ms = now_ms;
    }

    /// The user does next what began at `recorded_ms` when it was recorded, in milliseconds since 1970, and then what
    /// began at `following_ms`; none: nobody knows.
    pub(super) fn next_action(&self, recorded_ms: Option<f64>, following_ms: Option<f64>) {
        self.state().next_action = recorded_ms.map(|recorded_ms| Action {
            recorded_ms,
            since_ms: None,
            following_ms,
        });
    }

    /// That is being done from now on. What is asked for meanwhile may be asked for by it, and it may wait for the
    /// response.
    pub(super) fn acts(&self, now_ms: f64) {
        if let Some(action) = &mut self.state().next_action {
            action.since_ms = Some(now_ms);
        }
    }

    /// A response that no script waits for is given when it is asked for.
    pub(super) fn gives(&self, number: usize) {
        self.state().set(number, Is::Given);
    }

    /// Waits until it is the turn of response `number`, which a script asked for in `session` as `request`. It is to be
    /// sent then, which [`Self::sends`] tells.
    pub(super) async fn turn_of(
        &self,
        number: usize,
        session: &SessionId,
        request: &str,
        clock: &dyn Clock,
    ) {
        let asked_ms = clock.now_ms();
        {
            let mut state = self.state();
            state.set(number, Is::Asked(asked_ms));
            state.note_overtaken(number);
            let id = (session.clone(), request.to_owned());
            state.under_way.insert(id, number);
        }
        loop {
            let now_ms = clock.now_ms();
            let waits = {
                let mut state = self.state();
                let is_late = now_ms - asked_ms > PATIENCE_MS;
                let must_wait = state.must_wait(number, now_ms);
                if is_late && must_wait {
                    state.note(
                        number,
                        "came before what it came after when it was recorded: that took too long",
                    );
                }
                must_wait && !is_late
            };
            if !waits {
                return;
            }
            clock.sleep(LOOK_EVERY).await;
        }
    }

    /// The response is on its way from now on.
    pub(super) fn sends(&self, number: usize, now_ms: f64) {
        self.state().set(number, Is::Sent(now_ms));
    }

    /// When the response came when it was recorded, in milliseconds since 1970.
    pub(super) fn ended_ms(&self, number: usize) -> Option<f64> {
        let state = self.state();
        state
            .responses
            .get(number)
            .map(|response| response.ended_ms)
    }

    /// Waits until what had arrived by then when it was recorded, in milliseconds since 1970, has arrived, as far as it
    /// was asked for.
    pub(super) async fn arrived_until(&self, recorded_ms: f64, clock: &dyn Clock) {
        let began_ms = clock.now_ms();
        loop {
            let now_ms = clock.now_ms();
            let Some(number) = self.state().under_way_since(recorded_ms, now_ms) else {
                return;
            };
            if now_ms - began_ms > PATIENCE_MS {
                self.state().note(
                    number,
                    "had arrived before this step when it was recorded, and has not",
                );
                return;
            }
            clock.sleep(LOOK_EVERY).await;
        }
    }

    /// What did not come in its turn, in words, since the last call.
    pub(super) fn late(&self) -> Vec<String> {
        std::mem::take(&mut self.state().late)
    }

    /// A response has arrived, or will not.
    pub(super) fn ended(&self, session: &SessionId, request: &str) {
        let id = (session.clone(), request.to_owned());
        let mut state = self.state();
        if let Some(number) = state.under_way.remove(&id) {
            state.set(number, Is::Given);
        }
    }

    fn state(&self) -> MutexGuard<'_, OrderState> {
        self.state.lock()
    }
}

impl OrderState {
    fn set(&mut self, number: usize, is: Is) {
        if let Some(response) = self.responses.get_mut(number) {
            response.is = is;
        }
    }

    fn note(&mut self, number: usize, what: &str) {
        const MOST_NOTES: usize = 100;
        if let Some(response) = self
            .responses
            .get(number)
            .filter(|_| self.late.len() < MOST_NOTES)
        {
            self.late
                .push(format!("the response of {} {what}", response.request));
        }
    }

    /// Says so where a response that was asked for came too late to come before one that waited for it.
    fn note_overtaken(&mut self, number: usize) {
        let Some(this) = self.responses.get(number) else {
            return;
        };
        let is_overtaken = self
            .responses
            .iter()
            .enumerate()
            .any(|(other_number, other)| {
                let is_gone = matches!(other.is, Is::Sent(_) | Is::Given) && other.is_for_script;
                let began_before = (other.began_ms, other_number) < (this.began_ms, number);
                let came_after = (other.ended_ms, other_number) > (this.ended_ms, number);
                is_gone && began_before && came_after
            });
        if is_overtaken {
            self.note(number, "comes after one that it came before when it was recorded: it was asked for too late");
        }
    }

    /// Something that had arrived by then and is still to arrive.
    fn under_way_since(&self, recorded_ms: f64, now_ms: f64) -> Option<usize> {
        let mut responses = self.responses.iter();
        responses.position(|response| {
            response.ended_ms < recorded_ms
                && match response.is {
                    Is::Asked(_) => true,
                    Is::Sent(at_ms) => now_ms - at_ms < ARRIVAL_MS,
                    Is::Expected | Is::Given => false,
                }
        })
    }

    /// Whether another response, or what the user does, has to come before that one.
    fn must_wait(&self, number: usize, now_ms: f64) -> bool {
        let Some(this) = self.responses.get(number) else {
            return false;
        };
        if let (Some(action), Is::Asked(asked_ms)) = (&self.next_action, this.is) {
            let is_of_it = action.since_ms.is_some_and(|since_ms| asked_ms >= since_ms);
            // What it asked for may come while it is done, if it came before the user went on.
            let until_ms = match is_of_it {
                true => action.following_ms.unwrap_or(f64::INFINITY),
                false => action.recorded_ms,
            };
            if this.ended_ms > until_ms {
                return true;
            }
        }
        let mut others = self.responses.iter().enumerate();
        others.any(|(other_number, other)| {
            let came_before = (other.ended_ms, other_number) < (this.ended_ms, number);
            came_before
                && match other.is {
                    Is::Given => false,
                    Is::Asked(_) => true,
                    Is::Sent(at_ms) => now_ms - at_ms < ARRIVAL_MS,
                    // Archives know whole milliseconds, and have requests in the order in which they were made.
                    Is::Expected => {
                        let began_after = (other.began_ms, other_number) > (this.began_ms, number);
                        began_after && self.can_come(other, now_ms)
                    }
                }
        })
    }

    /// Whether a request that has not been made may still be.
    fn can_come(&self, response: &Response, now_ms: f64) -> bool {
        self.done_until_ms.is_some_and(|done_ms| {
            response.began_ms >= done_ms || now_ms - self.said_at_ms < GRACE_MS
        })
    }
}

#[cfg(test)]
mod tests {
    use recording::RequestKey;

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Responses that began and ended then.
    fn order(times: &[(f64, f64)]) -> Order {
        let exchanges: Vec<Exchange> = times
            .iter()
            .map(|(began, ended)| Exchange {
                request: RequestKey::new("GET", "http://a/", None, None),
                kind: "fetch".to_owned(),
                started_ms: *began,
                time_ms: ended - began,
                status: 200,
                status_text: String::new(),
                headers: Vec::new(),
                body: Vec::new(),
            })
            .collect();
        Order::new(exchanges.iter())
    }

    #[test]
    fn one_that_was_overtaken_waits_for_the_one_that_came_before_it() {
        let order = order(&[(0.0, 500.0), (100.0, 200.0)]);
        order.state().set(0, Is::Asked(0.0));
        // Nobody says what the user has done.
        assert!(!order.state().must_wait(0, 0.0));
        order.done_until(50.0, 1000.0);
        assert!(order.state().must_wait(0, 9000.0), "the user has not acted");
        order.done_until(120.0, 1000.0);
        assert!(order.state().must_wait(0, 1100.0), "it may come just now");
        assert!(!order.state().must_wait(0, 1400.0), "it does not come");
        order.state().set(1, Is::Asked(0.0));
        assert!(order.state().must_wait(0, 9000.0), "it is under way");
        assert!(!order.state().must_wait(1, 1000.0), "it goes first");
        order.state().set(1, Is::Sent(9000.0));
        assert!(order.state().must_wait(0, 9100.0), "it has not arrived");
        assert!(!order.state().must_wait(0, 9300.0), "nobody says so");
        order.state().set(1, Is::Given);
        assert!(!order.state().must_wait(0, 9100.0));
    }

    #[test]
    fn what_had_arrived_before_an_action_arrives_before_it() {
        let order = order(&[(0.0, 500.0), (100.0, 900.0)]);
        assert!(
            order.state().under_way_since(600.0, 0.0).is_none(),
            "nobody asked"
        );
        order.state().set(0, Is::Asked(0.0));
        order.state().set(1, Is::Asked(0.0));
        assert!(order.state().under_way_since(400.0, 0.0).is_none());
        assert!(order.state().under_way_since(600.0, 0.0).is_some());
        order.state().set(0, Is::Sent(1000.0));
        assert!(order.state().under_way_since(600.0, 1100.0).is_some());
        assert!(order.state().under_way_since(600.0, 1300.0).is_none());
        order.state().set(0, Is::Given);
        assert!(order.state().under_way_since(600.0, 1100.0).is_none());
    }

    #[test]
    fn what_is_asked_for_too_late_is_said() {
        let order = order(&[(0.0, 500.0), (100.0, 200.0), (600.0, 700.0)]);
        order.state().set(2, Is::Given);
        order.state().note_overtaken(1);
        assert_eq!(order.late(), [""; 0], "the first one is still to come");
        order.state().set(0, Is::Sent(0.0));
        order.state().note_overtaken(1);
        let late = order.late();
        assert!(
            late[0].starts_with("the response of GET http://a/ comes after one"),
            "{late:?}"
        );
        assert_eq!(order.late(), [""; 0]);
    }

    #[test]
    fn what_came_after_an_action_comes_after_it() {
        let order = order(&[(0.0, 500.0), (0.0, 300.0), (450.0, 600.0)]);
        order.next_action(Some(400.0), Some(700.0));
        order.state().set(0, Is::Asked(10.0));
        order.state().set(1, Is::Asked(10.0));
        assert!(!order.state().must_wait(1, 20.0), "it came before");
        order.state().set(1, Is::Given);
        assert!(order.state().must_wait(0, 20.0));
        order.acts(1000.0);
        assert!(order.state().must_wait(0, 1000.0), "it is not done yet");
        order.state().set(2, Is::Asked(1010.0));
        order.state().set(0, Is::Given);
        assert!(
            !order.state().must_wait(2, 1010.0),
            "the action may wait for it"
        );
        order.next_action(Some(400.0), Some(550.0));
        order.acts(1000.0);
        assert!(
            order.state().must_wait(2, 1010.0),
            "the user went on before it came"
        );
        order.state().set(2, Is::Given);
        order.state().set(0, Is::Asked(10.0));
        order.next_action(None, None);
        assert!(!order.state().must_wait(0, 1020.0), "it is done");
    }

    #[test]
    fn one_that_began_earlier_and_is_not_asked_for_is_not_waited_for() {
        let order = order(&[(0.0, 100.0), (50.0, 150.0)]);
        order.done_until(0.0, 1000.0);
        order.state().set(1, Is::Asked(0.0));
        assert!(!order.state().must_wait(1, 1000.0));
        // What was asked for at once is told apart by its place in the recording.
        let order = self::order(&[(0.0, 100.0), (0.0, 50.0)]);
        order.done_until(0.0, 1000.0);
        order.state().set(0, Is::Asked(0.0));
        assert!(order.state().must_wait(0, 1000.0));
        // Two that ended at once come in the order of the recording.
        let order = self::order(&[(0.0, 100.0), (0.0, 100.0)]);
        order.state().set(0, Is::Asked(0.0));
        order.state().set(1, Is::Asked(0.0));
        assert!(order.state().must_wait(1, 0.0) && !order.state().must_wait(0, 0.0));
    }
}
