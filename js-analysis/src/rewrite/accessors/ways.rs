//! A trap of a proxy answers for every key: what it reads is found for each way through it that its arguments decide.

use rustc_hash::FxHashSet;
use swc_atoms::Atom;
use swc_ecma_ast::{BinaryOp, Callee, Expr, IfStmt, Lit, Stmt, UnaryOp};
use swc_ecma_visit::VisitWith;

use super::super::functions::FunctionBodyOf;
use super::facts::{AllEffects, Effects};
use super::slice::Slice;
use crate::scopes::{Resolution, unparenthesized};

/// Most statements that are looked at on all ways together; a function that needs more is not followed.
const MOST_WAYS: usize = 256;

impl<'e> Slice<'_, '_, '_, 'e> {
    /// What the value that a function with parameters returns depends on.
    pub(super) fn by_ways(mut self, body: &FunctionBodyOf<'e>) -> Option<String> {
        match body {
            FunctionBodyOf::Expression(expression) => {
                let mut list = String::new();
                self.value(expression, &mut list)?;
                Some(list)
            }
            FunctionBodyOf::Statements { statements, .. } => {
                self.way(&statements.iter().collect::<Vec<_>>())
            }
        }
    }

    /// What is returned where these statements are run one after the other depends on.
    fn way(&mut self, statements: &[&'e Stmt]) -> Option<String> {
        let mut statements = statements;
        while let [statement, rest @ ..] = statements {
            self.ways += 1;
            if self.ways > MOST_WAYS {
                return None;
            }
            match statement {
                Stmt::Return(returned) => {
                    let mut list = String::new();
                    if let Some(value) = &returned.arg {
                        self.value(value, &mut list)?;
                    }
                    return Some(list);
                }
                Stmt::Throw(_) => return Some(String::new()),
                Stmt::Block(block) => {
                    let mut all: Vec<&Stmt> = block.stmts.iter().collect();
                    all.extend(rest);
                    return self.way(&all);
                }
                Stmt::If(choice) if decides(statement) => return self.parting(choice, rest),
                Stmt::Decl(_) | Stmt::Expr(_) | Stmt::Empty(_) | Stmt::Debugger(_) => {}
                other if decides(other) => return None,
                _ => {}
            }
            statements = rest;
        }
        Some(String::new())
    }

    /// Two ways: where the test holds and where it does not.
    fn parting(&mut self, choice: &'e IfStmt, rest: &[&'e Stmt]) -> Option<String> {
        let test = self.test(&choice.test)?;
        let mut way = |first: Option<&'e Stmt>| {
            let statements: Vec<&Stmt> = first.into_iter().chain(rest.iter().copied()).collect();
            self.branch(|this, inner| {
                *inner = this.way(&statements)?;
                Some(())
            })
        };
        let then = way(Some(&choice.cons));
        let otherwise = way(choice.alt.as_deref());
        let mut list = String::new();
        self.add(&format!("[\"?\",{test},{then},{otherwise}]"), &mut list)?;
        Some(list)
    }

    /// What one branch reads, as a list; `0` if that cannot be followed. Both branches follow each variable for
    /// themselves.
    pub(super) fn branch(
        &mut self,
        mut reads: impl FnMut(&mut Self, &mut String) -> Option<()>,
    ) -> String {
        let followed: FxHashSet<Atom> = self.followed.clone();
        let mut inner = String::new();
        let text = match reads(self, &mut inner) {
            Some(()) => format!("[{inner}]"),
            None => "0".to_owned(),
        };
        self.followed = followed;
        text
    }

    /// A test that the agent can make: of the function's arguments, or of what is read somewhere; `None`: another.
    pub(super) fn test(&mut self, test: &'e Expr) -> Option<String> {
        if let Some(test) = self.argument_test(test) {
            return Some(test);
        }
        match unparenthesized(test) {
            Expr::Unary(unary) if unary.op == UnaryOp::Bang => {
                Some(format!("[\"!\",{}]", self.test(&unary.arg)?))
            }
            Expr::Bin(binary) => match binary.op {
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                    let sign = if binary.op == BinaryOp::LogicalAnd {
                        '&'
                    } else {
                        '|'
                    };
                    let (left, right) = (self.test(&binary.left)?, self.test(&binary.right)?);
                    Some(format!("[\"{sign}\",{left},{right}]"))
                }
                BinaryOp::EqEqEq | BinaryOp::NotEqEq => self
                    .comparison(&binary.left, &binary.right, binary.op.as_str())
                    .or_else(|| self.comparison(&binary.right, &binary.left, binary.op.as_str())),
                // Nothing is converted where one side is `null` or `undefined`.
                BinaryOp::EqEq | BinaryOp::NotEq if self.is_nullish(&binary.right) => {
                    self.comparison(&binary.left, &binary.right, binary.op.as_str())
                }
                _ => None,
            },
            read if self.is_copy(read) => self.test_of(read, "v=>v"),
            _ => None,
        }
    }

    /// `value` compared with a literal.
    fn comparison(&mut self, value: &'e Expr, literal: &Expr, operator: &str) -> Option<String> {
        let literal_text = match unparenthesized(literal) {
            Expr::Lit(Lit::Str(_) | Lit::Num(_) | Lit::Bool(_) | Lit::Null(_)) => {
                self.rewriter.text(literal)
            }
            _ if self.is_nullish(literal) => "void 0",
            _ => return None,
        };
        match unparenthesized(value) {
            Expr::Unary(unary) if unary.op == UnaryOp::TypeOf && self.is_copy(&unary.arg) => {
                self.test_of(&unary.arg, &format!("v=>typeof v{operator}{literal_text}"))
            }
            read if self.is_copy(read) => {
                self.test_of(read, &format!("v=>v{operator}{literal_text}"))
            }
            _ => None,
        }
    }

    /// `null`, `undefined` or `void 0`.
    fn is_nullish(&self, value: &Expr) -> bool {
        match unparenthesized(value) {
            Expr::Lit(Lit::Null(_)) => true,
            Expr::Ident(name) => self.is_undefined(name),
            Expr::Unary(unary) => {
                unary.op == UnaryOp::Void && matches!(unparenthesized(&unary.arg), Expr::Lit(_))
            }
            _ => false,
        }
    }

    /// A test of what is read, by a function of its value.
    pub(super) fn test_of(&mut self, read: &'e Expr, holds: &str) -> Option<String> {
        let inner = self.apart(|this, inner| this.value(read, inner))?;
        Some(format!("[\"=\",[{inner}],{holds}]"))
    }

    /// A test of the function's arguments, which the agent can make; `None`: it looks at something else.
    pub(super) fn argument_test(&self, test: &Expr) -> Option<String> {
        if self.parameters.is_empty() {
            return None;
        }
        if let Some((object, key)) = self.has_property(test) {
            return Some(format!("[\"~in\",()=>{object},()=>{key}]"));
        }
        self.is_of_arguments(test)
            .then(|| format!("[\"~\",()=>({})]", self.rewriter.text(test)))
    }

    /// The object and the key of `key in object` and `Reflect.has(object, key)`, where both are parameters.
    fn has_property<'t>(&self, test: &'t Expr) -> Option<(&'t Atom, &'t Atom)> {
        let (object, key) = match unparenthesized(test) {
            Expr::Bin(binary) if binary.op == BinaryOp::In => (&binary.right, &binary.left),
            Expr::Call(call) => match (&call.callee, call.args.as_slice()) {
                (Callee::Expr(callee), [object, key]) if self.is_reflect(callee, "has") => {
                    (&object.expr, &key.expr)
                }
                _ => return None,
            },
            _ => return None,
        };
        match (unparenthesized(object), unparenthesized(key)) {
            (Expr::Ident(object), Expr::Ident(key))
                if self.is_parameter(&object.sym) && self.is_parameter(&key.sym) =>
            {
                Some((&object.sym, &key.sym))
            }
            _ => None,
        }
    }

    /// Whether an expression compares nothing but parameters and literals, so that evaluating it runs nothing of the
    /// page.
    fn is_of_arguments(&self, test: &Expr) -> bool {
        match unparenthesized(test) {
            Expr::Unary(unary) => unary.op == UnaryOp::Bang && self.is_of_arguments(&unary.arg),
            Expr::Bin(binary) => match binary.op {
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                    self.is_of_arguments(&binary.left) && self.is_of_arguments(&binary.right)
                }
                BinaryOp::EqEqEq | BinaryOp::NotEqEq => {
                    self.is_operand(&binary.left) && self.is_operand(&binary.right)
                }
                // These convert an object; a text or symbol on one side does not make the other one a primitive.
                BinaryOp::EqEq | BinaryOp::NotEq => {
                    let is_typeof = |side: &Expr| matches!(unparenthesized(side), Expr::Unary(_));
                    (is_typeof(&binary.left) || is_typeof(&binary.right))
                        && self.is_operand(&binary.left)
                        && self.is_operand(&binary.right)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_operand(&self, value: &Expr) -> bool {
        match unparenthesized(value) {
            Expr::Lit(Lit::Str(_) | Lit::Num(_) | Lit::Bool(_) | Lit::Null(_)) => true,
            Expr::Ident(name) => self.is_parameter(&name.sym),
            Expr::Unary(unary) if unary.op == UnaryOp::TypeOf => {
                matches!(unparenthesized(&unary.arg), Expr::Ident(name) if self.is_parameter(&name.sym))
            }
            _ => false,
        }
    }

    /// Whether a name is a parameter of the function that is never assigned.
    pub(super) fn is_parameter(&self, name: &Atom) -> bool {
        self.parameter(name).is_some()
    }

    /// Which parameter of the function, that is never assigned, has this name.
    pub(super) fn parameter(&self, name: &Atom) -> Option<usize> {
        let scopes = &self.rewriter.scopes;
        let number = self.parameters.iter().position(|known| *known == name)?;
        let is_kept = !self.facts.origins.contains_key(name)
            && match scopes.resolve(self.rewriter.current, name) {
                Resolution::Local(index) => !scopes.binding(index).reassigned,
                _ => false,
            };
        is_kept.then_some(number)
    }

    /// Whether a call is one of this method of the global `Reflect`.
    pub(super) fn is_reflect(&self, callee: &Expr, method: &str) -> bool {
        let Expr::Member(member) = unparenthesized(callee) else {
            return false;
        };
        let is_global = matches!(unparenthesized(&member.obj), Expr::Ident(object)
            if object.sym == "Reflect"
                && self.rewriter.scopes.resolve(self.rewriter.current, &object.sym) == Resolution::Unresolved);
        is_global
            && member
                .prop
                .as_ident()
                .is_some_and(|name| name.sym == method)
    }
}

/// Whether it depends on a statement what the function returns.
fn decides(statement: &Stmt) -> bool {
    let mut effects = Effects::default();
    statement.visit_with(&mut AllEffects(&mut effects));
    effects.returns || !effects.writes.is_empty()
}
