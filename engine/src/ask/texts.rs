//! The texts of the files that an answer is about.

use super::Asked;

impl Asked {
    /// The text of the file at `url`, as its author wrote it: what was served, or what a source map has. `None`: no
    /// execution has seen such a file, or its map has not its text.
    #[must_use]
    pub fn source(&self, url: &str) -> Option<String> {
        let sources = &self.setting.sources;
        let sources = sources.lock();
        sources.author_text(url).map(str::to_owned)
    }
}
