//! The figures that the docs state are those that were counted and measured.

use super::*;

#[test]
fn the_questions_counted_are_those_that_are_asked() {
    let table = read("docs/explanation/questions.md");
    let mut pages = 0;
    for entry in fs::read_dir(repository().join("test-pages")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(folder.join("expected.json")) else {
            continue;
        };
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let questions = expected["questions"].as_u64().unwrap();
        let by_origin = expected["byOrigin"].as_array().unwrap();
        let row = format!(
            "| [{name}](../../test-pages/{name}) | {questions} | {} |",
            by_origin.len()
        );
        let line = table.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| {
            panic!("docs/explanation/questions.md has no row that begins {row}")
        });
        let asked = expected["queries"]
            .as_array()
            .unwrap()
            .iter()
            .take(questions.try_into().unwrap())
            .chain(by_origin);
        for query in asked.map(|query| query.as_str().unwrap()) {
            let text = query.split_once(" = ").map_or(query, |(_, text)| text);
            assert!(
                line.contains(&format!("`{text}`")),
                "{name}: {text} is not in the table"
            );
        }
        pages += 1;
    }
    assert_eq!(
        table.matches("](../../test-pages/").count(),
        pages,
        "a row too many in docs/explanation/questions.md"
    );
}

/// The number with which a cell begins, of the first row of the benchmarks that is called so.
fn measured(row: &str, cell: usize) -> f64 {
    let benchmarks = read("docs/benchmarks.md");
    let line = benchmarks
        .lines()
        .find(|line| line.starts_with(&format!("| {row} |")))
        .unwrap_or_else(|| panic!("docs/benchmarks.md has no row {row:?}"));
    let cell = line.split('|').nth(cell).unwrap().trim();
    cell.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn the_figures_of_the_readme_are_those_of_the_benchmarks() {
    let readme = read("README.md");
    let figure = |before: &str, after: &str| -> f64 {
        let (_, rest) = readme.split_once(before).unwrap();
        rest.split_once(after).unwrap().0.parse().unwrap()
    };
    let range = readme.split_once("the lines are found | ").unwrap().1;
    let range = range.split_once(" ns for a write").unwrap().0;
    let (least, most) = range.split_once(" to ").unwrap();
    let pairs = [
        (
            figure("every hit: about ", " ms"),
            measured("breakpoint, resumed by the driver", 2) / 1000.0,
        ),
        (
            figure("condition | about ", " µs"),
            measured("conditional breakpoint (`false`)", 2),
        ),
        (
            least.parse().unwrap(),
            measured("a write with an armed hook, old object", 3),
        ),
        (
            most.parse().unwrap(),
            measured(
                "a write with an armed hook, fresh objects of 20 shapes, in their constructors",
                3,
            ),
        ),
    ];
    for (said, measured) in pairs {
        // Machines are noisy; a figure that is a quarter off is another.
        let off = (said - measured).abs() / measured;
        assert!(
            off < 0.25,
            "the README says {said}, measured was {measured}"
        );
    }
}
