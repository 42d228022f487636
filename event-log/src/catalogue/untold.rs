//! Exceptions that no `throw` of a recorded script threw: of the browser, as the `TypeError` of `null.x`, and of code
//! without hooks. A log has no event of their being thrown, only of what caught them.

use std::collections::BTreeSet;

use super::{Asked, Found, display};
use crate::model::Kind;

impl Asked<'_> {
    /// Says so where such exceptions were caught, or ended what ran.
    pub(super) fn note_untold_exceptions(&self, within: &dyn Fn(u32) -> bool, found: &mut Found) {
        let model = self.model;
        let mut known = BTreeSet::new();
        let (mut count, mut first) = (0_u32, None);
        for (event, number) in model.events.iter().zip(0_u32..) {
            let is_caught = match event.kind {
                Kind::Throw => false,
                Kind::Catch | Kind::Uncaught => true,
                _ => continue,
            };
            // Each such exception is an object; it is the same one where it is thrown again.
            let Some(object) = event.value.object() else {
                continue;
            };
            let is_new = known.insert((event.stream, object.0));
            if is_caught && is_new && within(number) {
                count += 1;
                first = first.or(Some((event.stream, object.0, number)));
            }
        }
        let Some((stream, object, number)) = first else {
            return;
        };
        let class = display::owner_class(model, stream, object);
        let what = match count {
            1 => "one more exception was".to_owned(),
            count => format!("{count} more exceptions were"),
        };
        found.is_partial = true;
        found.note(format!(
            "{what} not thrown by a `throw` of a recorded script, but by the browser or by code without hooks: \
             #{number} is where the first ({class}) was caught or ended what ran; wasCaught(Error) has what was caught"
        ));
    }
}
