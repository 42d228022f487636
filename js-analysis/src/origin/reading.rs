//! Reads an expression of the syntax tree as the source of a value.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrayLit, AssignOp, AssignTarget, BinExpr, BinaryOp, Callee, Expr, ExprOrSpread, Lit,
    MemberExpr, MemberProp, ObjectLit, OptChainBase, PrivateName, Prop, PropName, PropOrSpread,
    SimpleAssignTarget, Tpl, UnaryOp, UpdateOp,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::value::{
    Argument, Call, CallKind, Form, Logical, Operator, Reference, Root, Step, Value,
};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::number_key;
use crate::scopes::{Resolution, Scopes, unparenthesized};

pub(super) fn span_of(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

/// Reads expressions of one script.
#[derive(Clone, Copy)]
pub(super) struct Reading<'s> {
    pub(super) scopes: &'s Scopes,
}

impl Reading<'_> {
    pub(super) fn value(self, expression: &Expr) -> Value {
        let expression = giving(expression);
        Value {
            span: span_of(expression.span()),
            is_pure: is_pure(expression),
            is_followed: false,
            form: self.form(expression),
        }
    }

    fn boxed(self, expression: &Expr) -> Box<Value> {
        Box::new(self.value(expression))
    }

    fn form(self, expression: &Expr) -> Form {
        match expression {
            Expr::Lit(_) | Expr::Fn(_) | Expr::Arrow(_) | Expr::Class(_) => Form::Literal,
            Expr::Array(array) => self.array(array),
            Expr::Object(object) => self.object(object),
            Expr::Ident(name) if matches!(&*name.sym, "undefined" | "NaN" | "Infinity") => {
                Form::Literal
            }
            Expr::This(_) | Expr::Ident(_) | Expr::Member(_) => self.reference_form(expression),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(_) => self.reference_form(expression),
                OptChainBase::Call(call) => {
                    self.call(chain.span, CallKind::Plain, Some(&call.callee), &call.args)
                }
            },
            Expr::Cond(choice) => Form::Conditional {
                test: self.boxed(&choice.test),
                yes: self.boxed(&choice.cons),
                no: self.boxed(&choice.alt),
            },
            Expr::Bin(operation) => match operation.op {
                BinaryOp::LogicalOr => self.logical(Logical::Or, &operation.left, &operation.right),
                BinaryOp::LogicalAnd => {
                    self.logical(Logical::And, &operation.left, &operation.right)
                }
                BinaryOp::NullishCoalescing => {
                    self.logical(Logical::Nullish, &operation.left, &operation.right)
                }
                operator => {
                    let mut operands = Vec::new();
                    self.operands(operator, &operation.left, &mut operands);
                    self.operands(operator, &operation.right, &mut operands);
                    computed(operands, false, by(operation))
                }
            },
            Expr::Unary(operation) => match operation.op {
                UnaryOp::Void | UnaryOp::Delete => Form::Literal,
                operator => {
                    let converts = operator == UnaryOp::Plus;
                    computed(vec![self.value(&operation.arg)], converts, Operator::Other)
                }
            },
            Expr::Tpl(template) => self.template(template),
            Expr::Call(call) => match &call.callee {
                Callee::Expr(callee) => {
                    self.call(call.span, CallKind::Plain, Some(callee), &call.args)
                }
                Callee::Super(_) => self.call(call.span, CallKind::Super, None, &call.args),
                Callee::Import(_) => self.call(call.span, CallKind::Import, None, &call.args),
            },
            Expr::New(construction) => {
                let arguments = construction.args.as_deref().unwrap_or_default();
                self.call(
                    construction.span,
                    CallKind::New,
                    Some(&construction.callee),
                    arguments,
                )
            }
            Expr::TaggedTpl(template) => {
                // Its first argument are the texts, which the call does not show.
                let holes = template.tpl.exprs.iter().map(|hole| ExprOrSpread {
                    spread: None,
                    expr: hole.clone(),
                });
                let holes: Vec<ExprOrSpread> = holes.collect();
                let tag = Some(&*template.tag);
                self.call(template.span, CallKind::Tagged, tag, &holes)
            }
            Expr::Await(awaited) => Form::Await(self.boxed(&awaited.arg)),
            // What is written to it, is its value.
            Expr::Assign(assign) => match (assign.op, &assign.left) {
                (AssignOp::Assign, _) => self.form(giving(&assign.right)),
                // What it assigns to has its value then: `x ||= v`, `x += v`.
                (_, AssignTarget::Simple(SimpleAssignTarget::Ident(name))) => {
                    self.reference_form(&Expr::Ident(name.id.clone()))
                }
                (_, AssignTarget::Simple(SimpleAssignTarget::Member(member))) => {
                    self.reference_form(&Expr::Member(member.clone()))
                }
                _ => Form::Unknown("an assignment that computes"),
            },
            Expr::Update(update) => {
                let operator = Operator::Update {
                    is_prefix: update.prefix,
                    adds: update.op == UpdateOp::PlusPlus,
                };
                computed(vec![self.value(&update.arg)], false, operator)
            }
            Expr::Yield(_) => Form::Unknown("what `next` hands over to a generator"),
            Expr::SuperProp(_) => Form::Unknown("a property of `super`"),
            Expr::MetaProp(_) => Form::Unknown("`new.target` or `import.meta`"),
            _ => Form::Unknown("an expression that is not followed"),
        }
    }

    fn array(self, array: &ArrayLit) -> Form {
        let elements = array.elems.iter();
        let closed = elements.take_while(|it| it.as_ref().is_none_or(|it| it.spread.is_none()));
        let closed = closed.map(|it| it.as_ref().map(|it| self.value(&it.expr)));
        let elements: Vec<Option<Value>> = closed.collect();
        Form::Array {
            is_open: elements.len() < array.elems.len(),
            elements,
        }
    }

    fn object(self, object: &ObjectLit) -> Form {
        let properties = object.props.iter().map(|property| {
            let PropOrSpread::Prop(property) = property else {
                return None;
            };
            match &**property {
                Prop::Shorthand(name) => {
                    Some((name.sym.to_string(), self.value(&Expr::Ident(name.clone()))))
                }
                Prop::KeyValue(pair) => {
                    let key = match &pair.key {
                        PropName::Ident(name) => name.sym.to_string(),
                        PropName::Str(text) => text.value.as_str()?.to_owned(),
                        PropName::Num(number) => number_key(number.value),
                        PropName::BigInt(_) | PropName::Computed(_) => return None,
                    };
                    Some((key, self.value(&pair.value)))
                }
                _ => None,
            }
        });
        Form::Object(properties.collect())
    }

    fn logical(self, operator: Logical, left: &Expr, right: &Expr) -> Form {
        Form::Logical {
            operator,
            left: self.boxed(left),
            right: self.boxed(right),
        }
    }

    /// The operands of a chain of one operator.
    fn operands(self, operator: BinaryOp, expression: &Expr, operands: &mut Vec<Value>) {
        match unparenthesized(expression) {
            Expr::Bin(inner) if inner.op == operator => {
                self.operands(operator, &inner.left, operands);
                self.operands(operator, &inner.right, operands);
            }
            other => operands.push(self.value(other)),
        }
    }

    fn template(self, template: &Tpl) -> Form {
        if template.exprs.is_empty() {
            return Form::Literal;
        }
        let has_text = template.quasis.iter().any(|text| !text.raw.is_empty());
        let operands = template.exprs.iter().map(|hole| self.value(hole));
        let operands: Vec<Value> = operands.collect();
        let converts = operands.len() == 1 && !has_text;
        let texts = template.quasis.iter();
        let texts = texts.map(|text| Some(text.cooked.as_ref()?.as_str()?.to_owned()));
        let operator = texts.collect::<Option<_>>().map(Operator::Template);
        computed(operands, converts, operator.unwrap_or_default())
    }

    fn reference_form(self, expression: &Expr) -> Form {
        match self.reference(expression) {
            Some(reference) => Form::Reference(reference),
            None => self
                .part(expression)
                .unwrap_or(Form::Unknown("a property of what an expression gives")),
        }
    }

    /// A property of what is no reference.
    fn part(self, expression: &Expr) -> Option<Form> {
        let member = match unparenthesized(expression) {
            Expr::Member(member) => member,
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => member,
                OptChainBase::Call(_) => return None,
            },
            _ => return None,
        };
        let step = match &member.prop {
            MemberProp::Ident(name) => Step::Property(name.sym.to_string()),
            MemberProp::PrivateName(name) => private(name),
            MemberProp::Computed(computed) => Self::step(&computed.expr)?,
        };
        let of = self.value(&member.obj);
        Some(match of.form {
            Form::Part { of, mut steps } => {
                steps.push(step);
                Form::Part { of, steps }
            }
            _ => Form::Part {
                of: Box::new(of),
                steps: vec![step],
            },
        })
    }

    /// The reference that an expression is.
    pub(super) fn reference(self, expression: &Expr) -> Option<Reference> {
        match unparenthesized(expression) {
            Expr::This(_) => Some(Reference {
                root: Root::This,
                steps: Vec::new(),
            }),
            Expr::Ident(name) => {
                let at = ByteOffset(name.span.lo.0);
                let scope = self.scopes.innermost_at(at);
                let resolution = self.scopes.resolve(scope, &name.sym);
                Some(Reference {
                    root: Root::Variable {
                        name: name.sym.to_string(),
                        at,
                        is_declared: resolution != Resolution::Unresolved,
                    },
                    steps: Vec::new(),
                })
            }
            Expr::Member(member) => self.member(member),
            Expr::OptChain(chain) => match &*chain.base {
                OptChainBase::Member(member) => self.member(member),
                OptChainBase::Call(_) => None,
            },
            _ => None,
        }
    }

    fn member(self, member: &MemberExpr) -> Option<Reference> {
        let mut reference = self.reference(&member.obj)?;
        let step = match &member.prop {
            MemberProp::Ident(name) => Step::Property(name.sym.to_string()),
            MemberProp::PrivateName(name) => private(name),
            MemberProp::Computed(computed) => Self::step(&computed.expr)?,
        };
        reference.steps.push(step);
        Some(reference)
    }

    /// `[expression]`; `None` where no text of ours can name the key.
    pub(super) fn step(expression: &Expr) -> Option<Step> {
        Some(match unparenthesized(expression) {
            Expr::Lit(Lit::Str(key)) => Step::Key(key.value.as_str()?.to_owned()),
            Expr::Lit(Lit::Num(number)) => Step::Index(number.value),
            other => Step::Computed {
                span: span_of(other.span()),
                is_pure: is_pure(other),
            },
        })
    }

    fn call(
        self,
        span: Span,
        kind: CallKind,
        callee: Option<&Expr>,
        arguments: &[ExprOrSpread],
    ) -> Form {
        let callee = callee.map(unparenthesized);
        let member = match callee {
            Some(Expr::Member(member)) => Some(member),
            Some(Expr::OptChain(chain)) => match &*chain.base {
                OptChainBase::Member(member) => Some(member),
                OptChainBase::Call(_) => None,
            },
            _ => None,
        };
        let method = member.and_then(|member| match &member.prop {
            MemberProp::Ident(name) => Some(name.sym.to_string()),
            MemberProp::Computed(computed) => match Self::step(&computed.expr)? {
                Step::Key(key) => Some(key),
                _ => None,
            },
            MemberProp::PrivateName(_) => None,
        });
        Form::Call(Box::new(Call {
            span: span_of(span),
            kind,
            callee: callee.map(|callee| self.value(callee)),
            receiver: member.map(|member| self.value(&member.obj)),
            method,
            global: callee.and_then(|callee| self.global_name(callee)),
            arguments: self.arguments(arguments),
        }))
    }

    pub(super) fn arguments(self, arguments: &[ExprOrSpread]) -> Vec<Argument> {
        let arguments = arguments.iter().map(|argument| Argument {
            value: self.value(&argument.expr),
            is_spread: argument.spread.is_some(),
        });
        let mut arguments: Vec<Argument> = arguments.collect();
        let mut is_followed = false;
        for argument in arguments.iter_mut().rev() {
            argument.value.is_followed = is_followed;
            // A spread calls an iterator.
            is_followed |= argument.is_spread || !argument.value.is_pure;
        }
        arguments
    }

    /// `Math.random` of `window.Math.random`.
    fn global_name(self, callee: &Expr) -> Option<String> {
        let reference = self.reference(callee)?;
        let Root::Variable {
            name,
            is_declared: false,
            ..
        } = reference.root
        else {
            return None;
        };
        let mut names = vec![name];
        for step in reference.steps {
            match step {
                Step::Property(name) | Step::Key(name) => names.push(name),
                _ => return None,
            }
        }
        if matches!(&*names[0], "window" | "self" | "globalThis") && names.len() > 1 {
            names.remove(0);
        }
        Some(names.join("."))
    }
}

/// An operation; one on nothing but constants makes a constant. What an object becomes in it, its methods say.
fn computed(operands: Vec<Value>, converts: bool, operator: Operator) -> Form {
    let is_constant = |operand: &Value| operand.form == Form::Literal;
    if operands.iter().all(is_constant) {
        return Form::Literal;
    }
    Form::Operation {
        operands,
        converts,
        operator,
    }
}

/// How an operation of two operands, or a chain of them, computes. Brackets to the right, as in `a - (b - c)`, are not
/// seen in the chain's operands.
fn by(operation: &BinExpr) -> Operator {
    let mut inner = Some(operation);
    while let Some(around) = inner {
        let chained = |side| match unparenthesized(side) {
            Expr::Bin(within) if within.op == operation.op => Some(within),
            _ => None,
        };
        if chained(&around.right).is_some() {
            return Operator::Other;
        }
        inner = chained(&around.left);
    }
    match operation.op {
        BinaryOp::Add => Operator::Add,
        BinaryOp::Sub => Operator::Subtract,
        BinaryOp::Mul => Operator::Multiply,
        BinaryOp::Div => Operator::Divide,
        BinaryOp::Mod => Operator::Remainder,
        BinaryOp::BitAnd => Operator::And,
        BinaryOp::BitOr => Operator::Or,
        BinaryOp::BitXor => Operator::ExclusiveOr,
        BinaryOp::LShift => Operator::ShiftLeft,
        BinaryOp::RShift => Operator::ShiftRight,
        BinaryOp::ZeroFillRShift => Operator::ShiftRightUnsigned,
        _ => Operator::Other,
    }
}

/// The expression that gives the value of one: of `(a, b)` it is `b`.
pub(super) fn giving(expression: &Expr) -> &Expr {
    match unparenthesized(expression) {
        Expr::Seq(sequence) => sequence
            .exprs
            .last()
            .map_or(expression, |last| giving(last)),
        inner => inner,
    }
}

/// A step to what a private name names.
fn private(name: &PrivateName) -> Step {
    Step::Private {
        name: name.name.to_string(),
        at: span_of(name.span).start,
    }
}

/// Whether an expression calls nothing and writes nothing.
pub(super) fn is_pure(expression: &Expr) -> bool {
    let mut effects = Effects { found: false };
    expression.visit_with(&mut effects);
    !effects.found
}

struct Effects {
    found: bool,
}

impl Visit for Effects {
    fn visit_expr(&mut self, expression: &Expr) {
        match expression {
            Expr::Call(_)
            | Expr::New(_)
            | Expr::TaggedTpl(_)
            | Expr::Assign(_)
            | Expr::Update(_)
            | Expr::Yield(_)
            | Expr::Await(_) => self.found = true,
            Expr::OptChain(chain) if matches!(&*chain.base, OptChainBase::Call(_)) => {
                self.found = true;
            }
            Expr::Unary(operation) if operation.op == UnaryOp::Delete => self.found = true,
            // What is in a function is not evaluated with it; what is made is another each time.
            Expr::Fn(_) | Expr::Arrow(_) => {}
            // Its fields and computed keys are.
            Expr::Class(_) => self.found = true,
            _ => expression.visit_children_with(self),
        }
    }
}
