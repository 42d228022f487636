//! A script's syntax tree with its scopes, however deep it is.

use std::mem;

use swc_common::DUMMY_SP;
use swc_ecma_ast::Program;

use super::RewriteError;
use crate::parse::{Goal, SyntaxError, on_deep_stack, parse};
use crate::scopes::Scopes;

/// A syntax tree with its scopes.
pub(super) struct Parsed {
    pub(super) program: Program,
    pub(super) scopes: Scopes,
}

impl Parsed {
    /// Call it [`on_deep_stack`].
    pub(super) fn of(source: &str, goal: Goal) -> Result<Self, RewriteError> {
        const LARGEST_SOURCE: usize = 1 << 30;
        if source.len() > LARGEST_SOURCE {
            return Err(RewriteError::TooLarge);
        }
        let parsed = parse(source, goal)?;
        let scopes = Scopes::of(&parsed, goal);
        if let Some((at, message)) = &scopes.early_error {
            return Err(SyntaxError::at(source, *at, message.clone()).into());
        }
        Ok(Self {
            program: parsed.program,
            scopes,
        })
    }
}

impl Drop for Parsed {
    /// A tree is dropped as deep as it is.
    fn drop(&mut self) {
        let empty = swc_ecma_ast::Script {
            span: DUMMY_SP,
            body: Vec::new(),
            shebang: None,
        };
        let program = mem::replace(&mut self.program, Program::Script(empty));
        on_deep_stack(|| drop(program));
    }
}
