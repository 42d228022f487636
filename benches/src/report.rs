//! What the benchmarks found, as a page of documentation.

use std::borrow::Cow;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// A promise and what was measured of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// What is promised.
    pub(crate) what: String,
    /// At most this much.
    pub(crate) at_most: f64,
    /// The median.
    pub(crate) measured: f64,
    /// Unit of both, empty for ratios.
    pub(crate) unit: Cow<'static, str>,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: Cow<'static, str>,
    /// What was done, and the table.
    pub(crate) text: String,
    /// The promises it is about.
    pub(crate) bounds: Vec<Bound>,
}

/// A section, and what it was measured on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// The machine, the commit, the day.
    pub(crate) on: Machine,
    /// What was found.
    pub(crate) section: Section,
}

/// The whole page. The first section's machine is the page's; whatever was measured on another one says so.
pub(crate) fn page(sections: &[Measured]) -> String {
    let mut page = String::from(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench`; do not edit by hand. Each section was measured in one run, in rounds that\n\
         take turns (plain, changed, plain, …), so that a machine that slows down slows both. A figure is the median\n\
         of the rounds.\n\n",
    );
    let machine = sections.first().map(|it| it.on.machine());
    if let Some(machine) = &machine {
        let _ = writeln!(page, "{machine}");
    }
    page.push_str(
        "## Bounds\n\n\
         Bounds in nanoseconds and milliseconds were set on one machine (AMD EPYC, 2 cores: the reference). Where\n\
         another is slower at the same without hooks, in the same run, they are that much larger; the table says \
         so.\n\n",
    );
    page.push_str(&bounds_table(
        sections.iter().flat_map(|it| &it.section.bounds),
    ));
    for Measured { on, section } in sections {
        let _ = write!(page, "\n## {}\n\nAt {}.\n\n", section.title, on.moment());
        let here = Some(on.machine()).filter(|here| machine.as_ref() != Some(here));
        if let Some(here) = here {
            let _ = writeln!(page, "{here}");
        }
        page.push_str(&section.text);
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
    fn each_section_says_where_it_was_measured() {
        let on = |processor: &str, commit: &str| Machine {
            processor: processor.to_owned(),
            commit: commit.to_owned(),
            ..Machine::default()
        };
        let measured = |title: &'static str, on| Measured {
            on,
            section: Section {
                title: title.into(),
                text: format!("{title} is fast.\n"),
                bounds: Vec::new(),
            },
        };
        let sections = [
            measured("One", on("A", "1")),
            measured("Two", on("A", "2")),
            measured("Three", on("B", "2")),
        ];
        let page = page(&sections);
        assert_eq!(page.matches("machine: A").count(), 1);
        assert_eq!(page.matches("machine: B").count(), 1);
        let (two, three) = page.split_once("## Three").unwrap();
        assert!(two.contains("## Two\n\nAt commit 2"), "{two}");
        assert!(three.contains("machine: B"), "{three}");
    }

    #[test]
    fn a_bound_that_was_not_measured_does_not_hold() {
        let mut bound = Bound {
            what: "a hook".to_owned(),
            at_most: 15.0,
            measured: 12.34,
            unit: "ns".into(),
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
