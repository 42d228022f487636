//! A function that was handed over to a built-in, and when that calls it.

use js_analysis::origin::Call;

use super::Spot;

/// A function was handed over to a built-in, which calls it later.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    /// The event behind that call.
    pub(super) event: u32,
    pub(super) spot: Spot,
    pub(super) call: Box<Call>,
    /// Which argument it was.
    pub(super) argument: usize,
}

/// When the built-in calls the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// With what a promise is fulfilled with.
    Fulfilled,
    /// With what a promise is rejected with.
    Rejected,
    /// With further arguments of the call, after a while.
    Timer,
    /// With something else.
    Other,
}

impl Registration {
    pub(super) fn role(&self) -> Role {
        let method = self.call.method.as_deref().unwrap_or_default();
        let global = self.call.global.as_deref().unwrap_or_default();
        let is_timer = |name: &str| matches!(name, "setTimeout" | "setInterval");
        match (method, self.argument) {
            ("then", 0) => Role::Fulfilled,
            ("then", 1) | ("catch", 0) => Role::Rejected,
            (method, 0) if is_timer(global) || is_timer(method) => Role::Timer,
            _ => Role::Other,
        }
    }
}
