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
}

impl Bound {
    /// Whether the promise holds; what was not measured does not.
    pub(crate) fn holds(&self) -> bool {
        self.measured <= self.at_most
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
         Written by `cargo xtask bench`; do not edit by hand. Everything below was measured in one run, in rounds that take\n\
         turns (plain, changed, plain, …), so that a machine that slows down slows both. A figure is the median of the rounds.\n\n",
    );
    let _ = writeln!(page, "{}", machine.described());
    page.push_str("## Bounds\n\n");
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
            if bound.holds() { "pass" } else { "**fail**" }.to_owned(),
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
        };
        assert!(bound.holds());
        assert_eq!(
            bounds_table([&bound].into_iter()),
            "| what | at most | measured |  |\n| --- | --- | --- | --- |\n| a hook | 15.0 ns | 12.3 ns | pass |\n"
        );
        bound.measured = f64::NAN;
        assert!(!bound.holds());
    }
}
