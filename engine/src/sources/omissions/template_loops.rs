//! Loops of templates, of which a compiler made a call that is handed a function.
//!
//! ```svelte
//! {#each rows as row}<Row {row} />{/each}
//! ```
//!
//! ```js
//! each(node, 17, () => rows, index, ($$anchor, row) => { … });
//! ```

use js_analysis::omission::Reason;
use js_analysis::position::Utf16Position;

use super::located::{Analysed, Located};
use crate::sources::Sources;

/// What loops of Svelte begin with.
const EACH: &str = "{#each";

/// The head of the loop of a template that the offset `at` of `source` is in.
fn template_loop(source: &str, at: usize) -> Option<&str> {
    /// Nobody writes a longer head.
    const LONGEST: usize = 500;
    let first = source.floor_char_boundary(at.saturating_sub(LONGEST));
    let before = source.get(first..at)?;
    let start = first + before.rfind(EACH)?;
    let within = source.get(start..at)?;
    if within.contains('}') {
        return None;
    }
    let end = at + source.get(at..)?.find('}')?;
    source.get(start..=end)
}

impl Sources {
    /// A function that a template's loop was to call is not called where the loop has no element.
    pub(super) fn as_template_loop(&self, analysed: &Analysed, located: &mut Located) {
        let is_handed = located.found.reason == Reason::Callback;
        let script = analysed.scripts.get(located.found.script as usize);
        let text = script.and_then(|own| self.texts.get(own.text));
        let (true, Some(map)) = (is_handed, text.and_then(|text| text.source_map.as_ref())) else {
            return;
        };
        let at = &located.place.location;
        let head = || {
            let (source, lines) = map.source_with_lines(&at.url)?;
            let position = Utf16Position {
                line: at.line.checked_sub(1)?,
                column: at.column.checked_sub(1)?,
            };
            let at = lines.offset(source, position)?;
            template_loop(source, at.index()).map(str::to_owned)
        };
        if let Some(head) = head() {
            located.found.reason = Reason::Loop;
            located.found.detail = Some("there was no element".to_owned());
            located.found.handed = None;
            located.handed.clear();
            located.text = head;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::template_loop;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_place_in_the_head_of_a_loop_is_of_the_loop() {
        let source = "{#if open}<b/>{/if}\n{#each rows as row (row.id)}<p>{row}</p>{/each}";
        let head = "{#each rows as row (row.id)}";
        let at = |text: &str| source.find(text).unwrap_or_default();
        assert_eq!(template_loop(source, at("rows")), Some(head));
        assert_eq!(template_loop(source, at("row.id")), Some(head));
        for elsewhere in ["open", "<p>", "{row}", "{/each}"] {
            assert_eq!(template_loop(source, at(elsewhere)), None, "{elsewhere}");
        }
    }

    #[test]
    fn broken_sources_have_no_loops() {
        for source in ["{#each", "{#each rows", "", "}{#each é"] {
            for at in 0..source.len() + 2 {
                assert_eq!(template_loop(source, at), None);
            }
        }
    }
}
