//! Where properties of one name are read: a read may call a getter, or the trap of a proxy, and no call of the text
//! says where.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, Expr, MemberExpr, MemberProp, ObjectPatProp, Pat, PropName,
    SimpleAssignTarget, UnaryExpr, UnaryOp, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::reading::{Reading, span_of};
use super::value::Value;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;

/// A property that is read.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyRead {
    /// Where its name is.
    pub at: ByteOffset,
    /// The object that it is read of.
    pub of: Value,
    /// Its name, if that is an expression.
    pub key: Option<Value>,
}

impl Script<'_> {
    /// The reads of properties in a part of the text that have this name, or one that an expression says.
    #[must_use]
    pub fn property_reads(&self, within: ByteSpan, name: &str) -> Vec<PropertyRead> {
        let mut search = Search {
            reading: Reading {
                scopes: self.scopes(),
            },
            within,
            name,
            found: Vec::new(),
        };
        self.program().visit_with(&mut search);
        search.found
    }
}

struct Search<'s> {
    reading: Reading<'s>,
    within: ByteSpan,
    name: &'s str,
    found: Vec<PropertyRead>,
}

impl Search<'_> {
    fn add(&mut self, at: Span, of: &Expr, key: Option<&Expr>) {
        let at = span_of(at).start;
        if at < self.within.start || self.within.end <= at {
            return;
        }
        self.found.push(PropertyRead {
            at,
            of: self.reading.value(of),
            key: key.map(|key| self.reading.value(key)),
        });
    }

    /// What is evaluated of a member that is not read itself.
    fn parts(&mut self, member: &MemberExpr) {
        member.obj.visit_with(self);
        member.prop.visit_with(self);
    }
}

impl Visit for Search<'_> {
    fn visit_member_expr(&mut self, member: &MemberExpr) {
        match &member.prop {
            MemberProp::Ident(name) if *name.sym == *self.name => {
                self.add(name.span, &member.obj, None);
            }
            MemberProp::Computed(computed) => {
                self.add(computed.expr.span(), &member.obj, Some(&computed.expr));
            }
            _ => {}
        }
        self.parts(member);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        if let (Pat::Object(pattern), Some(of)) = (&declarator.name, &declarator.init) {
            for property in &pattern.props {
                match property {
                    ObjectPatProp::Assign(own) if *own.key.id.sym == *self.name => {
                        self.add(own.key.id.span, of, None);
                    }
                    ObjectPatProp::KeyValue(own) => match &own.key {
                        PropName::Ident(key) if *key.sym == *self.name => {
                            self.add(key.span, of, None);
                        }
                        PropName::Computed(key) => self.add(key.span, of, Some(&key.expr)),
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
        declarator.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        match (&assign.left, assign.op) {
            (AssignTarget::Simple(SimpleAssignTarget::Member(member)), AssignOp::Assign) => {
                self.parts(member)
            }
            (left, _) => left.visit_with(self),
        }
        assign.right.visit_with(self);
    }

    fn visit_unary_expr(&mut self, operation: &UnaryExpr) {
        match (&*operation.arg, operation.op) {
            (Expr::Member(member), UnaryOp::Delete) => self.parts(member),
            _ => operation.visit_children_with(self),
        }
    }
}
