//! How the page looked for its elements: that says which one an element is, and its number does not.

use std::collections::HashMap;

use event_log::model::{Kind, Model, text};
use event_log::value::Value;

/// An argument that is longer says too little for its length.
const LONGEST: usize = 60;

/// The first look-up that gave each element, as it is written with what was passed, by realm and object.
pub(crate) fn look_ups(model: &Model) -> HashMap<(u16, u32), String> {
    let mut found = HashMap::new();
    for (event, number) in model.events.iter().zip(0..) {
        if event.kind != Kind::CallEnd {
            continue;
        }
        let (Some(element), Some(site)) = (event.value.object(), model.site(event.site)) else {
            continue;
        };
        let method = site.name.rsplit('.').next().unwrap_or_default();
        if !matches!(method, "getElementById" | "querySelector") {
            continue;
        }
        if let Some(&[given @ Value::String(_)]) = model.library_arguments_of(number) {
            let given = text(model, event.stream, given);
            if given.chars().count() <= LONGEST {
                let name = match site.written.as_str() {
                    "" => &site.name,
                    written => written,
                };
                let written = format!("{name}({given})");
                let of = (event.stream, element.0);
                found.entry(of).or_insert(written);
            }
        }
    }
    found
}
