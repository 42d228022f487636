//! An old and a new value beside each other: what is the same in both, and what is not.

/// Two texts, in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change<'t> {
    /// What both begin with.
    pub before: &'t str,
    /// What only the old one has there.
    pub old: &'t str,
    /// What only the new one has there.
    pub new: &'t str,
    /// What both end with.
    pub after: &'t str,
}

/// The parts of an old and a new text. What is the same at both ends is as long as it can be; the beginning first.
///
/// ```
/// use querypoint::session::change::{Change, parts};
/// let change = parts("{total: 10, paid: false}", "{total: 12, paid: false}");
/// assert_eq!(change, Change { before: "{total: 1", old: "0", new: "2", after: ", paid: false}" });
/// ```
#[must_use]
pub fn parts<'t>(old: &'t str, new: &'t str) -> Change<'t> {
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let start = same.map(|(it, _)| it.len_utf8()).sum::<usize>();
    let (before, old_rest) = old.split_at(start);
    let new_rest = &new[start..];
    let same = old_rest.chars().rev().zip(new_rest.chars().rev());
    let same = same.take_while(|(a, b)| a == b);
    let end = same.map(|(it, _)| it.len_utf8()).sum::<usize>();
    let (old, after) = old_rest.split_at(old_rest.len() - end);
    let new = &new_rest[..new_rest.len() - end];
    Change {
        before,
        old,
        new,
        after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_texts_have_parts() {
        for (old, new) in [
            ("", ""),
            ("", "a"),
            ("aa", "aaa"),
            ("aba", "a"),
            ("größe", "grüße"),
            ("\u{1d538}x", "\u{1d539}x"),
            ("same", "same"),
        ] {
            let Change {
                before,
                old: only_old,
                new: only_new,
                after,
            } = parts(old, new);
            assert_eq!(format!("{before}{only_old}{after}"), old);
            assert_eq!(format!("{before}{only_new}{after}"), new);
        }
        assert_eq!(parts("aa", "aaa").new, "a");
        assert_eq!(parts("größe", "grüße").old, "ö");
    }
}
