//! Finding scopes and the names declared in them: what the walk does at each kind of node.

mod quiet;
mod walk;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use swc_atoms::Atom;
use swc_common::Spanned;
use swc_ecma_ast::{Expr, FnDecl, ForHead, Ident, Lit, Pat, Program, Stmt, VarDeclKind};
use swc_ecma_visit::VisitWith;

use super::{
    Binding, BindingIndex, BindingKind, EvalVariables, NameIndex, Scope, ScopeIndex, ScopeKind,
    Scopes, for_each_binding, unparenthesized,
};
use crate::parse::{Goal, Parsed};
use crate::position::ByteOffset;

/// Walks the program of `parsed`, which was parsed for `goal`.
pub(super) fn collect(parsed: &Parsed, goal: Goal) -> Scopes {
    let program = &parsed.program;
    let statements = match program {
        Program::Script(script) => script.body.as_slice(),
        Program::Module(_) => &[],
    };
    let around = matches!(goal, Goal::Eval { strict: true, .. });
    let is_module = matches!(program, Program::Module(_));
    let strict = is_module || around || is_strict(statements);
    let kind = match goal {
        _ if is_module => ScopeKind::Module,
        Goal::Script | Goal::Module => ScopeKind::Script,
        Goal::EventHandler => ScopeKind::Function,
        Goal::Eval { .. } if strict => ScopeKind::Eval(EvalVariables::Own),
        Goal::Eval { in_function, .. } => ScopeKind::Eval(if in_function {
            EvalVariables::Function
        } else {
            EvalVariables::Global
        }),
    };
    // Growing a large table costs more than one that is too large.
    const BYTES_PER_BINDING: usize = 128;
    let expected = program.span().hi.0 as usize / BYTES_PER_BINDING;
    let mut collector = Collector {
        scopes: Scopes {
            scopes: Vec::new(),
            bindings: Vec::new(),
            names: FxHashMap::with_capacity_and_hasher(expected / 4, FxBuildHasher),
            by_name: FxHashMap::with_capacity_and_hasher(expected, FxBuildHasher),
            quiet: Vec::new(),
            early_error: None,
            imports: FxHashMap::default(),
        },
        current: ScopeIndex::ROOT,
        assigned: Vec::new(),
        name_hint: None,
        class_self: None,
        class_names: Vec::new(),
        strict,
        statement_at: u32::MAX,
        loud: 0,
        functions_as_statements: parsed.functions_as_statements.iter().copied().collect(),
    };
    collector.push_root(kind, program.span());
    program.visit_children_with(&mut collector);
    collector.finish()
}

/// Whether statements begin with the directive `"use strict"`.
fn is_strict(statements: &[Stmt]) -> bool {
    statements
        .iter()
        .map_while(|statement| match statement {
            Stmt::Expr(expression) => match &*expression.expr {
                Expr::Lit(Lit::Str(string)) => Some(string),
                _ => None,
            },
            _ => None,
        })
        .any(|directive| directive.value.as_str() == Some("use strict"))
}

/// Whether strict code may neither declare nor assign the name.
fn is_forbidden_in_strict_code(name: &str) -> bool {
    matches!(
        name,
        "arguments"
            | "eval"
            | "implements"
            | "interface"
            | "let"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "static"
            | "yield"
    )
}

struct Collector {
    scopes: Scopes,
    current: ScopeIndex,
    assigned: Vec<(ScopeIndex, NameIndex)>,
    /// The name that the function about to be visited goes by.
    name_hint: Option<Name>,
    /// The identifier of the class about to be visited, which the class's inside can see.
    class_self: Option<Name>,
    /// Names of the classes around, for their constructors.
    class_names: Vec<Option<Name>>,
    /// Whether the code being visited is strict.
    strict: bool,
    /// Where the statement begins that is an expression and was reached last.
    statement_at: u32,
    /// How much there was to be hooked so far.
    loud: u32,
    /// Where functions are in the place of statements, but for those that may.
    functions_as_statements: FxHashSet<ByteOffset>,
}

/// A name and where it is.
type Name = (Atom, ByteOffset);

impl Collector {
    fn push_root(&mut self, kind: ScopeKind, span: swc_common::Span) {
        self.scopes.scopes.push(Scope {
            kind,
            parent: None,
            start: ByteOffset(0),
            end: ByteOffset(span.hi.0.max(1)),
            bindings: Vec::new(),
            declared: 0,
            has_direct_eval: false,
            eval_declares: false,
            strict: self.strict,
            function_name: None,
        });
    }

    fn finish(mut self) -> Scopes {
        if let Some(&at) = self.functions_as_statements.iter().min() {
            self.early_error(at, "a function is where only a statement may be".to_owned());
        }
        for (scope, name) in std::mem::take(&mut self.assigned) {
            let Some(binding) = self.scopes.resolve_index(scope, name).binding() else {
                continue;
            };
            self.scopes.bindings[binding.0 as usize].reassigned = true;
        }
        self.scopes
    }

    fn within(&mut self, kind: ScopeKind, span: swc_common::Span, body: impl FnOnce(&mut Self)) {
        let index = ScopeIndex(ByteOffset::from_index(self.scopes.scopes.len()).0);
        self.scopes.scopes.push(Scope {
            kind,
            parent: Some(self.current),
            start: ByteOffset(span.lo.0),
            end: ByteOffset(span.hi.0),
            bindings: Vec::new(),
            declared: 0,
            has_direct_eval: false,
            eval_declares: false,
            strict: self.strict,
            function_name: None,
        });
        let outer = std::mem::replace(&mut self.current, index);
        body(self);
        self.current = outer;
    }

    fn declare_in(&mut self, scope: ScopeIndex, name: &Atom, kind: BindingKind, at: ByteOffset) {
        self.check_name(name, at);
        let key = (scope, self.name(name));
        if let Some(&known) = self.scopes.by_name.get(&key) {
            let known = &mut self.scopes.bindings[known.0 as usize];
            if known.is_copy {
                // What is declared under the name of a copy takes its place, and may be no variable.
                (known.kind, known.declared_at, known.is_copy) = (kind, at, false);
            }
            return;
        }
        let index = BindingIndex(ByteOffset::from_index(self.scopes.bindings.len()).0);
        self.scopes.bindings.push(Binding {
            name: name.clone(),
            kind,
            scope,
            declared_at: at,
            reassigned: false,
            is_copied_out: false,
            is_copy: false,
        });
        self.scopes.by_name.insert(key, index);
        let scope = &mut self.scopes.scopes[scope.0 as usize];
        scope.bindings.push(index);
        scope.declared |= key.1.bit();
    }

    fn declare(&mut self, name: &Atom, kind: BindingKind, at: ByteOffset) {
        let scope = match kind {
            BindingKind::Var => self.scopes.function_around(self.current),
            _ => self.current,
        };
        self.declare_in(scope, name, kind, at);
    }

    fn declare_pattern(&mut self, pattern: &Pat, kind: BindingKind) {
        for_each_binding(pattern, &mut |name, at| self.declare(name, kind, at));
    }

    fn name(&mut self, name: &Atom) -> NameIndex {
        if let Some(&index) = self.scopes.names.get(name) {
            return index;
        }
        let index = NameIndex(ByteOffset::from_index(self.scopes.names.len()).0);
        self.scopes.names.insert(name.clone(), index);
        index
    }

    /// Remembers a name that must not be here. The parser finds most of them itself.
    fn check_name(&mut self, name: &Atom, at: ByteOffset) {
        // The parser takes any letter that is written as an escape sequence, even `\u{30}` at the start.
        if !name.starts_with(Ident::is_valid_start) {
            self.early_error(at, format!("`{name}` is no name"));
        }
        if self.strict && is_forbidden_in_strict_code(name) {
            self.early_error(
                at,
                format!("strict code must not declare or assign `{name}`"),
            );
        }
    }

    fn early_error(&mut self, at: ByteOffset, message: String) {
        self.scopes.early_error.get_or_insert((at, message));
    }

    fn assign(&mut self, name: &Atom, at: ByteOffset) {
        self.check_name(name, at);
        let name = self.name(name);
        self.assigned.push((self.current, name));
    }

    fn assign_pattern(&mut self, pattern: &Pat) {
        for_each_binding(pattern, &mut |name, at| self.assign(name, at));
    }

    /// Function declarations are seen from the start of their block; in sloppy code one in a block is
    /// also a `var` of the function.
    fn hoist_functions<'a>(&mut self, statements: impl Iterator<Item = &'a Stmt>) {
        for statement in statements {
            let mut statement = statement;
            while let Stmt::Labeled(labeled) = statement {
                statement = &labeled.body;
            }
            if let Stmt::Decl(swc_ecma_ast::Decl::Fn(function)) = statement {
                self.declare_function(function);
            }
        }
    }

    fn declare_function(&mut self, function: &FnDecl) {
        let at = ByteOffset(function.ident.span.lo.0);
        self.declare(&function.ident.sym, BindingKind::Function, at);
        let function_scope = self.scopes.function_around(self.current);
        let plain = !function.function.is_async && !function.function.is_generator;
        if function_scope != self.current && plain && !self.strict {
            // Annex B.3.3.
            let name = self.name(&function.ident.sym);
            if let Some(&inner) = self.scopes.by_name.get(&(self.current, name)) {
                self.scopes.bindings[inner.0 as usize].is_copied_out = true;
            }
            if !self.scopes.by_name.contains_key(&(function_scope, name)) {
                self.declare_in(function_scope, &function.ident.sym, BindingKind::Var, at);
                let copy = self.scopes.bindings.last_mut();
                if let Some(copy) = copy {
                    copy.is_copy = true;
                }
            }
        }
    }

    fn function(
        &mut self,
        span: swc_common::Span,
        name: Option<Name>,
        parameters: &mut dyn Iterator<Item = &Pat>,
        body: impl FnOnce(&mut Self),
    ) {
        let parameters: Vec<&Pat> = parameters.collect();
        self.within(ScopeKind::Function, span, |this| {
            this.scopes.scopes[this.current.0 as usize].function_name = name;
            for parameter in &parameters {
                this.declare_pattern(parameter, BindingKind::Parameter);
            }
            for parameter in &parameters {
                parameter.visit_with(this);
            }
            body(this);
        });
    }

    fn statements(&mut self, statements: &[Stmt]) {
        self.hoist_functions(statements.iter());
        for statement in statements {
            statement.visit_with(self);
        }
    }

    /// A statement that is no declaration. The parser overlooks those of asynchronous functions.
    fn only_statement(&mut self, statement: &Stmt) {
        if let Stmt::Decl(swc_ecma_ast::Decl::Fn(function)) = statement {
            let at = ByteOffset(function.function.span.lo.0);
            self.early_error(at, "a function is where only a statement may be".to_owned());
        }
        statement.visit_with(self);
    }

    /// The statements of a function's body.
    fn body(&mut self, statements: &[Stmt]) {
        let strict = self.strict;
        self.strict = strict || is_strict(statements);
        if self.strict && !strict {
            // The parameters are before the directive that makes them strict.
            let scope = &self.scopes.scopes[self.current.0 as usize];
            for binding in scope.bindings.clone() {
                let binding = &self.scopes.bindings[binding.0 as usize];
                let (name, at) = (binding.name.clone(), binding.declared_at);
                self.check_name(&name, at);
            }
        }
        self.scopes.scopes[self.current.0 as usize].strict = self.strict;
        self.statements(statements);
        self.strict = strict;
    }
}

impl Collector {
    fn for_head(&mut self, head: &ForHead) {
        match head {
            ForHead::VarDecl(declaration) => {
                if declaration.kind == VarDeclKind::Var {
                    for declarator in &declaration.decls {
                        self.declare_pattern(&declarator.name, BindingKind::Var);
                    }
                }
                declaration.visit_with(self);
            }
            ForHead::UsingDecl(declaration) => declaration.visit_with(self),
            ForHead::Pat(pattern) => {
                self.assign_pattern(pattern);
                pattern.visit_with(self);
            }
        }
    }

    /// Remembers the name that an anonymous function in this place is given.
    fn hint(&mut self, name: &Atom, at: ByteOffset, value: &Expr) {
        self.name_hint = match unparenthesized(value) {
            Expr::Fn(function) if function.ident.is_none() => Some((name.clone(), at)),
            Expr::Arrow(_) | Expr::Class(_) => Some((name.clone(), at)),
            _ => None,
        };
    }
}
