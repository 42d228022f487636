//! What a site wrote to one of its targets.

use swc_common::Spanned;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignTarget, AssignTargetPat,
    CatchClause, Class, ClassMember, Constructor, ExportDefaultExpr, Expr, ForHead, ForInStmt,
    ForOfStmt, Function, Ident, MemberProp, ObjectLit, ObjectPatProp, ParamOrTsParamProp, Pat,
    Prop, PropName, PropOrSpread, ReturnStmt, SimpleAssignTarget, UnaryExpr, UnaryOp, UpdateExpr,
    VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::value::{Form, Reading, Step, Value, giving, is_pure, span_of};
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
    /// What a `for-of` loop came to, and in it what `path` leads to.
    Element {
        /// What is iterated.
        of: Value,
        /// The way into the element.
        path: Vec<PathStep>,
    },
    /// A key that a `for-in` loop came to.
    KeyOf(Value),
    /// The same of something else than was asked for: a getter of what was asked for reads it.
    Other(Box<Written>),
    /// What was thrown.
    Caught,
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
struct Search<'s> {
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
    fn is_at<T: Spanned>(&self, node: &T) -> bool {
        node.span().lo.0 == self.at.0
    }

    fn value_of(&self, expression: &Expr) -> Written {
        Written::Value {
            value: self.reading.value(expression),
            path: Vec::new(),
        }
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

    fn is_ident(&self, ident: &Ident) -> bool {
        self.is_variable(&ident.sym, ident.span.lo.0)
    }

    fn is_property(&self, key: &str) -> bool {
        matches!(self.target, Target::Property(wanted) if wanted == key)
    }

    /// Whether `o.key` is what was written to; `None`: that cannot be told.
    fn is_member(&self, property: &MemberProp) -> Option<bool> {
        match property {
            MemberProp::Ident(name) => Some(self.is_property(&name.sym)),
            MemberProp::PrivateName(name) => Some(self.is_property(&name.name)),
            MemberProp::Computed(computed) => match Reading::step(&computed.expr)? {
                Step::Key(key) => Some(self.is_property(&key)),
                Step::Index(number) => Some(self.is_property(&number_text(number))),
                _ => match self.target {
                    Target::Property(_) => None,
                    Target::Variable(_) => Some(false),
                },
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

    fn pattern(
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
            None => return Err(NO_TARGET),
        }
        Ok(())
    }

    fn taken_apart(&self, pattern: &Pat, value: Value) -> Written {
        match self.one_path(pattern) {
            Ok(path) => Written::Value { value, path },
            Err(why) => Written::Unknown(why),
        }
    }

    fn parameters<'p>(&mut self, parameters: impl Iterator<Item = &'p Pat>) {
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

    fn loop_head(&mut self, head: &ForHead, of: &Expr, is_keys: bool) {
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

    fn assignment(&self, assign: &AssignExpr) -> Written {
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
                self.of(is_it, operation(span_of(assign.span), operands))
            }
        }
    }

    /// What was written, of the target or of another.
    fn of(&self, is_it: bool, written: Written) -> Written {
        match is_it {
            true => written,
            false => Written::Other(Box::new(written)),
        }
    }

    /// Whether a property definition's key is that of the target, as far as the text says.
    fn is_key(&self, key: &PropName) -> bool {
        match key_step(key) {
            Some(Step::Property(name) | Step::Key(name) | Step::Private(name)) => {
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
    fn branch(&mut self, value: &Expr) {
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

    fn property(&self, property: &Prop) -> Written {
        match property {
            Prop::Shorthand(name) => {
                let value = self.value_of(&Expr::Ident(name.clone()));
                self.of(self.is_property(&name.sym), value)
            }
            Prop::KeyValue(pair) => self.of(self.is_key(&pair.key), self.value_of(&pair.value)),
            _ => Written::Made(span_of(property.span())),
        }
    }

    fn spread(&self, source: &Expr) -> Written {
        let Target::Property(key) = self.target else {
            return Written::Unknown("a spread that writes a variable");
        };
        Written::Spread {
            of: self.reading.value(source),
            key: key.to_owned(),
        }
    }
}

fn operation(span: ByteSpan, operands: Vec<Value>) -> Written {
    Written::Value {
        value: Value {
            span,
            is_pure: false,
            is_followed: false,
            form: Form::Operation {
                operands,
                converts: false,
            },
        },
        path: Vec::new(),
    }
}

impl Written {
    /// The same, with code that may have effects between it and the write.
    fn followed(self, is_followed: bool) -> Self {
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
            self.found = Some(self.of(is_it, operation(span_of(update.span), operands)));
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
                    ClassMember::PrivateProp(property) => (
                        self.is_property(&property.key.name),
                        property.value.as_deref(),
                    ),
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
    /// An element of an array literal; the site of all of them stands where the array begins.
    fn array(&mut self, array: &ArrayLit) {
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

/// See [`Script::returned_at`].
pub(super) fn returned_at(script: &Script<'_>, at: ByteOffset) -> Option<Written> {
    let mut search = Returned {
        reading: Reading {
            scopes: script.scopes(),
        },
        at,
        found: None,
    };
    script.program().visit_with(&mut search);
    search.found
}

struct Returned<'s> {
    reading: Reading<'s>,
    at: ByteOffset,
    found: Option<Written>,
}

impl Returned<'_> {
    fn value_of(&self, expression: &Expr) -> Written {
        Written::Value {
            value: self.reading.value(expression),
            path: Vec::new(),
        }
    }

    /// A function that ends without a `return` gives nothing.
    fn end(&mut self, end: u32) {
        if end == self.at.0 + 1 {
            self.found.get_or_insert(Written::Nothing);
        }
    }
}

impl Visit for Returned<'_> {
    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        if statement.span.lo.0 == self.at.0 {
            let value = statement.arg.as_deref();
            self.found = Some(value.map_or(Written::Nothing, |value| self.value_of(value)));
        }
        statement.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        if let ArrowFunctionBody::Expr(value) = &*arrow.body
            && value.span().lo.0 == self.at.0
        {
            self.found = Some(self.value_of(value));
        }
        arrow.visit_children_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.end(function.span.hi.0);
        function.visit_children_with(self);
    }
}
