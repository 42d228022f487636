//! The composed questions that there are, for a terminal.

use std::fmt::Write as _;

use querypoint::catalogue::Definitions;

use super::rows::styled;
use super::style::{FAINT, POINT};
use super::text::printable;

/// More of a line of help is not shown.
const HELP_COLUMNS: usize = 200;

/// Each with its help and where it comes from.
pub(crate) fn definitions(definitions: &Definitions) -> String {
    let mut text = String::new();
    for definition in definitions.iter() {
        if !text.is_empty() {
            text.push('\n');
        }
        let (file, line) = &definition.place;
        let place = styled(FAINT, &format!("{}:{line}", printable(file, HELP_COLUMNS)));
        let usage = styled(POINT, &printable(&definition.usage(), HELP_COLUMNS));
        // Writing into a text does not fail.
        let _ = writeln!(text, "{usage}  {place}");
        for line in definition.help.lines() {
            let _ = writeln!(text, "  {}", printable(line, HELP_COLUMNS));
        }
    }
    if text.is_empty() {
        return "no question is defined: write some into querypoint.queries, such as\n\
            define above(limit) = argumentsOf(pay) when arguments[0] > limit\n"
            .to_owned();
    }
    text
}
