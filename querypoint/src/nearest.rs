//! The name that a person may have meant.

/// The one of `candidates` that is most like `name`, if one is so much like it that it may have been meant: other
/// letters in no more than a third of its places, whatever their case, and not in all of them.
///
/// ```
/// let there = ["total", "items", "toString"];
/// assert_eq!(querypoint::nearest::nearest("totl", there), Some("total"));
/// assert_eq!(querypoint::nearest::nearest("price", there), None);
/// ```
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    const LONGEST: usize = 100;
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let letters = candidate.chars().count();
            let most = letters.div_ceil(3).min(letters.saturating_sub(1));
            if letters.abs_diff(length) > most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            (distance <= most).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_most_alike_is_named_first() {
        let there = ["count", "counts", "account", "x"];
        assert_eq!(nearest("coutn", there), Some("count"));
        assert_eq!(nearest("Count", there), Some("count"));
        assert_eq!(nearest("accounts", there), Some("account"));
        assert_eq!(nearest("dblClick", ["doubleClick"]), Some("doubleClick"));
    }

    #[test]
    fn what_is_not_alike_is_not_named() {
        assert_eq!(
            nearest("a", ["x", "y"]),
            None,
            "every single letter is as far"
        );
        assert_eq!(nearest("missing", ["constructor", "valueOf"]), None);
        assert_eq!(nearest("count", ["count"]), None, "it is the name itself");
        assert_eq!(nearest(&"long".repeat(100), ["long"]), None);
    }
}
