//! Chromium lets an expression that must have no side effects call `querySelector`, but not `getElementById`.
//!
//! ```text
//! document.getElementById("total").textContent     document.querySelector('[id="total"]').textContent
//! ```

use swc_ecma_ast::{CallExpr, Callee, Expr, Lit, MemberProp};
use swc_ecma_visit::{Visit, VisitWith};

use crate::parse::{Goal, on_deep_stack, parse};

const NAME: &str = "getElementById";

/// The expression with each `getElementById("…")` as the `querySelector` that gives the same element. One that does
/// not parse, or that computes the id, stays as it is.
///
/// ```
/// use js_analysis::rewrite::with_free_lookups;
/// let running = with_free_lookups("document.getElementById('total').textContent");
/// assert_eq!(running, r#"document.querySelector("[id=\"total\"]").textContent"#);
/// ```
#[must_use]
pub fn with_free_lookups(expression: &str) -> String {
    const OPENING: &str = "(";
    let as_written = || expression.to_owned();
    if !expression.contains(NAME) {
        return as_written();
    }
    let text = format!("{OPENING}{expression}\n)");
    on_deep_stack(|| {
        let Ok(parsed) = parse(&text, Goal::Script) else {
            return as_written();
        };
        let mut found = Lookups::default();
        parsed.program.visit_with(&mut found);
        found.calls.sort_by_key(|call| call.from);
        let (mut given, mut copied) = (String::new(), OPENING.len());
        for call in found.calls {
            given.push_str(text.get(copied..call.from).unwrap_or_default());
            given.push_str(&call.instead);
            copied = call.to;
        }
        given.push_str(
            text.get(copied..text.len() - "\n)".len())
                .unwrap_or_default(),
        );
        given
    })
}

/// `getElementById("…")`, from its name to its closing bracket.
struct Lookup {
    from: usize,
    to: usize,
    instead: String,
}

#[derive(Default)]
struct Lookups {
    calls: Vec<Lookup>,
}

impl Visit for Lookups {
    fn visit_call_expr(&mut self, call: &CallExpr) {
        call.visit_children_with(self);
        let Callee::Expr(callee) = &call.callee else {
            return;
        };
        let property = match &**callee {
            Expr::Member(member) => &member.prop,
            _ => return,
        };
        let MemberProp::Ident(name) = property else {
            return;
        };
        let [argument] = call.args.as_slice() else {
            return;
        };
        let Expr::Lit(Lit::Str(id)) = &*argument.expr else {
            return;
        };
        let Some(id) = id.value.as_str() else {
            return;
        };
        // No element has an empty id, whatever a selector finds.
        if &*name.sym != NAME || argument.spread.is_some() || id.is_empty() {
            return;
        }
        let selector = serde_json::to_string(&selector_of(id)).unwrap_or_default();
        self.calls.push(Lookup {
            from: name.span.lo.0 as usize,
            to: call.span.hi.0 as usize,
            instead: format!("querySelector({selector})"),
        });
    }
}

/// The selector of the elements with an id.
fn selector_of(id: &str) -> String {
    let mut selector = String::from("[id=\"");
    for character in id.chars() {
        match character {
            '"' | '\\' => selector.extend(['\\', character]),
            // A selector's string does not go over lines.
            '\n' | '\r' | '\u{c}' => selector.push_str(&format!("\\{:x} ", u32::from(character))),
            _ => selector.push(character),
        }
    }
    selector.push_str("\"]");
    selector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_literal_id_becomes_a_selector() {
        let all = "a.getElementById('x\"y').getElementById(`z`) + b . getElementById ( \"w\\n\" )";
        assert_eq!(
            with_free_lookups(all),
            r#"a.querySelector("[id=\"x\\\"y\"]").getElementById(`z`) + b . querySelector("[id=\"w\\a \"]")"#
        );
    }

    #[test]
    fn what_is_something_else_stays() {
        for expression in [
            "document.getElementById(id)",
            "document.getElementById('')",
            "document.getElementById?.('a')",
            "getElementById('a')",
            "document['getElementById']('a')",
            "document.getElementById('a', 1)",
            "document.getElementById('a'",
            "'getElementById'",
        ] {
            assert_eq!(with_free_lookups(expression), expression);
        }
    }
}
