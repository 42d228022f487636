//! Templates with a tag: the function is given the texts, then the values; what is the value of an attribute for an
//! event, it sets as a listener.
//!
//! ```js
//! html`<button onclick=${save} @click=${close}>`
//! ```

use swc_common::{Span, Spanned};
use swc_ecma_ast::{Expr, ExprOrSpread, Lit, Null, TaggedTpl};

use super::facts::HandlerFact;
use super::walk::{Walk, bytes};

impl Walk<'_> {
    /// A template with a tag is a call of the tag.
    pub(super) fn tagged(&mut self, template: &TaggedTpl) {
        let mut given = vec![nothing(template.tpl.span)];
        for (value, before) in template.tpl.exprs.iter().zip(&template.tpl.quasis) {
            let event = event_of(&before.raw).filter(|_| is_tag_of_markup(template));
            let listeners = self.places(value);
            given.push(match event {
                Some(name) if !listeners.is_empty() => {
                    self.facts.handlers.push(HandlerFact {
                        span: bytes(value.span()),
                        function: self.current,
                        name,
                        value: listeners,
                        object: Vec::new(),
                        alternatives: self.alternatives(value),
                    });
                    nothing(value.span())
                }
                _ => ExprOrSpread {
                    spread: None,
                    expr: value.clone(),
                },
            });
        }
        self.call(template.span, Some(&template.tag), &given, false, false);
    }
}

fn nothing(span: Span) -> ExprOrSpread {
    ExprOrSpread {
        spread: None,
        expr: Box::new(Expr::Lit(Lit::Null(Null { span }))),
    }
}

/// Whether the texts of a template are markup.
fn is_tag_of_markup(template: &TaggedTpl) -> bool {
    let mut texts = template.tpl.quasis.iter();
    texts.any(|text| text.raw.contains('<'))
}

/// The property that an attribute sets whose value comes behind a text: `onclick` of `<b onclick=`, `<b @click="`.
fn event_of(text: &str) -> Option<String> {
    let attribute = text.trim_end_matches(['"', '\'']).strip_suffix('=')?;
    let name = attribute.rsplit(char::is_whitespace).next()?;
    let event = name.strip_prefix('@').or(name.strip_prefix("on"))?;
    let is_name = |character: char| character.is_alphanumeric() || "-:_.".contains(character);
    let is_event = !event.is_empty() && event.chars().all(is_name);
    is_event.then(|| format!("on{}", event.trim_start_matches([':', '-'])))
}

#[cfg(test)]
mod tests {
    use super::event_of;

    #[test]
    fn an_attribute_for_an_event_sets_a_listener() {
        assert_eq!(event_of("<b onclick=").as_deref(), Some("onclick"));
        assert_eq!(event_of("<b id=a @click=\"").as_deref(), Some("onclick"));
        assert_eq!(event_of("</i><b\n  on:input='").as_deref(), Some("oninput"));
        assert_eq!(event_of("<b class="), None);
        assert_eq!(event_of("<b>on"), None);
        assert_eq!(event_of("<b on="), None);
    }
}
