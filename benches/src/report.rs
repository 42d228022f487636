//! What the benchmarks found, as a page of documentation.

use std::fmt::Write;

use crate::machine::Machine;

/// A promise and what was measured of it.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// What is promised.
    pub(crate) what: String,
    /// At most this much.
    pub(crate) at_most: f64,
    /// The median.
    pub(crate) measured: f64,
    /// Unit of both, empty for ratios.
    pub(crate) unit: &'static str,
    /// How many times as long the same takes here, without us, as on the machine for which the bound was set; 1: that
    /// does not matter. Machines differ; a bound in nanoseconds is one for one of them.
    pub(crate) slower: f64,
}

impl Bound {
    /// Whether the promise holds, at the speed of the machine for which it was made; what was not measured does not.
    pub(crate) fn holds(&self) -> bool {
        self.measured <= self.at_most * self.slower.max(1.0)
    }

    fn verdict(&self) -> String {
        if !self.holds() {
            "**fail**".to_owned()
        } else if self.measured <= self.at_most {
            "pass".to_owned()
        } else {
            let same = crate::statistics::digits(self.measured / self.slower);
            format!("pass: {same} at the speed of the reference machine")
        }
    }
}

/// One benchmark's part of the page.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: &'static str,
    /// What was done, and the table.
    pub(crate) text: String,
    /// The promises it is about.
    pub(crate) bounds: Vec<Bound>,
}

/// The whole page.
pub(crate) fn page(machine: &Machine, sections: &[Section]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench`; do not edit by hand. Everything below was measured in one run, in rounds\n\
         that take turns (plain, changed, plain, …), so that a machine that slows down slows both. A figure is the\n\
         median of the rounds.\n\n",
    );
    let _ = writeln!(page, "{}", machine.described());
    page.push_str(
        "## Bounds\n\n\
         Bounds in nanoseconds and milliseconds were set on one machine (AMD EPYC, 2 cores: the reference). Where\n\
         another is slower at the same without hooks, in the same run, they are that much larger; the table says \
         so.\n\n",
    );
    page.push_str(&bounds_table(
        sections.iter().flat_map(|section| &section.bounds),
    ));
    for section in sections {
        let _ = write!(page, "\n## {}\n\n{}", section.title, section.text);
    }
    page
}

/// The promises, and whether they hold.
pub(crate) fn bounds_table<'b>(bounds: impl Iterator<Item = &'b Bound>) -> String {
    let mut rows = Vec::new();
    for bound in bounds {
        let unit = |value: f64| {
            let value = crate::statistics::digits(value);
            if bound.unit.is_empty() {
                value
            } else {
                format!("{value} {}", bound.unit)
            }
        };
        rows.push(vec![
            bound.what.clone(),
            unit(bound.at_most),
            unit(bound.measured),
            bound.verdict(),
        ]);
    }
    table(&["what", "at most", "measured", ""], &rows)
}

/// A Markdown table.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!(
        "| {} |\n|{}\n",
        head.join(" | "),
        " --- |".repeat(head.len())
    );
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_was_not_measured_does_not_hold() {
        let mut bound = Bound {
            what: "a hook".to_owned(),
            at_most: 15.0,
            measured: 12.34,
            unit: "ns",
            slower: 1.0,
        };
        assert!(bound.holds());
        assert_eq!(
            bounds_table([&bound].into_iter()),
            "| what | at most | measured |  |\n| --- | --- | --- | --- |\n| a hook | 15.0 ns | 12.3 ns | pass |\n"
        );
        bound.measured = f64::NAN;
        assert!(!bound.holds());
        bound.measured = 30.0;
        assert!(!bound.holds());
        bound.slower = 2.5;
        assert_eq!(
            bounds_table([&bound].into_iter()).lines().last().unwrap(),
            "| a hook | 15.0 ns | 30.0 ns | pass: 12.0 at the speed of the reference machine |"
        );
        // A machine that is faster makes no promise harder to keep.
        bound.slower = 0.5;
        bound.measured = 12.0;
        assert!(bound.holds());
    }
}
