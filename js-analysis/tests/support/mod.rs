//! What several test programs share.

/// A rewritten text as it runs, for people to read: without marks, and without what they hide in comments.
pub(crate) fn as_it_runs(text: &str) -> String {
    let mut shown = String::new();
    let mut hidden = false;
    for (index, part) in text.split('\u{b}').enumerate() {
        if index % 2 == 0 {
            if !hidden {
                shown.push_str(part);
            }
            continue;
        }
        let part = if hidden {
            part.strip_prefix("*/").unwrap_or(part)
        } else {
            part
        };
        let visible = part.strip_suffix("/*");
        hidden = visible.is_some();
        shown.push_str(visible.unwrap_or(part));
    }
    shown
}
