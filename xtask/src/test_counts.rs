//! How many tests a test runner says it ran, read from what it prints.
//!
//! Three runners are understood: `cargo test` (one `test result:` line for each binary), `cargo nextest` (one `Summary`
//! line) and `node --test` (one line for each number). Only the lines of the runner that was started count: nextest
//! shows what a failed test printed, and that ends with a `test result:` line of its own. A number comes only
//! from what was printed; nothing is guessed.

use std::ops::AddAssign;

/// Tests that passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCounts {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, timed out or could not be run.
    pub(crate) failed: u64,
    /// Tests that were not run on purpose.
    pub(crate) skipped: u64,
}

impl AddAssign for TestCounts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// What runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo test`
    CargoTest,
    /// `cargo nextest run`
    Nextest,
    /// `node --test`
    Node,
}

/// The counts in one printed line, if it is this runner's summary or a part of it.
pub(crate) fn counts_in_line(runner: Runner, line: &str) -> Option<TestCounts> {
    let line = line.trim();
    let summary = match runner {
        Runner::CargoTest => line.strip_prefix("test result: ")?,
        // `Summary [   0.5s] 10 tests run: 9 passed (1 slow), 1 failed, 2 skipped`
        Runner::Nextest => line.strip_prefix("Summary [")?.split_once(" run: ")?.1,
        Runner::Node => return counts_of_node(line),
    };
    let mut counts = TestCounts::default();
    for part in summary.split([',', ';', '.']) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let Some((number, kind)) = words
            .windows(2)
            .find_map(|pair| Some((pair[0].parse::<u64>().ok()?, pair[1])))
        else {
            continue;
        };
        match kind {
            "passed" => counts.passed += number,
            "failed" | "timed" | "exec" => counts.failed += number,
            "skipped" | "ignored" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

/// Node has a line for each number: `# pass 9`, or `ℹ pass 9` for a person.
fn counts_of_node(line: &str) -> Option<TestCounts> {
    let (kind, number) = line
        .strip_prefix("# ")
        .or_else(|| line.strip_prefix("ℹ "))?
        .split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    let mut counts = TestCounts::default();
    match kind {
        "pass" => counts.passed = number,
        "fail" | "cancelled" => counts.failed = number,
        "skipped" | "todo" => counts.skipped = number,
        _ => return None,
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runner: Runner, line: &str, expected: Option<(u64, u64, u64)>) {
        let expected = expected.map(|(passed, failed, skipped)| TestCounts {
            passed,
            failed,
            skipped,
        });
        assert_eq!(counts_in_line(runner, line), expected, "in {line:?}");
    }

    #[test]
    fn the_numbers_of_node_are_read() {
        check(Runner::Node, "# pass 12", Some((12, 0, 0)));
        check(Runner::Node, "ℹ fail 2", Some((0, 2, 0)));
        check(Runner::Node, "# todo 1", Some((0, 0, 1)));
        check(Runner::Node, "# tests 14", None);
        check(Runner::Node, "# Subtest: pass 12 of them", None);
    }

    #[test]
    fn cargo_test_summaries_are_read() {
        check(
            Runner::CargoTest,
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.10s",
            Some((12, 0, 1)),
        );
        check(
            Runner::CargoTest,
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            Some((3, 2, 0)),
        );
    }

    #[test]
    fn nextest_summaries_are_read() {
        check(
            Runner::Nextest,
            "     Summary [   0.513s] 10 tests run: 10 passed, 0 skipped",
            Some((10, 0, 0)),
        );
        check(
            Runner::Nextest,
            "     Summary [  12.1s] 10/14 tests run: 7 passed (2 slow, 1 leaky), 2 failed, 1 timed out, 4 skipped",
            Some((7, 3, 4)),
        );
        check(
            Runner::Nextest,
            "     Summary [   0.010s] 1 test run: 0 passed, 1 failed, 0 skipped",
            Some((0, 1, 0)),
        );
    }

    #[test]
    fn other_lines_are_not_summaries() {
        check(Runner::CargoTest, "running 3 tests", None);
        check(Runner::Nextest, "    PASS [   0.011s] xtask tests::a", None);
        // What a failed test printed, shown by nextest.
        check(
            Runner::Nextest,
            "test result: FAILED. 0 passed; 1 failed; 0 ignored",
            None,
        );
    }
}
