//! Functions whose calls are numbered, and which of them a frame is in.

use js_analysis::Goal;
use js_analysis::position::{ByteOffset, ByteSpan, Utf16Position};
use js_analysis::rewrite::{FunctionAt, TOP, activation_name};

use super::{ScriptIn, Sources};
use crate::collection::CallPlace;

/// The function that a frame is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionOfFrame {
    /// Where its body begins.
    pub(crate) place: CallPlace,
    /// What gives the number of the call, if it has one.
    pub(crate) entry: String,
    /// Whether it can be gone on with from another caller.
    pub(crate) is_resumed: bool,
}

impl Sources {
    /// The functions of a script whose calls are numbered. `in_text`: where the script is, if frames that are in
    /// it are known.
    pub(super) fn activations(&self, in_text: Option<(&str, ByteSpan)>) -> Vec<ByteOffset> {
        let traces = self.collection.traces().iter();
        let mut functions: Vec<ByteOffset> = traces
            .flat_map(|trace| self.collection.calls_in_script(trace.query, in_text))
            .collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// The function that begins at `begins` of `url`, as the browser tells of a frame; `None`: the top of the script
    /// that is at `position`. Nothing, where that cannot be told: in attributes, in class fields, in scripts
    /// without hooks.
    pub(crate) fn function_of_frame(
        &self,
        url: &str,
        position: Utf16Position,
        begins: Option<Utf16Position>,
    ) -> Option<FunctionOfFrame> {
        let text = self.text_of(url)?;
        let offset = text.mapped.original_offset(begins.unwrap_or(position))?;
        let &ScriptIn { span, goal, number } = text.script_at(offset)?;
        let top = FunctionAt {
            body: TOP,
            is_resumed: goal == Goal::Module,
        };
        let function = match begins {
            None => top,
            Some(_) => {
                let content = text
                    .mapped
                    .original
                    .get(span.start.index()..span.end.index())?;
                let at = ByteOffset(offset.0 - span.start.0);
                let found = self
                    .parsed
                    .with(content, goal, |script| script.function_beginning_at(at));
                match found.ok()? {
                    Some(function) => function,
                    // The browser takes a module, and what `eval` is given, for a function.
                    None if offset == span.start => top,
                    None => return None,
                }
            }
        };
        let prefix = &self.collection.prefix;
        let is_script = goal == Goal::Script;
        Some(FunctionOfFrame {
            place: CallPlace {
                url: text.url.clone(),
                at: ByteOffset(span.start.0 + function.body.0),
            },
            entry: activation_name(prefix, number, function.body, is_script),
            is_resumed: function.is_resumed,
        })
    }
}
