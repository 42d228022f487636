//! What functions use that is declared outside of them, and what a script declares for others.

use swc_ecma_ast::{Ident, Super, ThisExpr};
use swc_ecma_visit::{Visit, VisitWith};

use super::side::{Side, is_in};
use crate::Goal;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{RewriteError, with_script};
use crate::scopes::ScopeIndex;

/// The names that a classic script declares at its top.
///
/// # Errors
/// [`RewriteError`] if it does not parse.
pub fn top_level_names(source: &str, goal: Goal) -> Result<Vec<String>, RewriteError> {
    with_script(source, goal, |script| {
        let scopes = script.scopes();
        let own = scopes.bindings.iter();
        own.filter(|it| it.scope == ScopeIndex::ROOT)
            .map(|it| it.name.to_string())
            .collect()
    })
}

/// What the own code of a function uses that is declared outside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideNames {
    /// The function, from its first to behind its last character.
    pub span: ByteSpan,
    /// The names, each once.
    pub names: Vec<String>,
    /// Whether it uses `this` or `super`.
    pub uses_this: bool,
}

/// What each function of a script uses that is declared outside of it; the script itself is left out. A function inside
/// has its own, and what it uses counts for it alone.
///
/// # Errors
/// [`RewriteError`] if it does not parse.
pub fn outside_names(source: &str, goal: Goal) -> Result<Vec<OutsideNames>, RewriteError> {
    with_script(source, goal, |script| {
        let side = Side::new(script, &[], false);
        let mut used = Used::default();
        side.program.visit_with(&mut used);
        let mut found: Vec<OutsideNames> = side
            .functions
            .iter()
            .map(|function| OutsideNames {
                span: function.span,
                names: Vec::new(),
                uses_this: false,
            })
            .collect();
        // Functions are in the order of their beginnings: the last that holds a place is the innermost.
        let innermost = |at: ByteOffset| {
            let mut functions = side.functions.iter();
            functions.rposition(|function| is_in(at, function.span))
        };
        for at in used.this {
            if let Some(index) = innermost(at) {
                found[index].uses_this = true;
            }
        }
        for (name, at) in used.names {
            let Some(index) = innermost(at) else { continue };
            let declared = side.resolve(&name, at);
            let declared = declared.map(|it| side.scopes.binding(it).declared_at);
            let is_outside = declared.is_none_or(|it| !is_in(it, side.functions[index].span));
            if is_outside && !found[index].names.contains(&name) {
                found[index].names.push(name);
            }
        }
        found.split_off(1)
    })
}

/// Names and `this`, wherever they are used.
#[derive(Default)]
struct Used {
    names: Vec<(String, ByteOffset)>,
    this: Vec<ByteOffset>,
}

impl Visit for Used {
    fn visit_ident(&mut self, ident: &Ident) {
        self.names
            .push((ident.sym.to_string(), ByteOffset(ident.span.lo.0)));
    }

    fn visit_this_expr(&mut self, it: &ThisExpr) {
        self.this.push(ByteOffset(it.span.lo.0));
    }

    fn visit_super(&mut self, it: &Super) {
        self.this.push(ByteOffset(it.span.lo.0));
    }
}
