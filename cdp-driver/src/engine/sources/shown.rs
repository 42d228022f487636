//! What a script that a person will look at ends with: where it comes from, for debuggers.
//!
//! The text itself stays what it is in other executions, and no line of it moves, so its sites and places are the same. V8
//! takes the last such comment of a script, so the page's own may stay in front of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use js_analysis::source_map::{SourceMap, SourceMapError};

use super::{Sources, Text};

/// The longest map that a script gets, in bytes of JSON: the browser sends it to each debugger, with every copy of the script.
const LONGEST: usize = 64 << 20;

impl Sources {
    /// The rewritten script of that address, with its map to what the author wrote as its last line; `None`: it has none.
    ///
    /// ```text
    /// $Qp0();o.p = 1;
    /// //# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjoz…
    /// ```
    pub(in crate::engine) fn shown_as_written(&self, url: &str) -> Option<String> {
        let text = self.text_of(url)?;
        let json = text
            .map_to_author()
            .inspect_err(|error| tracing::info!(url, %error, "debuggers see the rewritten script"))
            .ok()?;
        if json.len() > LONGEST {
            tracing::info!(
                url,
                "its map would be too long: debuggers see the rewritten script"
            );
            return None;
        }
        let map = STANDARD.encode(json);
        let running = &text.mapped.rewritten;
        Some(format!(
            "{running}\n//# sourceMappingURL=data:application/json;base64,{map}"
        ))
    }
}

impl Text {
    /// The map from what runs to the author's files, as JSON.
    fn map_to_author(&self) -> Result<String, SourceMapError> {
        SourceMap::of_rewriting(&self.mapped, &self.url, self.source_map.as_ref()).to_json(None)
    }
}
