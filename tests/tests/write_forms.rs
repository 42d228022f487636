//! `docs/reference/write-forms.md` is what the fixtures say.

use std::fs;

use end_to_end::fixture::fixtures;
use end_to_end::forms::table;
use end_to_end::repository;

#[test]
fn the_table_of_forms_is_what_the_fixtures_say() -> Result<(), String> {
    let made = table(&fixtures(&repository().join("tests/fixtures"))?)?;
    let path = repository().join("docs/reference/write-forms.md");
    if std::env::var_os("WRITE_DOCS").is_some() {
        fs::write(&path, &made).map_err(|error| error.to_string())?;
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    let differs = there
        .lines()
        .zip(made.lines())
        .position(|(there, made)| there != made);
    let line = differs.unwrap_or_else(|| there.lines().count().min(made.lines().count()));
    if there == made {
        return Ok(());
    }
    Err(format!(
        "docs/reference/write-forms.md is out of date from line {}; WRITE_DOCS=1 cargo test -p end-to-end --test all \
         write_forms",
        line + 1
    ))
}
