//! Functions, scripts and modules: where they begin and end, and classes.
//!
//! ```text
//! function f(a) { k(); }   function f(a) {const $Qps3=$QpLe(2,3,$Qps1,this,arguments);let $Qpv,$Qpx=0;
//!                            try{ k(); ;$Qpx=8;$Qpv=void 0}finally{$QpLx(2,$Qpx,$Qpv)}}
//! a => k(a)                a => {const $Qps3=$QpLa(2,3,$Qps1,a);…try{return ($Qpv=k(a),$Qpx=8,$Qpv)}finally{…}}
//! ```
//! A function whose body cannot be in a block keeps its form: its beginning and end are not logged. It declares a
//! function twice, or as a variable too, or beside a direct `eval`, which may do so.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;
use swc_atoms::{Atom, atom};
use swc_common::{Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, Class, Constructor, Decl, Expr, Function, ParamOrTsParamProp,
    Pat, ReturnStmt, Stmt,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::code::only_eval;
use super::walker::{LogWalker, Room, Temporaries, at, end, takes_name};
use super::{LoggedFunction, LoggedFunctionKind, LoggedKind};
use crate::position::ByteOffset;
use crate::rewrite::after_directives;
use crate::scopes::{BindingKind, ScopeIndex, ScopeKind};

/// What a function's body is.
pub(super) enum Body<'b> {
    Statements { statements: &'b [Stmt], span: Span },
    Expression(&'b Expr),
}

/// A function as the walk meets it.
pub(super) struct Met<'b> {
    pub(super) span: Span,
    pub(super) parameters: Vec<&'b Pat>,
    pub(super) body: Body<'b>,
    pub(super) kind: LoggedFunctionKind,
    pub(super) is_arrow: bool,
    pub(super) is_async: bool,
    pub(super) is_generator: bool,
    /// Whether `this` is not there when it begins.
    pub(super) is_derived: bool,
}

fn is_plain(parameters: &[&Pat]) -> bool {
    parameters.iter().all(|it| matches!(it, Pat::Ident(_)))
}

/// A hash of a text without white space (FNV-1a).
pub(super) fn shape(text: &str) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash.max(1)
}

impl LogWalker<'_> {
    /// A function of the tables; gives its number.
    pub(super) fn new_function(&mut self, function: LoggedFunction) -> u32 {
        self.functions.push(function);
        self.options.first.function + ByteOffset::from_index(self.functions.len() - 1).0
    }

    pub(super) fn function(&mut self, function: &Function) {
        let Some(body) = &function.body else { return };
        let kind = std::mem::take(&mut self.next_kind);
        let met = Met {
            span: function.span,
            parameters: function.params.iter().map(|it| &it.pat).collect(),
            body: Body::Statements {
                statements: &body.stmts,
                span: body.span,
            },
            kind,
            is_arrow: false,
            is_async: function.is_async,
            is_generator: function.is_generator,
            is_derived: false,
        };
        self.met(&met);
    }

    pub(super) fn arrow(&mut self, arrow: &ArrowExpr) {
        let body = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => Body::Statements {
                statements: &body.stmts,
                span: body.span,
            },
            ArrowFunctionBody::Expr(expression) => Body::Expression(expression),
        };
        let met = Met {
            span: arrow.span,
            parameters: arrow.params.iter().collect(),
            body,
            kind: LoggedFunctionKind::Function,
            is_arrow: true,
            is_async: arrow.is_async,
            is_generator: false,
            is_derived: false,
        };
        self.next_kind = LoggedFunctionKind::Function;
        self.met(&met);
    }

    pub(super) fn constructor(&mut self, constructor: &Constructor) {
        let Some(body) = &constructor.body else {
            return;
        };
        let parameters = constructor.params.iter().filter_map(|it| match it {
            ParamOrTsParamProp::Param(parameter) => Some(&parameter.pat),
            ParamOrTsParamProp::TsParamProp(_) => None,
        });
        let met = Met {
            span: constructor.span,
            parameters: parameters.collect(),
            body: Body::Statements {
                statements: &body.stmts,
                span: body.span,
            },
            kind: LoggedFunctionKind::Constructor,
            is_arrow: false,
            is_async: false,
            is_generator: false,
            is_derived: self.classes.last().is_some_and(|class| class.is_derived),
        };
        self.met(&met);
    }

    pub(super) fn met(&mut self, met: &Met<'_>) {
        let listed = std::mem::replace(&mut self.listed, u32::MAX);
        let callee = self.callee_of_new.take();
        self.in_scope(ScopeKind::Function, met.span, |this| {
            let scope = this.current;
            this.parameters_of.push(scope);
            this.head(|this| {
                this.without_room(|this| {
                    for parameter in &met.parameters {
                        parameter.visit_with(this);
                    }
                });
            });
            this.parameters_of.pop();
            this.body(scope, met, false);
        });
        self.callee_of_new = callee;
        self.listed = listed;
    }

    /// What the function is called: with its class, where it is in one; and as it runs, without it.
    fn name_of(&mut self, scope: ScopeIndex, kind: LoggedFunctionKind) -> (String, String) {
        let class = self.classes.last().map(|class| class.name.clone());
        let key = self.next_name.take();
        let own = self.scopes.scope(scope).function_name.as_ref();
        let running = own.map(|(name, _)| name.to_string()).or(key.clone());
        let running = running.unwrap_or_default();
        if kind == LoggedFunctionKind::Constructor {
            return (class.unwrap_or_default(), running);
        }
        let own = own.map(|(name, at)| self.original(*at, name)).or(key);
        let is_method = matches!(
            kind,
            LoggedFunctionKind::Method | LoggedFunctionKind::Getter | LoggedFunctionKind::Setter
        );
        let name = match (own, class) {
            (Some(own), Some(class)) if is_method && !class.is_empty() => format!("{class}.{own}"),
            (own, _) => own.unwrap_or_default(),
        };
        (name, running)
    }

    pub(super) fn body(&mut self, scope: ScopeIndex, met: &Met<'_>, is_handler: bool) {
        let p = self.prefix;
        let (name, running) = self.name_of(scope, met.kind);
        let parameters: Vec<String> = met
            .parameters
            .iter()
            .map(|parameter| match parameter {
                Pat::Ident(ident) => self.original(at(ident.span), &ident.sym),
                other => self.short(other.span()),
            })
            .collect();
        let function = self.new_function(LoggedFunction {
            span: Self::span(met.span),
            name,
            running,
            kind: met.kind,
            is_async: met.is_async,
            is_generator: met.is_generator,
            scope: self.options.first.scope + scope.0,
            parameters,
            shape: shape(self.text(met.span)),
        });
        if let Some(of) = self.scope_functions.get_mut(scope.0 as usize) {
            *of = function;
        }
        // What is in a class body inside it has no class of its own around.
        let classes = std::mem::take(&mut self.classes);
        let heads = std::mem::take(&mut self.in_heads);
        let hindrance = self.hindrance(scope, &met.body, &met.parameters);
        if let Some(reason) = hindrance {
            self.unlogged(at(met.span), reason);
        }
        let is_logged = hindrance.is_none();
        let is_suspended = is_logged && (met.is_async || met.is_generator);
        let opening = match &met.body {
            Body::Statements { statements, span } => {
                let begin = if is_handler { span.lo.0 } else { span.lo.0 + 1 };
                let (start, semicolon) =
                    after_directives(self.source, statements, ByteOffset(begin));
                (self.edits.reserve(start), semicolon)
            }
            Body::Expression(expression) => (self.edits.reserve(at(expression.span())), false),
        };
        let around = self.instance_around();
        self.rooms.push(Room {
            function,
            is_logged,
            is_suspended,
            temporaries: Temporaries::Own,
            in_use: 0,
            most: 0,
            branches: 0,
            is_async_generator: met.is_async && met.is_generator,
        });
        if self.values() {
            self.instances.insert(scope);
        }
        let mut first = String::new();
        if self.values() && !is_plain(&met.parameters) {
            for parameter in &met.parameters {
                first.push_str(&self.pattern_hooks(parameter));
            }
        }
        first.push_str(&self.hoisted(scope));
        // Functions in here are what a text begins with, unless it is in a head itself.
        self.in_heads = heads;
        let return_at = match &met.body {
            Body::Statements { statements, span } => {
                let only = only_eval(statements).map(|call| call.span.lo.0);
                let outer = std::mem::replace(&mut self.only_eval, only);
                self.visit_stmts(statements);
                self.only_eval = outer;
                ByteOffset(if is_handler { span.hi.0 } else { span.hi.0 - 1 })
            }
            Body::Expression(expression) => {
                expression.visit_with(self);
                end(expression.span())
            }
        };
        self.classes = classes;
        let room = self.rooms.pop();
        let text = self.opening(scope, met, function, is_logged, &around);
        let activation = match is_suspended {
            true => format!(",{p}a={p}Lb({function})"),
            false => String::new(),
        };
        let declared = room.map(|room| self.declared(&room)).unwrap_or_default();
        let semicolon = if opening.1 { ";" } else { "" };
        let exit = match (self.values(), is_suspended) {
            (true, false) => format!("{p}Lx({function},{p}x,{p}v)"),
            (true, true) => format!("{p}Ly({function},{p}x,{p}v,{p}a)"),
            (false, false) => format!("{p}Ld({function},{p}x)"),
            (false, true) => format!("{p}LD({function},{p}x,{p}a)"),
        };
        match &met.body {
            Body::Statements { .. } if is_logged => {
                self.rooms.push(Room {
                    function,
                    ..self.room()
                });
                let outer = std::mem::replace(&mut self.current, scope);
                let site = self.site(return_at, LoggedKind::Return, String::new());
                self.current = outer;
                self.rooms.pop();
                self.edits.fill(
                    opening.0,
                    &format!("{semicolon}{text}let {p}v,{p}x=0{activation};{declared}try{{{first}"),
                );
                self.edits.insert_args(
                    return_at,
                    format_args!(";{p}x={site};{p}v=void 0}}finally{{{exit}}}"),
                );
            }
            Body::Statements { .. } => {
                self.edits
                    .fill(opening.0, &format!("{semicolon}{text}{declared}{first}"));
            }
            Body::Expression(expression) => {
                self.rooms.push(Room {
                    function,
                    ..self.room()
                });
                let outer = std::mem::replace(&mut self.current, scope);
                let site = self.site(at(expression.span()), LoggedKind::Return, String::new());
                self.current = outer;
                self.rooms.pop();
                // A function is not given that name.
                let (unnamed, close) = match takes_name(expression) {
                    true => ("(0,", ")"),
                    false => ("", ""),
                };
                self.edits.fill(
                    opening.0,
                    &format!(
                        "{{{text}let {p}v,{p}x=0{activation};{declared}try{{{first}return ({p}v={unnamed}"
                    ),
                );
                self.edits.insert_args(
                    return_at,
                    format_args!("{close},{p}x={site},{p}v)}}finally{{{exit}}}}}"),
                );
            }
        }
        self.instances.remove(&scope);
    }

    /// What says that the function begins.
    pub(super) fn opening(
        &self,
        scope: ScopeIndex,
        met: &Met<'_>,
        function: u32,
        is_logged: bool,
        around: &str,
    ) -> String {
        let p = self.prefix;
        let number = self.options.first.scope + scope.0;
        let own = self.scope_name(scope);
        if !self.values() {
            return match is_logged {
                true => format!("{p}Lc({function});"),
                false => String::new(),
            };
        }
        if !is_logged {
            return format!("const {own}={p}Lo({number},{around});");
        }
        let in_head = self.in_heads > 0;
        if met.is_arrow || self.hides_arguments(scope) {
            let hook = if in_head { "LA" } else { "La" };
            let mut text = format!("const {own}={p}{hook}({function},{number},{around}");
            if is_plain(&met.parameters) {
                for parameter in &met.parameters {
                    let _ = write!(text, ",{}", self.text(parameter.span()));
                }
            }
            text.push_str(");");
            return text;
        }
        // In the text of a class the agent looks for its constructor.
        let hook = match met.kind {
            _ if in_head => "LE",
            LoggedFunctionKind::Constructor if self.class_depth == 1 => "LK",
            LoggedFunctionKind::Constructor => "LE",
            _ => "Le",
        };
        let this = match met.is_derived {
            true => format!("{p}LU"),
            false => "this".to_owned(),
        };
        format!("const {own}={p}{hook}({function},{number},{around},{this},arguments);")
    }

    /// Whether `arguments` is something else in that function.
    fn hides_arguments(&self, scope: ScopeIndex) -> bool {
        let name: Atom = atom!("arguments");
        self.scopes
            .resolve(scope, &name)
            .binding()
            .is_some_and(|found| self.scopes.binding(found).scope == scope)
    }

    /// Why the statements of a body cannot be in a block, where a function is a variable of that block alone; `None`:
    /// they can.
    fn hindrance(
        &self,
        scope: ScopeIndex,
        body: &Body<'_>,
        parameters_of: &[&Pat],
    ) -> Option<&'static str> {
        const TWICE: &str = "the beginning and end of a function that declares one name twice";
        let Body::Statements { statements, .. } = body else {
            return None;
        };
        // `function (a) { let a }` is an error, which it has to stay.
        let mut parameters: FxHashSet<Atom> = FxHashSet::default();
        for parameter in parameters_of {
            crate::scopes::for_each_binding(parameter, &mut |name, _| {
                parameters.insert(name.clone());
            });
        }
        let mut is_error = false;
        for statement in *statements {
            let mut declared = |name: &Atom| is_error |= parameters.contains(name);
            match statement {
                Stmt::Decl(Decl::Class(class)) => declared(&class.ident.sym),
                Stmt::Decl(Decl::Var(variables))
                    if variables.kind != swc_ecma_ast::VarDeclKind::Var =>
                {
                    for declarator in &variables.decls {
                        crate::scopes::for_each_binding(&declarator.name, &mut |name, _| {
                            declared(name);
                        });
                    }
                }
                _ => {}
            }
        }
        if is_error {
            return Some(TWICE);
        }
        let mut functions: FxHashSet<&Atom> = FxHashSet::default();
        for statement in *statements {
            let mut statement = statement;
            while let Stmt::Labeled(labeled) = statement {
                statement = &labeled.body;
            }
            if let Stmt::Decl(Decl::Fn(function)) = statement
                && !functions.insert(&function.ident.sym)
            {
                return Some(TWICE);
            }
        }
        if functions.is_empty() {
            return None;
        }
        if self.scopes.scope(scope).eval_declares {
            return Some(
                "the beginning and end of a function that declares functions beside a direct `eval`",
            );
        }
        let is_parameter = self.scopes.scope(scope).bindings.iter().any(|&binding| {
            let binding = self.scopes.binding(binding);
            binding.kind == BindingKind::Parameter && functions.contains(&binding.name)
        });
        if is_parameter {
            return Some(TWICE);
        }
        let mut variables = VarNames(FxHashSet::default());
        for statement in *statements {
            statement.visit_with(&mut variables);
        }
        let is_variable = functions.iter().any(|name| variables.0.contains(*name));
        is_variable.then_some(TWICE)
    }

    /// The hooks of functions that are declared in a scope, which are there from its beginning.
    pub(super) fn hoisted(&mut self, scope: ScopeIndex) -> String {
        if !self.values() {
            return String::new();
        }
        let bindings = self.scopes.scope(scope).bindings.clone();
        let outer = std::mem::replace(&mut self.current, scope);
        let mut text = String::new();
        for binding in bindings {
            let binding = self.scopes.binding(binding);
            if binding.kind == BindingKind::Function {
                let (name, at) = (binding.name.clone(), binding.declared_at);
                text.push_str(&self.assign_hook(&name, at));
            }
        }
        self.current = outer;
        text
    }

    pub(super) fn return_statement(&mut self, statement: &ReturnStmt) {
        let room = self.room();
        if !room.is_logged {
            statement.visit_children_with(self);
            return;
        }
        let p = self.prefix;
        let site = self.site(at(statement.span), LoggedKind::Return, String::new());
        match &statement.arg {
            // What it waits for may be rejected: the function is not left yet.
            Some(value) if room.is_async_generator => {
                let before = format!("({p}v={p}LU,{p}x={site},");
                self.wrap(value.span(), &before, ")", |this| value.visit_with(this));
            }
            Some(value) => {
                let after = format!(",{p}x={site},{p}v)");
                // A function is not given that name.
                let unnamed = if takes_name(value) { "0," } else { "" };
                let before = format!("({p}v=({unnamed}");
                self.wrap(value.span(), &before, &format!("){after}"), |this| {
                    value.visit_with(this);
                });
            }
            None => {
                let keyword = ByteOffset(statement.span.lo.0 + 6);
                self.edits
                    .insert_args(keyword, format_args!(" ({p}v=void 0,{p}x={site},{p}v)"));
            }
        }
    }
}

/// The names that `var` declares in statements, functions inside left out.
struct VarNames(FxHashSet<Atom>);

impl Visit for VarNames {
    fn visit_var_decl(&mut self, declaration: &swc_ecma_ast::VarDecl) {
        if declaration.kind == swc_ecma_ast::VarDeclKind::Var {
            for declarator in &declaration.decls {
                crate::scopes::for_each_binding(&declarator.name, &mut |name, _| {
                    self.0.insert(name.clone());
                });
            }
        }
    }

    fn visit_function(&mut self, _function: &Function) {}

    fn visit_arrow_expr(&mut self, _arrow: &ArrowExpr) {}

    fn visit_class(&mut self, _class: &Class) {}
}
