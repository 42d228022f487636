//! The walk that finds the write at a site: which node writes, and what.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, AssignExpr, CatchClause, Class, ClassMember, Constructor,
    ExportDefaultExpr, Expr, ForInStmt, ForOfStmt, Function, ObjectLit, ParamOrTsParamProp, Pat,
    Prop, PropOrSpread, UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::Search;
use crate::origin::reading::{is_pure, span_of};
use crate::origin::value::Operator;
use crate::origin::{Target, Written};
use crate::rewrite::SiteKind;
use crate::scopes::unparenthesized;

impl Visit for Search<'_> {
    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        match self.kind {
            SiteKind::Assignment if self.is_at(assign) => {
                self.found = Some(self.assignment(assign));
            }
            SiteKind::Branch => self.branch(&assign.right),
            _ => {}
        }
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        if self.kind == SiteKind::Update && self.is_at(update) {
            let operands = vec![self.reading.value(&update.arg)];
            let is_it = match unparenthesized(&update.arg) {
                Expr::Ident(ident) => self.is_ident(ident),
                Expr::Member(member) => self.is_member(&member.prop).unwrap_or(true),
                _ => true,
            };
            self.found = Some(self.of(
                is_it,
                Written::operation(span_of(update.span), operands, Operator::Other),
            ));
        }
        update.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        if self.kind == SiteKind::Declaration && self.is_at(declarator) {
            self.found = Some(match (&declarator.name, &declarator.init) {
                (_, None) => Written::Nothing,
                (Pat::Ident(ident), Some(init)) => {
                    self.of(self.is_ident(&ident.id), self.value_of(init))
                }
                (pattern, Some(init)) => self.taken_apart(pattern, self.reading.value(init)),
            });
        }
        if self.kind == SiteKind::Branch
            && let Some(init) = &declarator.init
        {
            self.branch(init);
        }
        declarator.visit_children_with(self);
    }

    fn visit_export_default_expr(&mut self, export: &ExportDefaultExpr) {
        if self.kind == SiteKind::Declaration && self.is_at(export) {
            self.found = Some(self.value_of(&export.expr));
        }
        export.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.parameters(function.params.iter().map(|parameter| &parameter.pat));
        function.visit_children_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let parameters = constructor
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
                ParamOrTsParamProp::TsParamProp(_) => None,
            });
        self.parameters(parameters);
        constructor.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.parameters(arrow.params.iter());
        arrow.visit_children_with(self);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        if self.kind == SiteKind::Parameter
            && clause.param.as_ref().is_some_and(|param| self.is_at(param))
        {
            self.found = Some(Written::Caught);
        }
        clause.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.loop_head(&statement.left, &statement.right, false);
        statement.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.loop_head(&statement.left, &statement.right, true);
        statement.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        if self.kind == SiteKind::Property {
            for (index, property) in object.props.iter().enumerate() {
                match property {
                    PropOrSpread::Spread(spread) if spread.dot3_token.lo.0 == self.at.0 => {
                        self.found = Some(self.spread(&spread.expr));
                    }
                    PropOrSpread::Prop(property) if self.is_at(property) => {
                        let later = object.props.iter().skip(index + 1);
                        let is_followed = later.into_iter().any(|later| match later {
                            PropOrSpread::Spread(_) => true,
                            PropOrSpread::Prop(later) => match &**later {
                                Prop::KeyValue(pair) => {
                                    !is_pure(&pair.value) || pair.key.is_computed()
                                }
                                Prop::Shorthand(_) => false,
                                _ => true,
                            },
                        });
                        self.found = Some(self.property(property).followed(is_followed));
                    }
                    _ => {}
                }
            }
        }
        object.visit_children_with(self);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        if self.kind == SiteKind::Property {
            self.array(array);
        }
        array.visit_children_with(self);
    }

    fn visit_class(&mut self, class: &Class) {
        if self.kind == SiteKind::Property {
            for member in &class.body {
                if !self.is_at(member) {
                    continue;
                }
                let (is_it, value) = match member {
                    ClassMember::ClassProp(property) => {
                        (self.is_key(&property.key), property.value.as_deref())
                    }
                    ClassMember::PrivateProp(property) => {
                        (self.is_private(&property.key), property.value.as_deref())
                    }
                    member => {
                        self.found = Some(Written::Made(span_of(member.span())));
                        continue;
                    }
                };
                let written = value.map_or(Written::Nothing, |value| self.value_of(value));
                self.found = Some(self.of(is_it, written));
            }
        }
        class.visit_children_with(self);
    }

    fn visit_unary_expr(&mut self, operation: &UnaryExpr) {
        if self.kind == SiteKind::Deletion
            && operation.op == UnaryOp::Delete
            && self.is_at(operation)
        {
            self.found = Some(Written::Nothing);
        }
        operation.visit_children_with(self);
    }
}

impl Search<'_> {
    /// An element of an array literal; the site of all of them is where the array begins.
    pub(super) fn array(&mut self, array: &ArrayLit) {
        let elements = array.elems.iter().flatten();
        let own = elements.into_iter().find(|element| self.is_at(*element));
        let element = if self.is_at(array) {
            let index = match self.target {
                Target::Property(key) => key.parse::<usize>().ok(),
                Target::Variable(_) => None,
            };
            let before = index.map_or(&[][..], |index| {
                array.elems.get(..=index).unwrap_or(&array.elems)
            });
            let has_spread = |element: &Option<swc_ecma_ast::ExprOrSpread>| {
                element.as_ref().is_some_and(|it| it.spread.is_some())
            };
            if before.iter().any(has_spread) {
                self.found = Some(Written::Unknown("an element of an array with a spread"));
                return;
            }
            let element = index.and_then(|index| array.elems.get(index)?.as_ref());
            if element.is_none() {
                // Its length, or a hole.
                self.found = Some(Written::Made(span_of(array.span)));
                return;
            }
            element
        } else {
            own
        };
        let Some(element) = element else { return };
        // The literal around may begin where its first element does not.
        let is_length = self.is_property("length");
        self.found = Some(if is_length {
            Written::Made(span_of(array.span))
        } else if element.spread.is_some() {
            Written::Unknown("an element of a spread")
        } else {
            let later = array.elems.iter().flatten();
            let later = later.filter(|later| later.span().lo > element.span().lo);
            let is_followed = later
                .into_iter()
                .any(|later| later.spread.is_some() || !is_pure(&later.expr));
            self.value_of(&element.expr).followed(is_followed)
        });
    }
}
