//! Finds the function around a point.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, ClassProp, Constructor, Function, ParamOrTsParamProp,
    PrivateProp, Program, StaticBlock,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::builder::{Builder, Flow};
use super::condition::{Condition, FlowPoint};

/// See [`crate::rewrite::Script::conditions_before`].
pub(super) fn conditions_before(program: &Program, points: &[FlowPoint]) -> Vec<Vec<Condition>> {
    let mut finder = Finder {
        points,
        left: (0..points.len()).collect(),
        found: vec![Vec::new(); points.len()],
    };
    program.visit_children_with(&mut finder);
    if !finder.left.is_empty() {
        let flow = flow_of_program(program);
        finder.take((0, u32::MAX), flow);
    }
    finder.found
}

/// See [`crate::rewrite::Script::conditions`].
pub(super) fn all_conditions(program: &Program) -> Vec<Condition> {
    // A point at every condition would do as well; but whoever wants all wants no points.
    let mut all = Every::default();
    program.visit_with(&mut all);
    all.found.sort_unstable();
    all.found.dedup();
    all.found
}

/// Goes into functions that hold points, the innermost first.
struct Finder<'p> {
    points: &'p [FlowPoint],
    /// The points whose function has not been found, by number.
    left: Vec<usize>,
    found: Vec<Vec<Condition>>,
}

impl Finder<'_> {
    /// Looks for points in a function that is at `span`: first in those inside it, which `inner` visits.
    fn function(
        &mut self,
        span: swc_common::Span,
        inner: impl FnOnce(&mut Self),
        flow: impl FnOnce() -> Flow,
    ) {
        let span = (span.lo.0, span.hi.0);
        if !self.any_in(span) {
            return;
        }
        inner(self);
        if self.any_in(span) {
            self.take(span, flow());
        }
    }

    /// Whether a point is in there. The function itself, at its first character, is evaluated outside.
    fn any_in(&self, (start, end): (u32, u32)) -> bool {
        let is_in = |point: u32| start < point && point < end;
        self.left
            .iter()
            .any(|&number| is_in(self.points[number].at.0))
    }

    fn take(&mut self, (start, end): (u32, u32), flow: Flow) {
        let (places, dependences) = flow.finish();
        let (points, found) = (self.points, &mut self.found);
        self.left.retain(|&number| {
            let point = points[number];
            let is_here = (start == 0 || start < point.at.0) && point.at.0 < end;
            if is_here {
                found[number] =
                    dependences.conditions(&places.at(point), &places.without_say(point));
            }
            !is_here
        });
    }
}

impl Visit for Finder<'_> {
    fn visit_function(&mut self, function: &Function) {
        self.function(
            function.span,
            |this| function.visit_children_with(this),
            || flow_of_function(function),
        );
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.function(
            arrow.span,
            |this| arrow.visit_children_with(this),
            || flow_of_arrow(arrow),
        );
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        self.function(
            constructor.span,
            |this| constructor.visit_children_with(this),
            || flow_of_constructor(constructor),
        );
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.function(
            block.span,
            |this| block.visit_children_with(this),
            || flow_of_static_block(block),
        );
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        property.key.visit_with(self);
        self.field(property.span, property.value.as_deref());
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        self.field(property.span, property.value.as_deref());
    }
}

impl Finder<'_> {
    /// A field's value is evaluated in a function of its own; what happens to the field, at its first character, too.
    fn field(&mut self, span: swc_common::Span, value: Option<&swc_ecma_ast::Expr>) {
        let Some(value) = value else { return };
        let inside = value.span();
        self.function(
            swc_common::Span::new(inside.lo - swc_common::BytePos(1), inside.hi),
            |this| value.visit_with(this),
            || flow_of_field(span, value),
        );
    }
}

/// Every function of a program.
#[derive(Default)]
struct Every {
    found: Vec<Condition>,
}

impl Every {
    fn take(&mut self, flow: &Flow) {
        self.found.extend(flow.conditions());
    }
}

impl Visit for Every {
    fn visit_program(&mut self, program: &Program) {
        self.take(&flow_of_program(program));
        program.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.take(&flow_of_function(function));
        function.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.take(&flow_of_arrow(arrow));
        arrow.visit_children_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        self.take(&flow_of_constructor(constructor));
        constructor.visit_children_with(self);
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        self.take(&flow_of_static_block(block));
        block.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        if let Some(value) = &property.value {
            self.take(&flow_of_field(property.span, value));
        }
        property.visit_children_with(self);
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        if let Some(value) = &property.value {
            self.take(&flow_of_field(property.span, value));
        }
        property.visit_children_with(self);
    }
}

fn flow_of_program(program: &Program) -> Flow {
    match program {
        Program::Script(script) => Builder::of(|builder| builder.statements(&script.body)),
        Program::Module(module) => Builder::of(|builder| module.visit_children_with(builder)),
    }
}

fn flow_of_function(function: &Function) -> Flow {
    Builder::of(|builder| {
        let parameters = function.params.iter().map(|parameter| &parameter.pat);
        builder.parameters(parameters);
        if let Some(body) = &function.body {
            builder.statements(&body.stmts);
        }
    })
}

fn flow_of_arrow(arrow: &ArrowExpr) -> Flow {
    Builder::of(|builder| {
        builder.parameters(arrow.params.iter());
        match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => builder.statements(&body.stmts),
            ArrowFunctionBody::Expr(expression) => expression.visit_with(builder),
        }
    })
}

fn flow_of_constructor(constructor: &Constructor) -> Flow {
    Builder::of(|builder| {
        let parameters = constructor.params.iter();
        builder.parameters(parameters.filter_map(|parameter| match parameter {
            ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
            ParamOrTsParamProp::TsParamProp(_) => None,
        }));
        if let Some(body) = &constructor.body {
            builder.statements(&body.stmts);
        }
    })
}

fn flow_of_static_block(block: &StaticBlock) -> Flow {
    Builder::of(|builder| builder.statements(&block.body.stmts))
}

fn flow_of_field(span: swc_common::Span, value: &swc_ecma_ast::Expr) -> Flow {
    Builder::of(|builder| {
        value.visit_with(builder);
        builder.effect(span);
    })
}
