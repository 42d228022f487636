//! `querypoint diagnose` with a good version where calls make functions, and where the language throws.

use crate::diagnose::said_of_good_version as said_of;

const SAME: &str = "valid: the good version does the same";
const UNKNOWN: &str = "unknown: a function was made, and what it does later cannot be compared";

const PROGRAM: &str = "const later = [];
function keep(list) {
  let sum = 0;
  for (const item of list) {
    const twice = item * 2;
    sum += twice;
    later.push(() => `${item}: ${twice}`);
  }
  return sum + 0;
}
function counter(start) {
  let count = start + 0;
  return { step: () => ++count, get: () => count };
}
function named(text) {
  function helper() { return text.length; }
  const short = text.slice(0, 2);
  return (more) => helper() + short + more;
}
function failing(value) {
  try { return value.x.y + 0; } catch (error) { throw error; }
}
keep([1, 2]); counter(3); named('text'); try { failing({}); } catch (error) { later.pop(); }";

/// Functions are the same if they are written the same and close over the same, whatever else was written otherwise.
#[test]
fn functions_that_calls_make_are_compared_by_what_they_close_over() {
    for (good, other, function) in [
        ("sum + 0", "0 + sum", "keep"),
        ("item * 2", "item + item", "keep"),
        ("start + 0", "start", "counter"),
        ("slice(0, 2)", "slice(0, -2)", "named"),
        ("value.x.y + 0", "value.x.y", "failing"),
    ] {
        let said = said_of(PROGRAM, good, other, function);
        assert_eq!(said, [SAME], "{other}");
    }
}

/// What differs only in what functions do later is not said to be the same.
#[test]
fn functions_that_close_over_something_else_are_not_said_to_be_the_same() {
    for (good, other, function) in [
        // Another value, one that is not written the same, another helper.
        (
            "const twice = item * 2;\n    sum += twice;",
            "const twice = item * 3;\n    sum += item * 2;",
            "keep",
        ),
        ("() => ++count", "() => --count", "counter"),
        ("start + 0", "start + 1", "counter"),
        ("return text.length", "return text.length + 1", "named"),
        ("slice(0, 2)", "slice(0, 3)", "named"),
    ] {
        let said = said_of(PROGRAM, good, other, function);
        assert_ne!(said, [SAME], "{other}");
        assert_eq!(said.len(), 1, "{other}: {said:?}");
    }
    let said = said_of(PROGRAM, "slice(0, 2)", "slice(0, 3)", "named");
    assert_eq!(said, [UNKNOWN]);
}
