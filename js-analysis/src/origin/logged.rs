//! What stands at the places that the event log names: the expression whose value was written, returned, thrown or
//! handed over there.
//!
//! The log knows a place by its first character, what is recorded there ([`LoggedKind`]) and a name
//! ([`LoggedSite`](crate::log::LoggedSite)). Calls may begin at the same character (`a.b().c()`): the name, the text of
//! what is called, tells them apart. Where that does not, nothing is said.

use rustc_hash::FxHashMap;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignOp, AssignTarget, AssignTargetPat,
    AwaitExpr, BinExpr, BinaryOp, CallExpr, Callee, CatchClause, ClassDecl, ClassProp,
    ComputedPropName, CondExpr, Constructor, Expr, FnDecl, ForHead, ForInStmt, ForOfStmt, Function,
    Lit, MemberProp, NewExpr, ObjectLit, OptChainBase, OptChainExpr, ParamOrTsParamProp, Pat,
    PrivateProp, Prop, PropName, PropOrSpread, ReturnStmt, SimpleAssignTarget, TaggedTpl,
    ThrowStmt, UpdateExpr, VarDeclarator, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::patterns::{Bound, bound};
use super::value::{Argument, Call, Form, Reading, Value, giving, is_pure, span_of};
use super::{PathStep, Written};
use crate::log::{LoggedKind, short_text};
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::{Script, number_key};
use crate::scopes::{Resolution, unparenthesized};

/// What stands at a place of the log.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedPlace {
    /// A variable or property is written.
    Written {
        /// What is written.
        written: Written,
        /// Where the write begins.
        at: ByteOffset,
    },
    /// A function is called, or `new` makes an object.
    Call(Box<Call>),
    /// An array literal: its elements, `None` is a hole.
    Array(Vec<Option<Argument>>),
    /// An object literal: its properties, and where each begins.
    Object(Vec<(ByteOffset, LoggedProperty)>),
    /// `return`, or a function ends; what it returns.
    Return(Option<Value>),
    /// `throw`
    Throw(Value),
    /// `await value`, or `yield value`.
    Suspend {
        /// The value.
        value: Option<Value>,
        /// Whether it is `yield`.
        is_yield: bool,
        /// Whether it is `yield*`.
        delegates: bool,
    },
}

/// A property of an object literal.
#[derive(Clone, Debug, PartialEq)]
pub enum LoggedProperty {
    /// `key: value`
    Value(String, Value),
    /// `...value`
    Spread(Value),
    /// A method, a getter or a setter with this key.
    Function(String),
    /// Its key is computed.
    Computed(Option<Value>),
}

/// A variable, as the log numbers them: see [`FirstNumbers`](crate::log::FirstNumbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedName {
    /// A variable of a scope; both numbers count from that of the script's first.
    Local {
        /// The variable.
        variable: u32,
        /// The scope that declares it.
        scope: u32,
    },
    /// A global variable; `None`: this script does not declare it.
    Global(Option<u32>),
    /// `with` or `eval` may make it another one.
    Unsure,
}

/// What stands at the places of one script.
#[derive(Debug, Default)]
pub struct LoggedCode {
    places: FxHashMap<(u32, LoggedKind), Vec<(String, LoggedPlace)>>,
    /// By the span of a test's value: where the log's place is, and its name.
    tests: FxHashMap<(u32, u32), (u32, String)>,
    /// The names of calls by their spans.
    calls: FxHashMap<(u32, u32), (u32, String)>,
    /// By where functions begin that `Object.defineProperty` makes getters or setters: the key, if it is a literal.
    accessors: FxHashMap<u32, (String, bool)>,
    /// Keys that are computed, by their spans.
    keys: FxHashMap<(u32, u32), Value>,
    /// By the span of a function that is an argument: the calls that it is given to, and as which argument.
    handed_over: FxHashMap<u32, Vec<(ByteSpan, usize)>>,
}

impl LoggedCode {
    /// What stands at a place; `None`: nothing, or that cannot be said.
    #[must_use]
    pub fn at(&self, at: ByteOffset, kind: LoggedKind, name: &str) -> Option<&LoggedPlace> {
        let known = self.places.get(&(at.0, kind))?;
        if let [(_, only)] = known.as_slice() {
            return Some(only);
        }
        let mut named = known.iter().filter(|(own, _)| own == name);
        match (named.next(), named.next()) {
            (Some((_, only)), None) => Some(only),
            _ => None,
        }
    }

    /// The place and name of a test, by the span of the value that is tested.
    #[must_use]
    pub fn test(&self, value: ByteSpan) -> Option<(ByteOffset, &str)> {
        let (at, name) = self.tests.get(&(value.start.0, value.end.0))?;
        Some((ByteOffset(*at), name))
    }

    /// The place and name of a call, by its span.
    #[must_use]
    pub fn call(&self, span: ByteSpan) -> Option<(ByteOffset, &str)> {
        let (at, name) = self.calls.get(&(span.start.0, span.end.0))?;
        Some((ByteOffset(*at), name))
    }

    /// A key that is computed: the expression in `o[expression]`.
    #[must_use]
    pub fn key(&self, span: ByteSpan) -> Option<&Value> {
        self.keys.get(&(span.start.0, span.end.0))
    }

    /// The key of which `Object.defineProperty` makes the function that begins at `function` a getter (`true`) or a
    /// setter.
    #[must_use]
    pub fn accessor(&self, function: ByteOffset) -> Option<(&str, bool)> {
        let (key, is_getter) = self.accessors.get(&function.0)?;
        Some((key, *is_getter))
    }

    /// The calls that a function is an argument of which begins at `function`, and which argument it is.
    #[must_use]
    pub fn handed_over(&self, function: ByteOffset) -> &[(ByteSpan, usize)] {
        self.handed_over.get(&function.0).map_or(&[], Vec::as_slice)
    }
}

impl Script<'_> {
    /// What stands at the places that the event log names.
    #[must_use]
    pub fn logged_code(&self) -> LoggedCode {
        let mut collector = Collector {
            source: self.source(),
            reading: Reading {
                scopes: self.scopes(),
            },
            code: LoggedCode::default(),
        };
        self.program().visit_with(&mut collector);
        collector.code
    }

    /// The variable that `name` means at `at`.
    #[must_use]
    pub fn logged_name(&self, at: ByteOffset, name: &str) -> LoggedName {
        let scopes = self.scopes();
        let from = scopes.innermost_at(at);
        let resolution = scopes.resolve(from, &name.into());
        if scopes.crosses_with(from, resolution) || scopes.crosses_eval(from, resolution) {
            return LoggedName::Unsure;
        }
        match resolution {
            Resolution::Local(binding) => LoggedName::Local {
                variable: binding.0,
                scope: scopes.binding(binding).scope.0,
            },
            Resolution::GlobalVar(binding) | Resolution::ScriptLexical(binding) => {
                LoggedName::Global(Some(binding.0))
            }
            Resolution::Unresolved => LoggedName::Global(None),
        }
    }

    /// The number of the innermost scope at `at`, counted from that of the script.
    #[must_use]
    pub fn logged_scope(&self, at: ByteOffset) -> u32 {
        self.scopes().innermost_at(at).0
    }
}

struct Collector<'s> {
    source: &'s str,
    reading: Reading<'s>,
    code: LoggedCode,
}

impl Collector<'_> {
    fn put(&mut self, at: u32, kind: LoggedKind, name: String, place: LoggedPlace) {
        let places = self.code.places.entry((at, kind)).or_default();
        places.push((name, place));
    }

    fn written(&mut self, at: u32, kind: LoggedKind, written: Written, write: u32) {
        let at_write = ByteOffset(write);
        let place = LoggedPlace::Written {
            written,
            at: at_write,
        };
        self.put(at, kind, String::new(), place);
    }

    fn short(&self, span: Span) -> String {
        let text = self.source.get(span.lo.0 as usize..span.hi.0 as usize);
        short_text(text.unwrap_or_default())
    }

    fn value_of(&self, expression: &Expr) -> Written {
        Written::Value {
            value: self.reading.value(expression),
            path: Vec::new(),
        }
    }

    /// The names of a pattern that takes `value` apart.
    fn taken_apart(&mut self, pattern: &Pat, value: &Value, write: u32) {
        for Bound { at, path, .. } in bound(self.reading, pattern) {
            let value = value.clone();
            let written = Written::Value { value, path };
            self.written(at.0, LoggedKind::Assign, written, write);
        }
    }

    fn parameters<'p>(&mut self, parameters: impl Iterator<Item = &'p Pat>) {
        for (index, parameter) in parameters.enumerate() {
            let is_rest = matches!(parameter, Pat::Rest(_));
            let pattern = match parameter {
                Pat::Rest(rest) => &*rest.arg,
                parameter => parameter,
            };
            for Bound { at, path, .. } in bound(self.reading, pattern) {
                let written = Written::Parameter {
                    index,
                    is_rest,
                    path,
                };
                let write = parameter.span().lo.0;
                self.written(at.0, LoggedKind::Assign, written, write);
            }
        }
    }

    fn head(&mut self, head: &ForHead, of: &Expr, is_keys: bool) {
        let (pattern, write) = match head {
            ForHead::VarDecl(declaration) => match declaration.decls.first() {
                Some(declarator) => (declarator.name.clone(), declarator.span.lo.0),
                None => return,
            },
            ForHead::Pat(pattern) => ((**pattern).clone(), pattern.span().lo.0),
            ForHead::UsingDecl(_) => return,
        };
        let of = self.reading.value(of);
        for Bound { at, path, .. } in bound(self.reading, &pattern) {
            let written = match is_keys {
                true => Written::KeyOf(of.clone()),
                false => Written::Element {
                    of: of.clone(),
                    path,
                },
            };
            self.written(at.0, LoggedKind::Assign, written, write);
        }
    }

    fn test(&mut self, test: &Expr) {
        let value = giving(test).span();
        let name = self.short(test.span());
        let at = test.span().lo.0;
        self.code.tests.insert((value.lo.0, value.hi.0), (at, name));
    }

    fn called(&mut self, at: u32, callee: Span, value: Value) {
        let Form::Call(call) = value.form else { return };
        let name = self.short(callee);
        let key = (call.span.start.0, call.span.end.0);
        self.code.calls.insert(key, (at, name.clone()));
        for (index, argument) in call.arguments.iter().enumerate() {
            if argument.value.form == Form::Literal {
                let given = self.code.handed_over.entry(argument.value.span.start.0);
                given.or_default().push((call.span, index));
            }
        }
        self.put(at, LoggedKind::Call, name, LoggedPlace::Call(call));
    }

    /// `Object.defineProperty(object, "key", { get() {}, set(value) {} })`
    fn defined(&mut self, call: &CallExpr) {
        let Callee::Expr(callee) = &call.callee else {
            return;
        };
        let is_definition = matches!(
            unparenthesized(callee),
            Expr::Member(member) if matches!(&member.prop, MemberProp::Ident(name) if name.sym == *"defineProperty")
        );
        let [_, key, description] = call.args.as_slice() else {
            return;
        };
        let (Expr::Lit(Lit::Str(key)), Expr::Object(description)) = (
            unparenthesized(&key.expr),
            unparenthesized(&description.expr),
        ) else {
            return;
        };
        let Some(key) = key.value.as_str().filter(|_| is_definition) else {
            return;
        };
        for property in &description.props {
            let PropOrSpread::Prop(property) = property else {
                continue;
            };
            let (name, function) = match &**property {
                Prop::Method(method) => (&method.key, method.function.span),
                Prop::KeyValue(pair) => match unparenthesized(&pair.value) {
                    Expr::Fn(function) => (&pair.key, function.function.span),
                    Expr::Arrow(arrow) => (&pair.key, arrow.span),
                    _ => continue,
                },
                _ => continue,
            };
            let PropName::Ident(name) = name else {
                continue;
            };
            let is_getter = match &*name.sym {
                "get" => true,
                "set" => false,
                _ => continue,
            };
            let known = (key.to_owned(), is_getter);
            self.code.accessors.insert(function.lo.0, known);
        }
    }

    fn end(&mut self, end: u32) {
        let at = end.saturating_sub(1);
        self.put(
            at,
            LoggedKind::Return,
            String::new(),
            LoggedPlace::Return(None),
        );
    }

    fn operation(&self, span: Span, operands: Vec<Value>) -> Written {
        Written::Value {
            value: Value {
                span: span_of(span),
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

    fn property(&self, property: &Prop) -> LoggedProperty {
        let key_of = |key: &PropName| match key {
            PropName::Ident(name) => Some(name.sym.to_string()),
            PropName::Str(text) => text.value.as_str().map(str::to_owned),
            PropName::Num(number) => Some(number_key(number.value)),
            PropName::BigInt(_) | PropName::Computed(_) => None,
        };
        match property {
            Prop::Shorthand(name) => {
                let value = self.reading.value(&Expr::Ident(name.clone()));
                LoggedProperty::Value(name.sym.to_string(), value)
            }
            Prop::KeyValue(pair) => {
                let value = self.reading.value(&pair.value);
                match key_of(&pair.key) {
                    Some(key) => LoggedProperty::Value(key, value),
                    None => LoggedProperty::Computed(Some(value)),
                }
            }
            Prop::Getter(it) => {
                key_of(&it.key).map_or(LoggedProperty::Computed(None), LoggedProperty::Function)
            }
            Prop::Setter(it) => {
                key_of(&it.key).map_or(LoggedProperty::Computed(None), LoggedProperty::Function)
            }
            Prop::Method(it) => {
                key_of(&it.key).map_or(LoggedProperty::Computed(None), LoggedProperty::Function)
            }
            Prop::Assign(_) => LoggedProperty::Computed(None),
        }
    }

    fn suspended(&mut self, span: Span, value: Option<&Expr>, is_yield: bool, delegates: bool) {
        let value = value.map(|value| self.reading.value(value));
        let place = LoggedPlace::Suspend {
            value,
            is_yield,
            delegates,
        };
        self.put(span.lo.0, LoggedKind::Suspend, String::new(), place);
    }
}

impl Visit for Collector<'_> {
    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        let at = assign.span.lo.0;
        let target = match &assign.left {
            AssignTarget::Pat(target) => {
                let pattern = match target {
                    AssignTargetPat::Array(array) => Some(Pat::Array(array.clone())),
                    AssignTargetPat::Object(object) => Some(Pat::Object(object.clone())),
                    AssignTargetPat::Invalid(_) => None,
                };
                if let Some(pattern) = pattern {
                    let value = self.reading.value(&assign.right);
                    self.taken_apart(&pattern, &value, at);
                }
                None
            }
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                Some((LoggedKind::Assign, Expr::Ident(ident.id.clone())))
            }
            AssignTarget::Simple(SimpleAssignTarget::Paren(paren)) => {
                match unparenthesized(&paren.expr) {
                    Expr::Ident(ident) => Some((LoggedKind::Assign, Expr::Ident(ident.clone()))),
                    _ => None,
                }
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                Some((LoggedKind::Write, Expr::Member(member.clone())))
            }
            AssignTarget::Simple(_) => None,
        };
        if let Some((kind, target)) = target {
            let written = match assign.op {
                AssignOp::Assign
                | AssignOp::AndAssign
                | AssignOp::OrAssign
                | AssignOp::NullishAssign => self.value_of(&assign.right),
                _ => {
                    let operands = [&target, &*assign.right];
                    let operands = operands.map(|operand| self.reading.value(operand));
                    self.operation(assign.span, operands.to_vec())
                }
            };
            self.written(at, kind, written, at);
        }
        assign.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        let at = update.span.lo.0;
        let kind = match unparenthesized(&update.arg) {
            Expr::Ident(_) => LoggedKind::Assign,
            _ => LoggedKind::Write,
        };
        let operands = vec![self.reading.value(&update.arg)];
        let written = self.operation(update.span, operands);
        self.written(at, kind, written, at);
        update.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let write = declarator.span.lo.0;
        match (&declarator.name, &declarator.init) {
            (Pat::Ident(ident), Some(init)) => {
                let written = self.value_of(init);
                self.written(ident.span.lo.0, LoggedKind::Assign, written, write);
            }
            (Pat::Ident(ident), None) => {
                let at = ident.span.lo.0;
                // The head of a loop has names without values, which the loop gives.
                self.written(at, LoggedKind::Assign, Written::Nothing, write);
            }
            (pattern, Some(init)) => {
                let value = self.reading.value(init);
                self.taken_apart(pattern, &value, write);
            }
            (_, None) => {}
        }
        declarator.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        self.head(&statement.left, &statement.right, false);
        self.visit_head(&statement.left);
        statement.right.visit_with(self);
        statement.body.visit_with(self);
    }

    fn visit_for_in_stmt(&mut self, statement: &ForInStmt) {
        self.head(&statement.left, &statement.right, true);
        self.visit_head(&statement.left);
        statement.right.visit_with(self);
        statement.body.visit_with(self);
    }

    fn visit_function(&mut self, function: &Function) {
        self.parameters(function.params.iter().map(|parameter| &parameter.pat));
        if let Some(body) = &function.body {
            self.end(body.span.hi.0);
        }
        function.visit_children_with(self);
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let parameters = constructor.params.iter().filter_map(|it| match it {
            ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
            ParamOrTsParamProp::TsParamProp(_) => None,
        });
        self.parameters(parameters);
        if let Some(body) = &constructor.body {
            self.end(body.span.hi.0);
        }
        constructor.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        self.parameters(arrow.params.iter());
        match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => self.end(body.span.hi.0),
            ArrowFunctionBody::Expr(value) => {
                let at = value.span().lo.0;
                let returned = LoggedPlace::Return(Some(self.reading.value(value)));
                self.put(at, LoggedKind::Return, String::new(), returned);
            }
        }
        arrow.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, function: &FnDecl) {
        let made = Written::Made(span_of(function.function.span));
        let at = function.ident.span.lo.0;
        self.written(at, LoggedKind::Assign, made, function.function.span.lo.0);
        function.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, class: &ClassDecl) {
        let made = Written::Made(span_of(class.class.span));
        let at = class.ident.span.lo.0;
        self.written(at, LoggedKind::Assign, made, class.class.span.lo.0);
        class.visit_children_with(self);
    }

    fn visit_class_prop(&mut self, property: &ClassProp) {
        if let Some(value) = &property.value {
            let written = self.value_of(value);
            let at = property.key.span().lo.0;
            self.written(at, LoggedKind::Write, written, property.span.lo.0);
        }
        property.visit_children_with(self);
    }

    fn visit_private_prop(&mut self, property: &PrivateProp) {
        if let Some(value) = &property.value {
            let written = self.value_of(value);
            let at = property.key.span.lo.0;
            self.written(at, LoggedKind::Write, written, property.span.lo.0);
        }
        property.visit_children_with(self);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        if let Some(parameter) = &clause.param {
            for Bound { at, path, .. } in bound(self.reading, parameter) {
                let written = match path.is_empty() {
                    true => Written::Caught,
                    false => Written::Unknown("what was caught is taken apart"),
                };
                let write = parameter.span().lo.0;
                self.written(at.0, LoggedKind::Assign, written, write);
            }
        }
        clause.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        let mut parts = Vec::new();
        for (index, property) in object.props.iter().enumerate() {
            match property {
                PropOrSpread::Spread(spread) => {
                    let part = LoggedProperty::Spread(self.reading.value(&spread.expr));
                    parts.push((ByteOffset(spread.dot3_token.lo.0), part));
                }
                PropOrSpread::Prop(property) => {
                    let mut part = self.property(property);
                    let later = object.props.iter().skip(index + 1);
                    let is_followed = later.into_iter().any(|later| match later {
                        PropOrSpread::Spread(_) => true,
                        PropOrSpread::Prop(later) => match &**later {
                            Prop::KeyValue(pair) => !is_pure(&pair.value) || pair.key.is_computed(),
                            Prop::Shorthand(_) => false,
                            _ => true,
                        },
                    });
                    if let LoggedProperty::Value(_, value) = &mut part {
                        value.is_followed |= is_followed;
                        let written = Written::Value {
                            value: value.clone(),
                            path: Vec::new(),
                        };
                        let at = property.span().lo.0;
                        self.written(at, LoggedKind::Write, written, at);
                    }
                    parts.push((ByteOffset(property.span().lo.0), part));
                }
            }
        }
        let at = object.span.lo.0;
        let place = LoggedPlace::Object(parts);
        self.put(at, LoggedKind::Create, "Object".to_owned(), place);
        object.visit_children_with(self);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        let elements = array.elems.iter().map(|element| {
            let element = element.as_ref()?;
            Some(Argument {
                value: self.reading.value(&element.expr),
                is_spread: element.spread.is_some(),
            })
        });
        let mut elements: Vec<Option<Argument>> = elements.collect();
        let mut is_followed = false;
        for element in elements.iter_mut().rev().flatten() {
            element.value.is_followed |= is_followed;
            is_followed |= element.is_spread || !element.value.is_pure;
        }
        let at = array.span.lo.0;
        let place = LoggedPlace::Array(elements);
        self.put(at, LoggedKind::Create, "Array".to_owned(), place);
        array.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        self.defined(call);
        if let Callee::Expr(_) | Callee::Super(_) = &call.callee {
            let value = self.reading.value(&Expr::Call(call.clone()));
            self.called(call.span.lo.0, call.callee.span(), value);
        }
        call.visit_children_with(self);
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        if let OptChainBase::Call(call) = &*chain.base {
            let value = self.reading.value(&Expr::OptChain(chain.clone()));
            self.called(call.span.lo.0, call.callee.span(), value);
        }
        chain.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        let value = self.reading.value(&Expr::New(construction.clone()));
        let name = self.short(construction.callee.span());
        let at = construction.span.lo.0;
        self.called(at, construction.callee.span(), value.clone());
        if let Form::Call(call) = value.form {
            self.put(at, LoggedKind::Create, name, LoggedPlace::Call(call));
        }
        construction.visit_children_with(self);
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        let value = self.reading.value(&Expr::TaggedTpl(template.clone()));
        self.called(template.span.lo.0, template.tag.span(), value);
        template.visit_children_with(self);
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        let value = statement.arg.as_deref();
        let value = value.map(|value| self.reading.value(value));
        let at = statement.span.lo.0;
        let place = LoggedPlace::Return(value);
        self.put(at, LoggedKind::Return, String::new(), place);
        statement.visit_children_with(self);
    }

    fn visit_throw_stmt(&mut self, statement: &ThrowStmt) {
        let value = self.reading.value(&statement.arg);
        let at = statement.span.lo.0;
        self.put(
            at,
            LoggedKind::Throw,
            String::new(),
            LoggedPlace::Throw(value),
        );
        statement.visit_children_with(self);
    }

    fn visit_await_expr(&mut self, expression: &AwaitExpr) {
        self.suspended(expression.span, Some(&expression.arg), false, false);
        expression.visit_children_with(self);
    }

    fn visit_yield_expr(&mut self, expression: &YieldExpr) {
        let value = expression.arg.as_deref();
        self.suspended(expression.span, value, true, expression.delegate);
        expression.visit_children_with(self);
    }

    fn visit_computed_prop_name(&mut self, key: &ComputedPropName) {
        let inner = unparenthesized(&key.expr);
        let span = inner.span();
        let value = self.reading.value(inner);
        self.code.keys.insert((span.lo.0, span.hi.0), value);
        key.visit_children_with(self);
    }

    fn visit_cond_expr(&mut self, expression: &CondExpr) {
        self.test(&expression.test);
        expression.visit_children_with(self);
    }

    fn visit_bin_expr(&mut self, operation: &BinExpr) {
        let is_logical = matches!(
            operation.op,
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing
        );
        if is_logical {
            self.test(&operation.left);
        }
        operation.visit_children_with(self);
    }
}

impl Collector<'_> {
    /// The head of a loop: its names are the loop's, what is evaluated in it is not.
    fn visit_head(&mut self, head: &ForHead) {
        match head {
            ForHead::VarDecl(declaration) => {
                for declarator in &declaration.decls {
                    declarator.name.visit_with(self);
                }
            }
            ForHead::Pat(pattern) => pattern.visit_with(self),
            ForHead::UsingDecl(_) => {}
        }
    }
}

/// Whether a way leads through a rest element.
#[must_use]
pub fn has_rest(path: &[PathStep]) -> bool {
    path.iter().any(|step| matches!(step, PathStep::Rest(_)))
}
