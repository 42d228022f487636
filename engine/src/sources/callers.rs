//! Callers of built-ins: which functions may be, and where the call begins in which one is.

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, Utf16Position};

use super::position_mapping::SourceLocation;
use super::{ScriptIn, Sources, Text};

/// A page's frame that has called a built-in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'f> {
    pub(crate) url: &'f str,
    /// Where it is, in the running text.
    pub(crate) position: Utf16Position,
    /// The name it runs under.
    pub(crate) function: &'f str,
}

impl Sources {
    /// The sites that seem to call one of the built-ins `native_functions` (`Array.prototype.push`).
    pub(super) fn callers(&self, native_functions: &[String]) -> Vec<u32> {
        // Without the others only variables would be missing at a stop in a function that runs often.
        const MOST: usize = 500;
        let numbers = (1..).zip(&self.sites);
        let callers = numbers.filter(|(_, site)| {
            let called = site.calls.as_deref();
            native_functions
                .iter()
                .any(|native_function| is_called(native_function, called))
        });
        callers.map(|(number, _)| number).take(MOST).collect()
    }

    /// Where the call of the built-in `native_function` begins in which `caller` is, in its author's file.
    ///
    /// # Errors
    /// Why it cannot be said, in words.
    pub(crate) fn call_place(
        &self,
        caller: Caller<'_>,
        native_function: &str,
    ) -> Result<SourceLocation, String> {
        let Some(text) = self.text_of(caller.url) else {
            return Ok(self.place(caller.url, caller.position));
        };
        let Some(offset) = text.mapped.original_offset(caller.position) else {
            return Ok(self.place(caller.url, caller.position));
        };
        match text.call_at(offset) {
            Some(begin) => Ok(text.place_of(text.mapped.position_of(begin), Some(offset))),
            None if text.is_in_script(offset) => Ok(text.place(text.mapped.position_of(offset))),
            None => self.call_in_attribute(text, caller.function, native_function),
        }
    }

    /// Where the call begins at whose position a frame is exactly; `None` if it is at something else.
    pub(crate) fn exact_call(&self, url: &str, running: Utf16Position) -> Option<SourceLocation> {
        let text = self.text_of(url)?;
        let offset = text.mapped.original_offset(running)?;
        let &ScriptIn { span, goal, .. } = text.script_at(offset)?;
        let content = text
            .mapped
            .original
            .get(span.start.index()..span.end.index())?;
        let at = ByteOffset(offset.0 - span.start.0);
        let call = self
            .parsed
            .with(content, goal, |script| script.exact_call_at(at));
        let call = call.ok()??;
        let begin = ByteOffset(span.start.0 + call.0);
        Some(text.place_of(text.mapped.position_of(begin), Some(offset)))
    }

    /// The engine's positions in event-handler attributes are not those of the document. Where only one handler of the
    /// name calls the built-in, the call is that.
    fn call_in_attribute(
        &self,
        text: &Text,
        handler: &str,
        native_function: &str,
    ) -> Result<SourceLocation, String> {
        let in_text = |number: usize| {
            self.texts
                .get(number)
                .is_some_and(|own| std::ptr::eq(own, text))
        };
        let is_in_handler = |at: ByteOffset| {
            let inside = |script: &&ScriptIn| script.span.start <= at && at < script.span.end;
            text.scripts
                .iter()
                .find(inside)
                .is_some_and(|ScriptIn { span, goal, .. }| {
                    let before = text
                        .mapped
                        .original
                        .get(..span.start.index())
                        .unwrap_or_default();
                    let before = before.trim_end_matches(['"', '\'']).trim_end();
                    let name = before.strip_suffix('=').unwrap_or_default().trim_end();
                    *goal == Goal::EventHandler && ends_with_name(name, handler)
                })
        };
        let mut places: Vec<ByteOffset> = self
            .sites
            .iter()
            .filter(|site| in_text(site.text) && is_called(native_function, site.calls.as_deref()))
            .map(|site| site.at)
            .filter(|&at| is_in_handler(at))
            .collect();
        places.sort_unstable();
        places.dedup();
        match places.as_slice() {
            [only] => Ok(text.place(text.mapped.position_of(*only))),
            _ => Err(format!(
                "it was written by {native_function}, called in an event-handler attribute {handler} of {}; there the \
                 engine's positions are not those of the document",
                text.url
            )),
        }
    }
}

/// Whether a site that calls `called` may call the built-in `native_function`.
fn is_called(native_function: &str, called: Option<&str>) -> bool {
    called.is_some_and(|called| native_function.split('.').any(|part| part == called))
}

fn ends_with_name(text: &str, name: &str) -> bool {
    let Some(start) = text.len().checked_sub(name.len()) else {
        return false;
    };
    let is_name = text
        .get(start..)
        .is_some_and(|end| end.eq_ignore_ascii_case(name));
    is_name && text[..start].ends_with(|before: char| before.is_whitespace() || before == '/')
}

impl Text {
    /// The first character of the call that belongs to `offset`.
    fn call_at(&self, offset: ByteOffset) -> Option<ByteOffset> {
        let &ScriptIn { span, goal, .. } = self.script_at(offset)?;
        let content = self
            .mapped
            .original
            .get(span.start.index()..span.end.index())?;
        let at = ByteOffset(offset.0 - span.start.0);
        let call = self.parsed.with(content, goal, |script| script.call_at(at));
        let call = call.ok()??;
        Some(ByteOffset(span.start.0 + call.0))
    }

    fn is_in_script(&self, offset: ByteOffset) -> bool {
        self.script_at(offset).is_some()
    }

    pub(super) fn script_at(&self, offset: ByteOffset) -> Option<&ScriptIn> {
        let inside = |ScriptIn { span, goal, .. }: &&ScriptIn| {
            // An engine's position is never in an attribute.
            *goal != Goal::EventHandler && span.start <= offset && offset < span.end
        };
        self.scripts.iter().find(inside)
    }
}
