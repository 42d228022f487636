//! The first command of the README: what a newcomer sees is what the README shows.

use std::process::Command;

use end_to_end::{querypoint_command, repository};

#[test]
fn the_demo_prints_what_the_readme_shows() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let shown: Vec<&str> = readme
        .split("```text\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap()
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    assert!(shown.len() > 20, "the README shows an answer");
    let output = Command::new(querypoint_command().unwrap())
        .arg("demo")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    for line in shown {
        assert!(
            lines.contains(&line.trim_end()),
            "the README shows {line:?}, which the demo does not print:\n{printed}"
        );
    }
}
