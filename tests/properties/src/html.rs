//! The HTML rewriter: any text is a document; where scripts are rewritten in it, the browser's scanner then finds the
//! same scripts, and in each of them just what the rewriter gave.

use js_analysis::Goal;
use js_analysis::edits::Edits;
use js_analysis::html::{
    AttributeValue, HtmlScript, ScriptKind, TextEdit, find_scripts, integrity_edits,
};
use js_analysis::position::{ByteOffset, ByteSpan};

use crate::choices;
use crate::rewriter::{edited, rewritten};

/// The first byte chooses what is watched; the rest is the document.
pub fn html(input: &[u8]) {
    let (choice, document) = choices(input);
    let source = String::from_utf8_lossy(document);
    let before = find_scripts(&source);
    let mut edits = Edits::default();
    // What each script must be afterwards; `None`: an attribute that could not be edited, and stays.
    let mut expected = Vec::new();
    for item in &before {
        match item {
            HtmlScript::Inline(script) => {
                let content = slice(&source, script.content);
                let goal = match script.kind {
                    ScriptKind::Classic => Goal::Script,
                    ScriptKind::Module => Goal::Module,
                    _ => {
                        expected.push(content.to_owned());
                        continue;
                    }
                };
                let after = rewritten(content, goal, choice);
                if let Some(after) = &after {
                    replace(&mut edits, script.content, after);
                }
                expected.push(after.unwrap_or_else(|| content.to_owned()));
            }
            HtmlScript::EventHandler(handler) => {
                let value = &handler.value;
                let after = rewritten(&value.decoded, Goal::EventHandler, choice)
                    .filter(|after| edit_attribute(&source, &mut edits, value, after));
                expected.push(after.unwrap_or_else(|| value.decoded.clone()));
            }
            HtmlScript::External(script) => {
                remove(&source, &mut edits, &script.integrity);
                expected.push(script.src.clone());
            }
            HtmlScript::Preload(link) => {
                remove(&source, &mut edits, &link.integrity);
                expected.push(link.href.clone());
            }
            HtmlScript::JavaScriptUrl(other)
            | HtmlScript::Srcdoc(other)
            | HtmlScript::BaseHref(other) => expected.push(other.value.decoded.clone()),
            HtmlScript::Foreign(script) => {
                expected.push(script.href.clone().unwrap_or_default());
            }
        }
    }
    let after = edited(&source, edits);
    let found = find_scripts(&after);
    assert_eq!(
        found.iter().map(std::mem::discriminant).collect::<Vec<_>>(),
        before
            .iter()
            .map(std::mem::discriminant)
            .collect::<Vec<_>>(),
        "other scripts are found\nin {after:?}\nthan in {source:?}"
    );
    for (item, expected) in found.iter().zip(&expected) {
        let is = match item {
            HtmlScript::Inline(script) => slice(&after, script.content),
            HtmlScript::EventHandler(handler) => &handler.value.decoded,
            HtmlScript::External(script) => {
                assert!(script.integrity.is_empty(), "an integrity stays: {after:?}");
                &script.src
            }
            HtmlScript::Preload(link) => {
                assert!(link.integrity.is_empty(), "an integrity stays: {after:?}");
                &link.href
            }
            HtmlScript::JavaScriptUrl(other)
            | HtmlScript::Srcdoc(other)
            | HtmlScript::BaseHref(other) => &other.value.decoded,
            HtmlScript::Foreign(script) => script.href.as_deref().unwrap_or_default(),
        };
        assert_eq!(is, expected, "in {after:?}\nwhich was {source:?}");
    }
}

fn slice(text: &str, span: ByteSpan) -> &str {
    let found = text.get(span.start.index()..span.end.index());
    found.unwrap_or_else(|| panic!("{span:?} is not in {text:?}"))
}

/// Replaces what is in `span` by `text`, which has the same lines.
fn replace(edits: &mut Edits, span: ByteSpan, text: &str) {
    edits.substitute(span.start, span.end.0 - span.start.0, text);
}

fn remove(source: &str, edits: &mut Edits, attributes: &[ByteSpan]) {
    for &attribute in attributes {
        for edit in integrity_edits(source, attribute, "none-") {
            replace(edits, edit.span, &edit.replacement);
        }
    }
}

/// Makes the attribute's code `after`; `false` if it cannot be.
fn edit_attribute(source: &str, edits: &mut Edits, value: &AttributeValue, after: &str) -> bool {
    let whole = TextEdit {
        span: ByteSpan {
            start: ByteOffset(0),
            end: ByteOffset::from_index(value.decoded.len()),
        },
        replacement: after.to_owned(),
    };
    let Ok(raw) = value.edits(source, &[whole]) else {
        return false;
    };
    for edit in raw {
        // One edit for the whole value: line breaks that the markup writes as references are not the document's.
        replace(edits, edit.span, &edit.replacement);
    }
    true
}
