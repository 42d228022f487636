//! One version of a script: its functions, its names and their own code.

use swc_ecma_ast::Program;

use super::functions::{FunctionNode, functions};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
use crate::scopes::{BindingIndex, BindingKind, Scopes};

/// One version.
pub(super) struct Side<'s> {
    pub(super) source: &'s str,
    pub(super) program: &'s Program,
    pub(super) scopes: &'s Scopes,
    /// The script itself first.
    pub(super) functions: Vec<FunctionNode>,
}

impl<'s> Side<'s> {
    pub(super) fn new(script: &'s Script<'s>) -> Self {
        Self {
            source: script.source(),
            program: script.program(),
            scopes: script.scopes(),
            functions: functions(script.program(), script.source()),
        }
    }

    pub(super) fn text(&self, span: ByteSpan) -> &'s str {
        self.source
            .get(span.start.index()..span.end.index())
            .unwrap_or_default()
    }

    /// The code of a function without that of the functions in it, and without white space.
    pub(super) fn own_code(&self, function: usize, span: ByteSpan) -> String {
        let mut code = String::new();
        let mut at = span.start;
        for &child in &self.functions[function].children {
            let inner = self.functions[child].span;
            if inner.start < at || inner.end > span.end {
                continue;
            }
            let between = ByteSpan {
                start: at,
                end: inner.start,
            };
            code.push_str(self.text(between));
            code.push('ƒ');
            at = inner.end;
        }
        code.push_str(self.text(ByteSpan {
            start: at,
            end: span.end,
        }));
        without_space(&code)
    }

    pub(super) fn resolve(&self, name: &str, at: ByteOffset) -> Option<BindingIndex> {
        let scope = self.scopes.innermost_at(at);
        self.scopes.resolve(scope, &name.into()).binding()
    }

    /// What a name means in a body that is in the place of a function's own.
    pub(super) fn resolve_without_body(&self, name: &str, body: ByteSpan) -> Option<BindingIndex> {
        let scope = self.scopes.innermost_at(body.start);
        let found = self.scopes.resolve_by(scope, |binding| {
            binding.name == *name && !is_in(binding.declared_at, body)
        });
        found.binding()
    }

    /// Whether a body declares a name for all of its function.
    pub(super) fn hoists(&self, name: &str, body: ByteSpan) -> bool {
        let own = self
            .scopes
            .function_around(self.scopes.innermost_at(body.start));
        self.scopes.bindings.iter().any(|it| {
            it.name == *name
                && it.scope == own
                && matches!(it.kind, BindingKind::Var | BindingKind::Function)
                && is_in(it.declared_at, body)
        })
    }
}

pub(super) fn is_in(at: ByteOffset, span: ByteSpan) -> bool {
    span.start <= at && at < span.end
}

/// A code without white space between words; what is a space inside a text stays one.
fn without_space(code: &str) -> String {
    let mut plain = String::new();
    let mut has_space = false;
    for character in code.chars() {
        if character.is_whitespace() {
            has_space = true;
            continue;
        }
        if has_space && !plain.is_empty() {
            plain.push(' ');
        }
        has_space = false;
        plain.push(character);
    }
    plain
}
