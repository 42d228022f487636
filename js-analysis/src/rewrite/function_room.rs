//! What a function, a script or an initialiser has room for: its temporaries, and where they may be declared.

use std::cell::Cell;

use swc_ecma_ast::{Expr, Lit, Stmt};

use crate::position::ByteOffset;

/// What represents the top of a script or module in [`super::Instrumentation::activations`]: no function's body begins
/// there.
pub const TOP: ByteOffset = ByteOffset(0);

/// What a room is the top of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Top {
    /// A function's body, or a module.
    #[default]
    Body,
    /// A classic script: it has a value, and what it declares is global.
    Script,
    /// A text given to `eval`: it has a value.
    Eval,
}

/// What temporaries a function (or script, or initialiser) uses.
#[derive(Debug, Default)]
pub(super) struct FunctionRoom {
    pub(super) top: Top,
    pub(super) in_use: u32,
    pub(super) most: u32,
    /// Indices of the sites in it, those in functions inside it left out.
    pub(super) sites: Vec<usize>,
    /// Whether a requested point is in it.
    pub(super) has_point: bool,
    /// Names of ours that are never used again for something else.
    pub(super) lasting: Vec<String>,
    /// Whether hooks in it name the shadow of its `this` (live hooks).
    pub(super) names_own_shadow: Cell<bool>,
    /// How many blocks and functions are around what is inside it.
    pub(super) depth: usize,
}

/// Where statements may be inserted: after the directives. Whether a `;` must come first.
pub(crate) fn after_directives(
    source: &str,
    statements: &[Stmt],
    start: ByteOffset,
) -> (ByteOffset, bool) {
    let mut at = (start, false);
    for statement in statements {
        let Stmt::Expr(expression) = statement else {
            break;
        };
        if !matches!(&*expression.expr, Expr::Lit(Lit::Str(_))) {
            break;
        }
        let end = expression.span.hi.0;
        let terminated = source.as_bytes().get((end as usize).wrapping_sub(1)) == Some(&b';');
        at = (ByteOffset(end), !terminated);
    }
    at
}
