//! The `try` blocks around a point.

use swc_ecma_ast::{
    ArrowExpr, ClassProp, Constructor, Function, PrivateProp, Program, StaticBlock, TryStmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::position::{ByteOffset, ByteSpan};

/// The blocks of the `try` statements of the same function around `at`, braces included, the innermost first. A point
/// in a `catch` or `finally` is not in the block before it.
pub(super) fn try_blocks_around(program: &Program, at: ByteOffset) -> Vec<ByteSpan> {
    let blocks = found_around(program, at);
    blocks.into_iter().rev().map(|(block, _)| block).collect()
}

/// Whether what is thrown at `at` is caught in the same function.
pub(super) fn is_caught_at(program: &Program, at: ByteOffset) -> bool {
    let blocks = found_around(program, at);
    blocks.into_iter().any(|(_, catches)| catches)
}

/// The blocks, the outermost first, each with whether a `catch` clause belongs to it.
fn found_around(program: &Program, at: ByteOffset) -> Vec<(ByteSpan, bool)> {
    let mut search = Search {
        at: at.0,
        found: Vec::new(),
    };
    program.visit_with(&mut search);
    search.found
}

struct Search {
    at: u32,
    /// The outermost first, each with whether a `catch` clause belongs to it.
    found: Vec<(ByteSpan, bool)>,
}

impl Search {
    fn is_in(&self, span: swc_common::Span) -> bool {
        span.lo.0 < self.at && self.at < span.hi.0
    }

    /// What is around a function is not around what is in it.
    fn function(&mut self, span: swc_common::Span, inside: impl FnOnce(&mut Self)) {
        if self.is_in(span) {
            self.found.clear();
            inside(self);
        }
    }
}

impl Visit for Search {
    fn visit_try_stmt(&mut self, statement: &TryStmt) {
        let block = statement.block.span;
        if self.is_in(block) {
            let span = ByteSpan {
                start: ByteOffset(block.lo.0),
                end: ByteOffset(block.hi.0),
            };
            self.found.push((span, statement.handler.is_some()));
        }
        statement.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.function(function.span, |this| function.visit_children_with(this));
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.function(arrow.span, |this| arrow.visit_children_with(this));
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        self.function(constructor.span, |this| {
            constructor.visit_children_with(this);
        });
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.function(block.span, |this| block.visit_children_with(this));
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        property.key.visit_with(self);
        if let Some(value) = &property.value {
            self.function(property.span, |this| value.visit_with(this));
        }
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        if let Some(value) = &property.value {
            self.function(property.span, |this| value.visit_with(this));
        }
    }
}
