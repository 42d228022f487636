//! Functions as they are written: each gets a number, and its parameters take what it is given.

use swc_common::Span;
use swc_ecma_ast::{Function, Pat};
use swc_ecma_visit::VisitWith;

use super::facts::{FlowPlace, FunctionFact};
use super::walk::{Walk, bytes};
use crate::position::ByteOffset;

impl Walk<'_> {
    pub(super) fn new_function(
        &mut self,
        span: Span,
        body: u32,
        is_expression: bool,
        parameters: usize,
    ) -> u32 {
        let number = ByteOffset::from_index(self.facts.functions.len()).0;
        let (accessor, is_setter) = self.accessor.take().unzip();
        let name = self.name.take().unwrap_or_default();
        let named = self.named.take().filter(|(known, _)| *known == name);
        self.facts.functions.push(FunctionFact {
            span: bytes(span),
            body: ByteOffset(body),
            is_expression,
            name,
            named_at: named.map(|(_, at)| at),
            authored: None,
            parent: self.current,
            accessor,
            is_setter: is_setter.unwrap_or(false),
            parameters: ByteOffset::from_index(parameters).0,
            is_async: std::mem::take(&mut self.is_async),
            is_generator: std::mem::take(&mut self.is_generator),
            this_of: number,
            method_of: std::mem::take(&mut self.method_of),
            class: self.class.take(),
            rest: None,
            uses_arguments: false,
        });
        self.facts.by_start.entry(span.lo.0).or_insert(number);
        number
    }

    pub(super) fn in_function(&mut self, number: u32, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.current, number);
        let this_of = std::mem::replace(&mut self.this_of, number);
        visit(self);
        self.current = outer;
        self.this_of = this_of;
    }

    pub(super) fn in_arrow(&mut self, number: u32, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.current, number);
        if let Some(arrow) = self.facts.functions.get_mut(number as usize) {
            arrow.this_of = self.this_of;
        }
        visit(self);
        self.current = outer;
    }

    pub(super) fn parameters<'p>(
        &mut self,
        number: u32,
        parameters: impl Iterator<Item = &'p Pat>,
    ) {
        for (index, parameter) in parameters.enumerate() {
            let index = ByteOffset::from_index(index).0;
            match parameter {
                Pat::Rest(rest) => match &*rest.arg {
                    // It is a list, and no function.
                    Pat::Ident(_) => {}
                    pattern => self.elements_of_pattern(pattern, &[FlowPlace::Rest(number)]),
                },
                _ => self.pattern(parameter, &[FlowPlace::Parameter(number, index)]),
            }
        }
    }

    pub(super) fn plain_function(&mut self, function: &Function, span: Span) -> u32 {
        let body = function
            .body
            .as_ref()
            .map_or(span.hi.0, |body| body.span.lo.0);
        self.is_async = function.is_async;
        self.is_generator = function.is_generator;
        let number = self.new_function(span, body, false, function.params.len());
        // Its own span may begin behind `async`, or at the name of the method.
        self.facts
            .by_start
            .entry(function.span.lo.0)
            .or_insert(number);
        self.in_function(number, |this| {
            this.rest_parameter(number, function.params.iter().map(|it| &it.pat));
            function.visit_children_with(this);
            this.parameters(number, function.params.iter().map(|it| &it.pat));
        });
        number
    }
}
