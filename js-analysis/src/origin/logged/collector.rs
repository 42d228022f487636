//! Puts together what is at the places of a script.

use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ForHead, Lit, MemberProp, Pat, Prop, PropName, PropOrSpread,
};

use crate::log::{LoggedKind, short_text};
use crate::origin::patterns::{Bound, bound};
use crate::origin::reading::{Reading, giving};
use crate::origin::value::{Form, Value};
use crate::origin::{LoggedCode, LoggedPlace, LoggedProperty, Written};
use crate::position::ByteOffset;
use crate::rewrite::number_key;
use crate::scopes::unparenthesized;

/// What has been put together so far.
pub(super) struct Collector<'s> {
    pub(super) source: &'s str,
    pub(super) reading: Reading<'s>,
    pub(super) code: LoggedCode,
}

impl Collector<'_> {
    /// What is at a place; several may begin there.
    pub(super) fn put(&mut self, at: u32, kind: LoggedKind, name: String, place: LoggedPlace) {
        let places = self.code.places.entry((at, kind)).or_default();
        places.push((name, place));
    }

    /// A write: `at` is its place in the log, `write` the first character of what writes.
    pub(super) fn written(&mut self, at: u32, kind: LoggedKind, written: Written, write: u32) {
        self.written_key(at, kind, written, write, None);
    }

    /// A write of a key, where the text says which.
    pub(super) fn written_key(
        &mut self,
        at: u32,
        kind: LoggedKind,
        written: Written,
        write: u32,
        key: Option<String>,
    ) {
        let place = LoggedPlace::Written {
            written,
            at: ByteOffset(write),
            key,
            key_value: None,
            owner: None,
        };
        self.put(at, kind, String::new(), place);
    }

    /// A write of what `target` is.
    pub(super) fn written_target(
        &mut self,
        (at, kind): (u32, LoggedKind),
        written: Written,
        write: u32,
        target: &Expr,
    ) {
        let member = match unparenthesized(target) {
            Expr::Member(member) => Some(member),
            _ => None,
        };
        let value = |of: &Expr| Box::new(self.reading.value(of));
        let key_value = member.and_then(|member| match &member.prop {
            MemberProp::Computed(computed) => Some(value(&computed.expr)),
            _ => None,
        });
        let place = LoggedPlace::Written {
            written,
            at: ByteOffset(write),
            key: Self::member_key(target),
            key_value,
            owner: member.map(|member| value(&member.obj)),
        };
        self.put(at, kind, String::new(), place);
    }

    /// The key of a member, where the text says it.
    pub(super) fn member_key(target: &Expr) -> Option<String> {
        match unparenthesized(target) {
            Expr::Member(member) => match &member.prop {
                MemberProp::Ident(name) => Some(name.sym.to_string()),
                MemberProp::PrivateName(name) => Some(format!("#{}", name.name)),
                MemberProp::Computed(_) => None,
            },
            Expr::Ident(name) => Some(name.sym.to_string()),
            _ => None,
        }
    }

    /// A text as the log names it.
    pub(super) fn short(&self, span: Span) -> String {
        let text = self.source.get(span.lo.0 as usize..span.hi.0 as usize);
        short_text(text.unwrap_or_default())
    }

    /// The value of an expression as a whole.
    pub(super) fn value_of(&self, expression: &Expr) -> Written {
        Written::whole(self.reading.value(expression))
    }

    /// The names of a pattern that takes `value` apart.
    pub(super) fn taken_apart(&mut self, pattern: &Pat, value: &Value, write: u32) {
        for Bound { at, path, .. } in bound(self.reading, pattern) {
            let value = value.clone();
            let written = Written::Value { value, path };
            self.written(at.0, LoggedKind::Assign, written, write);
        }
    }

    /// The parameters of a function.
    pub(super) fn parameters<'p>(&mut self, parameters: impl Iterator<Item = &'p Pat>) {
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

    /// The names that the head of a loop writes; of `for-in` they are keys.
    pub(super) fn head(&mut self, head: &ForHead, of: &Expr, is_keys: bool) {
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

    /// A condition.
    pub(super) fn test(&mut self, test: &Expr) {
        let value = giving(test).span();
        let name = self.short(test.span());
        let at = test.span().lo.0;
        self.code.tests.insert((value.lo.0, value.hi.0), (at, name));
    }

    /// A call, by the text of what it calls.
    pub(super) fn called(&mut self, at: u32, callee: Span, value: Value) {
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
    pub(super) fn defined(&mut self, call: &CallExpr) {
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

    /// The end of a function, which is a `return` without a value.
    pub(super) fn end(&mut self, end: u32) {
        let at = end.saturating_sub(1);
        self.put(
            at,
            LoggedKind::Return,
            String::new(),
            LoggedPlace::Return(None),
        );
    }

    /// What a property of a literal is.
    pub(super) fn property(&self, property: &Prop) -> LoggedProperty {
        let key_of = |key: &PropName| match key {
            PropName::Ident(name) => Some(name.sym.to_string()),
            PropName::Str(text) => text.value.as_str().map(str::to_owned),
            PropName::Num(number) => Some(number_key(number.value)),
            PropName::BigInt(_) | PropName::Computed(_) => None,
        };
        let computed = |key: &PropName, value: Option<Value>| LoggedProperty::Computed {
            key: match key {
                PropName::Computed(key) => Some(self.reading.value(&key.expr)),
                _ => None,
            },
            value,
        };
        let function = |key: &PropName| match key_of(key) {
            Some(key) => LoggedProperty::Function(key),
            None => computed(key, None),
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
                    None => computed(&pair.key, Some(value)),
                }
            }
            Prop::Getter(it) => function(&it.key),
            Prop::Setter(it) => function(&it.key),
            Prop::Method(it) => function(&it.key),
            Prop::Assign(_) => LoggedProperty::Computed {
                key: None,
                value: None,
            },
        }
    }

    /// An `await` or `yield`.
    pub(super) fn suspended(
        &mut self,
        span: Span,
        value: Option<&Expr>,
        is_yield: bool,
        delegates: bool,
    ) {
        let value = value.map(|value| self.reading.value(value));
        let place = LoggedPlace::Suspend {
            value,
            is_yield,
            delegates,
        };
        self.put(span.lo.0, LoggedKind::Suspend, String::new(), place);
    }
}
