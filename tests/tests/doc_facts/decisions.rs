//! The records of decisions: their order, their dates and parts, and where they are listed.

use super::*;

#[test]
fn the_contents_have_the_decisions_in_the_order_of_their_numbers() {
    let contents = read("docs/SUMMARY.md");
    let numbers: Vec<&str> = link_targets(&contents)
        .into_iter()
        .filter_map(|page| page.strip_prefix("decisions/")?.get(..4))
        .filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
        .collect();
    assert!(numbers.len() > 100, "{numbers:?}");
    assert!(numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn every_decision_has_its_number_its_date_and_its_parts() {
    let index = read("docs/decisions/index.md");
    let listed: BTreeSet<&str> = link_targets(&index).into_iter().collect();
    let mut records: Vec<String> = fs::read_dir(repository().join("docs/decisions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "index.md")
        .collect();
    records.sort();
    assert!(records.len() >= 85, "{}", records.len());
    for (number, name) in (1..).zip(&records) {
        let text = read(Path::new("docs/decisions").join(name));
        assert!(
            name.starts_with(&format!("{number:04}-"))
                && text.starts_with(&format!("# {number:04}. ")),
            "{name} is record {number}"
        );
        let date = text
            .lines()
            .nth(2)
            .and_then(|line| line.strip_prefix("Date: "));
        let is_date = date.is_some_and(|date| {
            date.len() == 10 && date.split('-').all(|part| part.parse::<u32>().is_ok())
        });
        assert!(is_date, "{name} has the date {date:?}");
        let headings: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(
            headings,
            ["Context", "Decision", "Measurement", "Consequence"],
            "{name}"
        );
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.unwrap();
        assert!(
            listed.contains(name.as_str()) && index.contains(&format!("| [{title}]({name}) |")),
            "docs/decisions/index.md has no row for {title}"
        );
    }
}
