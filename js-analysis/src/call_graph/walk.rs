//! Reads off a syntax tree what a script says about calls.

use rustc_hash::FxHashMap;
use swc_atoms::Atom;
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, ArrowFunctionBody, AssignExpr, AssignTarget, AssignTargetPat, AwaitExpr,
    CallExpr, Callee, CatchClause, Constructor, ExportDecl, ExportDefaultDecl, ExportDefaultExpr,
    Expr, FnDecl, FnExpr, ForHead, ForOfStmt, Function, GetterProp, Ident, ImportDecl, MemberExpr,
    MethodProp, NamedExport, NewExpr, ObjectLit, OptCall, OptChainBase, OptChainExpr,
    ParamOrTsParamProp, Pat, ReturnStmt, SetterProp, SimpleAssignTarget, StaticBlock, Str,
    TaggedTpl, Tpl, UnaryExpr, UnaryOp, UpdateExpr, VarDeclarator, WithStmt, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::facts::{
    Access, CallFacts, ELEMENT, FlowPlace, FunctionFact, HandlerFact, MethodOf, WriteFact,
};
use super::innermost::InnermostScopes;
use super::keys::{key_of, member_key};
use super::platform::is_built_in_class;
use crate::position::{ByteOffset, ByteSpan};
use crate::rewrite::Script;
use crate::scopes::{Resolution, ScopeIndex, Scopes, unparenthesized};

/// Where the values of a variable that is called `name` at `at` are.
pub(super) fn place_of(script: &Script<'_>, name: &str, at: ByteOffset) -> FlowPlace {
    let scopes = script.scopes();
    let name = Atom::from(name);
    match scopes.resolve(scopes.innermost_at(at), &name) {
        Resolution::Local(binding) => FlowPlace::Variable(binding.0),
        _ => FlowPlace::Global(name),
    }
}

/// See [`Script::call_facts`].
pub(super) fn facts(script: &Script<'_>) -> CallFacts {
    let whole = ByteSpan {
        start: ByteOffset(0),
        end: ByteOffset::from_index(script.source().len()),
    };
    let mut walk = Walk {
        scopes: script.scopes(),
        innermost: InnermostScopes::new(script.scopes()),
        facts: CallFacts::default(),
        current: 0,
        name: None,
        named: None,
        accessor: None,
        this_of: 0,
        method_of: MethodOf::Nothing,
        literals: FxHashMap::default(),
        classes: FxHashMap::default(),
        class: None,
        lists: FxHashMap::default(),
        withs: 0,
        is_async: false,
        is_generator: false,
        result: FxHashMap::default(),
    };
    walk.facts.functions.push(FunctionFact {
        span: whole,
        body: ByteOffset(0),
        is_expression: false,
        name: String::new(),
        named_at: None,
        authored: None,
        parent: 0,
        accessor: None,
        is_setter: false,
        parameters: 0,
        is_async: false,
        is_generator: false,
        this_of: 0,
        method_of: MethodOf::Nothing,
        class: None,
        rest: None,
        uses_arguments: false,
    });
    script.program().visit_with(&mut walk);
    walk.lists_go_on();
    walk.facts.sort_functions();
    walk.facts
}

pub(super) struct Walk<'s> {
    pub(super) scopes: &'s Scopes,
    pub(super) innermost: InnermostScopes<'s>,
    pub(super) facts: CallFacts,
    /// The function being visited.
    pub(super) current: u32,
    /// What the next function is called.
    pub(super) name: Option<String>,
    /// What a variable is called that it may be the value of, and where.
    pub(super) named: Option<(String, ByteOffset)>,
    /// The accessor that the next function is, and whether it is a setter.
    pub(super) accessor: Option<(String, bool)>,
    /// The function whose `this` is meant.
    pub(super) this_of: u32,
    /// What the next function is a method of.
    pub(super) method_of: MethodOf,
    /// The class that the next function is a method of, by number.
    pub(super) class: Option<u32>,
    /// The variables that hold lists of which it is known what is in them.
    pub(super) lists: FxHashMap<FlowPlace, FlowPlace>,
    /// How many `with` statements are around.
    pub(super) withs: u32,
    /// The literals by where they begin.
    pub(super) literals: FxHashMap<u32, u32>,
    /// The classes by where they begin.
    pub(super) classes: FxHashMap<u32, u32>,
    /// Whether the next function is `async`.
    pub(super) is_async: bool,
    pub(super) is_generator: bool,
    /// The calls by where they begin and end: where their results are.
    pub(super) result: FxHashMap<(u32, u32), u32>,
}

pub(super) fn bytes(span: Span) -> ByteSpan {
    ByteSpan {
        start: ByteOffset(span.lo.0),
        end: ByteOffset(span.hi.0),
    }
}

impl Walk<'_> {
    pub(super) fn variable(&self, name: &Atom, at: u32) -> FlowPlace {
        match self.innermost.resolve(name, at) {
            Resolution::Local(binding) => FlowPlace::Variable(binding.0),
            // Other scripts see those.
            Resolution::GlobalVar(_) | Resolution::ScriptLexical(_) | Resolution::Unresolved => {
                FlowPlace::Global(name.clone())
            }
        }
    }

    /// The next function goes by the name of a variable.
    fn named(&mut self, ident: &Ident) {
        let name = ident.sym.to_string();
        self.named = Some((name.clone(), ByteOffset(ident.span.lo.0)));
        self.name = Some(name);
    }

    fn write(&mut self, span: Span, object: &Expr) {
        self.facts.writes.push(WriteFact {
            span: bytes(span),
            object: bytes(object.span()),
            function: self.current,
            objects: self.places(object),
        });
    }

    pub(super) fn field(&mut self, key: Option<Atom>, value: Option<&Expr>) {
        let Some(value) = value else { return };
        self.name = key.as_ref().map(ToString::to_string);
        value.visit_with(self);
        self.name = None;
        if let Some(key) = key {
            self.flow_value(value, &FlowPlace::Property(key));
        }
    }

    fn access(&mut self, member: &MemberExpr, is_write: bool) {
        let name = member_key(&member.prop);
        if &*name != ELEMENT {
            self.facts.accesses.push(Access {
                at: bytes(member.span),
                function: self.current,
                name,
                is_write,
            });
        }
    }
}

/// `List.prototype.push = function …`: what it is a method of.
fn method_of_prototype(member: &MemberExpr) -> MethodOf {
    let Expr::Member(prototype) = unparenthesized(&member.obj) else {
        return MethodOf::Nothing;
    };
    let Expr::Ident(owner) = unparenthesized(&prototype.obj) else {
        return MethodOf::Nothing;
    };
    let is_own = &*member_key(&prototype.prop) == "prototype" && !is_built_in_class(&owner.sym);
    match is_own {
        // What a function that makes objects extends, its text does not say.
        true => MethodOf::Derived,
        false => MethodOf::Nothing,
    }
}

impl Visit for Walk<'_> {
    fn visit_fn_decl(&mut self, declaration: &FnDecl) {
        self.named(&declaration.ident);
        let span = declaration.function.span;
        let number = self.plain_function(&declaration.function, span);
        // The name is declared around the function.
        let scope = self.innermost.at(span.lo.0);
        let outer = self.scopes.scope(scope);
        let around = match outer.start.0 == span.lo.0 {
            true => outer.parent.unwrap_or(ScopeIndex::ROOT),
            false => scope,
        };
        let to = match self.scopes.resolve(around, &declaration.ident.sym) {
            Resolution::Local(binding) => FlowPlace::Variable(binding.0),
            _ => FlowPlace::Global(declaration.ident.sym.clone()),
        };
        self.flow(vec![FlowPlace::Function(number)], &to);
        // In a block of sloppy code it is a variable of the function around, too.
        if let Some(copy) = self.scopes.copied_to(around, &declaration.ident.sym) {
            self.flow(
                vec![FlowPlace::Function(number)],
                &FlowPlace::Variable(copy.0),
            );
        }
    }

    fn visit_fn_expr(&mut self, expression: &FnExpr) {
        if let Some(ident) = &expression.ident {
            self.named(ident);
        }
        let span = expression.function.span;
        let number = self.plain_function(&expression.function, span);
        if let Some(ident) = &expression.ident {
            let to = self.variable(&ident.sym, ident.span.lo.0);
            self.flow(vec![FlowPlace::Function(number)], &to);
        }
    }

    fn visit_function(&mut self, function: &Function) {
        self.plain_function(function, function.span);
    }

    fn visit_arrow_expr(&mut self, arrow: &ArrowExpr) {
        let (body, is_expression) = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => (body.span.lo.0, false),
            ArrowFunctionBody::Expr(value) => (value.span().lo.0, true),
        };
        self.is_async = arrow.is_async;
        let number = self.new_function(arrow.span, body, is_expression, arrow.params.len());
        self.in_arrow(number, |this| {
            this.rest_parameter(number, arrow.params.iter());
            arrow.visit_children_with(this);
            this.parameters(number, arrow.params.iter());
            if let ArrowFunctionBody::Expr(value) = &*arrow.body {
                this.flow_value(value, &FlowPlace::Returned(number));
            }
        });
    }

    fn visit_constructor(&mut self, constructor: &Constructor) {
        let Some(body) = &constructor.body else {
            return;
        };
        let count = constructor.params.len();
        let number = self.new_function(constructor.span, body.span.lo.0, false, count);
        self.in_function(number, |this| {
            let parameters = || {
                constructor.params.iter().filter_map(|it| match it {
                    ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
                    ParamOrTsParamProp::TsParamProp(_) => None,
                })
            };
            this.rest_parameter(number, parameters());
            constructor.visit_children_with(this);
            this.parameters(number, parameters());
        });
    }

    fn visit_static_block(&mut self, block: &StaticBlock) {
        block.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, declaration: &swc_ecma_ast::ClassDecl) {
        let name = declaration.ident.sym.clone();
        self.class_members(&declaration.class, Some(&name));
        let to = self.variable(&name, declaration.ident.span.lo.0);
        let outer = match self
            .scopes
            .scope(self.innermost.at(declaration.class.span.lo.0))
            .parent
        {
            Some(parent) => self.scopes.resolve(parent, &name),
            None => Resolution::Unresolved,
        };
        let around = match outer {
            Resolution::Local(binding) => FlowPlace::Variable(binding.0),
            _ => FlowPlace::Global(name),
        };
        let mut from = match self.constructor_of(&declaration.class) {
            Some(number) => vec![FlowPlace::Function(number)],
            None => match &declaration.class.super_class {
                Some(parent) => self.places(parent),
                None => Vec::new(),
            },
        };
        from.extend(self.class_place(&declaration.class));
        self.flow(from.clone(), &to);
        self.flow(from, &around);
    }

    fn visit_class_expr(&mut self, expression: &swc_ecma_ast::ClassExpr) {
        let own = expression.ident.as_ref().map(|ident| ident.sym.to_string());
        let name = own.or_else(|| self.name.take());
        self.class_members(&expression.class, name.as_deref());
    }

    fn visit_method_prop(&mut self, method: &MethodProp) {
        self.object_method(method);
    }

    fn visit_getter_prop(&mut self, getter: &GetterProp) {
        getter.key.visit_with(self);
        let shown = key_of(&getter.key)
            .map(|key| key.to_string())
            .unwrap_or_default();
        self.name = Some(shown.clone());
        self.accessor = Some((shown, false));
        self.plain_function(&getter.function, getter.span);
    }

    fn visit_setter_prop(&mut self, setter: &SetterProp) {
        setter.key.visit_with(self);
        let shown = key_of(&setter.key)
            .map(|key| key.to_string())
            .unwrap_or_default();
        self.name = Some(shown.clone());
        self.accessor = Some((shown, true));
        self.plain_function(&setter.function, setter.span);
    }

    fn visit_object_lit(&mut self, object: &ObjectLit) {
        self.object_literal(object);
    }

    fn visit_array_lit(&mut self, array: &ArrayLit) {
        self.literal(array.span, true);
        array.visit_children_with(self);
        let to = FlowPlace::Property(Atom::from(ELEMENT));
        let mut elements = Vec::new();
        for element in array.elems.iter().flatten() {
            self.flow_value(&element.expr, &to);
            if element.spread.is_none() {
                elements.extend(self.places(&element.expr));
            }
        }
        let number = self.literals.get(&array.span.lo.0);
        if let Some(own) = number.and_then(|own| self.facts.literals.get_mut(*own as usize)) {
            own.elements = elements;
        }
    }

    fn visit_var_declarator(&mut self, declarator: &VarDeclarator) {
        let Some(value) = &declarator.init else {
            declarator.name.visit_with(self);
            return;
        };
        if let Pat::Ident(ident) = &declarator.name {
            self.named(ident);
        }
        value.visit_with(self);
        self.name = None;
        declarator.name.visit_with(self);
        let mut from = self.places(value);
        from.extend(self.members_of(value));
        self.takes_out(&declarator.name, value);
        self.holds_list(&declarator.name, value);
        match (&declarator.name, self.known_elements(value)) {
            (Pat::Array(_), Some(elements)) => {
                self.elements_of_pattern(&declarator.name, &elements)
            }
            _ => self.pattern(&declarator.name, &from),
        }
    }

    fn visit_assign_expr(&mut self, assign: &AssignExpr) {
        match &assign.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(ident)) => {
                self.name = Some(ident.sym.to_string());
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                member.obj.visit_with(self);
                self.access(member, true);
                self.name = Some(member_key(&member.prop).to_string());
                if let Expr::Fn(_) = &*assign.right {
                    self.method_of = method_of_prototype(member);
                }
            }
            other => other.visit_with(self),
        }
        assign.right.visit_with(self);
        self.name = None;
        if self.copies_arguments(assign) {
            return;
        }
        let from = self.places(&assign.right);
        match &assign.left {
            AssignTarget::Simple(target) => match target {
                SimpleAssignTarget::Ident(ident) => {
                    let to = self.variable(&ident.sym, ident.span.lo.0);
                    self.flow(from, &to);
                }
                SimpleAssignTarget::Member(member) => {
                    self.write(assign.span, &member.obj);
                    let key = member_key(&member.prop);
                    if key.starts_with("on") && !from.is_empty() {
                        self.facts.handlers.push(HandlerFact {
                            span: bytes(assign.span),
                            function: self.current,
                            name: key.to_string(),
                            value: from.clone(),
                            object: self.places(&member.obj),
                            alternatives: self.alternatives(&assign.right),
                        });
                    }
                    if let Some(global) = self.global_of(member) {
                        self.flow(from.clone(), &global);
                    }
                    self.flow(from, &FlowPlace::Property(key));
                }
                _ => {}
            },
            AssignTarget::Pat(pattern) => match pattern {
                AssignTargetPat::Array(array) => self.pattern(&Pat::Array(array.clone()), &from),
                AssignTargetPat::Object(object) => {
                    self.pattern(&Pat::Object(object.clone()), &from);
                }
                AssignTargetPat::Invalid(_) => {}
            },
        }
    }

    fn visit_update_expr(&mut self, update: &UpdateExpr) {
        update.visit_children_with(self);
        if let Expr::Member(member) = unparenthesized(&update.arg) {
            self.write(update.span, &member.obj);
        }
    }

    fn visit_unary_expr(&mut self, unary: &UnaryExpr) {
        unary.visit_children_with(self);
        if unary.op == UnaryOp::Delete
            && let Expr::Member(member) = unparenthesized(&unary.arg)
        {
            self.write(unary.span, &member.obj);
        }
    }

    fn visit_return_stmt(&mut self, statement: &ReturnStmt) {
        statement.visit_children_with(self);
        if let Some(value) = &statement.arg {
            self.flow_value(value, &FlowPlace::Returned(self.current));
        }
    }

    fn visit_yield_expr(&mut self, expression: &YieldExpr) {
        expression.visit_children_with(self);
        if let Some(value) = &expression.arg {
            self.flow_value(value, &FlowPlace::Property(Atom::from(ELEMENT)));
            // What drives the generator may wait for it, as `flow(function* () { yield load(); })` does.
            self.awaited(expression.span, value);
        }
    }

    fn visit_for_of_stmt(&mut self, statement: &ForOfStmt) {
        statement.visit_children_with(self);
        if statement.is_await {
            let span = statement.left.span().to(statement.right.span());
            self.awaited(span, &statement.right);
        }
        let element = self.elements(&statement.right);
        match &statement.left {
            ForHead::VarDecl(declaration) => {
                for declarator in &declaration.decls {
                    self.pattern(&declarator.name, &element);
                }
            }
            ForHead::Pat(pattern) => self.pattern(pattern, &element),
            ForHead::UsingDecl(_) => {}
        }
    }

    fn visit_with_stmt(&mut self, statement: &WithStmt) {
        statement.obj.visit_with(self);
        self.withs += 1;
        statement.body.visit_with(self);
        self.withs -= 1;
    }

    fn visit_ident(&mut self, ident: &Ident) {
        if &*ident.sym == "arguments"
            && let Some(own) = self.facts.functions.get_mut(self.this_of as usize)
        {
            own.uses_arguments = true;
        }
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause) {
        self.facts.catches.push(ByteOffset(clause.body.span.lo.0));
        clause.visit_children_with(self);
    }

    fn visit_member_expr(&mut self, member: &MemberExpr) {
        member.visit_children_with(self);
        self.access(member, false);
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        self.name = None;
        call.visit_children_with(self);
        let callee = match &call.callee {
            Callee::Expr(callee) => Some(&**callee),
            _ => None,
        };
        if matches!(call.callee, Callee::Import(_)) {
            return self.import_call(call);
        }
        self.call(call.span, callee, &call.args, false, false);
        self.defined_by(&call.args);
    }

    fn visit_opt_chain_expr(&mut self, chain: &OptChainExpr) {
        match &*chain.base {
            OptChainBase::Member(member) => {
                member.visit_children_with(self);
                self.access(member, false);
            }
            OptChainBase::Call(call) => {
                call.visit_children_with(self);
                let OptCall { callee, args, .. } = call;
                self.call(chain.span, Some(callee), args, false, true);
            }
        }
    }

    fn visit_new_expr(&mut self, construction: &NewExpr) {
        self.name = None;
        construction.visit_children_with(self);
        let arguments = construction.args.as_deref().unwrap_or_default();
        self.call(
            construction.span,
            Some(&construction.callee),
            arguments,
            true,
            false,
        );
    }

    fn visit_await_expr(&mut self, expression: &AwaitExpr) {
        expression.visit_children_with(self);
        self.awaited(expression.span, &expression.arg);
    }

    fn visit_tpl(&mut self, template: &Tpl) {
        for part in &template.quasis {
            self.markup(&part.raw, template.span);
        }
        template.visit_children_with(self);
    }

    fn visit_str(&mut self, text: &Str) {
        if let Some(content) = text.value.as_str() {
            self.markup(content, text.span);
        }
    }

    fn visit_tagged_tpl(&mut self, template: &TaggedTpl) {
        template.visit_children_with(self);
        self.tagged(template);
    }

    fn visit_import_decl(&mut self, import: &ImportDecl) {
        self.import(import);
    }

    fn visit_export_decl(&mut self, export: &ExportDecl) {
        self.export_declaration(export);
    }

    fn visit_export_default_decl(&mut self, export: &ExportDefaultDecl) {
        self.default_declaration(export);
    }

    fn visit_export_default_expr(&mut self, export: &ExportDefaultExpr) {
        self.default_expression(export);
    }

    fn visit_named_export(&mut self, export: &NamedExport) {
        self.named_export(export);
    }
}
