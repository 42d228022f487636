//! An expression that a person wrote with the author's names, for evaluating it where others run.
//!
//! ```text
//! todos.map((t) => t.id === total)     `todos` runs as `t`, `total` as `n`
//! t.map((t) => t.id === n)             the inner `t` is the expression's own
//! total + list.map((n) => n)           ((author0)=>(author0 + list.map((n) => n)))(n), where its own would catch it
//! ```

use std::collections::BTreeMap;

use swc_ecma_ast::{Ident, Prop};
use swc_ecma_visit::{Visit, VisitWith};

use crate::parse::{Goal, on_deep_stack, parse};
use crate::position::ByteOffset;
use crate::scopes::{Resolution, Scopes};

/// The longest expression in which names are looked for, in bytes.
const LONGEST: usize = 1 << 16;

/// An expression as it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningExpression {
    /// Its text.
    pub text: String,
    /// The names that were put into it, each with the author's that it represents.
    pub renamed: Vec<(String, String)>,
}

/// The expression with the names that `running_name` gives for those that are not declared in it. One that does not
/// parse stays as it is: whoever evaluates it says why.
///
/// # Errors
/// The first of `running_name`.
pub(super) fn with_running_names(
    expression: &str,
    running_name: &dyn Fn(&str) -> Result<String, String>,
) -> Result<RunningExpression, String> {
    const OPENING: &str = "(";
    let as_written = || RunningExpression {
        text: expression.to_owned(),
        renamed: Vec::new(),
    };
    if expression.len() > LONGEST {
        return Ok(as_written());
    }
    let text = format!("{OPENING}{expression}\n)");
    on_deep_stack(|| {
        let Ok(parsed) = parse(&text, Goal::Script) else {
            return Ok(as_written());
        };
        let scopes = Scopes::of(&parsed, Goal::Script);
        let mut found = Names::default();
        parsed.program.visit_with(&mut found);
        found.names.sort_by_key(|name| name.at);
        let is_free = |name: &Ident, called: &str| {
            let scope = scopes.innermost_at(ByteOffset(name.span.lo.0));
            scopes.resolve(scope, &called.into()) == Resolution::Unresolved
        };
        let (mut given, mut copied, mut renamed) = (String::new(), 0, Vec::new());
        // What is caught by a name of the expression's own is handed over from outside.
        let mut caught: BTreeMap<String, String> = BTreeMap::new();
        for Name {
            at,
            ident,
            is_shorthand,
        } in found.names
        {
            if !is_free(&ident, &ident.sym) {
                continue;
            }
            let running = running_name(&ident.sym)?;
            if running == *ident.sym {
                continue;
            }
            renamed.push((running.clone(), ident.sym.to_string()));
            let running = match is_free(&ident, &running) {
                true => running,
                false => {
                    let number = caught.len();
                    let fresh = || fresh_name(&text, number);
                    caught.entry(running).or_insert_with(fresh).clone()
                }
            };
            let end = ident.span.hi.0 as usize;
            given.push_str(text.get(copied..at).unwrap_or_default());
            if is_shorthand {
                given.push_str(&ident.sym);
                given.push(':');
            }
            given.push_str(&running);
            copied = end;
        }
        given.push_str(text.get(copied..).unwrap_or_default());
        if caught.is_empty() {
            let inner = given.strip_prefix(OPENING);
            let inner = inner.and_then(|given| given.strip_suffix("\n)"));
            let text = inner.unwrap_or(expression).to_owned();
            return Ok(RunningExpression { text, renamed });
        }
        let names: Vec<&str> = caught.values().map(String::as_str).collect();
        let values: Vec<&str> = caught.keys().map(String::as_str).collect();
        let text = format!("(({})=>{given})({})", names.join(","), values.join(","));
        Ok(RunningExpression { text, renamed })
    })
}

fn fresh_name(text: &str, number: usize) -> String {
    let mut name = format!("author{number}");
    while text.contains(&name) {
        name.push('_');
    }
    name
}

struct Name {
    at: usize,
    ident: Ident,
    is_shorthand: bool,
}

#[derive(Default)]
struct Names {
    names: Vec<Name>,
}

impl Names {
    fn push(&mut self, ident: &Ident, is_shorthand: bool) {
        self.names.push(Name {
            at: ident.span.lo.0 as usize,
            ident: ident.clone(),
            is_shorthand,
        });
    }
}

impl Visit for Names {
    fn visit_ident(&mut self, ident: &Ident) {
        self.push(ident, false);
    }

    fn visit_prop(&mut self, property: &Prop) {
        match property {
            Prop::Shorthand(ident) => self.push(ident, true),
            _ => property.visit_children_with(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(expression: &str) -> String {
        let names = |name: &str| match name {
            "todos" => Ok("t".to_owned()),
            "total" => Ok("n".to_owned()),
            "lost" => Err("nowhere".to_owned()),
            other => Ok(other.to_owned()),
        };
        with_running_names(expression, &names)
            .map_or_else(|why| format!("!{why}"), |running| running.text)
    }

    #[test]
    fn names_run_as_the_map_says() {
        for (written, running) in [
            ("todos.length", "t.length"),
            ("todos.total", "t.total"),
            ("todos['total'] + total", "t['total'] + n"),
            ("{ total }", "{ total:n }"),
            ("[todos, { total, todos: 1 }]", "[t, { total:n, todos: 1 }]"),
            ("list.map((total) => total)", "list.map((total) => total)"),
            ("todos.map((t) => t.id)", "t.map((t) => t.id)"),
            ("typeof total // how", "typeof n // how"),
            ("`${total}`", "`${n}`"),
            ("this.total", "this.total"),
            ("a ? lost : 1", "!nowhere"),
            ("lost.", "lost."),
            ("", ""),
        ] {
            assert_eq!(renamed(written), running, "{written}");
        }
    }

    #[test]
    fn a_name_that_the_expression_would_catch_is_handed_over() {
        assert_eq!(
            renamed("list.map((n) => n + total)"),
            "((author0)=>(list.map((n) => n + author0)\n))(n)"
        );
    }
}
