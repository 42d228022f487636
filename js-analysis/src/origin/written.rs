//! What a site wrote to one of its targets.

mod visit;

use swc_common::Spanned;
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, AssignTargetPat, Expr, ForHead, Ident, MemberProp,
    ObjectPatProp, Pat, PrivateName, Prop, PropName, SimpleAssignTarget,
};
use swc_ecma_visit::VisitWith;

use super::reading::{Reading, giving, is_pure, span_of};
use super::value::{Form, Operator, Step, Value};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{OriginalNames, Script, SiteKind};
use crate::scopes::unparenthesized;

/// What was written to.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    /// A variable, by the name that its author gave it.
    Variable(&'t str),
    /// A property, by its key; of a private name without the `#`.
    Property(&'t str),
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// The value of an expression, and in it what `path` leads to.
    Value {
        /// The expression.
        value: Value,
        /// The way into it, of a destructuring.
        path: Vec<PathStep>,
    },
    /// A property that a spread copied.
    Spread {
        /// What is spread.
        of: Value,
        /// The property's key.
        key: String,
    },
    /// What the caller handed over, and in it what `path` leads to.
    Parameter {
        /// Which argument, from 0.
        index: usize,
        /// Whether it is all arguments from that one on.
        is_rest: bool,
        /// The way into it.
        path: Vec<PathStep>,
    },
    /// What a `for-of` loop reached, and in it what `path` leads to.
    Element {
        /// What is iterated.
        of: Value,
        /// The way into the element.
        path: Vec<PathStep>,
    },
    /// A key that a `for-in` loop reached.
    KeyOf(Value),
    /// The same of something else than was asked for: a getter of what was asked for reads it.
    Other(Box<Written>),
    /// What was thrown.
    Caught,
    /// A part of what was thrown, at the end of this way.
    CaughtPart(Vec<PathStep>),
    /// A function or class, or the object that a literal or rest element makes.
    Made(ByteSpan),
    /// A variable was declared without a value, or a property deleted.
    Nothing,
    /// It cannot be told from the text; why, in words.
    Unknown(&'static str),
}

/// A step into a value that is destructured.
#[derive(Clone, Debug, PartialEq)]
pub enum PathStep {
    /// To a property or element.
    Into(Step),
    /// To an element of what is iterated, from 0.
    Iterated(usize),
    /// If what the way led to is `undefined`, this is the value.
    Default(Value),
    /// To an object of all other properties, or an array of all elements from this one on.
    Rest(usize),
}

/// Looks for what was written at the site `at` of this kind to `target`.
pub(super) struct Search<'s> {
    reading: Reading<'s>,
    names: &'s dyn OriginalNames,
    at: ByteOffset,
    kind: SiteKind,
    target: Target<'s>,
    found: Option<Written>,
}

/// See [`Script::written_at`].
pub(super) fn written_at(
    script: &Script<'_>,
    at: ByteOffset,
    kind: SiteKind,
    target: Target<'_>,
    names: &dyn OriginalNames,
) -> Option<Written> {
    let mut search = Search {
        reading: Reading {
            scopes: script.scopes(),
        },
        names,
        at,
        kind,
        target,
        found: None,
    };
    if kind == SiteKind::Definition {
        return Some(Written::Made(ByteSpan { start: at, end: at }));
    }
    script.program().visit_with(&mut search);
    search.found
}

const SEVERAL: &str = "several targets of one destructuring have that name";
const NO_TARGET: &str = "a target whose name is computed";

impl Search<'_> {
    pub(super) fn is_at<T: Spanned>(&self, node: &T) -> bool {
        node.span().lo.0 == self.at.0
    }

    pub(super) fn value_of(&self, expression: &Expr) -> Written {
        Written::whole(self.reading.value(expression))
    }

    fn is_variable(&self, name: &str, at: u32) -> bool {
        match self.target {
            Target::Variable(wanted) => {
                name == wanted
                    || self.names.original_name(ByteOffset(at)).as_deref() == Some(wanted)
            }
            Target::Property(_) => false,
        }
    }

    pub(super) fn is_ident(&self, ident: &Ident) -> bool {
        self.is_variable(&ident.sym, ident.span.lo.0)
    }

    pub(super) fn is_property(&self, key: &str) -> bool {
        matches!(self.target, Target::Property(wanted) if wanted == key)
    }

    /// Whether a private name is that of the target, as it runs or as its author wrote it.
    pub(super) fn is_private(&self, name: &PrivateName) -> bool {
        let author = ByteOffset(name.span.lo.0);
        let author = self.names.original_private_name(author);
        self.is_property(&name.name) || author.is_some_and(|author| self.is_property(&author))
    }

    /// Whether `o.key` is what was written to; `None`: that cannot be told.
    ///
    /// A global variable is a property of the global object, which code calls by many names (`window.x = 1`,
    /// `root.x = 1`): a property with its name is it.
    pub(super) fn is_member(&self, property: &MemberProp) -> Option<bool> {
        let is_key = |key: &str| match self.target {
            Target::Property(wanted) | Target::Variable(wanted) => wanted == key,
        };
        match property {
            MemberProp::Ident(name) => Some(is_key(&name.sym)),
            MemberProp::PrivateName(name) => Some(self.is_private(name)),
            MemberProp::Computed(computed) => match Reading::step(&computed.expr)? {
                Step::Key(key) => Some(is_key(&key)),
                Step::Index(number) => Some(is_key(&number_text(number))),
                _ => None,
            },
        }
    }

    /// The ways from what a pattern takes apart to the target.
    fn paths(&self, pattern: &Pat) -> Result<Vec<Vec<PathStep>>, &'static str> {
        let mut found = Vec::new();
        self.pattern(pattern, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    fn one_path(&self, pattern: &Pat) -> Result<Vec<PathStep>, &'static str> {
        let mut paths = self.paths(pattern)?;
        match (paths.pop(), paths.is_empty()) {
            (Some(path), true) => Ok(path),
            (Some(_), false) => Err(SEVERAL),
            (None, _) => Err("what a rest element made"),
        }
    }

    pub(super) fn pattern(
        &self,
        pattern: &Pat,
        path: &mut Vec<PathStep>,
        found: &mut Vec<Vec<PathStep>>,
    ) -> Result<(), &'static str> {
        match pattern {
            Pat::Ident(ident) => {
                if self.is_ident(&ident.id) {
                    found.push(path.clone());
                }
            }
            Pat::Expr(expression) => self.expression_target(expression, path, found)?,
            Pat::Assign(assign) => {
                path.push(PathStep::Default(self.reading.value(&assign.right)));
                self.pattern(&assign.left, path, found)?;
                path.pop();
            }
            Pat::Array(array) => {
                for (index, element) in array.elems.iter().enumerate() {
                    let Some(element) = element else { continue };
                    match element {
                        Pat::Rest(rest) => {
                            path.push(PathStep::Rest(index));
                            self.pattern(&rest.arg, path, found)?;
                        }
                        element => {
                            path.push(PathStep::Iterated(index));
                            self.pattern(element, path, found)?;
                        }
                    }
                    path.pop();
                }
            }
            Pat::Object(object) => {
                for property in &object.props {
                    match property {
                        ObjectPatProp::KeyValue(pair) => {
                            let Some(step) = key_step(&pair.key) else {
                                continue;
                            };
                            path.push(PathStep::Into(step));
                            self.pattern(&pair.value, path, found)?;
                            path.pop();
                        }
                        ObjectPatProp::Assign(short) => {
                            if !self.is_ident(&short.key.id) {
                                continue;
                            }
                            let mut whole = path.clone();
                            let name = short.key.sym.to_string();
                            whole.push(PathStep::Into(Step::Property(name)));
                            if let Some(default) = &short.value {
                                whole.push(PathStep::Default(self.reading.value(default)));
                            }
                            found.push(whole);
                        }
                        ObjectPatProp::Rest(rest) => {
                            path.push(PathStep::Rest(0));
                            self.pattern(&rest.arg, path, found)?;
                            path.pop();
                        }
                    }
                }
            }
            Pat::Rest(rest) => self.pattern(&rest.arg, path, found)?,
            Pat::Invalid(_) => {}
        }
        Ok(())
    }

    fn expression_target(
        &self,
        expression: &Expr,
        path: &[PathStep],
        found: &mut Vec<Vec<PathStep>>,
    ) -> Result<(), &'static str> {
        let is_it = match unparenthesized(expression) {
            Expr::Ident(ident) => Some(self.is_ident(ident)),
            Expr::Member(member) => self.is_member(&member.prop),
            _ => Some(false),
        };
        match is_it {
            Some(true) => found.push(path.to_vec()),
            Some(false) => {}
            // A variable is seldom written so.
            None if matches!(self.target, Target::Variable(_)) => {}
            None => return Err(NO_TARGET),
        }
        Ok(())
    }

    pub(super) fn taken_apart(&self, pattern: &Pat, value: Value) -> Written {
        match self.one_path(pattern) {
            Ok(path) => Written::Value { value, path },
            Err(why) => Written::Unknown(why),
        }
    }

    pub(super) fn parameters<'p>(&mut self, parameters: impl Iterator<Item = &'p Pat>) {
        if self.kind != SiteKind::Parameter {
            return;
        }
        for (index, parameter) in parameters.enumerate() {
            if !self.is_at(parameter) {
                continue;
            }
            let element = match (parameter, self.target) {
                (Pat::Rest(_), Target::Property(key)) => key.parse::<usize>().ok(),
                _ => None,
            };
            if let Some(element) = element {
                self.found = Some(Written::Parameter {
                    index: index.saturating_add(element),
                    is_rest: false,
                    path: Vec::new(),
                });
                continue;
            }
            self.found = Some(match self.one_path(parameter) {
                Ok(path) => Written::Parameter {
                    index,
                    is_rest: matches!(parameter, Pat::Rest(_)),
                    path,
                },
                Err(why) => Written::Unknown(why),
            });
        }
    }

    pub(super) fn loop_head(&mut self, head: &ForHead, of: &Expr, is_keys: bool) {
        if self.kind != SiteKind::LoopHead {
            return;
        }
        let pattern = match head {
            ForHead::VarDecl(declaration) => declaration
                .decls
                .iter()
                .find(|declarator| self.is_at(*declarator))
                .map(|declarator| &declarator.name),
            ForHead::Pat(pattern) => Some(&**pattern).filter(|pattern| self.is_at(*pattern)),
            ForHead::UsingDecl(_) => None,
        };
        let Some(pattern) = pattern else { return };
        let of = self.reading.value(of);
        self.found = Some(match self.one_path(pattern) {
            Ok(_) if is_keys => Written::KeyOf(of),
            Ok(path) => Written::Element { of, path },
            Err(why) => Written::Unknown(why),
        });
    }

    pub(super) fn assignment(&self, assign: &AssignExpr) -> Written {
        let target = match &assign.left {
            AssignTarget::Simple(target) => target,
            AssignTarget::Pat(pattern) => {
                let pattern = match pattern {
                    AssignTargetPat::Array(array) => Pat::Array(array.clone()),
                    AssignTargetPat::Object(object) => Pat::Object(object.clone()),
                    AssignTargetPat::Invalid(_) => return Written::Unknown("no target"),
                };
                return self.taken_apart(&pattern, self.reading.value(&assign.right));
            }
        };
        let is_it = match target {
            SimpleAssignTarget::Ident(ident) => self.is_ident(&ident.id),
            SimpleAssignTarget::Member(member) => self.is_member(&member.prop).unwrap_or(true),
            _ => true,
        };
        match assign.op {
            // Of a logical assignment that wrote, it is the right side.
            AssignOp::Assign
            | AssignOp::AndAssign
            | AssignOp::OrAssign
            | AssignOp::NullishAssign => self.of(is_it, self.value_of(&assign.right)),
            _ => {
                let operands = vec![self.target_value(target), self.reading.value(&assign.right)];
                let written =
                    Written::operation(span_of(assign.span), operands, by_assignment(assign.op));
                self.of(is_it, written)
            }
        }
    }

    /// What was written, of the target or of another.
    pub(super) fn of(&self, is_it: bool, written: Written) -> Written {
        match is_it {
            true => written,
            false => Written::Other(Box::new(written)),
        }
    }

    /// Whether a property definition's key is that of the target, as far as the text says.
    pub(super) fn is_key(&self, key: &PropName) -> bool {
        match key_step(key) {
            Some(Step::Property(name) | Step::Key(name) | Step::Private { name, .. }) => {
                self.is_property(&name)
            }
            Some(Step::Index(number)) => self.is_property(&number_text(number)),
            Some(Step::Computed { .. }) | None => true,
        }
    }

    /// The value that a target had before.
    fn target_value(&self, target: &SimpleAssignTarget) -> Value {
        match target {
            SimpleAssignTarget::Ident(ident) => self.reading.value(&Expr::Ident(ident.id.clone())),
            SimpleAssignTarget::Member(member) => self.reading.value(&Expr::Member(member.clone())),
            other => Value {
                span: span_of(other.span()),
                is_pure: false,
                is_followed: false,
                form: Form::Unknown("what was there before"),
            },
        }
    }

    /// A branch of an assigned value that is a site of its own.
    pub(super) fn branch(&mut self, value: &Expr) {
        let value = unparenthesized(value);
        match value {
            Expr::Cond(choice) => {
                self.branch(&choice.cons);
                self.branch(&choice.alt);
            }
            _ => {
                let last = giving(value);
                if self.is_at(last) || self.is_at(value) {
                    self.found = Some(self.value_of(last));
                }
            }
        }
    }

    pub(super) fn property(&self, property: &Prop) -> Written {
        match property {
            Prop::Shorthand(name) => {
                let value = self.value_of(&Expr::Ident(name.clone()));
                self.of(self.is_property(&name.sym), value)
            }
            Prop::KeyValue(pair) => self.of(self.is_key(&pair.key), self.value_of(&pair.value)),
            _ => Written::Made(span_of(property.span())),
        }
    }

    pub(super) fn spread(&self, source: &Expr) -> Written {
        let Target::Property(key) = self.target else {
            return Written::Unknown("a spread that writes a variable");
        };
        Written::Spread {
            of: self.reading.value(source),
            key: key.to_owned(),
        }
    }
}

impl Written {
    /// A value as a whole.
    pub(super) fn whole(value: Value) -> Self {
        Self::Value {
            value,
            path: Vec::new(),
        }
    }

    /// What a computation gives.
    pub(super) fn operation(span: ByteSpan, operands: Vec<Value>, operator: Operator) -> Self {
        let form = Form::Operation {
            operands,
            converts: false,
            operator,
        };
        Self::whole(Value {
            span,
            is_pure: false,
            is_followed: false,
            form,
        })
    }

    /// The same, with code that may have effects between it and the write.
    pub(super) fn followed(self, is_followed: bool) -> Self {
        match self {
            Self::Value { mut value, path } => {
                value.is_followed |= is_followed;
                Self::Value { value, path }
            }
            Self::Other(written) => Self::Other(Box::new(written.followed(is_followed))),
            other => other,
        }
    }
}

/// How an assignment computes.
pub(super) fn by_assignment(operator: AssignOp) -> Operator {
    match operator {
        AssignOp::AddAssign => Operator::Add,
        AssignOp::SubAssign => Operator::Subtract,
        AssignOp::MulAssign => Operator::Multiply,
        AssignOp::DivAssign => Operator::Divide,
        AssignOp::ModAssign => Operator::Remainder,
        AssignOp::BitAndAssign => Operator::And,
        AssignOp::BitOrAssign => Operator::Or,
        AssignOp::BitXorAssign => Operator::ExclusiveOr,
        AssignOp::LShiftAssign => Operator::ShiftLeft,
        AssignOp::RShiftAssign => Operator::ShiftRight,
        AssignOp::ZeroFillRShiftAssign => Operator::ShiftRightUnsigned,
        _ => Operator::Other,
    }
}

/// A number as a property key.
fn number_text(number: f64) -> String {
    crate::rewrite::number_key(number)
}

pub(super) fn key_step(key: &PropName) -> Option<Step> {
    Some(match key {
        PropName::Ident(name) => Step::Property(name.sym.to_string()),
        PropName::Str(text) => Step::Key(text.value.as_str()?.to_owned()),
        PropName::Num(number) => Step::Index(number.value),
        PropName::BigInt(number) => Step::Key(number.value.to_string()),
        PropName::Computed(computed) => match Reading::step(&computed.expr)? {
            Step::Computed { span, .. } => Step::Computed {
                span,
                is_pure: is_pure(&computed.expr),
            },
            other => other,
        },
    })
}
