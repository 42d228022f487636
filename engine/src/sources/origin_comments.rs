//! What scripts that a person will look at end with: where they come from, for debuggers.
//!
//! The text itself stays what it is in other executions, and no line of it moves, so its sites and places are the same.
//! V8 takes the last such comment of a script, so the page's own may stay in front of it.
//!
//! A script that comes in a response gets a line more. One in a document gets the comment at the end of its last line,
//! and only where nothing that runs is behind it in that line: what does would be found in another column.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use js_analysis::Goal;
use js_analysis::html;
use js_analysis::marks::marked;
use js_analysis::position::ByteSpan;
use js_analysis::source_map::SourceMap;

use super::dynamic_code::running_part;
use super::{ResponseKind, Sources, Text};

/// How much text maps may add to one response, in bytes: the browser sends it to each debugger.
const LONGEST: usize = 96 << 20;

impl Sources {
    /// The rewritten response of that address, with the way to what its author wrote; `None`: it has none.
    ///
    /// ```text
    /// $Qp0();o.p = 1;
    /// //# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz…
    /// ```
    pub(crate) fn shown_as_written(&self, url: &str) -> Option<String> {
        let text = self.text_of(url)?;
        let shown = match text.kind {
            ResponseKind::Script => text.script_shown(),
            ResponseKind::Document => text.document_shown(),
        };
        if shown.is_none() {
            tracing::info!(url, "debuggers see what runs, not what was written");
        }
        shown
    }
}

impl Text {
    /// One script, with its map.
    fn script_shown(&self) -> Option<String> {
        let own = self.source_map.as_ref();
        let comment = comment(&SourceMap::of_rewriting(&self.mapped, &self.url, own))?;
        (comment.len() <= LONGEST).then(|| format!("{}\n{comment}", self.mapped.rewritten))
    }

    /// A document, in which scripts have their maps: to the whole document, so that they are one file.
    fn document_shown(&self) -> Option<String> {
        let running = &self.mapped.rewritten;
        let mut shown = String::with_capacity(running.len());
        let mut copied = 0;
        for script in html::find_scripts(&self.mapped.original) {
            let html::HtmlScript::Inline(inline) = script else {
                continue;
            };
            let is_hooked = self
                .scripts
                .iter()
                .any(|script| script.span == inline.content && script.goal != Goal::EventHandler);
            let Some(part) = running_part(&self.mapped, inline.content) else {
                continue;
            };
            if !is_hooked || inline.in_template || !may_go_on(running, part) {
                continue;
            }
            let map = SourceMap::of_part(&self.mapped, &self.url, None, part);
            let comment = comment(&map)?;
            let script = running.get(part.start.index()..part.end.index())?;
            shown.push_str(running.get(copied..part.end.index())?);
            shown.push_str(&marked(script, &format!(" {comment}")));
            copied = part.end.index();
            if shown.len() > running.len() + LONGEST {
                return None;
            }
        }
        shown.push_str(running.get(copied..)?);
        (copied > 0).then_some(shown)
    }
}

/// The comment that leads a debugger along a map.
fn comment(map: &SourceMap) -> Option<String> {
    let json = map
        .to_json(None)
        .inspect_err(|error| tracing::info!(%error, "a map was not written"))
        .ok()?;
    let map = STANDARD.encode(json);
    Some(format!(
        "//# sourceMappingURL=data:application/json;base64,{map}"
    ))
}

/// Whether the last line of a script in a document may go on with a comment: it does not end in one already, and
/// nothing but the end tag and what cannot run is behind it.
fn may_go_on(document: &str, script: ByteSpan) -> bool {
    let (Some(code), Some(after)) = (
        document.get(script.start.index()..script.end.index()),
        document.get(script.end.index()..),
    ) else {
        return false;
    };
    let is_break = |character: char| matches!(character, '\n' | '\r');
    let last_line = code.rsplit(is_break).next().unwrap_or_default();
    let may_be_comment = ["//", "<!--", "-->"]
        .iter()
        .any(|opening| last_line.contains(opening));
    let rest = after.split(is_break).next().unwrap_or_default();
    let is_last = rest.split_once('>').is_some_and(|(end_tag, behind)| {
        // What is no script can only run by an attribute.
        let may_run = behind.contains('=') || behind.to_ascii_lowercase().contains("<script");
        end_tag.starts_with("</") && !may_run
    });
    !may_be_comment && is_last
}

#[cfg(test)]
mod tests {
    use js_analysis::position::ByteOffset;

    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_script_goes_on_where_nothing_comes_behind_it() {
        for (document, may) in [
            ("<script>f()</script>\n<p>", true),
            ("<script>\n// one\nf()\n</script>", true),
            ("<script>f()</SCRIPT > text", true),
            ("<script>f()</script></body></html>", true),
            ("<script>f() // one</script>", false),
            ("<script>\n<!--\nf()\n//--></script>", false),
            ("<script>f('http://a')</script>", false),
            ("<script>f()</script><script>g()</script>", false),
            ("<script>f()</script><p onclick='g()'>", false),
            ("<script>f()", false),
        ] {
            let start = "<script>".len();
            let end = document[start..]
                .find("</")
                .map_or(document.len(), |length| start + length);
            let script = ByteSpan {
                start: ByteOffset::from_index(start),
                end: ByteOffset::from_index(end),
            };
            assert_eq!(may_go_on(document, script), may, "{document}");
        }
    }
}
