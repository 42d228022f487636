//! The table of step kinds in `docs/reference/recordings.md` is what the tests prove.

use std::fs;

use end_to_end::repository;
use end_to_end::step_kinds::with_table;

#[test]
fn the_table_of_step_kinds_is_what_the_tests_say() -> Result<(), String> {
    let path = repository().join("docs/reference/recordings.md");
    let there = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let made = with_table(&there, repository())?;
    if std::env::var_os("WRITE_DOCS").is_some() {
        fs::write(&path, &made).map_err(|error| error.to_string())?;
        return Ok(());
    }
    let mut lines = there.lines().zip(made.lines());
    if there == made {
        return Ok(());
    }
    let line = lines.position(|(there, made)| there != made);
    Err(format!(
        "docs/reference/recordings.md is out of date from line {}; WRITE_DOCS=1 cargo test -p end-to-end --test all \
         step_kinds",
        line.unwrap_or_default() + 1
    ))
}
