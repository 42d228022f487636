//! Which tests took longest, read from what nextest prints of each.

use std::time::Duration;

/// How many are named.
const NAMED: usize = 10;

/// The tests that took longest, the slowest first.
#[derive(Debug, Default)]
pub(crate) struct Slowest(Vec<(Duration, String)>);

impl Slowest {
    /// Takes one more test; only the slowest are kept.
    fn add(&mut self, duration: Duration, name: String) {
        let place = self.0.partition_point(|(other, _)| *other >= duration);
        if place < NAMED {
            self.0.insert(place, (duration, name));
            self.0.truncate(NAMED);
        }
    }

    /// Takes those of another list.
    pub(crate) fn extend(&mut self, other: Self) {
        for (duration, name) in other.0 {
            self.add(duration, name);
        }
    }

    /// Reads one line of nextest's. Whether it says that a test passed and nothing else, so that nobody needs to see
    /// it.
    pub(crate) fn read(&mut self, line: &str) -> bool {
        let Some((status, duration, name)) = finished(line) else {
            return false;
        };
        self.add(duration, name.to_owned());
        status == "PASS"
    }

    /// A line for each, with its time.
    pub(crate) fn table(&self) -> String {
        let lines = self.0.iter().map(|(duration, name)| {
            let seconds = duration.as_secs_f64();
            format!("{seconds:>8.1} s  {name}\n")
        });
        lines.collect()
    }
}

/// The status, the time and the name in `PASS [   1.236s] ( 4/10) package::binary the_test`.
fn finished(line: &str) -> Option<(&str, Duration, &str)> {
    let (status, rest) = line.trim().split_once(" [")?;
    if !matches!(status, "PASS" | "FAIL" | "TIMEOUT" | "SLOW") {
        return None;
    }
    let (seconds, rest) = rest.split_once("s] ")?;
    let seconds = seconds.trim().parse().ok()?;
    let name = match rest.trim_start().strip_prefix('(') {
        Some(numbered) => numbered.split_once(") ")?.1,
        None => rest,
    };
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (status != "SLOW").then_some((status, duration, name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first_and_no_more_than_ten() {
        let mut slowest = Slowest::default();
        for number in 1..=20 {
            let line =
                format!("        PASS [   {number}.250s] ({number:>2}/20) a::b test_{number}");
            assert!(slowest.read(&line));
        }
        assert!(!slowest.read("        FAIL [  10.100s] (21/21) a::b broken"));
        let table = slowest.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "    20.2 s  a::b test_20");
        assert_eq!(lines[9], "    11.2 s  a::b test_11");
    }

    #[test]
    fn other_lines_are_passed_on() {
        let mut slowest = Slowest::default();
        for line in [
            "     Summary [  42.630s] 452 tests run: 448 passed, 4 failed, 0 skipped",
            "        SLOW [> 60.000s] ( 3/10) a::b c",
            "    PASS is a word",
            "",
        ] {
            assert!(!slowest.read(line), "{line}");
        }
        assert_eq!(slowest.table(), "");
    }
}
