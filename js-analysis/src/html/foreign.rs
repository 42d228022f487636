//! Scripts inside SVG and MathML: their text is parsed as markup, so that `&lt;` is `<` and a tag is a tag.
//!
//! Only what reads the same as markup and as a script's text is taken for the script, so that nothing depends on
//! whether the tokenizer is right about where the SVG ends:
//!
//! ```text
//! <script>if (a && b < c) f()</script>      all of it
//! <script>if (a &lt; b) f()</script>        none: it would have to be written otherwise
//! <script><![CDATA[
//! if (a<b) f()                              what is inside
//! ]]></script>
//! ```

use super::{ForeignScript, ScriptKind};
use crate::position::{ByteOffset, ByteSpan};

const OPEN: &str = "<![CDATA[";
const CLOSE: &str = "]]>";

/// The code of a foreign script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignCode {
    /// Where it is.
    pub span: ByteSpan,
    /// Whether anything may be there but the end of a CDATA section.
    in_section: bool,
}

impl ForeignScript {
    /// Whether the browser runs it, as far as the element tells.
    #[must_use]
    pub fn is_run(&self) -> bool {
        matches!(self.kind, ScriptKind::Classic | ScriptKind::Module)
    }

    /// The code in the document `text`; `None` if there is none, or it is not written as it is read.
    #[must_use]
    pub fn code(&self, text: &str) -> Option<ForeignCode> {
        let content = self.content?;
        let written = text.get(content.start.index()..content.end.index())?;
        if is_plain(written) {
            return Some(ForeignCode {
                span: content,
                in_section: false,
            });
        }
        // Before and behind the section there may be line comments that hide it from browsers of old.
        let (before, rest) = written.split_once(OPEN)?;
        let (inside, after) = rest.split_once(CLOSE)?;
        let is_hidden = |text: &str| matches!(text.trim(), "" | "//");
        // The browser counts columns of the first line from the tag.
        let first_line = inside.split('\n').next().unwrap_or_default();
        if !is_hidden(before) || !after.trim().is_empty() || !first_line.trim().is_empty() {
            return None;
        }
        let start = content.start.index() + before.len() + OPEN.len();
        Some(ForeignCode {
            span: ByteSpan {
                start: ByteOffset::from_index(start),
                end: ByteOffset::from_index(start + inside.len()),
            },
            in_section: true,
        })
    }
}

impl ForeignCode {
    /// Whether `code` can be written there as it is.
    #[must_use]
    pub fn may_become(self, code: &str) -> bool {
        if self.in_section {
            !code.contains(CLOSE)
        } else {
            is_plain(code)
        }
    }
}

/// Whether markup reads as it is written: no tag, comment or section begins there, and no character reference.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let follows = |at: usize| bytes.get(at + 1).copied().unwrap_or(b'a');
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'<' => {
            let next = follows(at);
            !next.is_ascii_alphabetic() && !matches!(next, b'/' | b'!' | b'?')
        }
        b'&' => {
            let next = follows(at);
            !next.is_ascii_alphanumeric() && next != b'#'
        }
        0 => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{HtmlScript, find_scripts};

    /// The code of the first foreign script in an SVG that holds `markup`.
    fn code(markup: &str) -> Option<String> {
        let text = format!("<svg>{markup}</svg>");
        let scripts = find_scripts(&text);
        let foreign = scripts.iter().find_map(|script| match script {
            HtmlScript::Foreign(foreign) => Some(foreign),
            _ => None,
        });
        let span = foreign?.code(&text)?.span;
        Some(text[span.start.index()..span.end.index()].to_owned())
    }

    #[test]
    fn code_is_what_reads_as_it_is_written() {
        let plain = "if (a && b < c && $d) f()";
        assert_eq!(
            code(&format!("<script>{plain}</script>")).as_deref(),
            Some(plain)
        );
        assert_eq!(code("<script>if (a &lt; b) f()</script>"), None);
        assert_eq!(code("<script>if (a<b) f()</script>"), None);
        assert_eq!(code("<script>if (a &b) f()</script>"), None);
        assert_eq!(code("<script/>"), None);
    }

    #[test]
    fn code_in_a_section_may_be_anything() {
        let section = "\nif (a<b && &c) f()\n";
        for (before, after) in [("", ""), ("//", ""), ("\n// ", " ")] {
            let markup = format!("<script>{before}<![CDATA[{section}]]>{after}</script>");
            assert_eq!(code(&markup).as_deref(), Some(section), "{markup}");
        }
        let hidden = "<script>//<![CDATA[\nf()\n//]]></script>";
        assert_eq!(code(hidden).as_deref(), Some("\nf()\n//"));
        assert_eq!(code("<script><![CDATA[f()]]></script>"), None);
        assert_eq!(code("<script>f()<![CDATA[\n1]]></script>"), None);
        assert_eq!(
            code("<script><![CDATA[\n1]]>\n<![CDATA[2]]></script>"),
            None
        );
    }

    #[test]
    fn what_it_becomes_must_read_as_it_is_written() {
        let text = "<svg><script>a && b</script></svg>";
        let scripts = find_scripts(text);
        let Some(HtmlScript::Foreign(foreign)) = scripts.first() else {
            panic!("{scripts:?}");
        };
        let code = foreign.code(text).unwrap();
        assert!(code.may_become("$h()&& a && b"));
        assert!(!code.may_become("$h()&&a"));
        assert!(!code.may_become("1<a"));
        assert!(!code.may_become("1<"));
    }
}
