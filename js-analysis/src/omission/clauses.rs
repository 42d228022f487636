//! `catch` clauses: what is in one is reached where something was thrown.

use swc_common::Spanned;
use swc_ecma_ast::TryStmt;

use super::gate::{Gate, GateKind};
use super::gates::Walk;
use super::jumps::{bytes, start};
use crate::position::ByteSpan;

impl Walk<'_> {
    /// The clause of a statement, if the place is in it.
    pub(super) fn clause(&mut self, statement: &TryStmt) {
        if let Some(clause) = &statement.handler
            && self.holds(clause.body.span)
        {
            let before = self.count(statement.span);
            let after = self.coverage.inside(start(clause.body.span));
            let block = bytes(statement.block.span);
            let pause = statement
                .block
                .stmts
                .first()
                .map_or(block.start, |first| start(first.span()));
            self.push(Gate {
                kind: GateKind::NothingThrown,
                decision: ByteSpan {
                    start: start(statement.span),
                    end: block.start,
                },
                pause,
                before,
                after,
                held: false,
                jump: None,
                operands: Vec::new(),
                flip: None,
                tried: statement
                    .block
                    .stmts
                    .iter()
                    .map(|it| bytes(it.span()))
                    .collect(),
            });
        }
    }
}
