//! Where the value of each expression of a script goes.

use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    AssignExpr, AssignTarget, BinaryOp, CallExpr, Callee, Class, ClassMember, ClassProp, Expr,
    ExprOrSpread, FnExpr, Function, Ident, MemberExpr, MemberProp, NewExpr, ObjectLit, OptCall,
    OptChainBase, OptChainExpr, Pat, PrivateMethod, PrivateProp, Prop, PropOrSpread,
    SimpleAssignTarget, SpreadElement,
};
use swc_ecma_visit::VisitWith;

use super::holders::{
    ANY, Goes, Holder, Holders, Source, arrow_body, body_of, bytes, held, key_of, member_name,
    text_of,
};
use crate::call_graph::InnermostScopes;
use crate::scopes::{ScopeIndex, Scopes, unparenthesized};

pub(super) struct HoldersWalk<'s> {
    pub(super) scopes: &'s Scopes,
    pub(super) innermost: InnermostScopes<'s>,
    pub(super) found: Holders,
    /// What has `this`; none: the global object.
    pub(super) this: Option<Holder>,
}

impl HoldersWalk<'_> {
    pub(super) fn variable(&self, ident: &Ident) -> Holder {
        let found = self.innermost.resolve(&ident.sym, ident.span.lo.0);
        held(found, &ident.sym)
    }

    /// The variable outside of what is declared, as its own name is known in it, too.
    pub(super) fn declared(&self, name: &Atom, at: u32) -> Vec<Holder> {
        let scope = self.innermost.at(at);
        let own = self.scopes.scope(scope);
        let around = match own.start.0 == at {
            true => own.parent.unwrap_or(ScopeIndex::ROOT),
            false => scope,
        };
        let mut found = vec![held(self.scopes.resolve(around, name), name)];
        let copy = self.scopes.copied_to(around, name);
        found.extend(copy.map(|copy| Holder::Binding(copy.0)));
        found
    }

    pub(super) fn note(&mut self, holder: Holder, goes: &[Goes]) {
        if !goes.is_empty() {
            let known = self.found.goes.entry(holder).or_default();
            known.extend(goes.iter().cloned());
        }
    }

    /// An expression whose value goes there.
    pub(super) fn value(&mut self, expression: &Expr, goes: &[Goes]) {
        self.sources(expression, goes);
        match expression {
            Expr::Paren(inner) => self.value(&inner.expr, goes),
            Expr::Ident(ident) => {
                let holder = self.variable(ident);
                self.note(holder, goes);
            }
            Expr::This(_) => {
                if let Some(this) = self.this.clone() {
                    self.note(this, goes);
                }
            }
            Expr::Member(member) => self.member(member, goes),
            Expr::OptChain(chain) => self.chain(chain, goes),
            Expr::Call(call) => self.call(call, goes),
            Expr::New(construction) => self.construction(construction, goes),
            Expr::Fn(function) => self.function_expression(function, goes),
            Expr::Arrow(arrow) => {
                self.note(Holder::Function(arrow_body(arrow)), goes);
                arrow.visit_children_with(self);
            }
            Expr::Class(class) => {
                if let Some(ident) = &class.ident {
                    let own = self.variable(ident);
                    self.note(Holder::Object(bytes(class.class.span)), &[Goes::Into(own)]);
                }
                self.class(&class.class, goes);
            }
            Expr::Object(object) => self.object(object, goes),
            Expr::Array(array) => {
                let list = Holder::Object(bytes(array.span));
                self.note(list.clone(), goes);
                for element in array.elems.iter().flatten() {
                    let into = match element.spread {
                        Some(_) => Goes::Out(bytes(element.expr.span())),
                        None => Goes::Member(list.clone(), Atom::from(ANY)),
                    };
                    self.value(&element.expr, &[into]);
                }
            }
            Expr::Cond(choice) => {
                self.value(&choice.test, &[]);
                self.value(&choice.cons, goes);
                self.value(&choice.alt, goes);
            }
            Expr::Bin(binary) => match binary.op {
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing => {
                    self.value(&binary.left, goes);
                    self.value(&binary.right, goes);
                }
                BinaryOp::EqEq
                | BinaryOp::NotEq
                | BinaryOp::EqEqEq
                | BinaryOp::NotEqEq
                | BinaryOp::InstanceOf
                | BinaryOp::In => {
                    self.value(&binary.left, &[]);
                    self.value(&binary.right, &[]);
                }
                _ => binary.visit_children_with(self),
            },
            Expr::Seq(sequence) => {
                if let Some((last, before)) = sequence.exprs.split_last() {
                    before.iter().for_each(|one| self.value(one, &[]));
                    self.value(last, goes);
                }
            }
            Expr::Assign(assign) => self.assignment(assign, goes),
            Expr::Await(awaited) => self.value(&awaited.arg, goes),
            other => other.visit_children_with(self),
        }
    }

    /// Of what is put into a variable: what it is.
    fn sources(&mut self, expression: &Expr, goes: &[Goes]) {
        for one in goes {
            let Goes::Into(holder) = one else { continue };
            if let Some(source) = self.source(expression) {
                let known = self.found.sources.entry(holder.clone()).or_default();
                known.push(source);
            }
        }
    }

    fn source(&self, expression: &Expr) -> Option<Source> {
        let created = |span: Span| Some(Source::Created(Holder::Object(bytes(span))));
        match unparenthesized(expression) {
            Expr::Object(object) => created(object.span),
            Expr::Array(array) => created(array.span),
            Expr::Class(class) => created(class.class.span),
            Expr::Fn(function) => {
                let body = body_of(&function.function);
                Some(Source::Created(Holder::Function(body)))
            }
            Expr::Arrow(arrow) => Some(Source::Created(Holder::Function(arrow_body(arrow)))),
            Expr::New(construction) => match unparenthesized(&construction.callee) {
                Expr::Ident(class) => {
                    let span = bytes(construction.span);
                    Some(Source::Made(span, self.variable(class)))
                }
                _ => Some(Source::Unknown(bytes(construction.span))),
            },
            Expr::Call(call) => match self.platform(call) {
                Some(("Object", "freeze" | "seal" | "preventExtensions" | "assign")) => {
                    self.source(&call.args.first()?.expr)
                }
                _ => Some(Source::Unknown(bytes(call.span))),
            },
            Expr::Lit(_) | Expr::Tpl(_) | Expr::Unary(_) | Expr::Update(_) => None,
            Expr::Ident(ident) if &*ident.sym == "undefined" => None,
            other => Some(Source::Unknown(bytes(other.span()))),
        }
    }

    /// The object and the method of the platform that a call calls.
    fn platform<'c>(&self, call: &'c CallExpr) -> Option<(&'c str, &'c str)> {
        let Callee::Expr(callee) = &call.callee else {
            return None;
        };
        let Expr::Member(member) = unparenthesized(callee) else {
            return None;
        };
        let (Expr::Ident(object), MemberProp::Ident(name)) = (&*member.obj, &member.prop) else {
            return None;
        };
        let is_global = matches!(self.variable(object), Holder::Global(_));
        let is_known = matches!(&*object.sym, "console" | "Object");
        (is_global && is_known).then_some((&*object.sym, &*name.sym))
    }

    fn is_global_object(&self, expression: &Expr) -> bool {
        let Expr::Ident(ident) = unparenthesized(expression) else {
            return false;
        };
        matches!(&*ident.sym, "window" | "globalThis" | "self")
            && matches!(self.variable(ident), Holder::Global(_))
    }

    fn member(&mut self, member: &MemberExpr, goes: &[Goes]) {
        let is_global = self.is_global_object(&member.obj);
        let Some(name) = member_name(&member.prop) else {
            if is_global {
                self.found.computed_global.get_or_insert(bytes(member.span));
            }
            self.value(&member.obj, &[Goes::Out(bytes(member.span))]);
            member.prop.visit_with(self);
            return;
        };
        if is_global {
            self.note(Holder::Global(name.clone()), goes);
        }
        self.note(Holder::Property(name), goes);
        self.value(&member.obj, &[]);
    }

    fn chain(&mut self, chain: &OptChainExpr, goes: &[Goes]) {
        match &*chain.base {
            OptChainBase::Member(member) => self.member(member, goes),
            OptChainBase::Call(OptCall { callee, args, .. }) => {
                self.callee(callee, goes);
                args.visit_with(self);
            }
        }
    }

    /// What is called gets nowhere thereby. `goes`: where what the call gives goes.
    pub(super) fn callee(&mut self, callee: &Expr, goes: &[Goes]) {
        if let Expr::Member(member) = unparenthesized(callee)
            && matches!(member_name(&member.prop).as_deref(), Some("bind"))
        {
            return self.value(&member.obj, goes);
        }
        self.value(callee, &[]);
    }

    fn call(&mut self, call: &CallExpr, goes: &[Goes]) {
        match &call.callee {
            Callee::Expr(callee) => {
                if matches!(unparenthesized(callee), Expr::Ident(name) if &*name.sym == "eval") {
                    self.found.eval.get_or_insert(bytes(call.span));
                }
                self.callee(callee, goes);
            }
            Callee::Import(_) => {
                let text = call.args.first().and_then(|first| text_of(&first.expr));
                if !goes.is_empty() {
                    self.found.whole_imports.push((bytes(call.span), text));
                }
            }
            Callee::Super(_) => {}
        }
        let first = call.args.first();
        let rest = call.args.get(1..).unwrap_or_default();
        match self.platform(call) {
            Some(("console", _)) => call.args.iter().for_each(|it| self.argument(it, &[])),
            Some((_, "freeze" | "seal" | "preventExtensions")) => {
                if let Some(first) = first {
                    self.argument(first, goes);
                }
            }
            Some((_, "keys" | "isFrozen" | "isSealed" | "getPrototypeOf" | "hasOwn")) => {
                call.args.iter().for_each(|it| self.argument(it, &[]));
            }
            Some((_, "assign")) => {
                let Some(first) = first else { return };
                self.argument(first, goes);
                let target = match unparenthesized(&first.expr) {
                    Expr::Object(object) => Some(Holder::Object(bytes(object.span))),
                    other => self.object_of(other),
                };
                for one in rest {
                    let into = match (&target, unparenthesized(&one.expr)) {
                        // What is in a literal is then in the first object.
                        (Some(target), Expr::Object(_)) => {
                            Goes::Member(target.clone(), Atom::from(ANY))
                        }
                        _ => Goes::Out(bytes(one.expr.span())),
                    };
                    self.argument(one, &[into]);
                }
            }
            _ => {
                let is_of_this = is_method_of_this(call);
                for (number, one) in call.args.iter().enumerate() {
                    // `this.save.bind(this)`
                    let is_this = number == 0 && is_of_this && matches!(&*one.expr, Expr::This(_));
                    let out = [Goes::Out(bytes(one.expr.span()))];
                    self.argument(one, if is_this { &[] } else { &out });
                }
            }
        }
    }

    fn argument(&mut self, argument: &ExprOrSpread, goes: &[Goes]) {
        match argument.spread {
            Some(_) => argument.expr.visit_with(self),
            None => self.value(&argument.expr, goes),
        }
    }

    fn construction(&mut self, construction: &NewExpr, goes: &[Goes]) {
        let span = bytes(construction.span);
        self.note(Holder::Object(span), goes);
        self.value(&construction.callee, &[Goes::Made(span)]);
        construction.args.visit_with(self);
    }

    pub(super) fn function_expression(&mut self, function: &FnExpr, goes: &[Goes]) {
        let body = Holder::Function(body_of(&function.function));
        self.note(body.clone(), goes);
        if let Some(ident) = &function.ident {
            let own = self.variable(ident);
            self.note(body.clone(), &[Goes::Into(own)]);
        }
        let of = goes.iter().find_map(|one| match one {
            Goes::Member(holder, _) => Some(holder.clone()),
            _ => None,
        });
        self.function(&function.function, of.unwrap_or(body));
    }

    pub(super) fn function(&mut self, function: &Function, this: Holder) {
        let outer = self.this.replace(this);
        function.visit_children_with(self);
        self.this = outer;
    }

    pub(super) fn class(&mut self, class: &Class, goes: &[Goes]) {
        let own = Holder::Object(bytes(class.span));
        self.note(own.clone(), goes);
        if let Some(parent) = &class.super_class {
            self.value(parent, &[Goes::Out(bytes(parent.span()))]);
            // What it extends has `this`.
            self.note(own.clone(), &[Goes::Out(bytes(parent.span()))]);
        }
        let member = |key: Atom| Goes::Member(own.clone(), key);
        let outer = self.this.replace(own.clone());
        for one in &class.body {
            match one {
                ClassMember::Constructor(constructor) => constructor.visit_with(self),
                ClassMember::Method(method) => {
                    method.key.visit_with(self);
                    let body = Holder::Function(body_of(&method.function));
                    self.note(body, &[member(key_of(&method.key))]);
                    self.function(&method.function, own.clone());
                }
                ClassMember::PrivateMethod(PrivateMethod { key, function, .. }) => {
                    let body = Holder::Function(body_of(function));
                    self.note(body, &[member(Atom::from(format!("#{}", key.name)))]);
                    self.function(function, own.clone());
                }
                ClassMember::ClassProp(ClassProp { key, value, .. }) => {
                    key.visit_with(self);
                    if let Some(value) = value {
                        self.value(value, &[member(key_of(key))]);
                    }
                }
                ClassMember::PrivateProp(PrivateProp { key, value, .. }) => {
                    if let Some(value) = value {
                        self.value(value, &[member(Atom::from(format!("#{}", key.name)))]);
                    }
                }
                other => other.visit_with(self),
            }
        }
        self.this = outer;
    }

    fn object(&mut self, object: &ObjectLit, goes: &[Goes]) {
        let own = Holder::Object(bytes(object.span));
        self.note(own.clone(), goes);
        for property in &object.props {
            let property = match property {
                PropOrSpread::Prop(property) => &**property,
                PropOrSpread::Spread(SpreadElement { expr, .. }) => {
                    expr.visit_with(self);
                    continue;
                }
            };
            match property {
                Prop::Shorthand(ident) => {
                    let holder = self.variable(ident);
                    self.note(holder, &[Goes::Member(own.clone(), ident.sym.clone())]);
                }
                Prop::KeyValue(pair) => {
                    pair.key.visit_with(self);
                    let key = key_of(&pair.key);
                    let into = match &*key {
                        "__proto__" => Goes::Out(bytes(pair.value.span())),
                        _ => Goes::Member(own.clone(), key),
                    };
                    self.value(&pair.value, &[into]);
                }
                Prop::Method(method) => {
                    method.key.visit_with(self);
                    let body = Holder::Function(body_of(&method.function));
                    self.note(body, &[Goes::Member(own.clone(), key_of(&method.key))]);
                    self.function(&method.function, own.clone());
                }
                Prop::Getter(getter) => {
                    getter.key.visit_with(self);
                    let body = Holder::Function(body_of(&getter.function));
                    self.note(body, &[Goes::Member(own.clone(), key_of(&getter.key))]);
                    self.function(&getter.function, own.clone());
                }
                Prop::Setter(setter) => {
                    setter.key.visit_with(self);
                    let body = Holder::Function(body_of(&setter.function));
                    self.note(body, &[Goes::Member(own.clone(), key_of(&setter.key))]);
                    self.function(&setter.function, own.clone());
                }
                Prop::Assign(_) => property.visit_children_with(self),
            }
        }
    }

    /// What holds the object that a property is written of.
    fn object_of(&self, object: &Expr) -> Option<Holder> {
        match unparenthesized(object) {
            Expr::Ident(ident) => Some(self.variable(ident)),
            Expr::This(_) => self.this.clone(),
            Expr::Member(member) => {
                let is_prototype = member_name(&member.prop).as_deref() == Some("prototype");
                is_prototype.then(|| self.object_of(&member.obj)).flatten()
            }
            _ => None,
        }
    }

    fn assignment(&mut self, assign: &AssignExpr, goes: &[Goes]) {
        let out = Goes::Out(bytes(assign.span));
        let mut all = goes.to_vec();
        match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                all.push(Goes::Into(self.variable(ident)));
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                let is_global = self.is_global_object(&member.obj);
                let into = match (self.object_of(&member.obj), member_name(&member.prop)) {
                    // `window.save = …`: others are to have it.
                    (_, Some(name)) if is_global => {
                        all.push(Goes::Into(Holder::Global(name)));
                        out
                    }
                    (Some(holder), Some(name)) => Goes::Member(holder, name),
                    (Some(holder), None) => Goes::Member(holder, Atom::from(ANY)),
                    (None, _) => out,
                };
                all.push(into);
                // That a property is written says nothing about who reads it.
                self.value(&member.obj, &[]);
                if let MemberProp::Computed(_) = &member.prop {
                    member.prop.visit_with(self);
                }
            }
            other => {
                other.visit_with(self);
                all.push(out);
            }
        }
        self.value(&assign.right, &all);
    }

    pub(super) fn markup(&mut self, text: Option<&str>, span: Span) {
        let text = text.filter(|text| text.contains('<') || text.contains("{{"));
        if let Some(text) = text {
            self.found.markup.push((text.to_owned(), bytes(span)));
        }
    }

    /// What a pattern takes out by a name.
    pub(super) fn taken(&mut self, name: Atom, into: &Pat, at: Span) {
        let goes = match into {
            Pat::Ident(ident) => Goes::Into(self.variable(ident)),
            _ => Goes::Out(bytes(at)),
        };
        self.note(Holder::Property(name), &[goes]);
    }
}

/// Whether a call is of `bind` or the like of a method of `this`.
fn is_method_of_this(call: &CallExpr) -> bool {
    let Callee::Expr(callee) = &call.callee else {
        return false;
    };
    let Expr::Member(member) = unparenthesized(callee) else {
        return false;
    };
    let is_known = matches!(
        member_name(&member.prop).as_deref(),
        Some("bind" | "call" | "apply")
    );
    let of_this = matches!(&*member.obj, Expr::Member(of) if matches!(&*of.obj, Expr::This(_)));
    is_known && of_this
}
